package tree

// Builder fills a map node while a document is read. It is for readers of a
// syntax, here and in package json5; a finished node is not changed.
type Builder struct {
	Node  *Node
	index map[string]int // from key to place, once the map is large
}

// indexFrom is the size at which a map gets an index. Below it a scan over the
// keys is faster than hashing them; above it a hostile document of nothing but
// keys would cost time in the square of its size.
const indexFrom = 16

// Find returns the place of a key in the map, or -1.
func (b *Builder) Find(key string) int {
	members := b.Node.Map
	if len(members) < indexFrom {
		for i := range members {
			if members[i].Key == key {
				return i
			}
		}
		return -1
	}
	if b.index == nil {
		b.index = make(map[string]int, 2*len(members))
		for i := range members {
			b.index[members[i].Key] = i
		}
	}
	if at, ok := b.index[key]; ok {
		return at
	}
	return -1
}

// Add appends a member. A key that is there already keeps its place and gets
// the new value, and the old member moves to [Node].Dup.
func (b *Builder) Add(m Member) {
	n := b.Node
	if at := b.Find(m.Key); at >= 0 {
		n.Dup = append(n.Dup, n.Map[at])
		n.Map[at] = m
		return
	}
	if b.index != nil {
		b.index[m.Key] = len(n.Map)
	}
	n.Map = append(n.Map, m)
}

// Budget counts what is left of a document's limits while it is read.
type Budget struct{ depth, nodes int }

// Budget returns the limits as a count-down.
func (l Limits) Budget() Budget { return Budget{depth: l.Depth, nodes: l.Nodes} }

// Value takes one value off the budget. It fails when none is left.
func (b *Budget) Value(line, column int) error {
	if b.nodes <= 0 {
		return tooMany(line, column)
	}
	b.nodes--
	return nil
}

// Enter goes one level down into a list or map. It fails when that is too deep.
func (b *Budget) Enter(line, column int) error {
	if b.depth <= 0 {
		return tooDeep(line, column)
	}
	b.depth--
	return nil
}

// Leave comes back up after Enter.
func (b *Budget) Leave() { b.depth++ }

func tooMany(line, column int) *Error {
	return &Error{Line: line, Column: column, Msg: "the document holds more values than are allowed; split it or drop what is not needed", Err: ErrLimit}
}

func tooDeep(line, column int) *Error {
	return &Error{Line: line, Column: column, Msg: "lists and maps are nested deeper than is allowed; flatten the document", Err: ErrLimit}
}
