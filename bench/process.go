package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// listResult is what "knack list --json" costs as a process.
type listResult struct {
	First usage `json:"first"` // no index yet
	Again usage `json:"again"` // from the index
}

// measureList runs the program on a corpus, as a user with a home of his own.
func measureList(binary, root string, rounds int) (*listResult, error) {
	home, err := os.MkdirTemp("", "knack-bench-home-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	config := fmt.Sprintf("[skills]\nextra_roots = [%q]\n", filepath.ToSlash(root))
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	args := []string{"--home", home, "--workspace", home, "list", "--json"}
	var r listResult
	for i := range max(rounds, 1) {
		if err := os.RemoveAll(filepath.Join(home, "cache")); err != nil {
			return nil, err
		}
		u, err := cheapest(1, env, binary, args...)
		if err != nil {
			return nil, err
		}
		if i == 0 || u.CPU() < r.First.CPU() {
			r.First = u
		}
	}
	if r.Again, err = cheapest(rounds, env, binary, args...); err != nil {
		return nil, err
	}
	if r.First.Exit != 0 || r.Again.Exit != 0 {
		return nil, fmt.Errorf("%s list --json failed with exit code %d", binary, max(r.First.Exit, r.Again.Exit))
	}
	return &r, nil
}

// initPackage is what a package does before main starts.
type initPackage struct {
	Name   string  `json:"name"`
	Millis float64 `json:"ms"`
	Bytes  int64   `json:"bytes"`
	Allocs int64   `json:"allocs"`
}

// initResult is the cost of starting the program.
type initResult struct {
	Total    float64       `json:"total_ms"`
	Count    int           `json:"count"`
	Packages []initPackage `json:"packages"` // those over notable, dearest first
	Version  usage         `json:"version"`  // a command that does nothing
}

// notable is the cost in milliseconds from which a package is listed: a
// twentieth of what a whole start may take.
const notable = 0.1

// measureInit asks the Go runtime what the initialisation of each package cost.
func measureInit(binary string, rounds int) (*initResult, error) {
	env := []string{"HOME=" + os.DevNull, "PATH=" + os.Getenv("PATH")}
	var best *initResult
	for range max(rounds, 1) {
		cmd := exec.Command(binary, "version")
		cmd.Env = append(slices.Clone(env), "GODEBUG=inittrace=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s version: %w", binary, err)
		}
		if r := parseInitTrace(stderr.Bytes()); best == nil || r.Total < best.Total {
			best = r
		}
	}
	var err error
	best.Version, err = cheapest(rounds, env, binary, "version")
	return best, err
}

// parseInitTrace reads lines such as
//
//	init internal/bytealg @0.008 ms, 0.004 ms clock, 0 bytes, 0 allocs
func parseInitTrace(trace []byte) *initResult {
	r := &initResult{}
	lines := bufio.NewScanner(bytes.NewReader(trace))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 11 || f[0] != "init" {
			continue
		}
		p := initPackage{Name: f[1]}
		p.Millis, _ = strconv.ParseFloat(f[4], 64)
		p.Bytes, _ = strconv.ParseInt(f[7], 10, 64)
		p.Allocs, _ = strconv.ParseInt(f[9], 10, 64)
		r.Total += p.Millis
		r.Count++
		if p.Millis >= notable {
			r.Packages = append(r.Packages, p)
		}
	}
	slices.SortFunc(r.Packages, func(a, b initPackage) int {
		return cmp.Or(cmp.Compare(b.Millis, a.Millis), strings.Compare(a.Name, b.Name))
	})
	return r
}

// build makes the program where none was given.
func build(dir string) (string, error) {
	binary := filepath.Join(dir, "program")
	out, err := exec.Command("go", "build", "-trimpath", "-o", binary, "github.com/knackhq/knack/cmd/knack").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build knack: %w\n%s", err, out)
	}
	return binary, nil
}
