package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
)

// daemons leaves the session, the parent and the group, in four ways, refuses to
// be ended nicely, and says so each time.
const daemons = `
echo "tmp $TMPDIR"
setsid sh -c 'trap "" HUP INT QUIT TERM; echo up; while :; do sleep 300; done' &
(setsid sh -c '(echo up; exec sleep 300) &' &)
sh -c 'sh -c "echo up; sleep 300; :" &'
trap '' HUP INT QUIT TERM
echo up
sleep 300; sleep 300
`

// watch ends a run once all its daemons live.
type watch struct {
	mu   sync.Mutex
	said bytes.Buffer
	end  func()
}

func (w *watch) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said.Write(data)
	if w.daemons() == 4 {
		w.end()
	}
	return len(data), nil
}

func (w *watch) daemons() int { return bytes.Count(w.said.Bytes(), []byte("up\n")) }

// tmp is the private one of the run.
func (w *watch) tmp() string {
	_, after, _ := strings.Cut(w.said.String(), "tmp ")
	dir, _, _ := strings.Cut(after, "\n")
	return dir
}

// Whatever a program starts ends with its run. SURVIVOR_RUNS is how often that is
// tried in each layer.
func TestSurvivors(t *testing.T) {
	runs := 12
	if n, err := strconv.Atoi(os.Getenv("SURVIVOR_RUNS")); err == nil {
		runs = n
	}
	program := attacker(t)
	works := sandbox.New(sandbox.Options{Program: program, Path: os.Getenv("PATH")}).Layers(t.Context())
	for _, status := range works {
		if !status.Works {
			t.Logf("survivors: %s does not work here: %s", status.Layer, status.Why)
			continue
		}
		t.Run(string(status.Layer), func(t *testing.T) {
			box := sandbox.New(sandbox.Options{Program: program, Layer: status.Layer, Path: os.Getenv("PATH")})
			mark := fmt.Sprintf("SURVIVOR_OF=%s-%d-%d", status.Layer, os.Getpid(), time.Now().UnixNano())
			work := make(chan int)
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					for range work {
						timeOut(t, box, mark)
					}
				})
			}
			for i := range runs {
				work <- i
			}
			close(work)
			group.Wait()
			left := marked(t, mark)
			if len(left) > 0 {
				t.Errorf("%s left %d processes behind: %v", status.Layer, len(left), left)
			}
			t.Logf("survivors: %s: %d processes left of %d runs with 4 daemons each", status.Layer, len(left), runs)
		})
	}
}

// Where the agent itself is killed, its programs end too, and soon.
func TestSurvivorsOfTheAgent(t *testing.T) {
	program := attacker(t)
	for _, status := range sandbox.New(sandbox.Options{Program: program, Path: os.Getenv("PATH")}).Layers(t.Context()) {
		if !status.Works {
			continue
		}
		t.Run(string(status.Layer), func(t *testing.T) {
			mark := fmt.Sprintf("SURVIVOR_OF=%s-%d-%d", status.Layer, os.Getpid(), time.Now().UnixNano())
			in, err := json.Marshal(round{Layer: status.Layer, Dir: t.TempDir(), Script: daemons, Mark: mark})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), program)
			w := &watch{end: func() { _ = cmd.Process.Kill() }}
			cmd.Stdin, cmd.Stdout, cmd.WaitDelay = bytes.NewReader(in), w, 10*time.Second
			_ = cmd.Run() // it is killed
			if w.daemons() != 4 {
				t.Fatalf("%d daemons started: %s", w.daemons(), w.said.String())
			}
			var left []string
			for range 500 { // nobody waits for them; five seconds are more than enough
				if left = withMark(t, mark); len(left) == 0 {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("%s left %v behind", status.Layer, marked(t, mark))
		})
	}
}

// timeOut ends one run after its daemons have started.
func timeOut(t *testing.T, box *sandbox.Box, mark string) {
	// One that does not get that far within ten seconds has failed.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	w := &watch{end: cancel}
	dir := t.TempDir()
	result, err := box.Run(ctx, sandbox.Spec{
		Argv: []string{"/bin/sh", "-c", daemons}, Env: []string{"PATH=/usr/bin:/bin", mark},
		Dir: dir, Write: []string{dir}, Stdout: w, Stderr: w,
	})
	if err != nil || !result.TimedOut || w.daemons() != 4 {
		t.Errorf("%d daemons started, then %+v, %v", w.daemons(), result, err)
	}
	// A layer with a root of its own calls it /tmp; that of the host stays.
	if _, err := os.Stat(w.tmp()); err == nil && w.tmp() != "/tmp" {
		t.Errorf("%s is left behind", w.tmp())
	}
}

// marked are the processes that have a mark. They end here.
func marked(t *testing.T, mark string) (lines []string) {
	t.Helper()
	for _, dir := range withMark(t, mark) {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		lines = append(lines, filepath.Base(dir)+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
	return lines
}

// withMark are the processes that have a mark in their environment, by what /proc
// has of them. Those that have ended and wait to be noticed have none.
func withMark(t *testing.T, mark string) (dirs []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatal("no processes are to be seen", err)
	}
	for _, file := range files {
		if environ, err := os.ReadFile(file); err == nil && bytes.Contains(environ, []byte(mark)) {
			dirs = append(dirs, filepath.Dir(file))
		}
	}
	return dirs
}
