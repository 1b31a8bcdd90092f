package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// engine is what the benchmarks open: one root, and an index if home is given.
func engine(ctx context.Context, root, home string) (*knack.Engine, error) {
	return knack.Open(ctx, knack.Options{
		Home: home, NoIndex: home == "", NoBundled: true,
		Roots:   []knack.Root{{Path: root, Trust: skill.Trusted}},
		Environ: os.Environ(),
	})
}

// loadOnce is a whole load, from opening the engine to the snapshot.
func loadOnce(ctx context.Context, root string) (*knack.Snapshot, error) {
	e, err := engine(ctx, root, "")
	if err != nil {
		return nil, err
	}
	return e.Snapshot(ctx)
}

// timing is the best of several rounds: by the clock, and by the time that
// processors were busy, which other work on the machine disturbs less.
type timing struct {
	Wall time.Duration `json:"wall_ns"`
	CPU  time.Duration `json:"cpu_ns"`
}

// ratios compare a timing with that of the floor.
type ratios struct {
	Wall float64 `json:"wall"`
	CPU  float64 `json:"cpu"`
}

func (t timing) over(floor timing) ratios {
	return ratios{divide(t.Wall, floor.Wall), divide(t.CPU, floor.CPU)}
}

func divide(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// costs are the figures of one corpus.
type costs struct {
	Skills int   `json:"skills"`
	Floor  floor `json:"floor"`

	Read   timing `json:"read"`
	Stat   timing `json:"stat"`
	Open   timing `json:"open"`
	Load   timing `json:"load,omitzero"`
	Reload timing `json:"reload,omitzero"`

	LoadRatio   ratios `json:"load_to_read,omitzero"`
	ReloadRatio ratios `json:"reload_to_stat,omitzero"`
}

// step is one thing that is timed.
type step struct {
	best *timing
	run  func() error
}

// measureLoads times both floors and both loads on one corpus. The rounds are
// interleaved, so that a machine that is busy for a while is busy for all four.
// Before them the floors have rounds of their own, with the processor's caches to
// themselves: a floor that is too high would flatter the loads.
func measureLoads(ctx context.Context, root string, rounds int, wanted func(string) bool) (costs, error) {
	var c costs
	home, err := os.MkdirTemp("", "knack-bench-home-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(home)
	steps := []step{
		{&c.Read, func() (err error) { c.Floor, err = readFloor(root); return err }},
		{&c.Stat, func() error { _, err := statFloor(root); return err }},
	}
	if err := repeat(rounds, steps); err != nil {
		return c, err
	}
	// Opening an engine costs the same whatever it then loads, so it is timed
	// on its own.
	var plain, indexed *knack.Engine
	open := func(e **knack.Engine, home string) func() error {
		return func() (err error) { *e, err = engine(ctx, root, home); return err }
	}
	if err := repeat(rounds, []step{{&c.Open, open(&plain, "")}}); err != nil {
		return c, err
	}
	if err := open(&indexed, home)(); err != nil {
		return c, err
	}
	load := func(e *knack.Engine) (*knack.Snapshot, error) {
		s, err := e.Snapshot(ctx)
		if err == nil {
			c.Skills = len(s.Entries())
		}
		return s, err
	}
	if wanted("load") {
		steps = append(steps, step{&c.Load, func() error { _, err := load(plain); return err }})
	}
	if wanted("reload") {
		if err := warmIndex(load, indexed); err != nil {
			return c, err
		}
		steps = append(steps, step{&c.Reload, func() error {
			s, err := load(indexed)
			if err == nil && s.Parsed() > 0 {
				err = fmt.Errorf("the index was not used: %d folders were read again", s.Parsed())
			}
			return err
		}})
	}
	if err := repeat(rounds, steps); err != nil {
		return c, err
	}
	c.LoadRatio, c.ReloadRatio = c.Load.over(c.Read), c.Reload.over(c.Stat)
	return c, nil
}

// repeat times the steps in turn, the given number of rounds.
func repeat(rounds int, steps []step) error {
	for range max(rounds, 1) {
		for _, step := range steps {
			if err := step.time(); err != nil {
				return err
			}
		}
	}
	return nil
}

// time runs the step once more and keeps the better figures.
func (s step) time() error {
	runtime.GC() // nobody pays for another's garbage
	busy, start := cpuTime(), time.Now()
	if err := s.run(); err != nil {
		return err
	}
	wall, cpu := time.Since(start), cpuTime()-busy
	if s.best.Wall == 0 || wall < s.best.Wall {
		s.best.Wall = wall
	}
	if s.best.CPU == 0 || cpu < s.best.CPU {
		s.best.CPU = cpu
	}
	return nil
}

// warmIndex makes an index that vouches for every file. It does not for files
// that changed within the resolution of their time stamps, so a second load has
// to find them settled.
func warmIndex(load func(*knack.Engine) (*knack.Snapshot, error), e *knack.Engine) error {
	if _, err := load(e); err != nil {
		return err
	}
	time.Sleep(settle)
	_, err := load(e)
	return err
}

// settle is longer than the coarsest time stamp of a file system in use, the
// two seconds of FAT.
const settle = 2100 * time.Millisecond

// scaleSizes are a large private library, all that is published today, and four
// times that.
var scaleSizes = [...]int{2_500, 25_000, 100_000}

// scaleResult is how costs grow with the number of skills.
type scaleResult struct {
	Sizes []costs `json:"sizes"`
	// The growths are the cost per skill at the largest size as a multiple of
	// that at the smallest; 1 is linear. Those of the floor show what of it is
	// the file system's.
	ReadGrowth   ratios `json:"read_growth"`
	StatGrowth   ratios `json:"stat_growth"`
	LoadGrowth   ratios `json:"load_growth"`
	ReloadGrowth ratios `json:"reload_growth"`
}

// measureScale generates corpora of growing size and measures each.
func measureScale(ctx context.Context, profile corpusProfile, rounds int, progress func(string)) (*scaleResult, error) {
	result := &scaleResult{}
	for _, n := range scaleSizes {
		c, err := measureGenerated(ctx, n, profile, rounds, progress)
		if err != nil {
			return nil, err
		}
		result.Sizes = append(result.Sizes, c)
	}
	first, last := result.Sizes[0], result.Sizes[len(result.Sizes)-1]
	growth := func(small, large timing) ratios {
		r, n := large.over(small), float64(last.Skills)/float64(max(first.Skills, 1))
		return ratios{r.Wall / n, r.CPU / n}
	}
	result.ReadGrowth = growth(first.Read, last.Read)
	result.StatGrowth = growth(first.Stat, last.Stat)
	result.LoadGrowth = growth(first.Load, last.Load)
	result.ReloadGrowth = growth(first.Reload, last.Reload)
	return result, nil
}

func measureGenerated(ctx context.Context, n int, profile corpusProfile, rounds int, progress func(string)) (costs, error) {
	dir, err := os.MkdirTemp("", "knack-bench-corpus-")
	if err != nil {
		return costs{}, err
	}
	defer os.RemoveAll(dir)
	progress(fmt.Sprintf("generating %d skills", n))
	if err := generate(dir, n, profile); err != nil {
		return costs{}, err
	}
	progress(fmt.Sprintf("loading %d skills", n))
	c, err := measureLoads(ctx, dir, rounds, func(string) bool { return true })
	if err == nil && c.Skills < n {
		err = fmt.Errorf("%d skills were generated and only %d were found", n, c.Skills)
	}
	return c, err
}

// perSkill is a cost in microseconds for one skill.
func perSkill(d time.Duration, skills int) float64 {
	return float64(d.Nanoseconds()) / 1000 / float64(max(skills, 1))
}
