package config

import (
	"strconv"

	"github.com/knackhq/knack/internal/tree"
)

// place is a node of the document that the layers make together: a value, or a
// table of places. It is a map where a [tree.Node] has a list, because every
// key of every layer is looked up in it.
type place struct {
	value  *tree.Node // nil for a table
	key    *KeyInfo   // nil for a key that is not Knack's
	origin Origin
	below  map[string]*place
}

func newTable() *place { return &place{below: map[string]*place{}} }

// table goes to a table and makes it if need be; a value in its way goes.
func (p *place) table(path []string) *place {
	for _, part := range path {
		next := p.below[part]
		if next == nil || next.below == nil {
			next = newTable()
			p.below[part] = next
		}
		p = next
	}
	return p
}

// at goes to a place, and makes the tables above it if need be.
func (p *place) at(path []string) *place {
	last := len(path) - 1
	table := p.table(path[:last])
	if table.below[path[last]] == nil {
		table.below[path[last]] = &place{}
	}
	return table.below[path[last]]
}

// find goes to a place that is there, else returns nil.
func (p *place) find(path ...string) *place {
	for _, part := range path {
		if p = p.below[part]; p == nil {
			return nil
		}
	}
	return p
}

// inside goes on into a value: a list by number, a table of a list by key.
func inside(n *tree.Node, path []string) *tree.Node {
	for _, part := range path {
		if n.Kind == tree.List {
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.List) {
				return nil
			}
			n = n.List[i]
		} else if n = n.Get(part); n == nil {
			return nil
		}
	}
	return n
}

// text, yes and words read a value that was accepted as its key's type; a
// place that is not there has none.
func (p *place) text() string {
	if p == nil || p.value == nil {
		return ""
	}
	return p.value.Text
}

func (p *place) yes() bool { return p.text() == "true" }

// words is nil for a list that nobody set and empty for an empty one.
func (p *place) words() []string {
	if p == nil || p.value == nil {
		return nil
	}
	words := make([]string, len(p.value.List))
	for i, item := range p.value.List {
		words[i] = item.Text
	}
	return words
}
