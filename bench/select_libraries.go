package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/skill"
)

// falsely is the share of messages that no installed skill serves which may
// activate one.
const falsely = 0.02

// measureLibraries draws libraries at random and asks what share of normal
// requests get the right skill at a fixed rate of false activations. A request
// counts where the skill it was written for is installed; one for which there
// is none that serves it is, beside small talk and questions, one that must
// activate nothing.
func measureLibraries(w io.Writer, corpus *evalSet, t *targets) error {
	fmt.Fprintf(w, "libraries drawn at random\n%6s %8s %12s %14s %14s\n", "skills", "requests", "right at 2 %", "right as it is", "false as it is")
	for _, size := range []struct {
		skills, draws int
		least         float64
	}{{30, 200, 70}, {200, 60, 85}} {
		l, err := drawLibraries(corpus, size.skills, size.draws)
		if err != nil {
			return err
		}
		right := l.rightAt(falsely)
		fmt.Fprintf(w, "%6d %8d %12.1f %14.1f %14.1f\n", size.skills, len(l.requests), right,
			l.right(0.5), 100*l.falseAt(0.5))
		t.least(fmt.Sprintf("right skills with %d installed", size.skills), right, size.least)
	}
	fmt.Fprintln(w)
	return nil
}

// libraries are the scores that messages got.
type libraries struct {
	requests []float64 // of the right skill, 0 where another is chosen
	others   []float64 // of the best skill
}

func drawLibraries(corpus *evalSet, size, draws int) (*libraries, error) {
	random := rand.New(rand.NewPCG(20, uint64(size)))
	rules := native()
	rules.Least = 0 // whatever is chosen is told with its score
	out := &libraries{}
	for range draws {
		places := random.Perm(len(corpus.skills))
		places = places[:min(size, len(places))]
		slices.Sort(places)
		var skills []*skill.Skill
		installed := map[string]bool{}
		for _, at := range places {
			skills = append(skills, corpus.skills[at])
			installed[corpus.ids[at]] = true
		}
		c, err := route.New(rules, skills)
		if err != nil {
			return nil, err
		}
		has := func(id string) bool { return installed[id] }
		for _, m := range slices.Concat(corpus.queries, corpus.negatives) {
			best, right := 0.0, 0.0
			for _, p := range c.Select(m.Text).Activate {
				best = max(best, p.Score)
				if slices.Contains(m.Gold, corpus.ids[places[p.Skill]]) {
					right = max(right, p.Score)
				}
			}
			switch {
			case !slices.ContainsFunc(m.Gold, has):
				out.others = append(out.others, best)
			case m.Split == "normal" && slices.ContainsFunc(m.Strict, has):
				out.requests = append(out.requests, right)
			}
		}
	}
	slices.Sort(out.others)
	return out, nil
}

func (l *libraries) rightAt(rate float64) float64 {
	if len(l.others) == 0 {
		return 0
	}
	return l.right(l.others[len(l.others)-1-int(float64(len(l.others))*rate)] + 1e-9)
}

func (l *libraries) right(least float64) float64 {
	n := 0
	for _, score := range l.requests {
		if score >= least {
			n++
		}
	}
	return 100 * float64(n) / float64(max(len(l.requests), 1))
}

func (l *libraries) falseAt(least float64) float64 {
	at, _ := slices.BinarySearch(l.others, least)
	return float64(len(l.others)-at) / float64(max(len(l.others), 1))
}

// measureLarge asks large libraries, made of parts of the corpus's skills.
func measureLarge(w io.Writer, corpus *evalSet, t *targets) error {
	fmt.Fprintf(w, "large libraries\n%6s %8s %8s %10s %10s\n", "skills", "build s", "MB", "median µs", "p99 µs")
	for _, size := range []struct {
		skills                int
		median, late, megabyt float64
	}{{2400, 200, 5000, 100}, {100_000, 1000, 5000, 100}} {
		skills := recombine(corpus, size.skills)
		before := heap()
		start := time.Now()
		c, err := route.New(native(), skills)
		if err != nil {
			return err
		}
		build := time.Since(start)
		used := heap() - before
		var spent []time.Duration
		for round := range 4 {
			for _, m := range slices.Concat(corpus.queries, corpus.negatives) {
				start := time.Now()
				c.Select(m.Text)
				if round > 0 {
					spent = append(spent, time.Since(start))
				}
			}
		}
		runtime.KeepAlive(skills)
		slices.Sort(spent)
		µs := func(share float64) float64 {
			return float64(spent[int(share*float64(len(spent)-1))].Nanoseconds()) / 1000
		}
		fmt.Fprintf(w, "%6d %8.1f %8.1f %10.1f %10.1f\n", size.skills, build.Seconds(), used, µs(0.5), µs(0.99))
		t.most(fmt.Sprintf("median µs with %d skills", size.skills), µs(0.5), size.median)
		t.most(fmt.Sprintf("p99 µs with %d skills", size.skills), µs(0.99), size.late)
		t.most(fmt.Sprintf("MB with %d skills", size.skills), used, size.megabyt)
	}
	fmt.Fprintln(w)
	return nil
}

// heap is the memory in use, in MB, after what can be freed is.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// recombine makes skills of one's name, another's description and a third's
// body, so that words are as frequent as in real ones.
func recombine(corpus *evalSet, n int) []*skill.Skill {
	random := rand.New(rand.NewPCG(21, uint64(n)))
	any := func() *skill.Skill { return corpus.skills[random.IntN(len(corpus.skills))] }
	out := make([]*skill.Skill, n)
	for i := range out {
		name := fmt.Sprintf("%s-%d", any().Name, i)
		out[i] = &skill.Skill{Name: name, Slug: name, Description: any().Description, Tags: any().Tags, Body: any().Body}
	}
	return out
}
