package catalog

import (
	"slices"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// candidate is a node on its way to being an entry of the snapshot.
type candidate struct {
	*node
	prefix uint64 // the first bytes of the name: most comparisons need no more
	// beaten says why another skill is used instead; empty for a winner.
	beaten skill.Reason
}

// resolve decides which skill of each name is used, and explains every entry.
// The result is in the order of [Snapshot.Entries].
func (s *scan) resolve() []candidate {
	if s.c.newAlphabet != nil {
		s.alphabet = s.c.newAlphabet()
	}
	found := s.candidates()
	if s.trust != nil {
		for i := range found {
			s.trust(found[i].entry)
		}
		s.trusted()
	}
	s.limit(found)
	s.shadowSameFolders(found)
	s.sortByName(found)
	for start := 0; start < len(found); {
		end := start + 1
		for end < len(found) && found[end].prefix == found[start].prefix && found[end].entry.Name == found[start].entry.Name {
			end++
		}
		s.contest(found[start:end])
		start = end
	}
	for i := range found {
		s.judge(&found[i])
	}
	return found
}

func (s *scan) candidates() []candidate {
	count := 0
	for _, level := range s.levels {
		count += len(level)
	}
	found := make([]candidate, 0, count)
	for _, level := range s.levels {
		for i := range level {
			if n := &level[i]; n.entry != nil {
				found = append(found, candidate{node: n, prefix: prefix(n.entry.Name)})
			}
		}
	}
	return found
}

// contest finds the winner of one name, puts it first and notes by whom the
// others are beaten. Entries that are broken, beyond a limit or the same folder
// as another take no part.
func (s *scan) contest(rivals []candidate) {
	winner := -1
	for i := range rivals {
		if r := &rivals[i]; s.competes(r) && (winner < 0 || s.beats(r, &rivals[winner])) {
			winner = i
		}
	}
	if winner < 0 || len(rivals) == 1 {
		return
	}
	won := rivals[winner]
	copy(rivals[1:], rivals[:winner])
	rivals[0] = won
	for i := 1; i < len(rivals); i++ {
		if r := &rivals[i]; s.competes(r) {
			r.beaten = s.c.beatenBy(r, &won)
		}
	}
}

func (s *scan) competes(c *candidate) bool {
	return c.usable && c.beaten.Code == "" && !s.isLimited(c.node)
}

// beats reports whether a is used rather than b.
func (s *scan) beats(a, b *candidate) bool {
	switch {
	case a.root == b.root:
		return (s.before(a, b) < 0) != s.c.duplicate.last
	case s.c.shadow.byTrust && a.entry.Trust != b.entry.Trust:
		return b.entry.Trust.Below(a.entry.Trust)
	}
	return a.root.rank < b.root.rank
}

func (c *Catalog) beatenBy(r, winner *candidate) skill.Reason {
	const hint = "give one of the two another name, or remove the one you do not need"
	used := wording.Quote(winner.entry.Path) + " is used instead: it has the same name and "
	switch {
	case r.root == winner.root && c.duplicate.last:
		return skill.Reason{Code: skill.ReasonDuplicate, Message: used + "comes last in the same root", Hint: hint}
	case r.root == winner.root:
		return skill.Reason{Code: skill.ReasonDuplicate, Message: used + "comes first in the same root", Hint: hint}
	case c.shadow.byTrust && r.entry.Trust.Below(winner.entry.Trust):
		return skill.Reason{Code: skill.ReasonShadowed, Message: used + "is trusted more", Hint: hint}
	default:
		return skill.Reason{Code: skill.ReasonShadowed, Message: used + "its root comes first", Hint: hint}
	}
}

// shadowSameFolders finds folders that were reached more than once, through
// links or through roots that lie in each other. The first way there counts:
// by root, then one without links, then by path; where the last duplicate wins,
// the last path of the first root.
func (s *scan) shadowSameFolders(found []candidate) {
	if !s.mayMeetAgain() {
		return
	}
	order := make([]*candidate, len(found))
	for i := range found {
		order[i] = &found[i]
	}
	slices.SortFunc(order, func(a, b *candidate) int {
		switch {
		case a.root == b.root && s.c.duplicate.last:
			return s.before(b, a)
		case a.root == b.root && a.indirect() != b.indirect():
			if b.indirect() {
				return -1
			}
			return 1
		}
		return s.before(a, b)
	})
	first := make(map[string]*candidate, len(order))
	for _, cand := range order {
		if cand.from.real == "" || s.isLimited(cand.node) {
			continue
		}
		real := cand.real()
		other, again := first[real]
		if !again {
			first[real] = cand
			continue
		}
		cand.beaten = skill.Reason{Code: skill.ReasonSameFolder,
			Message: "it is the same folder as " + wording.Quote(other.entry.Path) + ", which was found first",
			Hint:    "nothing needs to be done; remove the link or the root if it is not wanted"}
	}
}

// indirect reports whether a link leads to the node.
func (n *node) indirect() bool { return n.from != n.root.from || n.in != n.shown }

// mayMeetAgain reports whether a folder can have been reached twice at all,
// so that the usual case need not compare all paths.
func (s *scan) mayMeetAgain() bool {
	for i, a := range s.roots {
		for _, b := range s.roots[:i] {
			if a.from.real == "" || b.from.real == "" {
				continue
			}
			_, below := inside(a.from.real, b.from.real)
			_, above := inside(b.from.real, a.from.real)
			if below || above {
				return true
			}
		}
	}
	for _, level := range s.levels {
		for i := range level {
			if level[i].link {
				return true
			}
		}
	}
	return false
}
