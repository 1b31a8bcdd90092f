package tree

import (
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlTable is a map under construction; headers come back to it later.
type tomlTable struct {
	Builder
	made  origin
	depth int // 1 for the root
}

// origin is how a table came to be, which decides who may add to it.
type origin uint8

const (
	byHeader origin = iota // [a], or an item of [[a]]: open until the next header
	implied                // the a of [a.b]: one [a] may follow
	byKeys                 // the a of a.b = 1: more such keys, and headers below it, may follow
	byValue                // a = {…}: complete
)

func (r *tomlReader) newTable(made origin, depth, offset int) (*tomlTable, error) {
	n, err := r.add(Map, "", offset)
	if err != nil {
		return nil, err
	}
	t := &tomlTable{Builder: Builder{Node: n}, made: made, depth: depth + 1}
	if t.depth > r.maxDepth {
		return nil, tooDeep(n.Line, n.Column)
	}
	r.tables[n] = t
	return t, nil
}

// below makes a table under a key that its table lacks.
func (r *tomlReader) below(table *tomlTable, key *unstable.Node, made origin) (*tomlTable, error) {
	offset := int(key.Raw.Offset)
	sub, err := r.newTable(made, table.depth, offset)
	if err != nil {
		return nil, err
	}
	table.Add(Member{Key: string(key.Data), Line: sub.Node.Line, Value: sub.Node})
	return sub, nil
}

// header finds or makes the table of a [header] or [[header]].
func (r *tomlReader) header(root *tomlTable, e *unstable.Node) (table *tomlTable, err error) {
	table = root
	for parts := e.Key(); parts.Next(); {
		switch key := parts.Node(); {
		case !parts.IsLast():
			table, err = r.through(table, key)
		case e.Kind == unstable.ArrayTable:
			table, err = r.another(table, key)
		default:
			table, err = r.open(table, key)
		}
		if err != nil {
			return nil, err
		}
	}
	return table, nil
}

// through goes to the table under a key on the way to what a header names.
func (r *tomlReader) through(table *tomlTable, key *unstable.Node) (*tomlTable, error) {
	at := table.Find(string(key.Data))
	if at < 0 {
		return r.below(table, key, implied)
	}
	value := table.Node.Map[at].Value
	if value.Kind == List && len(value.List) > 0 {
		value = value.List[len(value.List)-1] // of [[a]], the last
	}
	if sub := r.tables[value]; sub != nil && sub.made != byValue {
		return sub, nil
	}
	return nil, r.taken(table.Node.Map[at], key)
}

// open makes the table that a [header] names.
func (r *tomlReader) open(table *tomlTable, key *unstable.Node) (*tomlTable, error) {
	at := table.Find(string(key.Data))
	if at < 0 {
		return r.below(table, key, byHeader)
	}
	if sub := r.tables[table.Node.Map[at].Value]; sub != nil && sub.made == implied {
		sub.made = byHeader
		return sub, nil
	}
	return nil, r.taken(table.Node.Map[at], key)
}

// another adds a table to the array that a [[header]] names.
func (r *tomlReader) another(table *tomlTable, key *unstable.Node) (*tomlTable, error) {
	offset := int(key.Raw.Offset)
	at := table.Find(string(key.Data))
	if at < 0 {
		list, err := r.add(List, "", offset)
		if err != nil {
			return nil, err
		}
		r.arrays[list] = true
		at = len(table.Node.Map)
		table.Add(Member{Key: string(key.Data), Line: list.Line, Value: list})
	}
	list := table.Node.Map[at].Value
	if !r.arrays[list] {
		return nil, r.taken(table.Node.Map[at], key)
	}
	item, err := r.newTable(byHeader, table.depth+1, offset)
	if err != nil {
		return nil, err
	}
	list.List = append(list.List, item.Node)
	return item, nil
}

// dotted goes to the table under a key on the way to what a dotted key names.
func (r *tomlReader) dotted(table *tomlTable, key *unstable.Node) (*tomlTable, error) {
	at := table.Find(string(key.Data))
	if at < 0 {
		return r.below(table, key, byKeys)
	}
	if sub := r.tables[table.Node.Map[at].Value]; sub != nil && sub.made == byKeys {
		return sub, nil
	}
	return nil, r.taken(table.Node.Map[at], key)
}

// taken is the error of a key that is defined already.
func (r *tomlReader) taken(first Member, key *unstable.Node) error {
	line, column := r.text.at(int(key.Raw.Offset))
	return &Error{Line: line, Column: column, Msg: fmt.Sprintf("%s is already defined on line %d; join the two", key.Data, first.Line)}
}
