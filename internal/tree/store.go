package tree

// Store is where a reader takes its nodes from, in runs rather than one by one.
// Who reads many documents, each only for a while, resets it in between and so
// uses the same memory again. The zero Store is ready.
type Store struct {
	nodes   runs[Node]
	members runs[Member]
	items   runs[*Node]
}

// Node gives out a node, a null without a place.
func (s *Store) Node() *Node { return &s.nodes.take(1)[0] }

// Members gives out an empty list of members with room for n.
func (s *Store) Members(n int) []Member { return s.members.take(n)[:0] }

// Items gives out an empty list of nodes with room for n.
func (s *Store) Items(n int) []*Node { return s.items.take(n)[:0] }

// Reset takes back all that was given out, which must not be used any more.
// Nothing that was read stays in memory because of the store.
func (s *Store) Reset() {
	s.nodes.reset()
	s.members.reset()
	s.items.reset()
}

// runs gives out values from one piece of memory after the other, and comes
// back to the last when it is reset.
type runs[T any] struct {
	run  []T
	used int
}

// The first run serves a small document. Later ones double, up to what the
// frontmatter of nearly every skill fits into: 64 nodes are seven kilobytes,
// which somebody who resets a store keeps.
const (
	firstRun = 8
	lastRun  = 64
)

// take returns n zero values, without room for more.
func (r *runs[T]) take(n int) []T {
	if n > lastRun {
		return make([]T, n)
	}
	if n > len(r.run)-r.used {
		r.run, r.used = make([]T, max(n, min(2*len(r.run), lastRun), firstRun)), 0
	}
	r.used += n
	return r.run[r.used-n : r.used : r.used]
}

func (r *runs[T]) reset() {
	clear(r.run[:r.used])
	r.used = 0
}
