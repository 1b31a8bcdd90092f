package format

import (
	"bytes"
	"errors"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// readStrictHead reads a frontmatter in valid YAML and refuses the file if it
// has none. Nothing is guessed and nothing repaired.
func readStrictHead(store *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{store: store, file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	if text, s, ok := r.required(data); ok {
		fields, err := r.valid(text, s)
		r.settle(fields, err)
	}
	return r.head
}

// readQuotedHead is [readStrictHead] for files whose authors forgot quotes: if
// the YAML is not valid, texts that YAML takes for something else are put in
// quotes, and it is tried once more.
func readQuotedHead(store *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{store: store, file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	if text, s, ok := r.required(data); ok {
		fields, err := r.valid(text, s)
		if err != nil && !errors.Is(err, tree.ErrLimit) {
			fields, err = r.quoteTexts(text[s.start:s.end], s.line, err)
		}
		r.settle(fields, err)
		r.reportMore()
	}
	return r.head
}

// readForgivingHead reads a frontmatter in valid YAML and loads the file
// without its fields if the YAML is not valid. A file without frontmatter is
// all body.
func readForgivingHead(store *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{store: store, file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	text := r.yamlText(data)
	s, _ := r.fenced(text)
	if !s.closed {
		return r.head
	}
	fields, err := r.valid(text, s)
	if err != nil {
		r.invalid(err)
		r.unreadGates(text[s.start:s.end], s.line)
		fields = emptyMap(s.line)
	}
	r.fields = fields
	return r.head
}

// yamlText makes a file valid text with LF at the end of lines and without its
// byte-order mark.
func (r *headRead) yamlText(data []byte) string {
	data = bytes.TrimPrefix(r.soundText(data), []byte("\ufeff"))
	if bytes.IndexByte(data, '\r') >= 0 {
		data = unixLines(data)
	}
	return view(data)
}

// required finds the frontmatter of a file that must have one.
func (r *headRead) required(data []byte) (text string, s span, ok bool) {
	text = r.yamlText(data)
	s, why := r.fenced(text)
	r.refused, r.missing = why, why != ""
	return text, s, why == ""
}

// fenced finds the frontmatter and cuts out the body: from a first line that
// starts with three dashes to the next that is nothing else. Only empty lines
// may stand in front. Without a frontmatter all of the text is body, and why
// tells what is missing.
func (r *headRead) fenced(text string) (s span, why string) {
	r.body, r.bodyLine = text, 1
	rest := strings.TrimLeft(text, "\n")
	first := 1 + len(text) - len(rest)
	if !strings.HasPrefix(rest, "---") {
		why = "the file has no frontmatter"
		r.report(skill.FrontmatterMissing, 1, why,
			"start it with a line ---, then name: and description:, then another line ---")
		return span{}, why
	}
	_, s.start = lineAt(text, first-1)
	s.line, s.fence = first+1, dashes
	for at, line := s.start, s.line; at < len(text); line++ {
		row, next := lineAt(text, at)
		if strings.TrimSpace(row) == "---" {
			s.end, s.body, s.closed = at, next, true
			r.body = strings.TrimLeft(text[next:], "\n")
			r.bodyLine = line + 1 + len(text) - next - len(r.body)
			return s, ""
		}
		at = next
	}
	why = "the frontmatter has no closing line"
	r.report(skill.FrontmatterUnclosed, first, why, "put a line --- below its last key")
	return span{}, why
}

// valid reads the frontmatter at s as it stands: a map in which no key stands
// twice, or nothing at all.
func (r *headRead) valid(text string, s span) (*tree.Node, error) {
	if err := r.checkSize(s); err != nil {
		return nil, err
	}
	return r.validYAML(text[s.start:s.end], s.line)
}

func (r *headRead) validYAML(region string, line int) (*tree.Node, error) {
	fields, ok := scanYAML(r.store, region, line, r.limits)
	if !ok {
		var err error
		if fields, err = tree.WholeYAML([]byte(region), line, r.limits); err != nil {
			return nil, err
		}
	}
	switch {
	case fields.Kind == tree.Null:
		return emptyMap(line), nil
	case fields.Kind != tree.Map:
		return nil, &tree.Error{Line: fields.Line, Msg: "the frontmatter is " + shape(fields) + ", not keys with values"}
	case len(fields.Dup) > 0:
		find := tree.Builder{Node: fields}
		key := fields.Dup[0].Key
		return nil, &tree.Error{Line: fields.Map[find.Find(key)].Line, Msg: shown(key) + " is written twice"}
	}
	return fields, nil
}

// saidChars is how much of an error is told. It may quote the file, and nobody
// needs more than a sentence to find its place.
const saidChars = 200

// settle takes the fields, or refuses the file for the error.
func (r *headRead) settle(fields *tree.Node, err error) {
	if err != nil {
		r.refused = cutWords(err.Error(), saidChars)
		r.invalid(err)
		return
	}
	r.fields = fields
}

// invalid reports an error of the frontmatter at its line.
func (r *headRead) invalid(err error) {
	line := 0
	var at *tree.Error
	if errors.As(err, &at) {
		line = at.Line
	}
	said := cutWords(message(err), saidChars)
	if errors.Is(err, tree.ErrLimit) {
		r.report(skill.FrontmatterTooDeep, line, said, "shorten it; long text belongs below the closing ---")
		return
	}
	r.report(skill.FrontmatterInvalid, line, "the frontmatter is not valid YAML: "+said,
		"mend that line; a text with a colon or a sign in front belongs in quotes")
}

// unreadGates notes the restrictions that a frontmatter names and that were not
// read with it.
func (r *headRead) unreadGates(region string, line int) {
	for at := 0; at < len(region); line++ {
		row, next := lineAt(region, at)
		at = next
		if k, ok := keyLine(row); ok && isGate(k.key) {
			r.unread(k.key, line)
		}
	}
}

// quoteTexts reads a frontmatter again after putting quotes around texts that
// YAML does not read as they stand. Keys that hold data keep what they have,
// since a requirement in quotes is none. If that does not help, it returns the
// error of the first attempt.
func (r *headRead) quoteTexts(region string, first int, err error) (*tree.Node, error) {
	var mended strings.Builder
	var repairs []tree.Member
	for at, line := 0, first; at < len(region); line++ {
		row, next := lineAt(region, at)
		at = next
		if k, ok := keyLine(row); ok && k.sound && r.needsQuotes(k) {
			repairs = append(repairs, tree.Member{Key: k.key, Line: line})
			row = row[:k.at] + "'" + strings.ReplaceAll(k.value, "'", "''") + "'"
		}
		mended.WriteString(row)
		mended.WriteByte('\n')
	}
	if len(repairs) == 0 {
		return nil, err
	}
	fields, again := r.validYAML(mended.String(), first)
	if again != nil {
		return nil, err
	}
	find := tree.Builder{Node: fields}
	for _, m := range repairs {
		value, _ := fields.Map[find.Find(m.Key)].Value.Scalar()
		r.repaired(m.Key, m.Line, value, shown(m.Key)+" is not valid YAML as it stands; it was read as if in quotes",
			"put the value in quotes")
	}
	return fields, nil
}

// needsQuotes reports a text that YAML does not read as the value of a key: it
// has a colon and a blank inside, or starts with a sign that means something
// else. What opens and does not close on its line is broken data, not a text.
func (r *headRead) needsQuotes(k keyed) bool {
	if k.value == "" || isStructured(k.key) {
		return false
	}
	const opening, closing = "[{\"'", "]}\"'"
	first := k.value[0]
	if i := strings.IndexByte(opening, first); i >= 0 && strings.IndexByte(k.value[1:], closing[i]) < 0 {
		return false
	}
	if first == '|' || first == '>' || isAlphanumeric(first) && !strings.Contains(k.value, ": ") {
		return false
	}
	_, err := tree.WholeYAML([]byte("key: "+k.value), 1, r.limits)
	return err != nil
}
