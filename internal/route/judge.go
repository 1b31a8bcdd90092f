package route

import (
	"cmp"
	"math"
	"slices"
)

// contender is a skill that the second pass looks at.
type contender struct {
	skill   uint32
	sum     int32
	pattern *expression
	phrase  *phrase
	vetoed  bool
	traits  traits
	rank    float64
	chance  float64
}

// traits are what a message and a skill have in common, each of 0 to 1.
type traits struct {
	match    float64 // the impacts, as a share of what the message is worth
	head     float64 // the share that the head of the skill has
	cover    float64 // the share that the skill has anywhere
	name     float64 // the share of the skill's name that is said
	evidence float64 // how much is said that the head has, whatever else is
	mass     float64 // how much is said at all
	stems    float64 // how many stems the head has
	rare     float64 // what the rarest of them is worth
}

// judge is the second pass.
func (x *ranked) judge(q *scratch) {
	mass := float64(0)
	for i := range q.asked {
		mass += float64(q.asked[i].worth)
	}
	for i := range q.best {
		c := &q.best[i]
		x.look(q, c, mass)
		c.rank = c.traits.match + rankHead*c.traits.head + rankName*c.traits.name
		x.hear(q, c)
	}
	slices.SortFunc(q.best, func(a, b contender) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.skill, b.skill))
	})
}

func (x *ranked) look(q *scratch, c *contender, mass float64) {
	var match, head, cover, name, rare float64
	stems := 0
	for i := range q.asked {
		a := &q.asked[i]
		if !a.known {
			continue
		}
		p, ok := x.posting(a.stem, c.skill)
		if !ok {
			continue
		}
		w := float64(a.worth)
		if a.guess {
			w *= guessed
		}
		match += w * float64(p.impact()) / mostImpact
		cover += w
		if p.field() != inBody {
			head += w
			rare = max(rare, w)
			stems++
		}
		if p.field() == inName {
			name += w
		}
	}
	c.traits = traits{
		match: match / mass, head: head / mass, cover: cover / mass,
		evidence: 1 - math.Exp(-head/8), mass: 1 - math.Exp(-mass/20),
		stems: float64(min(stems, 4)) / 4, rare: rare / float64(x.unseen),
	}
	if n := float64(x.named[c.skill]); n > 0 {
		c.traits.name = min(1, name/n)
	}
	if mass == 0 {
		c.traits = traits{}
	}
}

const (
	rankHead = 0.2
	rankName = 0.03
)

// hear looks for what the author declared.
func (x *ranked) hear(q *scratch, c *contender) {
	for i := x.signals.starts[c.skill]; i < x.signals.starts[c.skill+1]; i++ {
		p := &x.signals.phrases[i]
		if !within(q.order, p.stems) {
			continue
		}
		if p.exclude {
			c.vetoed = true
			return
		}
		if c.phrase == nil || len(p.stems) > len(c.phrase.stems) {
			c.phrase = p
		}
	}
}

// within reports whether the stems stand in the message one after the other.
func within(message, stems []uint32) bool {
	for i := 0; i+len(stems) <= len(message); i++ {
		if message[i] == stems[0] && slices.Equal(message[i:i+len(stems)], stems) {
			return true
		}
	}
	return false
}

func (x *ranked) decide(q *scratch) Selection {
	out := Selection{Activate: []Pick{}, Suggest: []Pick{}, Considered: x.skills}
	var taken []uint32
	for i := range q.best {
		c := &q.best[i]
		if slices.Contains(taken, x.twins[c.skill]) {
			continue
		}
		taken = append(taken, x.twins[c.skill])
		if len(out.Suggest) < 10 {
			out.Suggest = append(out.Suggest, Pick{Skill: int(c.skill), Score: c.rank})
		}
	}
	return out
}
