package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// usage is what a process cost.
type usage struct {
	Wall time.Duration `json:"wall_ns"`
	User time.Duration `json:"user_ns"`
	Sys  time.Duration `json:"sys_ns"`
	// Peak is the most memory it held, in bytes; 0 where that is not known.
	Peak int64 `json:"peak_bytes"`
	// Exit is the exit code, -1 if it was killed.
	Exit int `json:"exit"`
}

// CPU is the time it kept processors busy.
func (u usage) CPU() time.Duration { return u.User + u.Sys }

// patience is when a child counts as hung; the slowest honest one takes seconds.
const patience = 60 * time.Second

// measured runs a program and tells what it cost, with its standard error for
// the curious. It does so through a launcher, a fresh process of this program:
// Linux counts the memory of the process that starts another towards the peak
// of the one started, and this process may have grown by gigabytes.
func measured(env []string, name string, args ...string) (u usage, stderr []byte, err error) {
	self, err := os.Executable()
	if err != nil {
		return u, nil, err
	}
	cmd := exec.Command(self, append([]string{"-child", "launch", name}, args...)...)
	cmd.Env = env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return u, errs.Bytes(), fmt.Errorf("measure %s: %w\n%s", name, err, errs.Bytes())
	}
	return u, errs.Bytes(), errors.Join(json.Unmarshal(out.Bytes(), &u))
}

// launch is the launcher: it runs a program, whose output is discarded, and
// prints its usage.
func launch(args []string) error {
	if len(args) == 0 {
		return errors.New("nothing to launch")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	err := cmd.Run()
	u := usage{Wall: time.Since(start)}
	if cmd.ProcessState == nil {
		return err
	}
	u.Exit = cmd.ProcessState.ExitCode()
	u.User, u.Sys = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	u.Peak = peak(cmd.ProcessState)
	return json.NewEncoder(os.Stdout).Encode(u)
}

// cheapest runs the same program several times. Other work on the machine can
// only add to a cost, so the least of each figure is nearest to the truth; of
// memory the most counts.
func cheapest(rounds int, env []string, name string, args ...string) (usage, error) {
	var best usage
	for i := range max(rounds, 1) {
		u, _, err := measured(env, name, args...)
		if err != nil {
			return best, err
		}
		if i == 0 {
			best = u
			continue
		}
		best.Wall = min(best.Wall, u.Wall)
		if u.CPU() < best.CPU() {
			best.User, best.Sys = u.User, u.Sys
		}
		best.Peak = max(best.Peak, u.Peak)
		if u.Exit != 0 {
			best.Exit = u.Exit
		}
	}
	return best, nil
}
