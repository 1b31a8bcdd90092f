package tree

import (
	"fmt"
	"strings"
	"unicode"
)

// Source renders a node on one line in the manner of JSON: keys and strings
// quoted, numbers and booleans as their author wrote them. Equal nodes give
// equal text.
func (n *Node) Source() string {
	var b strings.Builder
	n.render(&b)
	return b.String()
}

func (n *Node) render(b *strings.Builder) {
	if n == nil {
		b.WriteString("null")
		return
	}
	switch n.Kind {
	case Bool, Number:
		b.WriteString(n.Text)
	case String:
		quote(b, n.Text)
	case List:
		b.WriteByte('[')
		for i, item := range n.List {
			if i > 0 {
				b.WriteString(", ")
			}
			item.render(b)
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, m := range n.Map {
			if i > 0 {
				b.WriteString(", ")
			}
			quote(b, m.Key)
			b.WriteString(": ")
			m.Value.render(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString("null")
	}
}

// Quote writes a text as a string that JSON, TOML and YAML all read as that
// text, on one line. What would end the line or steer a terminal is escaped;
// everything else, emoji joiners included, stays as it is.
func Quote(s string) string {
	var b strings.Builder
	quote(&b, s)
	return b.String()
}

// Hidden reports characters that end a line, show as nothing or are forbidden;
// they are escaped, so that a file says what it holds.
func Hidden(r rune) bool {
	switch r {
	case '\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff':
		return true
	}
	return unicode.IsControl(r)
}

func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case Hidden(r):
			fmt.Fprintf(b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// Strings reads a list of words, which authors write as a list of scalars or
// as one scalar with commas. Items are trimmed and empty ones left out; a null
// is an empty list. It reports false for any other shape and for a nil node.
func (n *Node) Strings() ([]string, bool) {
	switch {
	case n == nil:
		return nil, false
	case n.Kind == Null:
		return nil, true
	case n.Kind == Map:
		return nil, false
	}
	var words []string
	add := func(word string) {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	if n.Kind != List {
		for word := range strings.SplitSeq(n.Text, ",") {
			add(word)
		}
		return words, true
	}
	for _, item := range n.List {
		switch {
		case item.IsScalar():
			add(item.Text)
		case item != nil && item.Kind != Null:
			return nil, false
		}
	}
	return words, true
}
