package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// report is all figures of one run; parts that were not asked for are absent.
type report struct {
	Machine machine        `json:"machine"`
	Corpus  string         `json:"corpus,omitempty"` // "generated", or its folder
	Loads   *costs         `json:"loads,omitempty"`
	Scale   *scaleResult   `json:"scale,omitempty"`
	List    *listResult    `json:"list,omitempty"`
	Init    *initResult    `json:"init,omitempty"`
	Hostile *hostileResult `json:"hostile,omitempty"`
	Start   *startResult   `json:"start,omitempty"`
}

type machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
}

func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "%s/%s, %d processors, %s\n", r.Machine.OS, r.Machine.Arch, r.Machine.CPUs, r.Machine.Go)
	if r.Loads != nil {
		r.printLoads(w)
	}
	if r.Scale != nil {
		r.Scale.print(w)
	}
	if r.List != nil {
		r.List.print(w)
	}
	if r.Init != nil {
		r.Init.print(w)
	}
	if r.Hostile != nil {
		r.Hostile.print(w)
	}
	if r.Start != nil {
		r.Start.print(w)
	}
}

// table prints rows of cells in columns.
func table(w io.Writer, rows ...[]string) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintln(tw, strings.Join(row, "\t")+"\t")
	}
	_ = tw.Flush() // an error of w; nobody is left to be told
}

func (r *report) printLoads(w io.Writer) {
	c := r.Loads
	fmt.Fprintf(w, "\nLoading %d skills (%s): %d manifests, %s\n", c.Skills, r.Corpus, c.Floor.Manifests, size(c.Floor.Bytes))
	rows := [][]string{{"", "best", "CPU", "of the floor", "by CPU"},
		{"floor: read the bytes", ms(c.Read.Wall), ms(c.Read.CPU), "", ""}, {"floor: stat", ms(c.Stat.Wall), ms(c.Stat.CPU), "", ""},
		{"open an engine", ms(c.Open.Wall), ms(c.Open.CPU), "", ""}}
	if c.Load.Wall > 0 {
		rows = append(rows, []string{"load, no index", ms(c.Load.Wall), ms(c.Load.CPU), times(c.LoadRatio.Wall) + " read", times(c.LoadRatio.CPU)})
	}
	if c.Reload.Wall > 0 {
		rows = append(rows, []string{"reload from the index", ms(c.Reload.Wall), ms(c.Reload.CPU), times(c.ReloadRatio.Wall) + " stat", times(c.ReloadRatio.CPU)})
	}
	table(w, rows...)
}

func (s *scaleResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nCost per skill in µs, generated corpora\n")
	clock := func(t timing) time.Duration { return t.Wall }
	busy := func(t timing) time.Duration { return t.CPU }
	s.printSizes(w, "by the clock", clock, func(r ratios) float64 { return r.Wall })
	s.printSizes(w, "by CPU", busy, func(r ratios) float64 { return r.CPU })
}

func (s *scaleResult) printSizes(w io.Writer, title string, of func(timing) time.Duration, ratio func(ratios) float64) {
	rows := [][]string{{title, "read", "load", "load/read", "stat", "reload", "reload/stat"}}
	for _, c := range s.Sizes {
		each := func(t timing) string { return fmt.Sprintf("%.1f", perSkill(of(t), c.Skills)) }
		rows = append(rows, []string{fmt.Sprint(c.Skills), each(c.Read), each(c.Load), times(ratio(c.LoadRatio)),
			each(c.Stat), each(c.Reload), times(ratio(c.ReloadRatio))})
	}
	rows = append(rows, []string{"growth", times(ratio(s.ReadGrowth)), times(ratio(s.LoadGrowth)), "",
		times(ratio(s.StatGrowth)), times(ratio(s.ReloadGrowth)), ""})
	table(w, rows...)
}

func (l *listResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nknack list --json, as a process\n")
	rows := [][]string{{"", "wall", "user", "system", "CPU", "peak memory"}}
	for _, c := range []struct {
		name string
		u    usage
	}{{"no index", l.First}, {"from the index", l.Again}} {
		rows = append(rows, []string{c.name, ms(c.u.Wall), ms(c.u.User), ms(c.u.Sys), ms(c.u.CPU()), size(c.u.Peak)})
	}
	table(w, rows...)
}

func (i *initResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nStart-up: %.2f ms in the initialisation of %d packages; knack version takes %s, %s\n",
		i.Total, i.Count, ms(i.Version.Wall), size(i.Version.Peak))
	var rows [][]string
	for _, p := range i.Packages {
		rows = append(rows, []string{p.Name, fmt.Sprintf("%.2f ms", p.Millis), size(p.Bytes), fmt.Sprintf("%d allocations", p.Allocs)})
	}
	table(w, rows...)
}

func (h *hostileResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nHostile folders, each in a process of its own\n")
	rows := [][]string{{"", "process", "CPU", "load", "peak memory", "found"}}
	for _, c := range h.Cases {
		found := fmt.Sprintf("%d %s", c.Found, strings.Join(summary(c.Status), " "))
		if c.Failed != "" {
			found = c.Failed
		}
		rows = append(rows, []string{c.Name, ms(c.Time), ms(c.CPU), ms(c.Load), size(c.Peak), found})
	}
	table(w, rows...)
	fmt.Fprintf(w, "worst time %s (%s), worst CPU %s (%s), worst peak memory %s (%s)\n",
		ms(h.WorstTime), h.Slowest, ms(h.WorstCPU), h.Busiest, size(h.WorstPeak), h.Largest)
}

// summary keeps the first of a long row of states.
func summary(status []string) []string {
	if len(status) > 3 {
		return append(status[:3:3], "…")
	}
	return status
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func times(r float64) string { return fmt.Sprintf("%.2f ×", r) }

func size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d B", bytes)
}
