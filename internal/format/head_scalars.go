package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// readScalarsHead reads four texts and three lists from a frontmatter, line by
// line, and nothing else. A key counts however far it stands to the right, and
// of a text written twice the last counts. A frontmatter without a name counts
// for nothing.
func readScalarsHead(store *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{store: store, file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	text := r.lineText(data)
	if s, ok := dashed(text, "---"); ok {
		body := strings.TrimLeftFunc(text[s.body:], unicode.IsSpace)
		r.bodyLine = 1 + strings.Count(text[:len(text)-len(body)], "\n")
		r.body = withoutCR(strings.TrimRightFunc(body, unicode.IsSpace))
		r.readScalars(r.bounded(text, s, "permissions"), s.line)
	} else {
		r.body, r.bodyLine = withoutCR(text), 1
		r.reportNone(text)
	}
	r.reportMore()
	return r.head
}

// The keys that are read, in the order of the fields.
var (
	scalarTexts = [...]string{"name", "description", "version", "author"}
	scalarLists = [...]string{"tags", "permissions", "triggers"}
)

// readScalars fills the fields from a frontmatter that starts on a line.
func (r *headRead) readScalars(region string, first int) {
	var texts [len(scalarTexts)]*tree.Node
	var lists [len(scalarLists)]wordList
	for at, line := 0, first; at < len(region); line++ {
		row, next := lineAt(region, at)
		at = next
		row = strings.TrimSpace(row)
		for i, key := range scalarLists {
			lists[i].line(row, key, line)
		}
		key, value, ok := strings.Cut(row, ":")
		value = strings.TrimSpace(value)
		i := slices.Index(scalarTexts[:], strings.TrimSpace(key))
		if !ok || i < 0 || value == "" || row[0] == '-' || row[0] == '#' {
			continue
		}
		if old := texts[i]; old != nil && old.Text != unquoteOnce(value) {
			r.report(skill.FrontmatterDuplicate, line, overwrote(scalarTexts[i], old.Line), "keep one of them")
		}
		texts[i] = &tree.Node{Kind: tree.String, Text: unquoteOnce(value), Line: line, Column: 1}
		r.reportBlockMark(scalarTexts[i], value, line)
	}
	r.fields = emptyMap(first)
	if texts[0] == nil || texts[0].Text == "" {
		r.report(skill.FrontmatterDropped, first, "the frontmatter has no name, so nothing in it counts", "add a line name:")
		return
	}
	budget := r.limits.Budget()
	for i, n := range texts {
		if n != nil {
			r.addScalar(scalarTexts[i], n, budget.Value(n.Line, n.Column))
		}
	}
	for i := range lists {
		if words, line, ok := lists[i].words(); ok {
			n := &tree.Node{Line: line, Column: 1}
			r.addScalar(scalarLists[i], n, listOf(n, words, &budget))
		}
	}
}

// addScalar adds a field, unless it goes beyond the limits.
func (r *headRead) addScalar(key string, n *tree.Node, err error) {
	if err != nil {
		r.tooMuch(err, n.Line, key)
		return
	}
	r.fields.Map = append(r.fields.Map, tree.Member{Key: key, Line: n.Line, Value: n})
}

// wordList collects one list while the lines go by. The last one in brackets
// wins over those below their key, of which the last wins as well.
type wordList struct {
	inline, block         []string
	inlineLine, blockLine int
	open                  bool // the block may go on
}

// line takes a line without blanks around it.
func (l *wordList) line(row, key string, line int) {
	rest, ok := strings.CutPrefix(row, key)
	rest, ok2 := strings.CutPrefix(rest, ":")
	if ok && ok2 {
		rest = strings.TrimSpace(rest)
		switch {
		case rest == "":
			l.block, l.blockLine, l.open = nil, line, true
			return
		case len(rest) > 1 && rest[0] == '[' && rest[len(rest)-1] == ']':
			l.inline, l.inlineLine = nil, line
			for word := range strings.SplitSeq(rest[1:len(rest)-1], ",") {
				if word = unquoteOnce(word); word != "" {
					l.inline = append(l.inline, word)
				}
			}
		}
	}
	if !l.open {
		return
	}
	if word, item := strings.CutPrefix(row, "- "); item {
		l.block = append(l.block, unquoteOnce(word))
	} else if row == "" || strings.Contains(row, ":") {
		l.open = false
	}
}

// words returns the list, its line, and whether there is one.
func (l *wordList) words() (words []string, line int, ok bool) {
	if l.inlineLine > 0 {
		return l.inline, l.inlineLine, true
	}
	return l.block, l.blockLine, len(l.block) > 0
}

// unquoteOnce removes blanks and one pair of quotes around a value. A quote
// that is alone stays.
func unquoteOnce(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// lineText makes a file valid text whose lines end in LF. A lone CR stays: no
// reader of lines takes it for the end of one.
func (r *headRead) lineText(data []byte) string {
	data = r.soundText(data)
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte{'\n'})
	}
	return view(data)
}

