package format

import (
	"errors"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// readTextsHead reads a frontmatter in valid YAML and makes a text of every
// value: structured ones become JSON, but one with a colon on the line of its key
// stays as that line is written. Only the sentences that people write without quotes
// are mended. A file whose YAML is not valid is refused.
func readTextsHead(_ *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	text := r.yamlText(data)
	r.body, r.bodyLine = text, 1
	s, why := r.firstFence(text)
	if why != "" {
		r.refused, r.missing = why, !s.closed && s.fence == noFence
		return r.head
	}
	fields, err := r.texts(text[s.start:s.end], s.line)
	r.settle(fields, err)
	r.reportMore()
	return r.head
}

// firstFence finds a frontmatter whose opening line is the first of the file,
// and cuts out the body. why tells what is wrong, if anything.
func (r *headRead) firstFence(text string) (s span, why string) {
	first, start := lineAt(text, 0)
	if !isFence(first) || start == len(first) {
		r.report(skill.FrontmatterMissing, 1, "the file has no frontmatter",
			"start it with a line ---, then name: and description:, then another line ---")
		return span{fence: noFence}, "the file has no frontmatter"
	}
	s = span{start: start, line: 2, fence: dashes}
	for at, line := start, 2; at < len(text); line++ {
		row, next := lineAt(text, at)
		if isFence(row) {
			s.end, s.body, s.closed = at, next, true
			r.body, r.bodyLine = text[next:], line+1
			return s, ""
		}
		at = next
	}
	r.report(skill.FrontmatterUnclosed, 1, "the frontmatter has no closing line", "put a line --- below its last key")
	return s, "UNTERMINATED_FRONTMATTER: the frontmatter has no closing line"
}

// isFence reports three dashes with nothing but blanks behind them.
func isFence(row string) bool { return strings.TrimRightFunc(row, unicode.IsSpace) == "---" }

// sentenceKeys hold text that people write without quotes. The first is mended
// whatever is wrong with it, the others if it is a colon.
var sentenceKeys = [...]string{"description", "read_when", "summary"}

// texts reads the frontmatter, mending its sentences one after the other.
func (r *headRead) texts(region string, line int) (*tree.Node, error) {
	if err := r.checkSize(span{end: len(region), line: line}); err != nil {
		return nil, err
	}
	fields, err := r.uniqueYAML(region, line)
	for range sentenceKeys {
		if err == nil || errors.Is(err, tree.ErrLimit) {
			break
		}
		mended, ok := r.quoteSentence(region, line)
		if !ok {
			mended, ok = r.quoteData(region)
		}
		if !ok {
			break
		}
		region = mended
		fields, err = r.uniqueYAML(region, line)
	}
	if err != nil {
		return nil, err
	}
	fields = asTexts(fields, region, line)
	dropUnreadable(fields, r.limits)
	return fields, nil
}

// uniqueYAML reads a map in which no key stands twice, at any depth.
func (r *headRead) uniqueYAML(region string, line int) (*tree.Node, error) {
	region = withoutMerges(stripControls(region))
	fields, err := tree.WholeYAML([]byte(region), line, r.limits)
	if err != nil && strings.IndexByte(region, '\t') >= 0 {
		region = withoutBlankTabs(region)
		fields, err = tree.WholeYAML([]byte(region), line, r.limits)
	}
	for range mostComplexKeys {
		if !errors.Is(err, tree.ErrKey) {
			break
		}
		region = withoutComplexKey(region, err, line)
		fields, err = tree.WholeYAML([]byte(region), line, r.limits)
	}
	switch {
	case err != nil:
		return nil, err
	case region == "", region == "\n":
		return emptyMap(line), nil
	case fields.Kind != tree.Map:
		return nil, &tree.Error{Line: fields.Line, Msg: "INVALID_ROOT: the frontmatter is " + shape(fields) + ", not keys with values"}
	}
	if twice := repeatedKey(fields); twice != nil {
		return nil, &tree.Error{Line: twice.Line, Msg: "DUPLICATE_KEY: " + shown(twice.Key) + " is written twice"}
	}
	return fields, nil
}

// withoutMerges makes a plain key of <<, which newer YAML has no meaning for.
// Only a field can begin a line, so no text is changed.
func withoutMerges(region string) string {
	if rest, ok := strings.CutPrefix(region, "<<:"); ok {
		region = `"<<":` + rest
	}
	return strings.ReplaceAll(region, "\n<<:", "\n\"<<\":")
}

// withoutBlankTabs empties lines of tabs with nothing or a comment behind them,
// which newer YAML allows.
func withoutBlankTabs(region string) string {
	rows := strings.Split(region, "\n")
	for i, row := range rows {
		if rest := strings.TrimSpace(row); rest == "" || row[0] == '\t' && rest[0] == '#' {
			rows[i] = ""
		}
	}
	return strings.Join(rows, "\n")
}

// mostComplexKeys bounds the readings of one file. No published skill has more
// than one key that is a list.
const mostComplexKeys = 4

// withoutComplexKey empties the field that has a list or a map for a key: no
// field is called so, and the value of one that holds such a key stays text.
func withoutComplexKey(region string, err error, line int) string {
	var at *tree.Error
	if !errors.As(err, &at) {
		return region
	}
	rows := strings.Split(region, "\n")
	i := min(max(at.Line-line, 0), len(rows)-1)
	for i > 0 && (rows[i] == "" || isBlankByte(rows[i][0])) {
		i-- // to the line of the field it belongs to
	}
	if k, ok := keyLine(rows[i]); ok && k.sound {
		rows[i] = rows[i][:k.at] + "{}"
	} else {
		rows[i] = ""
	}
	for i++; i < len(rows) && rows[i] != "" && (isBlankByte(rows[i][0]) || strings.HasPrefix(rows[i], ": ")); i++ {
		rows[i] = ""
	}
	return strings.Join(rows, "\n")
}

func isBlankByte(c byte) bool { return c == ' ' || c == '\t' }

// repeatedKey finds a key that is written twice in one map.
func repeatedKey(n *tree.Node) *tree.Member {
	if n == nil {
		return nil
	}
	if len(n.Dup) > 0 {
		return &n.Dup[0]
	}
	for _, item := range n.List {
		if twice := repeatedKey(item); twice != nil {
			return twice
		}
	}
	for i := range n.Map {
		if twice := repeatedKey(n.Map[i].Value); twice != nil {
			return twice
		}
	}
	return nil
}

// quoteSentence puts quotes around the first sentence that YAML does not read
// as it stands on its line.
func (r *headRead) quoteSentence(region string, first int) (string, bool) {
	at, line := 0, first
	for ; at < len(region); line++ {
		row, next := lineAt(region, at)
		if k, ok := keyLine(row); ok && k.sound && r.isLoose(k) {
			value := insideQuotes(k.value)
			quoted := row[:k.at] + "'" + strings.ReplaceAll(value, "'", "''") + "'"
			r.repaired(k.key, line, value, shown(k.key)+" is not valid YAML as it stands; it was read as if in quotes", "put the value in quotes")
			return region[:at] + quoted + "\n" + region[next:], true
		}
		at = next
	}
	return region, false
}

// quoteData puts quotes around metadata that is an object on one line but no
// YAML, for want of a blank behind a colon: it is read as it is written anyway.
func (r *headRead) quoteData(region string) (string, bool) {
	for at := 0; at < len(region); {
		row, next := lineAt(region, at)
		k, ok := keyLine(row)
		if !ok || !k.sound || k.key != "metadata" || !strings.HasPrefix(k.value, "{") {
			at = next
			continue
		}
		if _, err := json5.ParseLine(k.value, 1, r.limits); err != nil {
			return region, false
		}
		return region[:at] + row[:k.at] + "'" + strings.ReplaceAll(k.value, "'", "''") + "'\n" + region[next:], true
	}
	return region, false
}

// insideQuotes takes quotes off that stand around all of a value.
func insideQuotes(value string) string {
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}

// isLoose reports a sentence that is not valid YAML by itself.
func (r *headRead) isLoose(k keyed) bool {
	if k.value == "" {
		return false
	}
	for i, key := range sentenceKeys {
		if k.key == key {
			n, err := tree.WholeYAML([]byte(k.key+": "+k.value), 1, r.limits)
			bad := err != nil || n.Kind != tree.Map
			return bad && (i == 0 || strings.Contains(k.value, ": "))
		}
	}
	return false
}

// asTexts makes a text of every field.
func asTexts(fields *tree.Node, region string, line int) *tree.Node {
	rows := strings.Split(region, "\n")
	out := emptyMap(line)
	build := tree.Builder{Node: out}
	for i := range fields.Map {
		m := &fields.Map[i]
		key, inline := strings.TrimSpace(m.Key), ""
		if at := m.Line - line; at >= 0 && at < len(rows) {
			if k, ok := keyLine(rows[at]); ok && k.key == key {
				inline = k.value
			}
		}
		text, ok := fieldText(m.Value, inline)
		if ok && build.Find(key) < 0 {
			build.Add(tree.Member{Key: key, Line: m.Line, Value: &tree.Node{
				Kind: tree.String, Text: strings.TrimSpace(text), Line: m.Value.Line, Column: m.Value.Column,
			}})
		}
	}
	return out
}

// fieldText is the text of one field; inline is what stands on the line of its
// key. A null is dropped only if there is no word for it: name: null is the name
// "null".
func fieldText(n *tree.Node, inline string) (text string, ok bool) {
	switch {
	case n.Kind == tree.Null:
		return unquoteText(inline), inline != ""
	case n.IsScalar():
		return scalarText(n), true
	case strings.Contains(inline, ":"):
		return inline, true
	default:
		return jsonText(n), true
	}
}

// dropUnreadable makes metadata nothing that is no JSON5 object: whoever reads
// texts has no other way to understand it.
func dropUnreadable(fields *tree.Node, limits tree.Limits) {
	for i := range fields.Map {
		m := &fields.Map[i]
		if m.Key != "metadata" {
			continue
		}
		n, err := json5.ParseLine(m.Value.Text, m.Value.Line, limits)
		if err != nil || n.Kind != tree.Map {
			m.Value = &tree.Node{Kind: tree.Null, Line: m.Value.Line, Column: m.Value.Column}
		}
	}
}
