package route

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// pattern is a regular expression that is compiled when a message first has
// what it cannot match without.
type pattern struct {
	written string
	compile func() *regexp.Regexp
	needs   []term // one of them, folded, is in every match; none: nothing is known
}

// patterns drops what is no regular expression: reading a skill reports that.
func patterns(written []string) []*pattern {
	var out []*pattern
	for _, text := range written {
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			continue
		}
		p := &pattern{written: text, compile: sync.OnceValue(func() *regexp.Regexp {
			compiled, _ := regexp.Compile(text) // nil for what is too large, which parsing cannot tell
			return compiled
		})}
		for _, literal := range needed(parsed) {
			p.needs = append(p.needs, newTerm(literal, ""))
		}
		out = append(out, p)
	}
	return out
}

// matches says whether the pattern is found in a message as it was written.
func (p *pattern) matches(m *message) bool {
	if len(m.raw) > maxPatternInput || !p.possible(m) {
		return false
	}
	re := p.compile()
	return re != nil && re.MatchString(m.raw)
}

func (p *pattern) possible(m *message) bool {
	for i := range p.needs {
		if m.folded.has(&p.needs[i]) {
			return true
		}
	}
	return len(p.needs) == 0
}

// maxNeeds: looking for more alternatives than that costs as much as matching.
const maxNeeds = 32

// needed are folded literals of which every match has one, nil if there are
// none such.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{fold(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some := needed(sub)
			if some == nil || len(all)+len(some) > maxNeeds {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		// Each part must match; the one whose literals are longest says most.
		var best []string
		for _, sub := range re.Sub {
			if some := needed(sub); some != nil && shortest(some) > shortest(best) {
				best = some
			}
		}
		return best
	}
	return nil
}

func shortest(literals []string) int {
	if len(literals) == 0 {
		return 0
	}
	n := len(literals[0])
	for _, literal := range literals {
		n = min(n, len(literal))
	}
	return n
}
