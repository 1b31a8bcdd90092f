// Package route says which skills fit a message. It reads no file and no clock:
// skills go in, a [Chooser] comes out, and the same message gets the same
// answer, byte for byte.
//
// # The ranked index
//
// Real skills declare no keywords, so the index reads what they do have: name,
// description, triggers, keywords, tags and body. Text is cut into stems
// (words.go, stem.go), and each pair of a stem and a skill has an impact: how
// much the skill speaks of it, by field and length (build.go). What a stem is
// worth is how rare it is, in the library and in a background of many skills
// that ships with the package (background.go), so that thirty skills rank as
// well as three thousand.
//
// A message is answered in two passes (ranked.go). The first adds the impacts
// of the message's stems, the rarest first, into one number a skill. The second
// looks at the few best closely (judge.go): what share of the message they
// explain, whether it calls them by name, by a declared phrase or a pattern,
// and makes of that the chance that the skill is the right one. The chance
// above which a skill is activated falls with the size of the library, for the
// best of many wrong ones looks better than the best of few. Below it, skills
// are suggested; a message that says nothing gets none.
//
// Skills that say nearly the same count as one (twins.go).
//
// # Declared activation
//
// "weights" and "words" compare the message with what a skill declares only.
// They exist so that hosts that work so are answered as they would.
package route

import (
	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/skill"
)

// scorers are the ways to compare messages with skills.
var scorers = []strategy.Named[Maker]{
	{Name: "ranked", Do: newRanked},
	{Name: "weights", Do: newWeights},
	{Name: "words", Do: newWords},
	{Name: "none", Do: newNone},
}

// New makes the chooser that the rules ask for. Skills that the model may not
// see are for the caller to leave out.
func New(rules Rules, skills []*skill.Skill) (Chooser, error) {
	make, err := strategy.Pick("route.scorer", rules.Scorer, scorers)
	if err != nil {
		return nil, err
	}
	return make(rules, skills)
}

type none struct{}

func newNone(Rules, []*skill.Skill) (Chooser, error) { return none{}, nil }

func (none) Select(string) Selection {
	return Selection{Activate: []Pick{}, Suggest: []Pick{}}
}
