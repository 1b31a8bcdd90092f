package format

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// readLinesHead reads a frontmatter line by line: a line with a colon is a key
// and its value, however far it stands to the right, and of a key written twice
// the last counts. So a name inside some other block becomes the skill's, and
// of a description that spans lines only the mark on the first is read; both
// are reported. Besides texts it knows tags, metadata as one line of JSON, and
// variables listed by name. The body is the whole file.
func readLinesHead(store *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{store: store, file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	text := r.lineText(data)
	r.body, r.bodyLine = withoutCR(text), 1
	if s, ok := dashed(text, "---\n"); ok {
		r.readLines(r.bounded(text, s, "metadata"), s.line)
	} else {
		r.reportNone(text)
	}
	r.reportMore()
	return r.head
}

// readLines fills the fields from a frontmatter that starts on a line.
func (r *headRead) readLines(region string, first int) {
	r.fields = emptyMap(first)
	build, budget := tree.Builder{Node: r.fields}, r.limits.Budget()
	nested := 0 // the line of metadata whose value stands below it
	for at, line := 0, first; at < len(region); line++ {
		row, next := lineAt(region, at)
		at = next
		key, value, ok := strings.Cut(row, ":")
		key, value = strings.TrimSpace(key), unquoteOuter(value)
		if !ok || !isKeyText(key) {
			continue
		}
		if value == "" {
			if key == "metadata" {
				nested = line
			}
			continue
		}
		n := &tree.Node{Kind: tree.String, Text: value, Line: line, Column: strings.IndexByte(row, ':') + 2}
		err := budget.Value(line, n.Column)
		if err == nil && key == "tags" {
			err = listOf(n, splitList(value), &budget)
		}
		if err != nil {
			r.tooMuch(err, line, "metadata")
			break
		}
		build.Add(tree.Member{Key: key, Line: line, Value: n})
		if isKnown(key) {
			r.reportBlockMark(key, value, line)
		}
	}
	entries, line := readVariables(region, first)
	if list, err := variablesNode(entries, line, &budget); err != nil {
		r.tooMuch(err, line, "metadata")
	} else if list != nil {
		build.Add(tree.Member{Key: "env", Line: line, Value: list})
	}
	r.overwritten(&build)
	r.oneLineMetadata(nested)
}

// unquoteOuter removes blanks, then all double and then all single quotes
// around a value.
func unquoteOuter(value string) string {
	return strings.Trim(strings.Trim(strings.TrimSpace(value), `"`), "'")
}

// splitList reads words with commas between them, with or without brackets.
func splitList(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) > 1 && value[0] == '[' && value[len(value)-1] == ']' {
		value = value[1 : len(value)-1]
	}
	var words []string
	for word := range strings.SplitSeq(value, ",") {
		if word = unquoteOuter(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// listOf makes a node the list of words.
func listOf(n *tree.Node, words []string, budget *tree.Budget) error {
	if err := budget.Enter(n.Line, n.Column); err != nil {
		return err
	}
	defer budget.Leave()
	n.Kind, n.Text, n.List = tree.List, "", make([]*tree.Node, len(words))
	for i, word := range words {
		if err := budget.Value(n.Line, n.Column); err != nil {
			return err
		}
		n.List[i] = &tree.Node{Kind: tree.String, Text: word, Line: n.Line, Column: n.Column}
	}
	return nil
}

// reportBlockMark warns where a value is nothing but the sign with which YAML
// announces lines of text: these are not read.
func (r *headRead) reportBlockMark(key, value string, line int) {
	if (value[0] == '|' || value[0] == '>') && strings.Trim(value[1:], "+-0123456789") == "" {
		r.report(skill.FrontmatterDropped, line, key+" is read as "+quoted(value)+"; the lines below it do not belong to it",
			"write the whole "+key+" on one line")
	}
}

// overwritten tells of keys that a later line took over. What it overwrote is
// gone for this reader, so nothing after it shall count it either.
func (r *headRead) overwritten(build *tree.Builder) {
	for _, old := range r.fields.Dup {
		now := &r.fields.Map[build.Find(old.Key)]
		if isKnown(old.Key) && (now.Value.Kind != tree.String || now.Value.Text != old.Value.Text) {
			r.report(skill.FrontmatterDuplicate, now.Line,
				overwrote(old.Key, old.Line), "keep one of them")
		}
	}
	r.fields.Dup = nil
}

func overwrote(key string, line int) string {
	return fmt.Sprintf("%s is written twice, first on line %d; the last counts, even inside another key", key, line)
}

// oneLineMetadata leaves metadata out unless it is a JSON object. nested is the
// line of one without a value of its own.
func (r *headRead) oneLineMetadata(nested int) {
	i := slices.IndexFunc(r.fields.Map, func(m tree.Member) bool { return m.Key == "metadata" })
	if i >= 0 {
		value := strings.TrimSpace(r.fields.Map[i].Value.Text)
		if value != "" && value[0] == '{' && json.Valid([]byte(value)) {
			return
		}
		nested = r.fields.Map[i].Line
		r.fields.Map = slices.Delete(r.fields.Map, i, i+1)
	}
	if nested > 0 {
		r.report(skill.FrontmatterDropped, nested, "metadata is not JSON on one line, so nothing in it counts",
			`write it on one line, such as metadata: {"NAMESPACE": {"requires": {"bins": ["git"]}}}`)
	}
}

// variable is an entry of an env block.
type variable struct {
	name     string
	named    bool
	optional bool
	line     int
}

// readVariables reads the first env block, wherever it stands: entries with a
// name, which are required unless they say otherwise. The block ends at a key
// two columns left of the last entry, or at any key if there was no entry yet.
func readVariables(region string, line int) (entries []variable, start int) {
	inside, indent := false, -1
	for at := 0; at < len(region); line++ {
		row, next := lineAt(region, at)
		at = next
		text := strings.TrimLeftFunc(row, unicode.IsSpace)
		if !inside {
			inside, start = strings.HasPrefix(text, "env:"), line
			continue
		}
		left := len(row) - len(strings.TrimLeft(row, " "))
		item := text
		for strings.HasPrefix(item, "- ") {
			item = item[2:]
		}
		key, value, ok := strings.Cut(item, ":")
		switch {
		case len(item) < len(text):
			entries, indent = append(entries, variable{line: line}), left
		case !ok, text[0] == '-', text[0] == '#':
			continue
		case indent < 0 || left <= max(indent-2, 0):
			return entries, start
		}
		entry := &entries[len(entries)-1]
		switch strings.TrimSpace(key) {
		case "name":
			entry.name, entry.named = unquoteOuter(value), ok
		case "required":
			entry.optional = entry.optional || strings.EqualFold(strings.TrimSpace(value), "false")
		}
	}
	return entries, start
}

// variablesNode lists the entries that have a name; it is nil if none has.
func variablesNode(entries []variable, line int, budget *tree.Budget) (*tree.Node, error) {
	list := &tree.Node{Kind: tree.List, Line: line, Column: 1}
	for _, v := range entries {
		if !v.named {
			continue
		}
		entry := &tree.Node{Kind: tree.Map, Line: v.line, Column: 1, Map: []tree.Member{
			{Key: "name", Line: v.line, Value: &tree.Node{Kind: tree.String, Text: v.name, Line: v.line, Column: 1}}}}
		if v.optional {
			entry.Map = append(entry.Map, tree.Member{Key: "required", Line: v.line,
				Value: &tree.Node{Kind: tree.Bool, Text: "false", Line: v.line, Column: 1}})
		}
		for range 1 + len(entry.Map) {
			if err := budget.Value(v.line, 1); err != nil {
				return nil, err
			}
		}
		list.List = append(list.List, entry)
	}
	if len(list.List) == 0 {
		return nil, nil
	}
	return list, nil
}

// firstLineBelow is the first line of a file that is neither blank nor a heading
// at the left. A frontmatter as [readLinesHead] finds it is passed over, since
// the body which that leaves is the whole file.
func firstLineBelow(body string) string {
	if s, ok := dashed(body, "---\n"); ok {
		body = body[s.body:]
	}
	for line := range strings.SplitSeq(body, "\n") {
		if !isBlank(line) && line[0] != '#' {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
