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
func loadOnce(ctx context.Context, root, home string) (*knack.Snapshot, error) {
	e, err := engine(ctx, root, home)
	if err != nil {
		return nil, err
	}
	return e.Snapshot(ctx)
}

// costs are the best times of one corpus. Ratios are against the floor.
type costs struct {
	Skills      int           `json:"skills"`
	Floor       floor         `json:"floor"`
	Read        time.Duration `json:"read_ns"`
	Stat        time.Duration `json:"stat_ns"`
	Load        time.Duration `json:"load_ns,omitempty"`
	Reload      time.Duration `json:"reload_ns,omitempty"`
	LoadRatio   float64       `json:"load_ratio,omitempty"`
	ReloadRatio float64       `json:"reload_ratio,omitempty"`
}

// measureLoads times both floors and both loads on one corpus. The rounds are
// interleaved, so that a machine that is busy for a while is busy for all four.
func measureLoads(ctx context.Context, root string, rounds int, wanted func(string) bool) (costs, error) {
	var c costs
	home, err := os.MkdirTemp("", "knack-bench-home-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(home)
	load := func(home string, reused bool) func() error {
		return func() error {
			s, err := loadOnce(ctx, root, home)
			if err != nil {
				return err
			}
			c.Skills = len(s.Entries())
			if reused && s.Parsed() > 0 {
				return fmt.Errorf("the index was not used: %d folders were read again", s.Parsed())
			}
			return nil
		}
	}
	steps := []struct {
		best *time.Duration
		run  func() error
	}{
		{&c.Read, func() (err error) { c.Floor, err = readFloor(root); return err }},
		{&c.Stat, func() error { _, err := statFloor(root); return err }},
	}
	if wanted("load") {
		steps = append(steps, struct {
			best *time.Duration
			run  func() error
		}{&c.Load, load("", false)})
	}
	if wanted("reload") {
		if err := load(home, false)(); err != nil { // writes the index
			return c, err
		}
		// An index does not vouch for files that changed within the resolution
		// of their time stamps; a second load finds them settled.
		time.Sleep(settle)
		if err := load(home, false)(); err != nil {
			return c, err
		}
		steps = append(steps, struct {
			best *time.Duration
			run  func() error
		}{&c.Reload, load(home, true)})
	}
	for range max(rounds, 1) {
		for _, step := range steps {
			runtime.GC() // nobody pays for another's garbage
			start := time.Now()
			if err := step.run(); err != nil {
				return c, err
			}
			if took := time.Since(start); *step.best == 0 || took < *step.best {
				*step.best = took
			}
		}
	}
	c.LoadRatio = ratio(c.Load, c.Read)
	c.ReloadRatio = ratio(c.Reload, c.Stat)
	return c, nil
}

// settle is longer than the coarsest time stamp of a file system in use, the
// two seconds of FAT.
const settle = 2100 * time.Millisecond

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// scaleSizes are a large private library, all that is published today, and four
// times that.
var scaleSizes = [...]int{2_500, 25_000, 100_000}

// scaleResult is how costs grow with the number of skills.
type scaleResult struct {
	Sizes []costs `json:"sizes"`
	// Growth is the cost per skill at the largest size as a multiple of that at
	// the smallest; 1 is linear. Those of the floor show what of it is the file
	// system's.
	LoadGrowth   float64 `json:"load_growth"`
	ReloadGrowth float64 `json:"reload_growth"`
	ReadGrowth   float64 `json:"read_growth"`
	StatGrowth   float64 `json:"stat_growth"`
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
	growth := func(of func(costs) time.Duration) float64 {
		return perSkill(of(last), last.Skills) / perSkill(of(first), first.Skills)
	}
	result.LoadGrowth = growth(func(c costs) time.Duration { return c.Load })
	result.ReloadGrowth = growth(func(c costs) time.Duration { return c.Reload })
	result.ReadGrowth = growth(func(c costs) time.Duration { return c.Read })
	result.StatGrowth = growth(func(c costs) time.Duration { return c.Stat })
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
