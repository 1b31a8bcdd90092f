package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// The names of the limits that settings can raise, as Rules.LimitKeys has them.
const (
	maxCandidatesKnob = "max_candidates"
	maxLoadedKnob     = "max_loaded"
	maxTotalKnob      = "max_total"
)

// raise is the hint for those who need more than a limit allows; otherwise is
// for a limit that no setting raises.
func (r *Rules) raise(knob, otherwise string) string {
	if key := r.LimitKeys[knob]; key != "" {
		return "raise " + key + " in the configuration"
	}
	return otherwise
}

// limit notes which of the usable skills are beyond MaxLoaded and MaxTotal. As
// with a search that stops there, what is beyond takes no part in anything. A
// name that several roots have is counted once for all of them, and embedded
// roots, which are as long as the program makes them, are not counted at all.
func (s *scan) limit(found []candidate) {
	rules := &s.c.opt.Rules
	if rules.MaxLoaded == 0 && rules.MaxTotal == 0 {
		return
	}
	s.limited = map[*node]skill.Reason{}
	loaded, names := map[*rootScan]int{}, map[string]int{}
	type place struct {
		*candidate
		number int
	}
	var beyond, beyondAll []place // of their root, of all roots
	for _, c := range s.inOrder(found) {
		if !c.usable {
			continue
		}
		if loaded[c.root]++; rules.MaxLoaded > 0 && loaded[c.root] > rules.MaxLoaded {
			beyond = append(beyond, place{c, loaded[c.root]})
			continue
		}
		if c.root.FS != nil {
			continue
		}
		number, known := names[c.entry.Name]
		if !known {
			number = len(names) + 1
			names[c.entry.Name] = number
		}
		if rules.MaxTotal > 0 && number > rules.MaxTotal {
			beyondAll = append(beyondAll, place{c, number})
		}
	}
	for _, c := range beyond {
		root, all := wording.Quote(c.root.Path), loaded[c.root]
		s.limited[c.node] = skill.Reason{Code: skill.ReasonLimit,
			Hint:    rules.raise(maxLoadedKnob, fmt.Sprintf("remove or move away %d of the %d skills in %s", all-rules.MaxLoaded, all, root)),
			Message: fmt.Sprintf("only the first %d skills of %s are used, and this is number %d", rules.MaxLoaded, root, c.number)}
	}
	for _, c := range beyondAll {
		s.limited[c.node] = skill.Reason{Code: skill.ReasonLimit,
			Hint: rules.raise(maxTotalKnob, fmt.Sprintf("remove or move away %d of the %d skills in all roots", len(names)-rules.MaxTotal, len(names))),
			Message: fmt.Sprintf("only the first %d skills of all roots are used, and this one in %s is number %d",
				rules.MaxTotal, wording.Quote(c.root.Path), c.number)}
	}
}

// inOrder returns what was found by root, then by path.
func (s *scan) inOrder(found []candidate) []*candidate {
	order := make([]*candidate, len(found))
	for i := range found {
		order[i] = &found[i]
	}
	slices.SortFunc(order, s.before)
	return order
}

// isLimited reports whether a limit keeps the node from being used.
func (s *scan) isLimited(n *node) bool {
	if s.limited == nil {
		return false
	}
	_, ok := s.limited[n]
	return ok
}

// maxNamed is how many of the folders that were left out a message names.
const maxNamed = 3

// cut leaves out the folders of a node beyond MaxCandidates. Links to files are
// none, and what a link leads to can change without its folder, so the folders
// are counted at each load.
func (w *worker) cut(n *node) {
	rules := &w.s.c.opt.Rules
	if rules.MaxCandidates == 0 || len(n.subs) <= rules.MaxCandidates {
		return
	}
	var kept []sub
	var left []string
	count := 0
	for _, sub := range n.subs {
		if sub.link && !n.leadsToFolder(sub.name) {
			kept = append(kept, sub) // to be told what is wrong with it
			continue
		}
		if count++; count <= rules.MaxCandidates || n.parent == nil && sub.name == n.root.Nested {
			kept = append(kept, sub)
		} else {
			left = append(left, sub.name)
		}
	}
	if len(left) == 0 {
		return
	}
	n.subs = kept
	n.problems = append(n.problems, skill.RootTruncated.New(n.path(), 0,
		fmt.Sprintf("only the first %d of the folders in %s are looked at; %s left out: %s", rules.MaxCandidates,
			wording.Quote(n.path()), wereCounted(len(left)), someOf(left)),
		rules.raise(maxCandidatesKnob, "remove or move away some")+", or put skills into several folders"))
}

func wereCounted(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

// someOf names the first few.
func someOf(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), maxNamed)] {
		quoted = append(quoted, wording.Quote(name))
	}
	out := strings.Join(quoted, ", ")
	if len(names) > maxNamed {
		out += " and so on"
	}
	return out
}
