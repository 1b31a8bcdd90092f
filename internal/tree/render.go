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

// quote writes a JSON string. What would end the line or steer a terminal is
// escaped; everything else, emoji joiners included, stays as it is.
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
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\ufeff':
			fmt.Fprintf(b, `\u%04x`, r)
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
