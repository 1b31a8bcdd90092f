package route

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/knackhq/knack/skill"
)

// What a weight and a cap can be given to. A kind without a weight does not
// count, one without a cap is not bounded: rules without "pattern" match no
// patterns, rules without "name" and "description" have no fallback.
const (
	exact       = "exact"
	substring   = "substring"
	byPattern   = "pattern"
	byTag       = "tag"
	byName      = "name"
	description = "description"

	byKeyword = "keyword"  // exact and substring together
	fallback  = "fallback" // name and description together
)

const (
	// defaultMax is how many skills the documents that define these scores
	// activate where nothing else is said.
	defaultMax = 3
	// maxWeight keeps sums of thousands of matches exact and finite.
	maxWeight = 1e6
	// maxPatternInput is the longest message that patterns are tried on: they
	// cost a thousand times as much a byte as words do.
	maxPatternInput = 65_536
)

// manner is what two choosers over declared activation differ in.
type manner struct {
	scorer  string
	weights []string // those that it knows
	caps    []string
	// whole says whether a keyword is all there is, by a word or by the message.
	whole func(m *message, keyword string) bool
	// topFirst takes the best Max and then those that the budget allows; else
	// what does not fit makes room for the next.
	topFirst bool
	// companions brings along what a chosen skill wants beside it.
	companions bool
}

// newWeights makes a chooser that adds up what a message has of a skill's
// keywords, patterns and tags. A keyword is exact if it is the whole message.
func newWeights(rules Rules, skills []*skill.Skill) (Chooser, error) {
	return newDeclared(&manner{
		scorer:   "weights",
		weights:  []string{exact, substring, byPattern, byTag},
		caps:     []string{byKeyword, byPattern, byTag},
		whole:    func(m *message, keyword string) bool { return m.low.text == keyword },
		topFirst: true,
	}, rules, skills)
}

// newWords makes a chooser that does the same by whole words: a keyword is
// exact if it is a word of the message. A skill of which nothing matches is
// compared by its name and description. Companions come along.
func newWords(rules Rules, skills []*skill.Skill) (Chooser, error) {
	return newDeclared(&manner{
		scorer:     "words",
		weights:    []string{exact, substring, byPattern, byTag, byName, description},
		caps:       []string{byKeyword, byPattern, byTag, fallback},
		whole:      func(m *message, keyword string) bool { return m.words[keyword] },
		companions: true,
	}, rules, skills)
}

// declared chooses skills by what they declare. It never changes, but for
// patterns that compile themselves when they are first tried.
type declared struct {
	manner
	give                 map[string]float64
	most                 map[string]float64
	least                float64
	max, suggest, tokens int

	pool     []candidate
	compared int
	byName   map[string]int
	mentions map[string][]mention // by word; nil without a fallback
}

// candidate is what one skill declares, ready to be compared.
type candidate struct {
	skill *skill.Skill
	// asked: it is used when somebody asks for it by name, and never else.
	asked             bool
	keywords, exclude []term
	tags              []term
	patterns          []*pattern
	cost              int
}

func newDeclared(how *manner, rules Rules, skills []*skill.Skill) (*declared, error) {
	if len(rules.Weights) == 0 {
		return nil, fmt.Errorf("route.weights is empty; %q needs %s", how.scorer, strings.Join(how.weights, ", "))
	}
	if err := checkNumbers("route.weights", rules.Weights, how.weights); err != nil {
		return nil, err
	}
	if err := checkNumbers("route.caps", rules.Caps, how.caps); err != nil {
		return nil, err
	}
	if math.IsNaN(rules.Least) {
		return nil, fmt.Errorf("route.least is no number")
	}
	d := &declared{
		manner: *how, give: maps.Clone(rules.Weights), most: map[string]float64{}, least: rules.Least,
		max: rules.Max, suggest: rules.Suggest, tokens: rules.Tokens,
		pool: make([]candidate, len(skills)), byName: make(map[string]int, len(skills)),
	}
	if d.max <= 0 {
		d.max = defaultMax
	}
	for _, kind := range how.caps {
		d.most[kind] = math.Inf(1)
	}
	maps.Copy(d.most, rules.Caps)
	for at, s := range skills {
		d.add(at, s)
	}
	if d.give[byName] > 0 || d.give[description] > 0 {
		d.mentions = mentionsOf(d.pool)
	}
	return d, nil
}

func checkNumbers(knob string, given map[string]float64, known []string) error {
	for _, kind := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, kind) {
			return fmt.Errorf("%s has %q; it can have %s", knob, kind, strings.Join(known, ", "))
		}
		// Written so that what is no number fails too.
		if value := given[kind]; !(value >= 0 && value <= maxWeight) {
			return fmt.Errorf("%s.%s is %v; it can be 0 to %v", knob, kind, value, maxWeight)
		}
	}
	return nil
}

func (d *declared) add(at int, s *skill.Skill) {
	c := &d.pool[at]
	c.skill, c.asked, c.cost = s, s.Invocation.ModelDisabled, cost(s)
	if c.asked {
		return
	}
	d.compared++
	d.byName[s.Name] = at
	c.keywords, c.exclude, c.tags = terms(s.Activation.Keywords), terms(s.Activation.ExcludeKeywords), terms(s.Activation.Tags)
	if d.give[byPattern] > 0 {
		c.patterns = patterns(s.Activation.Patterns)
	}
}

// cost is what a skill takes of the token budget: what its author declares,
// unless the instructions are more than twice that. Nothing is free, so that a
// budget also bounds how many there are.
func cost(s *skill.Skill) int {
	declared := s.Activation.MaxContextTokens
	if s.Tokens-declared > declared {
		return max(1, s.Tokens)
	}
	return max(1, declared)
}
