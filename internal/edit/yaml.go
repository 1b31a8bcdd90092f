package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// YAMLField sets a top-level key of a frontmatter, given without its fences, to
// a text, which is written as a scalar on one line. The old value may be of
// any shape, over many lines, or broken: its end is where the next key at the
// left begins. Of a key written twice the last is changed, as that one counts.
// A key that is missing is added to the end.
func YAMLField(doc []byte, key, value string) ([]byte, error) {
	bom, doc := splitBOM(doc)
	key, value = validText(key), validText(value)
	out := setField(doc, key, value)
	before, errBefore := tree.YAML(doc, 1, limits)
	after, err := tree.YAML(out, 1, limits)
	if err != nil && errBefore != nil && fieldIsWhole(out, key, value) {
		return slices.Concat(bom, out), nil // other lines are broken, and stay so
	}
	switch got := after.Get(key); {
	case err != nil, got == nil, got.Kind != tree.String, got.Text != value,
		errBefore == nil && before.Kind != tree.Null && !same(with(before, []string{key}, nil), with(after, []string{key}, nil)):
		return nil, fmt.Errorf("set %s: %w", key, errChanged)
	}
	return slices.Concat(bom, out), nil
}

// fieldIsWhole reports whether the key's own lines read as the value.
func fieldIsWhole(doc []byte, key, value string) bool {
	f, ok := findField(splitLines(doc), key)
	if !ok {
		return false
	}
	n, err := tree.YAML(slices.Concat(f.lines...), 1, limits)
	return err == nil && n.Get(key) != nil && n.Get(key).Text == value
}

// validText is how a text reads back: what is not UTF-8 was replaced.
func validText(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func setField(doc []byte, key, value string) []byte {
	lines := splitLines(doc)
	f, ok := findField(lines, key)
	if !ok {
		line := strings.Repeat(" ", baseIndent(lines)) + QuoteYAML(key) + ": " + QuoteYAML(value)
		return insert(doc, len(doc), line)
	}
	first := f.lines[0]
	body := bytes.TrimRight(first[f.value:], "\r\n")
	gap := body[:len(body)-len(bytes.TrimLeft(body, " \t"))]
	if len(gap) == 0 || len(gap) == len(body) {
		gap = []byte(" ")
	}
	last := f.lines[len(f.lines)-1]
	text := string(first[:f.value]) + string(gap) + QuoteYAML(value) + string(f.comment()) + string(last[len(bytes.TrimRight(last, "\r\n")):])
	return slices.Concat(slices.Concat(lines[:f.at]...), []byte(text), slices.Concat(lines[f.at+len(f.lines):]...))
}

// field is a top-level key with the lines of its value.
type field struct {
	at    int // the first line
	lines [][]byte
	value int // behind the colon on the first line
}

// findField finds the last field of that key.
func findField(lines [][]byte, key string) (found field, ok bool) {
	base := baseIndent(lines)
	for i := 0; i < len(lines); {
		name, value, isKey := splitKey(lines[i], base)
		if !isKey {
			i++
			continue
		}
		n := fieldLines(lines[i:], value, base)
		if name == key {
			found, ok = field{at: i, lines: lines[i : i+n], value: value}, true
		}
		i += n
	}
	return found, ok
}

// comment returns the comment behind a value of one line, with the white space
// before it. In a broken value, what looks like a comment may be text.
func (f field) comment() []byte {
	if len(f.lines) != 1 {
		return nil
	}
	line := bytes.TrimRight(f.lines[0], "\r\n")
	for i := f.value; i < len(line); i++ {
		if line[i] != '#' || line[i-1] != ' ' && line[i-1] != '\t' {
			continue
		}
		// It is one if the line means the same without it, and another if
		// the number sign is part of a quoted text.
		start := len(bytes.TrimRight(line[:i], " \t"))
		whole, err := tree.YAML(line, 1, limits)
		cut, errCut := tree.YAML(line[:start], 1, limits)
		if err == nil && errCut == nil && same(whole, cut) {
			return line[start:]
		}
	}
	return nil
}

// fieldLines counts the lines of the field that starts the given lines: its
// own, and those that follow and belong to its value.
func fieldLines(lines [][]byte, value, base int) int {
	closing := closingLine(lines, value, base)
	n := 1 // lines that belong for sure; blanks and comments do if more follows
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		text := bytes.TrimSpace(line)
		switch {
		case len(text) == 0:
			continue
		case i <= closing, indent(line) > base:
		case text[0] == '#':
			continue
		case bytes.Equal(text, []byte("---")), bytes.Equal(text, []byte("...")):
			return n
		case text[0] == '-' && (len(text) == 1 || text[1] == ' '):
		default:
			if _, _, isKey := splitKey(line, base); isKey {
				return n
			}
		}
		n = i + 1
	}
	return n
}

