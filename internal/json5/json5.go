// Package json5 reads JSON5, the JSON that people write: with comments,
// trailing commas, keys without quotes, single quotes, line continuations and
// hexadecimal numbers. Metadata of skills and configuration files come in it.
//
// All of JSON5 1.0.0 is read, and with it every document that encoding/json
// accepts; a test compares the two. Documents become [tree.Node]s, with the
// place of every key and value, and numbers as they were written. As in
// encoding/json, bytes that are not UTF-8 and halves of surrogate pairs become
// U+FFFD. Of a key written twice the last counts, and the others are in
// [tree.Node].Dup.
//
// Documents are hostile: time and memory are linear in their size, and
// [tree.Limits] bound nesting and the number of values.
package json5

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
)

// Parse reads a document. line is the line of the file on which data starts,
// so that nodes and errors name lines of the file. Errors are of type
// [*tree.Error].
func Parse(data []byte, line int, lim tree.Limits) (*tree.Node, error) {
	return ParseLine(string(data), line, lim)
}

// ParseLine is [Parse] for a text that is a string already, such as a scalar
// of another document. Nodes share its memory.
func ParseLine(s string, line int, lim tree.Limits) (*tree.Node, error) {
	return ParseIn(&tree.Store{}, s, line, lim)
}

// ParseIn is [ParseLine] with nodes from a store.
func ParseIn(store *tree.Store, s string, line int, lim tree.Limits) (*tree.Node, error) {
	// The parser calls itself once per level, so a limit that a caller sets
	// too high must not take the stack with it. 10,000 is what encoding/json
	// allows.
	lim.Depth = min(lim.Depth, 10_000)
	p := parser{text: s, line: max(line, 1), budget: lim.Budget(), store: store}
	if err := p.space(); err != nil {
		return nil, err
	}
	n, err := p.value()
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.pos < len(p.text) {
		return nil, p.expected("the end of the text")
	}
	return n, nil
}

// parser is the state of one run over a text.
type parser struct {
	text string
	pos  int
	line int
	// start is the offset at which the line would begin if all its characters
	// had one byte, so that columns count characters.
	start  int
	budget tree.Budget
	store  *tree.Store
}

func (p *parser) column() int { return p.pos - p.start + 1 }

// node gives out the node of a value that starts here.
func (p *parser) node(kind tree.Kind) (*tree.Node, error) {
	if err := p.budget.Value(p.line, p.column()); err != nil {
		return nil, err
	}
	n := p.store.Node()
	n.Kind, n.Line, n.Column = kind, p.line, p.column()
	return n, nil
}

// value reads the value that starts here.
func (p *parser) value() (*tree.Node, error) {
	if p.pos == len(p.text) {
		return nil, p.expected("a value")
	}
	switch c := p.text[p.pos]; {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"' || c == '\'':
		n, err := p.node(tree.String)
		if err != nil {
			return nil, err
		}
		n.Text, err = p.quoted()
		return n, err
	case c == '+' || c == '-' || c == '.' || isDigit(c), p.word("Infinity"), p.word("NaN"):
		n, err := p.node(tree.Number)
		if err != nil {
			return nil, err
		}
		n.Text, err = p.number()
		return n, err
	}
	for _, word := range words {
		if p.word(word.text) {
			n, err := p.node(word.kind)
			if err != nil {
				return nil, err
			}
			n.Text = word.text
			p.pos += len(word.text)
			return n, nil
		}
	}
	return nil, p.expected("a value")
}

var words = [...]struct {
	text string
	kind tree.Kind
}{{"true", tree.Bool}, {"false", tree.Bool}, {"null", tree.Null}}

// word reports whether a word stands here, and does not go on.
func (p *parser) word(w string) bool {
	rest := p.text[p.pos:]
	return len(rest) >= len(w) && rest[:len(w)] == w && !continuesIdentifier(rest[len(w):])
}

// object reads a map from its brace to its brace.
func (p *parser) object() (*tree.Node, error) {
	n, err := p.open(tree.Map)
	if err != nil {
		return nil, err
	}
	build := tree.Builder{Node: n}
	for {
		if p.at('}') {
			return p.closed(n), nil
		}
		if p.pos == len(p.text) {
			return nil, p.expected("a key or '}'")
		}
		member := tree.Member{Line: p.line}
		if member.Key, err = p.key(); err != nil {
			return nil, err
		}
		if err := p.space(); err != nil {
			return nil, err
		}
		if !p.at(':') {
			return nil, p.expected("':' after the key")
		}
		p.pos++
		if err := p.space(); err != nil {
			return nil, err
		}
		if member.Value, err = p.value(); err != nil {
			return nil, err
		}
		if n.Map == nil {
			n.Map = p.store.Members(4) // most maps of metadata have no more
		}
		build.Add(member)
		if err := p.comma('}'); err != nil {
			return nil, err
		}
	}
}

func (p *parser) key() (string, error) {
	if p.at('"') || p.at('\'') {
		return p.quoted()
	}
	return p.identifier()
}

// array reads a list from its bracket to its bracket.
func (p *parser) array() (*tree.Node, error) {
	n, err := p.open(tree.List)
	if err != nil {
		return nil, err
	}
	for !p.at(']') {
		if p.pos == len(p.text) {
			return nil, p.expected("a value or ']'")
		}
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		if n.List == nil {
			n.List = p.store.Items(2) // most lists of metadata have no more
		}
		n.List = append(n.List, item)
		if err := p.comma(']'); err != nil {
			return nil, err
		}
	}
	return p.closed(n), nil
}

// open begins a list or map and goes behind its bracket.
func (p *parser) open(kind tree.Kind) (*tree.Node, error) {
	n, err := p.node(kind)
	if err != nil {
		return nil, err
	}
	if err := p.budget.Enter(p.line, p.column()); err != nil {
		return nil, err
	}
	p.pos++
	return n, p.space()
}

// closed ends a list or map at its bracket.
func (p *parser) closed(n *tree.Node) *tree.Node {
	p.pos++
	p.budget.Leave()
	return n
}

// comma goes behind the comma after a value, or stays at the bracket.
func (p *parser) comma(bracket byte) error {
	if err := p.space(); err != nil {
		return err
	}
	if p.at(bracket) {
		return nil
	}
	if !p.at(',') {
		return p.expected("',' or '" + string(rune(bracket)) + "' after the value")
	}
	p.pos++
	return p.space()
}

func (p *parser) at(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

// place is where something starts, for an error that is found out later.
type place struct{ line, column int }

func (p *parser) here() place { return place{p.line, p.column()} }

func (at place) errorf(format string, args ...any) error {
	return &tree.Error{Line: at.line, Column: at.column, Msg: fmt.Sprintf(format, args...)}
}

// expected is the error of finding something else here.
func (p *parser) expected(what string) error {
	return p.here().errorf("expected %s, found %s", what, p.found())
}

// found describes what stands here.
func (p *parser) found() string {
	rest := p.text[p.pos:]
	if rest == "" {
		return "the end of the text"
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("the byte 0x%02x, which is not UTF-8", rest[0])
	case r == '\n' || r == '\r':
		return "the end of the line"
	case !isIdentifierStart(r) && !isDigit(rest[0]):
		return strconv.QuoteRune(r)
	}
	// A word is quoted whole, up to a length that fits a message.
	end := size
	for end < min(len(rest), 20) {
		r, size := utf8.DecodeRuneInString(rest[end:])
		if !isIdentifierPart(r) {
			break
		}
		end += size
	}
	return strconv.Quote(rest[:end])
}
