package route

import (
	"errors"

	"github.com/knackhq/knack/skill"
)

// errNotStored is the error of a chooser that keeps nothing of what it read.
var errNotStored = errors.New("this scorer reads skills anew")

// Update makes the chooser of skills of which some are in an older one already:
// same has the place of each there, -1 for those that are new or changed. The
// others need no instructions, only what stands in a header. The result is that
// of [New] over all of them.
func Update(rules Rules, old Chooser, skills []*skill.Skill, same []int) (Chooser, error) {
	x, ok := old.(*ranked)
	if !ok {
		return nil, errNotStored
	}
	return index(rules, skills, background(), newEarlier(x, same))
}

// earlier is an index whose postings are taken over, sorted by skill.
type earlier struct {
	index  *ranked
	same   []int
	starts []uint32 // where the postings of a skill begin
	stems  []uint32 // of each posting
	posts  []posting
}

func newEarlier(x *ranked, same []int) *earlier {
	e := &earlier{index: x, same: same, starts: make([]uint32, x.skills+1)}
	for _, p := range x.posts {
		e.starts[p.skill()+1]++
	}
	for i := range x.skills {
		e.starts[i+1] += e.starts[i]
	}
	e.stems, e.posts = make([]uint32, len(x.posts)), make([]posting, len(x.posts))
	next := append([]uint32(nil), e.starts...)
	for stem := range x.worth {
		for _, p := range x.posts[x.starts[stem]:x.starts[stem+1]] {
			at := &next[p.skill()]
			e.stems[*at], e.posts[*at] = uint32(stem), p
			*at++
		}
	}
	return e
}

// carry takes the postings of the n-th skill over, if it is one of the earlier.
func (e *earlier) carry(b *builder, n int) bool {
	if e == nil || n >= len(e.same) || e.same[n] < 0 || e.same[n] >= e.index.skills {
		return false
	}
	b.touched = b.touched[:0]
	var name []uint32
	for i := e.starts[e.same[n]]; i < e.starts[e.same[n]+1]; i++ {
		id, p := b.id(e.index.stem(int(e.stems[i]))), e.posts[i]
		b.touched = append(b.touched, id)
		b.posts = append(b.posts, uint64(id)<<32|uint64(n)<<8|uint64(p&0xff))
		if p.field() == inName {
			name = append(name, id)
		}
	}
	b.named = append(b.named, name)
	b.sketch = append(b.sketch, sketchOf(b.hash, b.touched))
	return true
}