// closingLine returns the line on which the brackets close that a value opens,
// or 0. Quoted keys may stand at the left until then, as in JSON; a plain key
// says that they are never closed.
func closingLine(lines [][]byte, value, base int) int {
	// Metadata has some dozen lines. The bound keeps a file of nothing but
	// open brackets from being searched once for each.
	const most = 1000
	open := flowDepth(lines[0][value:], 0)
	for i := 1; i < min(len(lines), most) && open > 0; i++ {
		first := bytes.TrimLeft(lines[i], " \t")
		if _, _, isKey := splitKey(lines[i], base); isKey && first[0] != '"' && first[0] != '\'' {
			return 0
		}
		if open = flowDepth(lines[i], open); open == 0 {
			return i
		}
	}
	return 0
}

// flowDepth counts the brackets that are open behind a text, none of them in
// quotes. It need not be exact: it helps with lines that stand at the left.
func flowDepth(text []byte, depth int) int {
	var quote byte
	for _, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		}
	}
	return depth
}

// splitKey takes a line apart that starts a field at the base indentation, and
// returns where its value starts, behind the colon.
func splitKey(line []byte, base int) (key string, value int, ok bool) {
	if indent(line) != base || base == len(line) || bytes.IndexByte([]byte("#-[]{}\r\n,&*!|>%@`"), line[base]) >= 0 && !isWordDash(line[base:]) {
		return "", 0, false
	}
	rest := line[base:]
	if rest[0] == '"' || rest[0] == '\'' {
		end := quoteEnd(rest)
		if end == 0 {
			return "", 0, false
		}
		n, err := tree.YAML(rest[:end], 1, limits)
		if err != nil {
			return "", 0, false
		}
		key, rest = n.Text, rest[end:]
	} else {
		colon := colonAt(rest)
		if colon < 0 {
			return "", 0, false
		}
		key, rest = strings.TrimRight(string(rest[:colon]), " \t"), rest[colon:]
	}
	after := bytes.TrimLeft(rest, " \t")
	if colonAt(after) != 0 {
		return "", 0, false
	}
	return key, len(line) - len(after) + 1, true
}

// quoteEnd returns where the quoted text ends that starts a line, or 0.
func quoteEnd(text []byte) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\', text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++ // the next character is text
		case text[i] == quote:
			return i + 1
		}
	}
	return 0
}

// isWordDash reports whether a line starts with a dash that is part of a word.
func isWordDash(rest []byte) bool {
	return rest[0] == '-' && len(rest) > 1 && bytes.IndexByte([]byte(" \t\r\n-"), rest[1]) < 0
}

// colonAt finds the first colon that ends a key: before a space or line end.
func colonAt(text []byte) int {
	for i, c := range text {
		if c == ':' && (i+1 == len(text) || bytes.IndexByte([]byte(" \t\r\n"), text[i+1]) >= 0) {
			return i
		}
	}
	return -1
}

// baseIndent is how far the first field is indented.
func baseIndent(lines [][]byte) int {
	for _, line := range lines {
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			return indent(line)
		}
	}
	return 0
}

func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// splitLines splits a text behind its line ends.
func splitLines(doc []byte) [][]byte { return slices.Collect(bytes.Lines(doc)) }
