package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stageThreads is more than the threads a stage has, which count as processes
// where the kernel counts; stageMemory is more than it takes.
const (
	stageThreads = 24
	stageMemory  = 64 << 20
)

// hierarchy is a folder of control groups in which this process may make some.
type hierarchy struct {
	dir    string
	second bool // version 2
}

// cgroup bounds all processes of a program together.
type cgroup struct {
	bounds bounded
	dirs   []string
}

// bounded is what control groups bound on this machine.
type bounded struct{ pids, memory bool }

// hierarchies are the folders in which control groups can be tried. In version 2
// only groups without processes have groups below them that count, so the one
// beside our own is tried too.
func hierarchies() []hierarchy {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	points := map[string]string{} // by controller; empty is version 2
	for line := range strings.Lines(string(mounts)) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		switch right[0] {
		case "cgroup2":
			points[""] = left[4]
		case "cgroup":
			for _, c := range strings.Split(right[2], ",") {
				points[c] = left[4]
			}
		}
	}
	var out []hierarchy
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, c := range strings.Split(parts[1], ",") {
			point, ok := points[c]
			if !ok || c != "" && c != "pids" && c != "memory" {
				continue
			}
			dir := filepath.Join(point, parts[2])
			out = append(out, hierarchy{dir: dir, second: c == ""})
			if c == "" && parts[2] != "/" {
				out = append(out, hierarchy{dir: filepath.Dir(dir), second: true})
			}
		}
	}
	return out
}

// groupName begins with who made the group, so that the next one can tell what
// was left by somebody who was killed.
func groupName() string { return fmt.Sprintf("sandbox-%d-", os.Getpid()) }

// removeStale removes groups whose maker is gone.
func removeStale(all []hierarchy) {
	for _, h := range all {
		old, _ := filepath.Glob(filepath.Join(h.dir, "sandbox-*-*"))
		for _, dir := range old {
			pid, err := strconv.Atoi(strings.Split(filepath.Base(dir), "-")[1])
			if err == nil && unix.Kill(pid, 0) == unix.ESRCH {
				_ = os.Remove(dir)
			}
		}
	}
}

// newCgroup makes groups that have bounds, where that is possible.
func newCgroup(all []hierarchy, b Bounds) *cgroup {
	g := &cgroup{}
	pids, memory := strconv.Itoa(b.Processes+stageThreads), strconv.FormatInt(b.Memory+stageMemory, 10)
	for _, h := range all {
		if g.bounds.pids && g.bounds.memory {
			break
		}
		dir, err := os.MkdirTemp(h.dir, groupName())
		if err != nil {
			continue
		}
		used := false
		if !g.bounds.pids && setGroup(dir, "pids.max", pids) {
			g.bounds.pids, used = true, true
		}
		name, swap := "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
		if h.second {
			name, swap = "memory.max", "memory.swap.max"
		}
		if !g.bounds.memory && setGroup(dir, name, memory) {
			g.bounds.memory, used = true, true
			if h.second {
				memory = "0"
			}
			setGroup(dir, swap, memory) // where there is swap
		}
		if !used {
			_ = os.Remove(dir)
			continue
		}
		g.dirs = append(g.dirs, dir)
	}
	return g
}

func setGroup(dir, name, value string) bool {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err == nil
}

// add puts a process into the groups.
func (g *cgroup) add(pid int) error {
	for _, dir := range g.dirs {
		if !setGroup(dir, "cgroup.procs", strconv.Itoa(pid)) {
			return fmt.Errorf("the control group %s takes no process", dir)
		}
	}
	return nil
}

// remove removes the groups, whose processes are gone.
func (g *cgroup) remove() {
	for _, dir := range g.dirs {
		for range 200 { // the kernel takes up to some milliseconds to see that they are
			if err := os.Remove(dir); err == nil || os.IsNotExist(err) {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}
