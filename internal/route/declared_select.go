package route

import (
	"cmp"
	"slices"
)

// scored is a skill that fits a message.
type scored struct {
	at    int
	score float64
}

// Select implements [Chooser].
func (d *declared) Select(text string) Selection {
	out := Selection{Activate: []Pick{}, Suggest: []Pick{}}
	if text == "" || d.compared == 0 {
		return out
	}
	out.Considered = d.compared
	m := readMessage(text)
	named := d.named(m)
	ranked := d.rank(m, named)

	c := choice{d: d, left: d.tokens, names: map[string]bool{}}
	c.choose(ranked)
	out.Skipped = c.skipped
	for _, taken := range c.taken {
		out.Activate = append(out.Activate, d.pick(m, taken.at, named[taken.at], taken.from))
	}
	for _, s := range ranked {
		if len(out.Suggest) >= d.suggest {
			break
		}
		if !c.names[d.pool[s.at].skill.Name] {
			out.Suggest = append(out.Suggest, d.pick(m, s.at, named[s.at], -1))
		}
	}
	return out
}

// rank finds the skills that fit, the best first. Among equals the order of
// the skills decides.
func (d *declared) rank(m *message, named []float64) []scored {
	var out []scored
	for at := range d.pool {
		if d.pool[at].asked {
			continue
		}
		if score := d.score(m, at, named[at], nil); score > 0 && score >= d.least {
			out = append(out, scored{at, score})
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return out
}

// pick says why a skill was chosen. A companion may have no score of its own.
func (d *declared) pick(m *message, at int, named float64, from int) Pick {
	p := Pick{Skill: at, Reasons: []Match{}}
	p.Score = d.score(m, at, named, func(match Match) { p.Reasons = append(p.Reasons, match) })
	slices.SortStableFunc(p.Reasons, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	if from >= 0 {
		p.Reasons = append(p.Reasons, Match{Kind: "companion", Field: "requires.skills", Text: d.pool[from].skill.Name})
	}
	return p
}

// choice fills the slots and the token budget for one message.
type choice struct {
	d       *declared
	left    int // of the token budget, where there is one
	names   map[string]bool
	taken   []taken
	skipped []Skip
}

type taken struct{ at, from int }

// outcome is what became of a skill that was to be taken.
type outcome int

const (
	selected outcome = iota
	already
	noSlot
	noTokens
)

// reason is what Skip.Why says of it; nothing where that is no loss.
func (o outcome) reason() string {
	switch o {
	case noSlot:
		return "max"
	case noTokens:
		return "tokens"
	}
	return ""
}

func (c *choice) choose(ranked []scored) {
	if c.d.topFirst && len(ranked) > c.d.max {
		ranked = ranked[:c.d.max]
	}
	for _, s := range ranked {
		switch got := c.take(s.at, -1); got {
		case noSlot:
			return
		case noTokens:
			c.skipped = append(c.skipped, Skip{Skill: s.at, From: -1, Why: got.reason()})
		case selected:
			if c.d.companions {
				c.along(s.at)
			}
		}
	}
}

// along takes the companions of a skill, but not theirs. One that is not there
// is no loss: it was no requirement.
func (c *choice) along(from int) {
	for _, name := range c.d.pool[from].skill.Companions {
		at, there := c.d.byName[name]
		if !there {
			continue
		}
		if why := c.take(at, from).reason(); why != "" {
			c.skipped = append(c.skipped, Skip{Skill: at, From: from, Why: why})
		}
	}
}

func (c *choice) take(at, from int) outcome {
	candidate := &c.d.pool[at]
	switch {
	case len(c.taken) >= c.d.max:
		return noSlot
	case c.names[candidate.skill.Name]:
		return already
	case c.d.tokens > 0 && candidate.cost > c.left:
		return noTokens
	}
	c.left -= candidate.cost
	c.names[candidate.skill.Name] = true
	c.taken = append(c.taken, taken{at, from})
	return selected
}
