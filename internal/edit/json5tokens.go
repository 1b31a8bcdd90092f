package edit

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/json5"
)

// token is a part of a JSON5 document. Every byte belongs to one token.
type token struct {
	kind       tokenKind
	start, end int
}

type tokenKind uint8

const (
	blankToken   tokenKind = iota // white space within a line
	newlineToken                  // one line end
	commentToken
	markToken   // a bracket, a colon or a comma
	scalarToken // a string, a number or a word
)

// tokens is a JSON5 document in parts, for edits that keep its bytes.
type tokens struct {
	doc []byte
	all []token
}

// tokenize splits a document that is known to be valid.
func tokenize(doc []byte) tokens {
	d := tokens{doc: doc}
	for at := 0; at < len(doc); {
		t := token{start: at}
		t.kind, t.end = nextToken(doc, at)
		d.all = append(d.all, t)
		at = t.end
	}
	return d
}

// nextToken returns the kind and the end of the token at an offset.
func nextToken(doc []byte, at int) (tokenKind, int) {
	if n := newlineLen(doc[at:]); n > 0 {
		return newlineToken, at + n
	}
	if n := blankLen(doc[at:]); n > 0 {
		for end := at; ; end += n {
			if n = blankLen(doc[end:]); n == 0 {
				return blankToken, end
			}
		}
	}
	switch c := doc[at]; {
	case c == '/':
		return commentToken, commentEnd(doc, at)
	case bytes.IndexByte([]byte("{}[]:,"), c) >= 0:
		return markToken, at + 1
	case c == '"' || c == '\'':
		return scalarToken, stringEnd(doc, at)
	}
	end := at
	for end < len(doc) && newlineLen(doc[end:])+blankLen(doc[end:]) == 0 && bytes.IndexByte([]byte("{}[]:,/"), doc[end]) < 0 {
		_, size := utf8.DecodeRune(doc[end:])
		end += size
	}
	return scalarToken, end
}

// newlineLen is the length of the line end that starts a text, or 0.
func newlineLen(text []byte) int {
	for _, eol := range [...]string{"\r\n", "\n", "\r", "\u2028", "\u2029"} {
		if len(text) >= len(eol) && string(text[:len(eol)]) == eol {
			return len(eol)
		}
	}
	return 0
}

// blankLen is the length of the white space character that starts a text, or 0.
func blankLen(text []byte) int {
	r, size := utf8.DecodeRune(text)
	if r == '\t' || r == '\v' || r == '\f' || r == '\ufeff' || unicode.Is(unicode.Zs, r) {
		return size
	}
	return 0
}

func commentEnd(doc []byte, at int) int {
	if bytes.HasPrefix(doc[at:], []byte("/*")) {
		at += len("/*")
		return at + bytes.Index(doc[at:], []byte("*/")) + len("*/")
	}
	for at < len(doc) && newlineLen(doc[at:]) == 0 {
		at++
	}
	return at
}

func stringEnd(doc []byte, at int) int {
	quote := doc[at]
	for at++; doc[at] != quote; at++ {
		if doc[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func (d *tokens) text(i int) string { return string(d.doc[d.all[i].start:d.all[i].end]) }

// is reports whether a token is the given bracket, colon or comma.
func (d *tokens) is(i int, mark byte) bool {
	return d.all[i].kind == markToken && d.doc[d.all[i].start] == mark
}

// skip returns the first token from i on that means something.
func (d *tokens) skip(i int) int {
	for i < len(d.all) && d.all[i].kind < markToken {
		i++
	}
	return i
}

// closing returns the last token of the value that starts at i.
func (d *tokens) closing(i int) int {
	for depth := 0; ; i++ {
		switch {
		case d.is(i, '{') || d.is(i, '['):
			depth++
		case d.is(i, '}') || d.is(i, ']'):
			depth--
		}
		if depth == 0 {
			return i
		}
	}
}

// member is a key of an object: the places of its tokens.
type member struct {
	key         int
	value, last int // the first and the last token of the value
	comma       int // behind the value, or -1
}

// object is an object of the document: the places of its tokens.
type object struct {
	open, close int
	members     []member
}

// object finds the parts of the object that opens at i.
func (d *tokens) object(i int) object {
	o := object{open: i}
	for i = d.skip(i + 1); !d.is(i, '}'); i = d.skip(i) {
		m := member{key: i, comma: -1}
		colon := d.skip(i + 1)
		m.value = d.skip(colon + 1)
		m.last = d.closing(m.value)
		if i = d.skip(m.last + 1); d.is(i, ',') {
			m.comma = i
			i++
		}
		o.members = append(o.members, m)
	}
	o.close = i
	return o
}

// name returns the key that a token writes.
func (d *tokens) name(i int) string {
	text := d.text(i)
	if isBareKey(text) {
		return text
	}
	n, err := json5.ParseLine("{"+text+":0}", 1, limits)
	if err != nil || len(n.Map) != 1 {
		return text // not in a valid document
	}
	return n.Map[0].Key
}

// find returns the place of a key in an object, or -1. Of a key written twice
// the last counts.
func (d *tokens) find(o object, key string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if d.name(o.members[i].key) == key {
			return i
		}
	}
	return -1
}

// isBareKey reports whether a key needs no quotes for any reader of JSON5.
func isBareKey(key string) bool {
	for i, r := range key {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '$'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return key != ""
}
