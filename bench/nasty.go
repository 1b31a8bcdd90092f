package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// hostileResult is the worst that a single skill folder can do.
type hostileResult struct {
	WorstTime time.Duration   `json:"worst_time_ns"`
	WorstCPU  time.Duration   `json:"worst_cpu_ns"`
	WorstPeak int64           `json:"worst_peak_bytes"`
	Slowest   string          `json:"slowest"`
	Busiest   string          `json:"busiest"`
	Largest   string          `json:"largest"`
	Cases     []hostileFigure `json:"cases"`
}

// hostileFigure is what one folder cost.
type hostileFigure struct {
	Name string `json:"name"`
	// Time is that of the whole process, CPU what processors spent on it, Load
	// the time of the load in it.
	Time time.Duration `json:"time_ns"`
	CPU  time.Duration `json:"cpu_ns"`
	Load time.Duration `json:"load_ns"`
	Peak int64         `json:"peak_bytes"`
	// Failed says what went wrong, if the process did not end well.
	Failed string `json:"failed,omitempty"`
	childReport
}

// childReport is what a child tells about the skills it loaded.
type childReport struct {
	Nanos  int64    `json:"load"`
	Found  int      `json:"found"`
	Status []string `json:"status"`
}

// measureHostile loads each hostile folder alone, in a process of its own.
func measureHostile(rounds int, progress func(string)) (*hostileResult, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "knack-bench-hostile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &hostileResult{}
	for i, c := range hostileCases() {
		progress(c.name)
		root := filepath.Join(dir, fmt.Sprint(i))
		folder := filepath.Join(root, "hostile")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if err := c.build(folder); err != nil {
			return nil, fmt.Errorf("build %q: %w", c.name, err)
		}
		f := hostileFigure{Name: c.name}
		for range max(rounds, 1) {
			if err := f.round(self, root); err != nil {
				return nil, err
			}
		}
		if f.Time > r.WorstTime {
			r.WorstTime, r.Slowest = f.Time, f.Name
		}
		if f.CPU > r.WorstCPU {
			r.WorstCPU, r.Busiest = f.CPU, f.Name
		}
		if f.Peak > r.WorstPeak {
			r.WorstPeak, r.Largest = f.Peak, f.Name
		}
		r.Cases = append(r.Cases, f)
		if err := os.RemoveAll(root); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// round loads the folder once more; the best time and the most memory count.
func (f *hostileFigure) round(self, root string) error {
	u, stderr, err := measured(os.Environ(), self, "-child", "load", root)
	if err != nil {
		return err
	}
	if u.Exit != 0 {
		f.Failed = fmt.Sprintf("exit code %d: %s", u.Exit, firstLine(stderr))
	} else if err := json.Unmarshal(stderr, &f.childReport); err != nil {
		f.Failed = "unexpected output: " + firstLine(stderr)
	}
	if f.Time == 0 || u.Wall < f.Time {
		f.Time = u.Wall
	}
	if f.CPU == 0 || u.CPU() < f.CPU {
		f.CPU = u.CPU()
	}
	if took := time.Duration(f.Nanos); f.Load == 0 || took < f.Load {
		f.Load = took
	}
	f.Peak = max(f.Peak, u.Peak)
	return nil
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return string(line)
}

// loadChild is the child: it loads one root and reports on standard error,
// since the launcher discards standard output.
func loadChild(ctx context.Context, root string) error {
	start := time.Now()
	s, err := loadOnce(ctx, root)
	if err != nil {
		return err
	}
	report := childReport{Nanos: time.Since(start).Nanoseconds(), Found: len(s.Entries())}
	for _, e := range s.Entries() {
		report.Status = append(report.Status, string(e.Status))
	}
	return json.NewEncoder(os.Stderr).Encode(report)
}
