package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a store gives out is empty and nobody else's, before and after a reset.
func TestStore(t *testing.T) {
	var s Store
	for round := range 3 {
		var nodes []*Node
		var members [][]Member
		var items [][]*Node
		for i := range 3 * lastRun {
			n := s.Node()
			if diff := cmp.Diff(&Node{}, n); diff != "" {
				t.Fatalf("round %d: node %d is not empty: %s", round, i, diff)
			}
			n.Line, n.Text = i, "text"
			size := i % 7
			m, list := s.Members(size), s.Items(size)
			if len(m) != 0 || cap(m) != size || len(list) != 0 || cap(list) != size {
				t.Fatalf("room for %d: members %d of %d, items %d of %d", size, len(m), cap(m), len(list), cap(list))
			}
			for j := range size + 1 { // one more than there is room for
				m, list = append(m, Member{Line: 1000*i + j}), append(list, n)
			}
			nodes, members, items = append(nodes, n), append(members, m), append(items, list)
		}
		for i, n := range nodes {
			if n.Line != i {
				t.Fatalf("round %d: node %d was given out twice", round, i)
			}
			for j := range members[i] {
				if members[i][j].Line != 1000*i+j || items[i][j] != n {
					t.Fatalf("round %d: list %d was given out twice", round, i)
				}
			}
		}
		if got := s.Members(lastRun + 1); cap(got) != lastRun+1 {
			t.Fatalf("a large list has room for %d", cap(got))
		}
		s.Reset()
		for _, m := range s.members.run {
			if m != (Member{}) {
				t.Fatalf("after a reset the store holds %+v", m)
			}
		}
	}
}

// A store that is reset needs no more memory for the next document.
func TestStoreUsesMemoryAgain(t *testing.T) {
	var s Store
	allocs := testing.AllocsPerRun(100, func() {
		for range 20 {
			s.Node()
			s.Members(2)
			s.Items(2)
		}
		s.Reset()
	})
	if allocs > 0 {
		t.Errorf("%v allocations per document", allocs)
	}
}
