package tree

import (
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
	// The library counts positions from the end of the capacity, which
	// therefore has to be the end of the text.
	data = data[:len(data):len(data)]
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, &Error{Line: 1, Msg: fmt.Sprintf("not readable as TOML: %v", r)}
		}
	}()
	r := tomlReader{text: position{data: data, line: 1, column: 1}, budget: lim.Budget(), maxDepth: lim.Depth, tables: map[*Node]*tomlTable{}}
	root, err := r.document()
	if errors.Is(err, ErrLimit) {
		return nil, err
	}
	// The library knows every rule about what may be defined twice. It gets
	// only documents within their limits.
	var discard map[string]any
	if invalid := toml.Unmarshal(data, &discard); invalid != nil {
		return nil, tomlError(data, invalid)
	}
	return root, err
}

func tomlError(data []byte, err error) *Error {
	out := &Error{Line: 1, Msg: strings.TrimPrefix(err.Error(), "toml: ")}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, column := at.Position()
		out.Line, out.Column = line, characters(data, line, column)
	}
	return out
}

// tomlReader builds nodes from the library's syntax tree.
type tomlReader struct {
	text     position
	budget   Budget
	maxDepth int
	tables   map[*Node]*tomlTable
}

// tomlTable is a map under construction; headers come back to it later.
type tomlTable struct {
	Builder
	depth int // 1 for the root
}

func (r *tomlReader) document() (*Node, error) {
	root, err := r.newTable(0, 0)
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
		at := min(len(r.text.data)-min(cap(perr.Highlight), len(r.text.data)), len(r.text.data))
		out.Line, out.Column = r.text.at(at)
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

func (r *tomlReader) newTable(depth, offset int) (*tomlTable, error) {
	n, err := r.add(Map, "", offset)
	if err != nil {
		return nil, err
	}
	t := &tomlTable{Builder: Builder{Node: n}, depth: depth + 1}
	r.tables[n] = t
	return t, r.checkDepth(t.depth, n)
}

func (r *tomlReader) checkDepth(depth int, n *Node) error {
	if depth > r.maxDepth {
		return tooDeep(n.Line, n.Column)
	}
	return nil
}

// header finds or makes the table of a [header] or [[header]].
func (r *tomlReader) header(root *tomlTable, e *unstable.Node) (*tomlTable, error) {
	table := root
	for parts := e.Key(); parts.Next(); {
		part, err := table, error(nil)
		if e.Kind == unstable.ArrayTable && parts.IsLast() {
			part, err = r.append(table, parts.Node())
		} else {
			part, err = r.step(table, parts.Node())
		}
		if err != nil {
			return nil, err
		}
		table = part
	}
	return table, nil
}

// step goes from a table to the one under a key, and makes it if need be.
func (r *tomlReader) step(table *tomlTable, key *unstable.Node) (*tomlTable, error) {
	line, column := r.text.at(int(key.Raw.Offset))
	at := table.Find(string(key.Data))
	if at < 0 {
		sub, err := r.newTable(table.depth, int(key.Raw.Offset))
		if err != nil {
			return nil, err
		}
		table.Add(Member{Key: string(key.Data), Line: line, Value: sub.Node})
		return sub, nil
	}
	value := table.Node.Map[at].Value
	if value.Kind == List && len(value.List) > 0 {
		value = value.List[len(value.List)-1]
	}
	if sub, ok := r.tables[value]; ok {
		return sub, nil
	}
	return nil, &Error{Line: line, Column: column, Msg: fmt.Sprintf("%s is not a table", key.Data)}
}

// append adds a table to the array of tables under a key.
func (r *tomlReader) append(table *tomlTable, key *unstable.Node) (*tomlTable, error) {
	offset := int(key.Raw.Offset)
	line, column := r.text.at(offset)
	at := table.Find(string(key.Data))
	if at < 0 {
		list, err := r.add(List, "", offset)
		if err != nil {
			return nil, err
		}
		at = len(table.Node.Map)
		table.Add(Member{Key: string(key.Data), Line: line, Value: list})
	}
	list := table.Node.Map[at].Value
	if list.Kind != List {
		return nil, &Error{Line: line, Column: column, Msg: fmt.Sprintf("%s is not an array of tables", key.Data)}
	}
	item, err := r.newTable(table.depth+1, offset)
	if err != nil {
		return nil, err
	}
	list.List = append(list.List, item.Node)
	return item, nil
}

// keyValue reads a key, dotted or not, with its value into a table. It returns
// the offset behind the value.
func (r *tomlReader) keyValue(table *tomlTable, e *unstable.Node) (end int, err error) {
	for parts := e.Key(); parts.Next(); {
		key := parts.Node()
		if !parts.IsLast() {
			if table, err = r.step(table, key); err != nil {
				return 0, err
			}
			continue
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
		if n, err = r.add(List, "", offset); err == nil {
			err = r.checkDepth(depth+1, n)
		}
		end = r.text.skip(offset + 1)
		for children := v.Children(); err == nil && children.Next(); {
			var item *Node
			item, end, err = r.value(children.Node(), end, depth+1)
			n.List = append(n.List, item)
			end = r.text.skip(end)
		}
		return n, end + 1, err
	case unstable.InlineTable:
		table, err := r.newTable(depth, offset)
		if err != nil {
			return nil, 0, err
		}
		end = r.text.skip(offset + 1)
		for children := v.Children(); err == nil && children.Next(); {
			end, err = r.keyValue(table, children.Node())
			end = r.text.skip(end)
		}
		return table.Node, end + 1, err
	}
	kind, text := Number, string(v.Data)
	switch v.Kind {
	case unstable.Bool:
		kind = Bool
	case unstable.Integer, unstable.Float:
		text = string(r.text.data[v.Raw.Offset : v.Raw.Offset+v.Raw.Length])
	default:
		kind = String
	}
	n, err = r.add(kind, text, offset)
	return n, int(v.Raw.Offset + v.Raw.Length), err
}
