package format

import (
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

// mendData reads data that is not valid YAML but can be read in one way only:
// JSON5, Markdown's backslashes, tabs for indentation. It adds and guesses
// nothing, and returns nil if that is not enough.
func (r *headRead) mendData(b *block) *tree.Node {
	if n := r.flow(b.raw(), b); n != nil {
		return n
	}
	for _, mend := range [...]func(string) (string, bool){unescaped, untabbed} {
		text, ok := mend(b.text)
		if !ok {
			continue
		}
		plain := *b
		plain.text = text
		first, _ := lineAt(text, 0)
		plain.keyed, _ = keyLine(first)
		n, err := r.strict(text, b.line)
		if err == nil && n.Kind == tree.Map && len(n.Map) == 1 {
			r.escaped = r.escaped || strings.Contains(b.text, `\_`)
			return n.Map[0].Value
		}
		if n := r.flow(plain.raw(), &plain); n != nil {
			return n
		}
	}
	return nil
}

// flow reads a value in brackets as JSON5, or returns nil.
func (r *headRead) flow(raw string, b *block) *tree.Node {
	text := strings.TrimSpace(raw)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	before := len(raw) - len(strings.TrimLeftFunc(raw, unicode.IsSpace))
	line := b.line + strings.Count(b.text[:len(b.text)-len(raw)+before], "\n")
	n, err := json5.ParseLine(text, line, r.limits)
	if err != nil {
		return nil
	}
	return n
}

// unescaped removes Markdown's backslashes.
func unescaped(text string) (string, bool) {
	plain := text
	if strings.IndexByte(text, '\\') >= 0 {
		plain = unescapeMarkdown(text)
	}
	return plain, plain != text
}

// untabbed turns indentation by tabs into spaces. Lines that mix the two could
// mean anything.
func untabbed(text string) (string, bool) {
	var out strings.Builder
	tabs, spaces := false, false
	for at := 0; at < len(text); {
		row, next := lineAt(text, at)
		at = next
		n := indentation(row)
		if !isBlank(row) {
			tabs = tabs || strings.Contains(row[:n], "\t")
			spaces = spaces || strings.Contains(row[:n], " ")
		}
		out.WriteString(strings.ReplaceAll(row[:n], "\t", "  "))
		out.WriteString(row[n:])
		out.WriteByte('\n')
	}
	return out.String(), tabs && !spaces
}
