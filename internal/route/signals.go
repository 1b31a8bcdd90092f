package route

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/knackhq/knack/skill"
)

const (
	// patternInput is what of a message patterns see: an expression costs time
	// for every byte, and what triggers a skill is said early.
	patternInput = 4 << 10
	// mostPatterns run for one message, after the prefilter. A library in which
	// more apply is not helped by knowing.
	mostPatterns = 256
	// mostPhrases of a skill are read, so that a skill cannot buy attention with
	// a list of all there is.
	mostPhrases = 64
)

// signals are what authors declared: phrases that call for a skill or rule it
// out, and patterns.
type signals struct {
	// The phrases of skill n are phrases[starts[n]:starts[n+1]].
	starts  []uint32
	phrases []phrase
	// patterns are sorted by key, so that those a message can match are found
	// by its letters.
	patterns []*expression
}

type phrase struct {
	stems   []uint32
	text    string
	field   int
	exclude bool
}

// expression is a regular expression of a skill.
type expression struct {
	skill   uint32
	key     uint32 // of the first three bytes of literal; 0 where there are none
	literal string // in lower case; each match has it
	source  string
	program atomic.Pointer[regexp.Regexp] // made when first needed
}

func (x *ranked) readSignals(skills []*skill.Skill) signals {
	out := signals{starts: make([]uint32, 1, len(skills)+1)}
	for n, s := range skills {
		have := 0
		add := func(texts []string, field int, exclude bool) {
			for _, text := range texts {
				if stems := x.sequence(text); len(stems) > 0 && have < mostPhrases {
					out.phrases = append(out.phrases, phrase{stems, text, field, exclude})
					have++
				}
			}
		}
		add(s.Activation.ExcludeKeywords, inKeywords, true)
		add(s.Triggers, inTriggers, false)
		add(s.Activation.Keywords, inKeywords, false)
		out.starts = append(out.starts, uint32(len(out.phrases)))
		for _, source := range s.Activation.Patterns {
			if p, ok := newPattern(uint32(n), source); ok {
				out.patterns = append(out.patterns, p)
			}
		}
	}
	sortPatterns(out.patterns)
	return out
}

// sequence is a text as places of stems. One with a stem that no skill has is
// kept as far as it goes wrong: it is none, for it can match nothing known.
func (x *ranked) sequence(text string) []uint32 {
	var out []uint32
	whole := true
	s := splitter{emit: func(stem []byte) {
		i, known := x.find(stem)
		whole = whole && known
		out = append(out, uint32(i))
	}}
	s.split(text[:min(len(text), 256)])
	if !whole {
		return nil
	}
	return out
}

func newPattern(n uint32, source string) (*expression, bool) {
	parsed, err := syntax.Parse(source, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, false
	}
	p := &expression{skill: n, source: source, literal: literalOf(parsed.Simplify())}
	p.key = keyOf(p.literal)
	return p, true
}

func sortPatterns(patterns []*expression) {
	slices.SortStableFunc(patterns, func(a, b *expression) int { return int(int64(a.key) - int64(b.key)) })
}

// literalOf returns the longest text that every match of an expression has, in
// lower case. Letters that fold beyond ASCII end it: they have two spellings.
func literalOf(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= 0x80 || r == 'k' || r == 'K' || r == 's' || r == 'S' {
				return longestPart(re.Rune)
			}
		}
		return strings.ToLower(string(re.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return literalOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalOf(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if l := literalOf(sub); len(l) > len(best) {
				best = l
			}
		}
		return best
	}
	return ""
}

// longestPart is the longest run of letters that have one other case only: k
// and s also match the Kelvin sign and the long s.
func longestPart(runes []rune) string {
	best := ""
	for part := range strings.FieldsFuncSeq(strings.ToLower(string(runes)), func(r rune) bool {
		return r >= 0x80 || r == 'k' || r == 's'
	}) {
		if len(part) > len(best) {
			best = part
		}
	}
	return best
}

// keyOf names the first three bytes of a literal.
func keyOf(literal string) uint32 {
	if len(literal) < 3 {
		return 0
	}
	return uint32(literal[0])<<16 | uint32(literal[1])<<8 | uint32(literal[2])
}

// matches calls found with the patterns that a message matches.
func (g *signals) matches(message string, found func(p *expression)) {
	if len(g.patterns) == 0 {
		return
	}
	input := message[:min(len(message), patternInput)]
	lower := asciiLower(input)
	keys := make([]uint32, 1, len(lower)+1) // the key of those without a literal
	for i := 0; i+3 <= len(lower); i++ {
		keys = append(keys, keyOf(lower[i:i+3]))
	}
	slices.Sort(keys)
	ran := 0
	for _, key := range slices.Compact(keys) {
		at, _ := slices.BinarySearchFunc(g.patterns, key, func(p *expression, key uint32) int { return int(int64(p.key) - int64(key)) })
		for ; at < len(g.patterns) && g.patterns[at].key == key && ran < mostPatterns; at++ {
			p := g.patterns[at]
			if !strings.Contains(lower, p.literal) {
				continue
			}
			ran++
			if re := p.compiled(); re != nil && re.MatchString(input) {
				found(p)
			}
		}
	}
}

func (p *expression) compiled() *regexp.Regexp {
	if re := p.program.Load(); re != nil {
		return re
	}
	re, err := regexp.Compile("(?i)" + p.source)
	if err != nil {
		return nil
	}
	p.program.Store(re)
	return re
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
