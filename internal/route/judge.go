package route

import (
	"cmp"
	"math"
	"slices"
)

// contender is a skill that the second pass looks at.
type contender struct {
	skill   uint32
	pattern *expression
	phrase  *phrase
	vetoed  bool
	// declared is how strongly the author's phrases and patterns ask for it.
	declared float64
	traits   traits
	rank     float64
	chance   float64
}

// traits are what a message and a skill have in common, each of 0 to 1.
type traits struct {
	match    float64 // the impacts, as a share of what the message is worth
	head     float64 // the share that the skill's head has: all but its body
	cover    float64 // the share that the skill has anywhere
	name     float64 // the share of the skill's name that is said
	evidence float64 // how much is said that the head has, whatever else is said
	mass     float64 // how much is said at all
	rare     float64 // what the rarest stem of the head is worth
	gap      float64 // how far the next best is behind
	stems    int     // how many stems the head has
	said     float64 // what the stems are worth that the skill has; no share
}

// judge is the second pass.
func (x *ranked) judge(q *scratch) {
	mass := float64(0)
	for i := range q.asked {
		mass += float64(q.asked[i].worth)
	}
	q.sorted = q.sorted[:0]
	for i := range q.best {
		c := &q.best[i]
		if x.hear(q, c); c.vetoed {
			continue
		}
		x.look(q, c, mass)
		t := &c.traits
		c.rank = t.match + rankHead*t.head + rankCover*t.cover + rankName*t.name + rankDeclared*c.declared
		q.sorted = append(q.sorted, standing{c.rank, c.skill, i})
	}
	slices.SortFunc(q.sorted, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.skill, b.skill))
	})
	x.dropTwins(q)
	for i, s := range q.sorted {
		c := &q.best[s.at]
		switch {
		case len(q.sorted) == 1:
			c.traits.gap = 1
		case i == 0:
			c.traits.gap = 1 - q.sorted[1].rank/c.rank
		}
		c.chance = x.chance(c)
	}
}

// standing is a contender's place in the order.
type standing struct {
	rank  float64
	skill uint32
	at    int // in scratch.best
}

// dropTwins keeps the best of skills that say the same, and of all no more than
// can be told.
func (x *ranked) dropTwins(q *scratch) {
	kept := q.sorted[:0]
	for _, s := range q.sorted {
		twin := func(k standing) bool { return x.twins[k.skill] == x.twins[s.skill] }
		if !slices.ContainsFunc(kept, twin) {
			kept = append(kept, s)
		}
		if len(kept) > x.rules.Max+x.rules.Suggest {
			break
		}
	}
	q.sorted = kept
}

func (x *ranked) look(q *scratch, c *contender, mass float64) {
	if mass == 0 {
		return
	}
	var match, head, cover, name, rare float64
	t := &c.traits
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
			t.stems++
		}
		if p.field() == inName {
			name += w
		}
	}
	t.said = cover
	t.match, t.head, t.cover = match/mass, head/mass, cover/mass
	t.evidence, t.mass = 1-math.Exp(-head/8), 1-math.Exp(-mass/20)
	t.rare = rare / float64(x.unseen)
	if n := float64(x.named[c.skill]); n > 0 {
		t.name = min(1, name/n)
	}
}

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
	if c.phrase != nil {
		worth := float32(0)
		for _, stem := range c.phrase.stems {
			worth += x.worth[stem]
		}
		c.declared = min(1, float64(worth/x.unseen))
	}
	if c.pattern != nil {
		c.declared = 1
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
