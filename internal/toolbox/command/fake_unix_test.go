//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

// plain runs programs as they are, in a process group that ends with them.
type plain struct {
	layer sandbox.Layer
	mu    sync.Mutex
	specs []sandbox.Spec
	raw   bytes.Buffer // all that was written to stdout, as it was
	err   error
}

func (p *plain) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	p.mu.Lock()
	p.specs = append(p.specs, spec)
	p.mu.Unlock()
	if p.err != nil {
		return sandbox.Result{}, p.err
	}
	cmd := exec.CommandContext(ctx, spec.Argv[0], spec.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stderr = spec.Env, spec.Dir, spec.Stdin, spec.Stderr
	cmd.Stdout = io.MultiWriter(spec.Stdout, &p.raw)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	out := sandbox.Result{Exit: -1, TimedOut: ctx.Err() != nil, Report: p.Expect(ctx, spec)}
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success():
		out.Exit = 0
	case errors.As(err, &exit):
		out.Exit = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			out.Signal = status.Signal().String()
		}
	case ctx.Err() == nil:
		return out, err
	}
	return out, nil
}

func (p *plain) Expect(context.Context, sandbox.Spec) sandbox.Report {
	return sandbox.Report{Layer: p.layer, Files: "workspace", Network: "none", Processes: "own"}
}

// setup is a workspace and what runs in it.
func setup(t testing.TB) (Options, *plain) {
	t.Helper()
	run := &plain{layer: sandbox.Namespaces}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(dir, "work space")
	if err := os.Mkdir(workspace, 0o777); err != nil {
		t.Fatal(err)
	}
	return Options{Runner: run, Workspace: workspace, Env: []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}}, run
}

// put writes a file, with its folders.
func put(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func encoded(t testing.TB, v any) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// call runs a tool.
func call(t testing.TB, it tool.Tool, args any) tool.Result {
	t.Helper()
	out, err := it.Run(t.Context(), encoded(t, args))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
