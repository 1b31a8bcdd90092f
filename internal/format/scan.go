package format

import (
	"strings"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

// scanYAML reads the YAML that nearly all skills consist of: keys without
// indentation, each with a scalar on its own line, a line of JSON, nothing, or
// a list of such values below it. It either returns exactly what [tree.YAML]
// would, several times faster, or declines. FuzzScanAgrees holds it to that.
// The text must be valid UTF-8.
func scanYAML(text string, line int, limits tree.Limits) (*tree.Node, bool) {
	// No value takes less than a byte, so a text shorter than the limit cannot
	// pass it. The depth of a map with lists is two.
	if len(text)+1 > limits.Nodes || limits.Depth < 2 || !isSimpleText(text) {
		return nil, false
	}
	lines := min(1+strings.Count(text, "\n"), 64)
	s := scanner{text: text, line: line, limits: limits, slab: make([]tree.Node, lines+1)}
	root := s.node(tree.Map, 1)
	root.Map = make([]tree.Member, 0, lines)
	build := tree.Builder{Node: root}
	for {
		row, ok := s.next()
		if !ok {
			return root, len(root.Map) > 0
		}
		key, at := scanKey(row)
		if key == "" {
			return nil, false
		}
		if len(root.Map) == 0 {
			root.Line = s.line
		}
		member := tree.Member{Key: key, Line: s.line}
		if member.Value = s.value(row, at, len(key)+2); member.Value == nil {
			return nil, false
		}
		build.Add(member)
	}
}

// scanner walks over the lines of a simple head.
type scanner struct {
	text   string
	at     int // start of the line after the current
	line   int // of the file; that of the line at
	limits tree.Limits
	slab   []tree.Node // nodes not yet given out
	ahead  bool        // line is that of the current row, not yet counted
}

// next returns the next line that is neither blank nor a comment.
func (s *scanner) next() (row string, ok bool) {
	for s.at < len(s.text) {
		if s.ahead {
			s.line++
		}
		s.ahead = true
		row, s.at = lineAt(s.text, s.at)
		if row != "" && row[0] != '#' && strings.Trim(row, " ") != "" {
			return row, true
		}
	}
	return "", false
}

func (s *scanner) node(kind tree.Kind, column int) *tree.Node {
	if len(s.slab) == 0 {
		s.slab = make([]tree.Node, 16)
	}
	n := &s.slab[0]
	s.slab = s.slab[1:]
	n.Kind, n.Line, n.Column = kind, s.line, column
	return n
}

// scanKey returns the key that a line starts with, and where its value does;
// "" if the line is anything but a key of letters, digits, "_" and "-".
func scanKey(row string) (key string, value int) {
	n := 0
	for n < len(row) && isWordByte(row[n]) {
		n++
	}
	// YAML refuses keys of more than 1024 characters; no key is half as long.
	if n == 0 || n > 512 || n == len(row) || row[n] != ':' || row[0] == '-' {
		return "", 0
	}
	value = n + 1
	for value < len(row) && row[value] == ' ' {
		value++
	}
	if value == n+1 && value < len(row) {
		return "", 0
	}
	return row[:n], value
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// value reads what follows a key, or nil. null is the column at which YAML
// puts a value that is not there.
func (s *scanner) value(row string, at, null int) *tree.Node {
	if at < len(row) {
		return s.inline(row, at)
	}
	n := s.node(tree.Null, null)
	save := *s
	if below, ok := s.next(); !ok || below[0] != ' ' && below[0] != '-' {
		*s = save
		return n
	}
	*s = save
	return s.list(n)
}

// list reads the entries below a key into n, or returns nil.
func (s *scanner) list(n *tree.Node) *tree.Node {
	var indent int
	for {
		save := *s
		row, ok := s.next()
		if !ok {
			return n
		}
		start := len(row) - len(strings.TrimLeft(row, " "))
		if start == 0 && row[0] != '-' {
			save.slab = s.slab
			*s = save
			return n
		}
		if n.Kind == tree.Null {
			n.Kind, n.Line, n.Column, indent = tree.List, s.line, start+1, start
			n.List = make([]*tree.Node, 0, 4)
		}
		at := start + 2
		for at < len(row) && row[at] == ' ' {
			at++
		}
		if start != indent || at >= len(row) || row[start] != '-' || row[start+1] != ' ' {
			return nil
		}
		item := s.inline(row, at)
		if item == nil {
			return nil
		}
		n.List = append(n.List, item)
	}
}

// inline reads a value that starts and ends on the line, or nil. What stands
// in front of it must be ASCII.
func (s *scanner) inline(row string, at int) *tree.Node {
	text := strings.TrimRight(row[at:], " ")
	switch text[0] {
	case '{', '[':
		if !isPlainJSON(text) {
			return nil
		}
		lim := s.limits
		lim.Depth--
		n, err := json5.ParseLine(text, s.line, lim)
		if err != nil {
			return nil
		}
		shift(n, at)
		return n
	case '"':
		return s.quoted(text, at, unquoteDouble)
	case '\'':
		return s.quoted(text, at, unquoteSingle)
	}
	kind, ok := plainKind(text)
	if !ok {
		return nil
	}
	n := s.node(kind, at+1)
	n.Text = text
	return n
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
