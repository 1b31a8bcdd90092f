package tree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// TOML reads a document; its root is a map. Numbers, booleans and dates keep
// their text, and dates are strings. A table that only its subtables imply has
// the place of the first header or key that implies it. Errors are of type
// [*Error].
func TOML(data []byte, lim Limits) (node *Node, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // Windows editors write it
	// The library counts positions from the end of the capacity, which
	// therefore has to be the end of the text.
	data = data[:len(data):len(data)]
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, &Error{Line: 1, Msg: fmt.Sprintf("not readable as TOML: %v", r)}
		}
	}()
	r := tomlReader{
		text:     position{data: data, line: 1, column: 1},
		budget:   lim.Budget(),
		maxDepth: lim.Depth,
		tables:   map[*Node]*tomlTable{},
		arrays:   map[*Node]bool{},
	}
	if err := r.foresee(); err != nil {
		return nil, err
	}
	return r.document()
}

// tomlReader builds nodes from the library's syntax tree. What may be defined
// where it checks itself: the library's own check takes time in the square of
// a table's size.
type tomlReader struct {
	text     position
	budget   Budget
	maxDepth int
	tables   map[*Node]*tomlTable
	arrays   map[*Node]bool // the lists that [[headers]] made
}

func (r *tomlReader) document() (*Node, error) {
	root, err := r.newTable(byHeader, 0, 0)
	if err != nil {
		return nil, err
	}
	var p unstable.Parser
	p.Reset(r.text.data)
	table := root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, err = r.header(root, e)
		case unstable.KeyValue:
			_, err = r.keyValue(table, e)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.Error(); err != nil {
		return nil, r.syntaxError(err)
	}
	return root.Node, nil
}

// syntaxError places an error of the library's parser.
func (r *tomlReader) syntaxError(err error) *Error {
	out := &Error{Line: 1, Msg: err.Error()}
	var perr *unstable.ParserError
	if errors.As(err, &perr) {
		// The part at fault ends where the text's capacity ends.
		size := len(r.text.data)
		out.Line, out.Column = r.text.at(size - min(cap(perr.Highlight), size))
	}
	if strings.Contains(out.Msg, "nested more than") {
		return tooDeep(out.Line, out.Column)
	}
	return out
}

// add makes the node of a value that starts at an offset.
func (r *tomlReader) add(kind Kind, text string, offset int) (*Node, error) {
	n := &Node{Kind: kind, Text: text}
	n.Line, n.Column = r.text.at(offset)
	return n, r.budget.Value(n.Line, n.Column)
}

// keyValue reads a key, dotted or not, with its value into a table. It returns
// the offset behind the value.
func (r *tomlReader) keyValue(table *tomlTable, e *unstable.Node) (end int, err error) {
	for parts := e.Key(); parts.Next(); {
		key := parts.Node()
		if !parts.IsLast() {
			if table, err = r.dotted(table, key); err != nil {
				return 0, err
			}
			continue
		}
		if at := table.Find(string(key.Data)); at >= 0 {
			return 0, r.taken(table.Node.Map[at], key)
		}
		member := Member{Key: string(key.Data)}
		member.Line, _ = r.text.at(int(key.Raw.Offset))
		equals := r.text.skip(int(key.Raw.Offset + key.Raw.Length))
		member.Value, end, err = r.value(e.Value(), r.text.skip(equals+1), table.depth)
		if err != nil {
			return 0, err
		}
		table.Add(member)
	}
	return end, nil
}

// value reads a value that starts at an offset, inside of depth lists and
// maps. It returns the offset behind it.
func (r *tomlReader) value(v *unstable.Node, offset, depth int) (n *Node, end int, err error) {
	switch v.Kind {
	case unstable.Array:
		return r.array(v, offset, depth)
	case unstable.InlineTable:
		table, err := r.newTable(byValue, depth, offset)
		if err != nil {
			return nil, 0, err
		}
		end = r.text.skip(offset + 1)
		for children := v.Children(); children.Next(); {
			if end, err = r.keyValue(table, children.Node()); err != nil {
				return nil, 0, err
			}
			end = r.text.skip(end)
		}
		return table.Node, end + 1, nil
	}
	end = int(v.Raw.Offset + v.Raw.Length)
	n, err = r.scalar(v, offset)
	return n, end, err
}

func (r *tomlReader) array(v *unstable.Node, offset, depth int) (n *Node, end int, err error) {
	if n, err = r.add(List, "", offset); err != nil {
		return nil, 0, err
	}
	if depth >= r.maxDepth {
		return nil, 0, tooDeep(n.Line, n.Column)
	}
	end = r.text.skip(offset + 1)
	for children := v.Children(); children.Next(); {
		var item *Node
		if item, end, err = r.value(children.Node(), end, depth+1); err != nil {
			return nil, 0, err
		}
		n.List = append(n.List, item)
		end = r.text.skip(end)
	}
	return n, end + 1, nil
}

func (r *tomlReader) scalar(v *unstable.Node, offset int) (*Node, error) {
	switch v.Kind {
	case unstable.String:
		return r.add(String, string(v.Data), offset)
	case unstable.Bool:
		return r.add(Bool, string(v.Data), offset)
	}
	kind := String
	if v.Kind == unstable.Integer || v.Kind == unstable.Float {
		kind = Number
	}
	raw := r.text.data[v.Raw.Offset : v.Raw.Offset+v.Raw.Length]
	n, err := r.add(kind, string(raw), offset)
	if err != nil {
		return nil, err
	}
	// The syntax is right; whether there is such a day or number is not said.
	var discard struct {
		V any `toml:"v"`
	}
	if err := toml.Unmarshal(append([]byte("v="), raw...), &discard); err != nil {
		return nil, &Error{Line: n.Line, Column: n.Column, Msg: fmt.Sprintf("%s: %s", raw, strings.TrimPrefix(err.Error(), "toml: "))}
	}
	return n, nil
}
