package format

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
)

// mendText reads a text value that YAML refuses with err.
func (r *headRead) mendText(b *block, err error) *tree.Node {
	n := r.mendData(b)
	if n == nil {
		n = b.items()
	}
	if n == nil {
		n = &tree.Node{Kind: tree.String, Text: b.plainText(), Line: b.line, Column: b.at + 1}
	}
	r.repaired(b.key, b.line, valueText(n), b.complaint(err), textHint(b.key, n))
	r.buried(b)
	return n
}

// buried notes requirements that a text goes on with, which happens when they
// are indented by mistake below an open quote.
func (r *headRead) buried(b *block) {
	below, line := b.below(), b.line
	for at := 0; at < len(below); {
		row, next := lineAt(below, at)
		at, line = next, line+1
		if k, ok := keyLine(strings.TrimLeft(row, " \t")); ok && isGate(k.key) {
			r.unreadKey(&block{keyed: k, line: line}, "it is indented below "+b.key, "remove the indentation")
		}
	}
}

// complaint says what is wrong with a text value.
func (b *block) complaint(err error) string {
	first := byte(' ')
	if b.value != "" {
		first = b.value[0]
	}
	why := message(err)
	switch {
	case first == '"' || first == '\'':
		why = "its quotes do not match"
	case strings.IndexByte("|>", first) >= 0:
		why = "the text is not indented below it"
	case strings.IndexByte("!&*,[]{}@`%", first) >= 0:
		why = fmt.Sprintf("YAML gives %q at the start a meaning of its own", first)
	case !b.sound:
		why = "it is not written as a key"
	case colon(b.value) >= 0:
		why = "it has a colon, which YAML takes for the end of a key"
	case strings.Contains(b.text, "\t"):
		why = "it is indented with tabs"
	}
	return fmt.Sprintf("%s is not valid YAML: %s; it was read as plain text", b.key, why)
}

// textHint shows how to write a value so that every reader takes it.
func textHint(key string, n *tree.Node) string {
	if n.Kind != tree.String {
		return "write it as one line of JSON"
	}
	text := clip(strings.ReplaceAll(n.Text, "\n", " "), 50)
	switch {
	case !strings.ContainsAny(text, `"\`):
		return fmt.Sprintf(`put it in quotes: %s: "%s"`, key, text)
	case !strings.Contains(text, "'"):
		return fmt.Sprintf("put it in quotes: %s: '%s'", key, text)
	}
	return fmt.Sprintf("write %s: >- and put the text on the next line, indented by two blanks", key)
}

// clip shortens text for a message.
func clip(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	n := 0
	for i := range s {
		if n == runes-1 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// items reads a list of which some entries are not valid YAML, each as text;
// nil if the lines are anything else.
func (b *block) items() *tree.Node {
	if b.value != "" {
		return nil
	}
	n := &tree.Node{Kind: tree.List}
	line, below := b.line, b.below()
	for at := 0; at < len(below); {
		row, next := lineAt(below, at)
		at, line = next, line+1
		item := strings.TrimSpace(row)
		if item == "" {
			continue
		}
		if !isItem(item) {
			return nil
		}
		column := indentation(row) + 1
		if n.Line == 0 {
			n.Line, n.Column = line, column
		}
		n.List = append(n.List, &tree.Node{Kind: tree.String, Text: unquoteText(strings.TrimSpace(item[1:])), Line: line, Column: column + 2})
	}
	if n.Line == 0 {
		return nil
	}
	return n
}

// plainText is the value as a reader would read it aloud: lines folded into
// one, blank lines as paragraphs, quotes and block signs taken off.
func (b *block) plainText() string {
	value, keepLines := b.value, false
	if value != "" && (value[0] == '|' || value[0] == '>') {
		keepLines = value[0] == '|'
		value = strings.TrimLeft(value[1:], "+-123456789 \t")
	}
	var out strings.Builder
	out.WriteString(value)
	below, gap := b.below(), false
	for at := 0; at < len(below); {
		row, next := lineAt(below, at)
		at = next
		text := strings.TrimSpace(row)
		if text == "" {
			gap = true
			continue
		}
		if out.Len() > 0 {
			if gap || keepLines {
				out.WriteByte('\n')
			} else {
				out.WriteByte(' ')
			}
		}
		gap = false
		out.WriteString(text)
	}
	return unquoteText(out.String())
}

// unquoteText takes the quotes off a text that has them around all of it. In
// "a" and "b" they belong to the words; in "say "hi" twice" the outer ones do
// not.
func unquoteText(s string) string {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s
	}
	quote := s[:1]
	inner := s[1:]
	second := strings.Index(inner, quote)
	switch {
	case second < 0:
		return inner // never closed
	case second == len(inner)-1:
		inner = inner[:second]
	case !strings.HasSuffix(inner, quote):
		return s
	case second > 0 && inner[second-1] != ' ' && inner[second-1] != '\\' && strings.IndexByte(" .,;:!?)", inner[second+1]) >= 0:
		return s // closed behind a word
	default:
		inner = inner[:len(inner)-1]
	}
	if quote == `"` {
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
	}
	return strings.ReplaceAll(inner, "''", "'")
}
