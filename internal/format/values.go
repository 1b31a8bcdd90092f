package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// words reads a list of scalars, or a scalar with commas. Blank items are left
// out; items that are no scalars are reported and left out.
func (r *reading) words(at *place, n *tree.Node) []string {
	words, whole := scalars(n)
	switch {
	case whole:
	case n.Kind == tree.List:
		r.report(skill.ValueInvalid, n.Line, at.text()+" has items that are no texts; they have no effect",
			"write a list of texts, such as [one, two]")
	default:
		r.wrongShape(at, n, "a list of texts, such as [one, two]")
	}
	return words
}

// scalars is what can be read of a list of words, and whether that is all.
func scalars(n *tree.Node) (words []string, whole bool) {
	switch n.Kind {
	case tree.Null:
		return nil, true
	case tree.Map:
		return nil, false
	case tree.List:
		whole = true
		for i, item := range n.List {
			if text, ok := phrase(item); !ok {
				whole = whole && isEmpty(item)
			} else if text != "" {
				if words == nil {
					words = make([]string, 0, len(n.List)-i)
				}
				words = append(words, text)
			}
		}
		return words, whole
	}
	for word := range strings.SplitSeq(n.Text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words, true
}

// phrase is the text of an item. YAML takes an item such as "Note: see below"
// for a map.
func phrase(n *tree.Node) (string, bool) {
	if n != nil && n.Kind == tree.Map && len(n.Map) == 1 && n.Map[0].Value.IsScalar() {
		return n.Map[0].Key + ": " + n.Map[0].Value.Text, true
	}
	return n.Scalar()
}

func (r *reading) description(m *tree.Member) {
	text, ok := m.Value.Scalar()
	if !ok {
		r.wrongShape(&place{key: m.Key}, m.Value, "one or two sentences; put them in quotes")
		return
	}
	s := r.skill()
	have := s.Description.Raw()
	r.claim(fieldDescription, &have, text, m)
	s.Description = skill.NewText(have)
}

// author is a name, a map with a name, or a list of either.
func (r *reading) author(m *tree.Member) {
	name, ok := authorName(m.Value)
	if !ok {
		r.wrongShape(&place{key: m.Key}, m.Value, "a name")
		return
	}
	r.claim(fieldAuthor, &r.skill().Author, name, m)
}

func authorName(n *tree.Node) (string, bool) {
	if n != nil && n.Kind == tree.Map {
		n = n.Get("name")
	}
	if n == nil || n.Kind != tree.List {
		return n.Scalar()
	}
	var names []string
	for _, item := range n.List {
		if item != nil && item.Kind == tree.Map {
			item = item.Get("name")
		}
		name, ok := item.Scalar()
		if !ok {
			return "", false
		}
		names = append(names, name)
	}
	return strings.Join(names, ", "), true
}

func (r *reading) compatibility(m *tree.Member) {
	s := r.skill()
	if !s.Compatibility.IsZero() {
		return
	}
	var b strings.Builder
	if m.Value.Kind == tree.List {
		for i, item := range m.Value.List {
			if i > 0 {
				b.WriteString(", ")
			}
			asWritten(&b, item)
		}
	} else {
		asWritten(&b, m.Value)
	}
	s.Compatibility = skill.NewText(strings.TrimSpace(b.String()))
}

// permissions are requirements as well: a skill whose permissions nobody can
// read is not one that needs none.
func (r *reading) permissions(m *tree.Member) {
	words, whole := scalars(m.Value)
	if !whole {
		r.unreadable(m.Line, m.Key+" is not a list of names, so nobody can say what the skill needs",
			"write a list of names, such as [file_read, web_fetch]")
	}
	if s := r.skill(); len(s.Permissions) == 0 {
		s.Permissions = words
	}
}

func (r *reading) allowedTools(m *tree.Member) {
	tools, whole := toolRules(m.Value)
	if !whole {
		r.wrongShape(&place{key: m.Key}, m.Value, "tools with spaces between them, such as Read Bash(git:*)")
	}
	if s := r.skill(); len(s.AllowedTools) == 0 {
		s.AllowedTools = tools
	}
}

// disallowedTools of all manifests count, for each takes something away. A
// restriction that is cut or not understood is never dropped in silence.
func (r *reading) disallowedTools(m *tree.Member) {
	tools, whole := toolRules(m.Value)
	switch {
	case !whole || m.Value.Kind == tree.Bool || slices.ContainsFunc(tools, isUnclosed):
		r.unreadable(m.Line, m.Key+" is not a list of tools, so nobody can say what is forbidden",
			"write tools with spaces between them, such as Bash(rm:*) WebFetch")
	case len(tools) > maxRequirements:
		r.unreadable(m.Line, fmt.Sprintf("%s has more than %d tools, so not all that is forbidden is known", m.Key, maxRequirements),
			"forbid fewer tools, or say with allowed-tools which ones are needed")
	}
	s := r.skill()
	s.DisallowedTools = union(s.DisallowedTools, tools[:min(len(tools), maxRequirements)])
}

// isUnclosed reports a rule that may have swallowed the ones behind it, or lost
// its end to them.
func isUnclosed(rule string) bool { return strings.Count(rule, "(") > strings.Count(rule, ")") }

// toolRules reads rules such as Bash(git add *), in a list or in one text with
// spaces or commas between them; those inside parentheses belong to the rule.
func toolRules(n *tree.Node) (tools []string, whole bool) {
	if !n.IsScalar() {
		return scalars(n)
	}
	start, depth := 0, 0
	add := func(end int) {
		if rule := strings.TrimSpace(n.Text[start:end]); rule != "" {
			tools = append(tools, rule)
		}
		start = end + 1
	}
	for i := range len(n.Text) {
		switch n.Text[i] {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case ' ', '\t', '\n', ',':
			if depth == 0 {
				add(i)
			}
		}
	}
	add(len(n.Text))
	return tools, true
}
