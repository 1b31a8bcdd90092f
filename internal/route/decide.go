package route

import (
	"cmp"
	"math"
	"slices"
)

// The order among contenders: how much of the message a skill answers, and a
// little for saying so in its head, by its name or by declaration.
const (
	rankHead     = 0.2
	rankCover    = 0.07
	rankName     = 0.03
	rankDeclared = 0.2
)

// The weights of the traits, fitted by logistic regression on libraries of ten
// to a thousand skills drawn at random, with requests that one of them serves,
// requests that none does, questions and small talk. The choice of traits was
// compared in four-fold cross-validation by message; bar and alone were then set
// by hand on the same messages.
const (
	weightMatch    = 3.82
	weightCover    = 1.47
	weightName     = 1.60
	weightEvidence = 0.27
	weightMass     = 2.92
	weightRare     = 1.69
	weightGap      = 1.61
	weightHeadMass = 6.13
	// weightDeclared is what an author's own phrase or pattern adds, and all it
	// can add: a list of keywords does not buy activation for any message.
	weightDeclared = 2.5
	// bar and barSize put the bar at even odds: about one in a hundred messages
	// that no skill serves got over it, with thirty skills as with a thousand.
	bar     = 5.81
	barSize = 0.37
	// largest is the size beyond which the bar was not measured and stays.
	largest = 10_000
	// alone is held against a skill that has one stem of the message in its
	// head only, even where that is its name.
	alone = 0.5
)

const (
	// beside is the share of the best's rank that a second skill needs to be
	// activated with it.
	beside = 0.7
	// worthSuggesting is the share of the best's rank below which a skill is not
	// worth a line.
	worthSuggesting = 0.1
	// leastSaid is what the stems are worth that the best skill must have of a
	// message for any to be suggested: two words of every third skill, or one of
	// every seventh.
	leastSaid = 2
)

// chance makes a number of 0 to 1 of the traits; one half is the bar.
func (x *ranked) chance(c *contender) float64 {
	t := &c.traits
	z := weightMatch*t.match + weightCover*t.cover + weightName*t.name + weightEvidence*t.evidence +
		weightMass*t.mass + weightRare*t.rare + weightGap*t.gap + weightHeadMass*t.head*t.mass +
		weightDeclared*c.declared - bar - barSize*math.Log(float64(min(max(x.skills, 1), largest)))
	if t.stems <= 1 && c.declared == 0 {
		// One word is no request, unless it is the whole name.
		if z -= alone; t.name < 1 {
			z = min(z, -alone)
		}
	}
	return 1 / (1 + math.Exp(-z))
}

// decide makes picks of the contenders: those above the bar are activated, those
// that share something suggested.
func (x *ranked) decide(q *scratch) Selection {
	out := Selection{Activate: []Pick{}, Suggest: []Pick{}, Considered: x.skills}
	for _, s := range q.sorted {
		c, best := &q.best[s.at], &q.best[q.sorted[0].at]
		near := c.rank >= beside*best.rank
		switch {
		case near && c.chance >= x.rules.Least && len(out.Activate) < x.rules.Max:
			out.Activate = append(out.Activate, x.pick(q, c))
		case len(out.Suggest) >= x.rules.Suggest:
			return out
		case c.rank >= worthSuggesting*best.rank && (best.traits.said >= leastSaid || c.declared > 0):
			out.Suggest = append(out.Suggest, x.pick(q, c))
		}
	}
	return out
}

// mostReasons are given for a pick: what comes after did not decide.
const mostReasons = 8

func (x *ranked) pick(q *scratch, c *contender) Pick {
	out := Pick{Skill: int(c.skill), Score: round(c.chance), Reasons: []Match{}}
	if c.pattern != nil {
		out.Reasons = append(out.Reasons, Match{Kind: "pattern", Text: c.pattern.source, Field: "patterns", Weight: weightDeclared})
	} else if c.phrase != nil {
		f := fields[c.phrase.field]
		out.Reasons = append(out.Reasons, Match{Kind: f.kind, Text: c.phrase.text, Field: f.name, Weight: round(weightDeclared * c.declared)})
	}
	declared := len(out.Reasons)
	for i := range q.asked {
		a := &q.asked[i]
		if !a.known {
			continue
		}
		if p, ok := x.posting(a.stem, c.skill); ok {
			f := fields[p.field()]
			weight := round(float64(a.gain()*p.impact()) / (64 * mostImpact))
			out.Reasons = append(out.Reasons, Match{Kind: f.kind, Text: string(x.stem(int(a.stem))), Field: f.name, Weight: weight})
		}
	}
	slices.SortStableFunc(out.Reasons[declared:], func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	out.Reasons = out.Reasons[:min(len(out.Reasons), mostReasons)]
	return out
}

// round keeps three digits, which is more than a weight means.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }
