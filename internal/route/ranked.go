package route

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

const (
	// mostStems of a message are compared, the rarest first: a request has a
	// dozen, and what a pasted file adds beyond sixty does not change the best.
	mostStems = 64
	// mostWords of a message are looked up, which bounds a hostile one.
	mostWords = 8192
	// firstPass is how many postings the first pass reads before it leaves the
	// commonest stems to the second, which looks at the best only. A fifth of a
	// millisecond.
	firstPass = 1 << 16
	// looked is how many skills the second pass looks at. Ten are suggested; the
	// rest is room for twins, exclusions and what common stems change.
	looked = 64
	// mostTypos of a message are looked for.
	mostTypos = 8
	// guessed is the share that a word counts which had a letter wrong.
	guessed = 0.7
)

// asked is one stem of a message.
type asked struct {
	stem   uint32
	worth  float32
	known  bool // some skill has it
	guess  bool // a letter differs
	places uint32
}

// scratch is what one question needs, kept for the next.
type scratch struct {
	split    splitter
	sums     []int32  // by skill, all zero between questions
	touched  []uint32 // skills whose sum is not
	seen     []uint32 // by stem: the question that had it last
	question uint32
	order    []uint32 // the message as stems, noStem for unknown words
	asked    []asked
	strange  [][]byte // words that nobody has
	places   []uint64 // sum<<32 | what is left of 2^32 after the skill
	best     []contender
	sorted   []standing
}

// noStem stands in a message for a word that nobody has.
const noStem = ^uint32(0)

type spare struct{ pool sync.Pool }

func (x *ranked) scratch() *scratch {
	if q, ok := x.spare.pool.Get().(*scratch); ok {
		return q
	}
	return &scratch{sums: make([]int32, x.skills), seen: make([]uint32, len(x.worth))}
}

// Select implements [Chooser].
func (x *ranked) Select(message string) Selection {
	q := x.scratch()
	defer x.spare.pool.Put(q)
	message = message[:min(len(message), longestMessage)]
	x.read(q, message)
	x.sum(q)
	x.shortlist(q)
	x.signals.matches(message, func(p *expression) { q.matched(p) })
	x.judge(q)
	return x.decide(q)
}

// read makes stems of a message: each once, the rarest first.
func (x *ranked) read(q *scratch, message string) {
	q.question++
	if q.question == 0 { // after four thousand million questions
		clear(q.seen)
		q.question = 1
	}
	q.order, q.asked, q.strange = q.order[:0], q.asked[:0], q.strange[:0]
	typos := 0
	q.split.emit = func(stem []byte) {
		if len(q.order) >= mostWords {
			return
		}
		i, known := x.find(stem)
		guess := false
		if !known && typos < mostTypos && q.isStrange(stem) {
			typos++
			i, guess = x.guess(stem)
			known = guess
		}
		if !known {
			q.order = append(q.order, noStem)
			if q.isStrange(stem) && len(q.strange) < mostStems {
				q.strange = append(q.strange, slices.Clone(stem))
				q.asked = append(q.asked, asked{stem: noStem, worth: x.unseen})
			}
			return
		}
		q.order = append(q.order, uint32(i))
		if q.seen[i] == q.question {
			return
		}
		q.seen[i] = q.question
		places := x.starts[i+1] - x.starts[i]
		q.asked = append(q.asked, asked{uint32(i), x.worth[i], places > 0, guess, places})
	}
	q.split.split(message)
	slices.SortFunc(q.asked, func(a, b asked) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.stem, b.stem))
	})
	q.asked = q.asked[:min(len(q.asked), mostStems)]
}

func (q *scratch) isStrange(stem []byte) bool {
	return !slices.ContainsFunc(q.strange, func(s []byte) bool { return string(s) == string(stem) })
}

// gain is what a posting adds, in whole numbers so that no order of adding
// differs: the worth is at most twelve, the sum below 2^31.
func (a *asked) gain() int32 {
	worth := a.worth
	if a.guess {
		worth *= guessed
	}
	return max(1, int32(worth*64)) // a sum of 0 says that a skill is not touched yet
}

// sum is the first pass.
func (x *ranked) sum(q *scratch) {
	q.touched = q.touched[:0]
	read := uint32(0)
	for i := range q.asked {
		a := &q.asked[i]
		if !a.known {
			continue
		}
		if read += a.places; read > firstPass && len(q.touched) >= looked {
			break
		}
		gain := a.gain()
		for _, p := range x.posts[x.starts[a.stem]:x.starts[a.stem+1]] {
			s := &q.sums[p.skill()]
			if *s == 0 {
				q.touched = append(q.touched, p.skill())
			}
			*s += gain * p.impact()
		}
	}
}

// shortlist keeps the best of the first pass and clears the sums.
func (x *ranked) shortlist(q *scratch) {
	q.places = q.places[:0]
	least := int32(0)
	for _, n := range q.touched {
		s := q.sums[n]
		q.sums[n] = 0
		if s < least {
			continue
		}
		q.places = append(q.places, uint64(s)<<32|uint64(^n))
		if len(q.places) == 8*looked {
			least = q.cut()
		}
	}
	q.cut()
	q.best = q.best[:0]
	for _, p := range q.places {
		q.best = append(q.best, contender{skill: ^uint32(p)})
	}
}

// cut keeps the best of those gathered and returns the sum of the last. Of
// equal sums, the first skill is the greatest place.
func (q *scratch) cut() int32 {
	slices.Sort(q.places)
	q.places = q.places[max(0, len(q.places)-looked):]
	if len(q.places) < looked {
		return 0
	}
	return int32(q.places[0] >> 32)
}

// matched notes that a pattern fits, which makes its skill a contender.
func (q *scratch) matched(p *expression) {
	at := slices.IndexFunc(q.best, func(c contender) bool { return c.skill == p.skill })
	if at < 0 {
		at = len(q.best)
		q.best = append(q.best, contender{skill: p.skill})
	}
	if q.best[at].pattern == nil {
		q.best[at].pattern = p
	}
}

// posting finds a skill among those of a stem.
func (x *ranked) posting(stem, skill uint32) (p posting, ok bool) {
	from, to := x.starts[stem], x.starts[stem+1]
	end := to
	for from < to {
		mid := (from + to) / 2
		if x.posts[mid].skill() < skill {
			from = mid + 1
		} else {
			to = mid
		}
	}
	if from < end && x.posts[from].skill() == skill {
		return x.posts[from], true
	}
	return 0, false
}

func (x *ranked) stem(i int) []byte { return x.stems[x.ends[i]:x.ends[i+1]] }

// find returns the place of a stem.
func (x *ranked) find(stem []byte) (int, bool) {
	lo, hi := 0, len(x.worth)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.Compare(x.stem(mid), stem) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(x.worth) && bytes.Equal(x.stem(lo), stem)
}