// soundText makes a file valid UTF-8 without NUL bytes.
func (r *headRead) soundText(data []byte) []byte {
	if !utf8.Valid(data) {
		r.report(skill.FileNotUTF8, 1+bytes.Count(data[:firstInvalid(data)], []byte{'\n'}),
			"the file is not valid UTF-8; the bytes that are not were replaced", "save it as UTF-8")
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		r.report(skill.FileHasNUL, 1+bytes.Count(data[:at], []byte{'\n'}),
			"the file has NUL bytes; they were removed", "save it as plain text in UTF-8")
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
	return data
}

// withoutCR makes lone CRs the ends of lines that their author meant.
func withoutCR(text string) string { return strings.ReplaceAll(text, "\r", "\n") }

// dashed finds a frontmatter whose opening is the first text of the file. The
// next line that starts with three dashes closes it, whatever follows them; the
// body starts right behind those three.
func dashed(text, opening string) (s span, ok bool) {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	if !strings.HasPrefix(rest, opening) {
		return span{}, false
	}
	const closing = "\n---"
	s.start = len(text) - len(rest) + len(opening)
	size := strings.Index(text[s.start:], closing)
	if size < 0 {
		return span{}, false
	}
	s.end, s.body = s.start+size, s.start+size+len(closing)
	s.line, s.closed, s.fence = 1+strings.Count(text[:s.start], "\n"), true, dashes
	return s, true
}

// bounded is the frontmatter at s, as much of it as the limits allow. If that
// is not all, gate is the key that may have restricted the skill in the rest.
func (r *headRead) bounded(text string, s span, gate string) string {
	region := text[s.start:s.end]
	if err := r.checkSize(s); err != nil {
		r.tooMuch(err, s.line, gate)
		region = region[:strings.LastIndexByte(region[:r.max], '\n')+1]
	}
	return region
}

// tooMuch reports a frontmatter that is not read to its end.
func (r *headRead) tooMuch(err error, line int, gate string) {
	r.report(skill.FrontmatterTooDeep, line, message(err), "shorten it; long text belongs below the closing ---")
	r.unread(gate, line)
}

// reportNone says why a file without a frontmatter between dashes has none.
func (r *headRead) reportNone(text string) {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	line := 1 + strings.Count(text[:len(text)-len(rest)], "\n")
	switch {
	case strings.HasPrefix(rest, "\ufeff---"):
		r.report(skill.FrontmatterMissing, line, "a byte-order mark in front of the frontmatter hides it",
			"save the file as UTF-8 without a byte-order mark")
	case strings.HasPrefix(rest, "---"):
		r.report(skill.FrontmatterUnclosed, line, "the frontmatter does not stand between two lines of ---, so it counts as text",
			"write --- on a line of its own above and below it")
	default:
		r.report(skill.FrontmatterMissing, 1, "the file has no frontmatter",
			"start it with a line ---, then name: and description:, then another line ---")
	}
}
