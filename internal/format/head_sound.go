package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// isSound reports whether what YAML made of a head is what is written there.
// YAML accepts texts in which a key has gone under: in a quote that nobody
// closed, in {a:b}, or behind a backslash or a character without width.
func isSound(root *tree.Node, text string, line int) bool {
	for i := range root.Map {
		m := &root.Map[i]
		if plainKey(m.Key) != m.Key || hasGluedKey(m.Value) {
			return false
		}
		// A sentence with a colon that goes on with the description above it.
		if i > 0 && m.Key != "" && !isKeyText(m.Key) && takesProse(root.Map[i-1].Key) && root.Map[i-1].Value.Kind == tree.String {
			return false
		}
	}
	return !strings.Contains(text, "<<<<<<<") && !swallowsKey(root, text, line)
}

// hasGluedKey reports a map in which {key:value} without a blank became a key
// of that name with no value.
func hasGluedKey(n *tree.Node) bool {
	for i := range n.Map {
		m := &n.Map[i]
		if m.Value.Kind == tree.Null && m.Value.Text == "" && strings.IndexByte(m.Key, ':') >= 0 || hasGluedKey(m.Value) {
			return true
		}
	}
	return slices.ContainsFunc(n.List, hasGluedKey)
}

// swallowsKey reports a known key at the start of a line that became part of
// the text of the key above it, or a text of which YAML leaves a word out.
func swallowsKey(root *tree.Node, text string, line int) bool {
	type place struct {
		line       int
		text, data bool // the value is a text; the key holds data
	}
	var places []place
	for _, members := range [...][]tree.Member{root.Map, root.Dup} {
		for _, m := range members {
			places = append(places, place{m.Line, m.Value.Kind == tree.String, isStructured(m.Key)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.line - b.line })
	var in place
	var aliases map[string]bool
	for at := 0; at < len(text); line++ {
		row, next := yamlLineAt(text, at)
		at = next
		if len(places) > 0 && places[0].line == line {
			in = places[0]
			if word := signWord(row); in.text && word != "" {
				if word[0] == '&' && aliases == nil {
					aliases = aliasWords(text)
				}
				if word[0] == '!' || !aliases[word[1:]] {
					return true
				}
			}
			for len(places) > 0 && places[0].line == line {
				places = places[1:]
			}
			continue
		}
		if k, ok := keyLine(row); ok && (in.text && isKnown(k.key) || !in.data && isGate(k.key)) {
			return true
		}
	}
	return false
}

// yamlLineAt is lineAt by YAML's count, to which three more characters end a
// line.
func yamlLineAt(text string, at int) (line string, next int) {
	end := strings.IndexAny(text[at:], "\n\u0085\u2028\u2029")
	if end < 0 {
		return text[at:], len(text)
	}
	_, size := utf8.DecodeRuneInString(text[at+end:])
	return text[at : at+end], at + end + size
}

// signWord returns the word that a value starts with if YAML takes it for a tag
// or an anchor and leaves it out of the text: "!important", "&co". Anchors that
// are referred to are meant so.
func signWord(row string) string {
	k, ok := keyLine(row)
	if !ok || k.value == "" || k.value[0] != '!' && k.value[0] != '&' || strings.HasPrefix(k.value, "!!") {
		return ""
	}
	word, _, _ := strings.Cut(k.value, " ")
	return word
}

// aliasWords are the words with an asterisk in front of them.
func aliasWords(text string) map[string]bool {
	words := map[string]bool{}
	for {
		_, rest, ok := strings.Cut(text, "*")
		if !ok {
			return words
		}
		end := 0
		for end < len(rest) && isWordByte(rest[end]) {
			end++
		}
		words[rest[:end]] = true
		text = rest
	}
}

// duplicates reports keys that are written twice. The last counts, but where
// requirements may stand, as they may in any map, two different values leave
// open which of them hold.
func (r *headRead) duplicates() {
	find := tree.Builder{Node: r.fields}
	for _, old := range r.fields.Dup {
		now := &r.fields.Map[find.Find(old.Key)]
		message := fmt.Sprintf("%s is written twice, first on line %d; the last counts", old.Key, old.Line)
		if (isGate(old.Key) || old.Value.Kind == tree.Map) && old.Value.Kind != tree.Null {
			switch {
			case now.Value.Kind == tree.Null:
				now.Value = old.Value
				message = fmt.Sprintf("%s is written twice, first on line %d; the one with a value counts", old.Key, old.Line)
			case !sameValue(old.Value, now.Value):
				r.unread(old.Key, now.Line)
				message = fmt.Sprintf("%s is written twice, first on line %d, and the two differ; neither is relied on", old.Key, old.Line)
			}
		}
		r.report(skill.FrontmatterDuplicate, now.Line, message, "keep one of them")
	}
	for i := range r.fields.Map {
		m := &r.fields.Map[i]
		if m.Value.Kind != tree.Map && m.Value.Kind != tree.List {
			continue
		}
		if key, line := lostDuplicate(m.Value); key != "" {
			r.unread(m.Key, line)
			r.report(skill.FrontmatterDuplicate, line, fmt.Sprintf("%s is written twice in %s with different values; neither is relied on", key, m.Key),
				"keep one of them")
		}
	}
}

// lostDuplicate finds a key that is written twice with different values inside
// a value, so that one of them is lost.
func lostDuplicate(n *tree.Node) (key string, line int) {
	find := tree.Builder{Node: n}
	for _, old := range n.Dup {
		if now := n.Map[find.Find(old.Key)]; !sameValue(old.Value, now.Value) {
			return old.Key, now.Line
		}
		if key, line = lostDuplicate(old.Value); key != "" {
			return key, line
		}
	}
	for i := range n.Map {
		if key, line = lostDuplicate(n.Map[i].Value); key != "" {
			return key, line
		}
	}
	for _, item := range n.List {
		if key, line = lostDuplicate(item); key != "" {
			return key, line
		}
	}
	return "", 0
}

// sameValue reports whether two values mean the same, wherever they stand.
func sameValue(a, b *tree.Node) bool {
	return a.Kind == b.Kind && a.Source() == b.Source()
}
