package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
)

// startResult is what it costs to start a program contained, at the median: of a
// start people feel the usual cost, not the best.
type startResult struct {
	Plain  time.Duration `json:"plain"` // the floor: exec and wait
	Layers []startLayer  `json:"layers"`
}

type startLayer struct {
	Name   string        `json:"name"`
	Median time.Duration `json:"median"`
	// Extra is what it costs more than a plain start, Ratio how many times that.
	Extra time.Duration `json:"extra"`
	Ratio float64       `json:"ratio"`
	Why   string        `json:"why,omitempty"` // why it does not work here
}

// startRounds tell a median; the starts of all layers take turns, so that what
// else the machine does hits them alike.
const startRounds = 101

func measureStarts(ctx context.Context, binary string) (*startResult, error) {
	dir, err := os.MkdirTemp("", "knack-bench-workspace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	plain := func() error {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", ":")
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin"}
		return cmd.Run()
	}
	starts := []func() error{plain}
	var r startResult
	for _, s := range sandbox.New(sandbox.Options{Program: binary, Path: os.Getenv("PATH")}).Layers(ctx) {
		r.Layers = append(r.Layers, startLayer{Name: string(s.Layer), Why: s.Why})
		if !s.Works {
			starts = append(starts, nil)
			continue
		}
		box := sandbox.New(sandbox.Options{Program: binary, Layer: s.Layer, Path: os.Getenv("PATH")})
		spec := sandbox.Spec{Argv: []string{"/bin/sh", "-c", ":"}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: dir,
			Write: []string{dir}, Keep: []string{filepath.Join(dir, ".git")}}
		starts = append(starts, func() error {
			result, err := box.Run(ctx, spec)
			if err == nil && result.Exit != 0 {
				err = fmt.Errorf("%s: exit code %d", s.Layer, result.Exit)
			}
			return err
		})
	}
	times := make([][]time.Duration, len(starts))
	for range startRounds {
		for i, start := range starts {
			if start == nil {
				continue
			}
			began := time.Now()
			if err := start(); err != nil {
				return nil, err
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	r.Plain = median(times[0])
	for i := range r.Layers {
		if len(times[i+1]) > 0 {
			l := &r.Layers[i]
			l.Median = median(times[i+1])
			l.Extra, l.Ratio, l.Why = l.Median-r.Plain, float64(l.Median)/float64(r.Plain), ""
		}
	}
	return &r, nil
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func (s *startResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nStarting sh, at the median of %d\n", startRounds)
	rows := [][]string{{"", "start", "more", "of plain"}, {"plain", ms(s.Plain), "", ""}}
	for _, l := range s.Layers {
		if l.Why != "" {
			rows = append(rows, []string{l.Name, "does not work here", "", ""})
			continue
		}
		rows = append(rows, []string{l.Name, ms(l.Median), ms(l.Extra), times(l.Ratio)})
	}
	table(w, rows...)
}
