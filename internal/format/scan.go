package format

import (
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

// scanYAML reads the YAML that nearly all skills consist of: maps and lists in
// blocks, whose values are scalars on the key's line, lines of JSON, lists of words, or
// blocks of text. It either returns exactly what [tree.YAML] would, several times
// faster, or declines. FuzzScanAgrees holds it to that. The text must be valid
// UTF-8.
func scanYAML(store *tree.Store, text string, line int, limits tree.Limits) (*tree.Node, bool) {
	// No value takes less than a byte, so a text shorter than the limit cannot
	// pass it.
	if len(text)+1 > limits.Nodes || !isSimpleText(text) {
		return nil, false
	}
	s := scanner{store: store, text: text, line: line - 1, depth: limits.Depth, nodes: limits.Nodes}
	s.advance()
	if !s.more || s.indent > 0 {
		return nil, false
	}
	root := s.mapping()
	// A line that fits no level ends all of them early.
	return root, root != nil && !s.more
}

// scanner walks over the lines of a head. Its readers return nil to decline.
type scanner struct {
	store *tree.Store
	text  string
	at    int // start of the line behind row
	depth int // levels that are left
	nodes int

	row    string // the current line, neither blank nor a comment
	more   bool   // false behind the last line
	line   int    // of the file, of row
	indent int    // where in row the text starts, behind blanks and dashes
}

// advance goes to the next line that is neither blank nor a comment.
func (s *scanner) advance() {
	for s.at < len(s.text) {
		s.line++
		s.row, s.at = lineAt(s.text, s.at)
		s.indent = 0
		for s.indent < len(s.row) && s.row[s.indent] == ' ' {
			s.indent++
		}
		if s.more = s.indent < len(s.row) && s.row[s.indent] != '#'; s.more {
			return
		}
	}
	s.row, s.more, s.indent = "", false, -1
}

func (s *scanner) node(kind tree.Kind, column int) *tree.Node {
	n := s.store.Node()
	n.Kind, n.Line, n.Column = kind, s.line, column
	return n
}

// mapping reads the keys that stand as far right as the current line.
func (s *scanner) mapping() *tree.Node {
	indent := s.indent
	n := s.node(tree.Map, indent+1)
	n.Map = s.store.Members(6)
	build := tree.Builder{Node: n}
	if s.depth--; s.depth < 0 {
		return nil
	}
	for s.more && s.indent == indent {
		key, at := scanKey(s.row, indent)
		if key == "" {
			return nil
		}
		member := tree.Member{Key: key, Line: s.line}
		switch {
		case at == len(s.row):
			member.Value = s.below(indent, indent+len(key)+2)
		case s.row[at] == '|' || s.row[at] == '>':
			member.Value = s.block(indent, at)
		default:
			member.Value = s.inline(at)
		}
		if member.Value == nil {
			return nil
		}
		build.Add(member)
	}
	s.depth++
	return n
}

// below reads what stands under a key without a value on its line. null is the
// column at which YAML puts a value that is not there.
func (s *scanner) below(indent, null int) *tree.Node {
	empty := s.node(tree.Null, null)
	s.advance()
	switch {
	case s.indent >= indent && s.more && s.row[s.indent] == '-':
		return s.list()
	case s.indent > indent:
		return s.mapping()
	}
	return empty
}

// list reads the entries that stand as far right as the current line.
func (s *scanner) list() *tree.Node {
	indent := s.indent
	n := s.node(tree.List, indent+1)
	n.List = s.store.Items(4)
	if s.depth--; s.depth < 0 {
		return nil
	}
	for s.more && s.indent == indent && s.row[indent] == '-' {
		at := indent + 1
		for at < len(s.row) && s.row[at] == ' ' {
			at++
		}
		if at == len(s.row) || at == indent+1 {
			return nil
		}
		var item *tree.Node
		if key, _ := scanKey(s.row, at); key != "" {
			s.indent = at
			item = s.mapping()
		} else {
			item = s.inline(at)
		}
		if item == nil {
			return nil
		}
		n.List = append(n.List, item)
	}
	s.depth++
	return n
}

// scanKey returns the key that stands at an offset of a line, and where its
// value does; "" for anything but a key of letters, digits, "_" and "-".
func scanKey(row string, at int) (key string, value int) {
	n := at
	for n < len(row) && isWordByte(row[n]) {
		n++
	}
	// YAML refuses keys of more than 1024 characters; no key is half as long.
	if n == at || n-at > 512 || n == len(row) || row[n] != ':' || row[at] == '-' {
		return "", 0
	}
	value = n + 1
	for value < len(row) && row[value] == ' ' {
		value++
	}
	if value == n+1 && value < len(row) {
		return "", 0
	}
	return row[at:n], value
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// inline reads a value that starts at an offset of the current line and ends
// with it, and goes to the next. What stands in front of it is ASCII.
func (s *scanner) inline(at int) *tree.Node {
	text := strings.TrimRight(s.row[at:], " ")
	var n *tree.Node
	switch text[0] {
	case '{', '[':
		n = s.flow(text, at)
	case '"':
		n = s.quoted(text, at, unquoteDouble)
	case '\'':
		n = s.quoted(text, at, unquoteSingle)
	default:
		if kind, ok := plainKind(text); ok {
			n = s.node(kind, at+1)
			n.Text = text
		}
	}
	s.advance()
	return n
}

// flow reads a line of JSON, or a list of words in brackets.
func (s *scanner) flow(text string, at int) *tree.Node {
	if !isPlainJSON(text) {
		return s.words(text, at)
	}
	n, err := json5.ParseIn(s.store, text, s.line, tree.Limits{Depth: s.depth, Nodes: s.nodes})
	if err != nil {
		return nil
	}
	shift(n, at)
	return n
}

// words reads [a, b] without quotes.
func (s *scanner) words(text string, at int) *tree.Node {
	if text[0] != '[' || text[len(text)-1] != ']' || s.depth < 1 {
		return nil
	}
	n := s.node(tree.List, at+1)
	n.List = s.store.Items(1 + strings.Count(text, ","))
	column := at + 2
	for word := range strings.SplitSeq(text[1:len(text)-1], ",") {
		plain := strings.Trim(word, " ")
		if plain == "" || strings.IndexFunc(plain, isNoWord) >= 0 {
			return nil
		}
		kind, ok := plainKind(plain)
		if !ok {
			return nil
		}
		item := s.node(kind, column+strings.Index(word, plain))
		item.Text = plain
		n.List = append(n.List, item)
		column += utf8.RuneCountInString(word) + 1
	}
	return n
}

// isNoWord reports signs that may mean something between brackets.
func isNoWord(c rune) bool {
	return c < utf8.RuneSelf && !isWordByte(byte(c)) && c != ' ' && c != '.' && c != '/' && c != '+'
}

func (s *scanner) quoted(text string, at int, unquote func(string) (string, bool)) *tree.Node {
	if len(text) < 2 || text[len(text)-1] != text[0] {
		return nil
	}
	plain, ok := unquote(text[1 : len(text)-1])
	if !ok {
		return nil
	}
	n := s.node(tree.String, at+1)
	n.Text = plain
	return n
}

// shift moves the columns of a value that stands further right on its line
// than its reader knew.
func shift(n *tree.Node, by int) {
	n.Column += by
	for _, child := range n.List {
		shift(child, by)
	}
	for i := range n.Map {
		shift(n.Map[i].Value, by)
	}
	for i := range n.Dup {
		shift(n.Dup[i].Value, by)
	}
}
