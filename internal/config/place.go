package config

import (
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// place is a node of the document that the layers make together: a value, or a
// table of places. It is a map where a [tree.Node] has a list, because every
// key of every layer is looked up in it.
type place struct {
	value  *tree.Node // nil for a table
	key    *KeyInfo   // nil for a key that is not Knack's
	origin Origin
	// parts are what each layer adds to a list that is united.
	parts []*place
	below map[string]*place
}

// document is what the layers make together.
type document struct {
	merged *place
	// defaults are the host's, by key. They are not in merged, where a table
	// that nobody wrote would stand out.
	defaults map[string]*place
}

// effective is the value of a path, else its default; nil if it has none.
func (d *document) effective(path ...string) *place {
	if p := d.merged.find(path...); p != nil && p.value != nil {
		return p
	}
	if len(d.defaults) > 0 {
		if p := d.defaults[FormatKey(path)]; p != nil {
			return p
		}
	}
	key, _, how := lookup(path)
	if how != leaf || key.Default == "" {
		return nil
	}
	return &place{value: key.defaultNode(), key: key, origin: Origin{Layer: layerDefault}}
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

// text, yes, integer, limit, number and words read a value that was accepted as its key's type; a
// place that is not there has none.
func (p *place) text() string {
	if p == nil || p.value == nil {
		return ""
	}
	return p.value.Text
}

func (p *place) yes() bool { return p.text() == "true" }

// integer reads a value that was accepted as an Integer.
func integer(n *tree.Node) int {
	whole, _ := strconv.Atoi(n.Text)
	return whole
}

func (p *place) integer() int {
	if p == nil || p.value == nil {
		return 0
	}
	return integer(p.value)
}

// limit is nil for a number that nobody set.
func (p *place) limit() *int {
	if p == nil || p.value == nil {
		return nil
	}
	whole := p.integer()
	return &whole
}

func (p *place) number() float64 {
	f, _ := parseNumber(p.text())
	return f
}

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

// names is a list of names, which have no blanks around them.
func (p *place) names() []string {
	names := p.words()
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}
