// Command attacker is what the tests run as different users: the sandbox's
// stages, the probes, and one round of all probes in one layer. It is a program
// of its own since a test with the race detector fits no bound of memory.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/sandbox/probe"
)

// round is one round of probes.
type round struct {
	Layer    string // empty is none at all
	Dir      string
	Proxied  bool
	Trusted  bool
	Only     []string
	Works    bool
	Why      string
	Report   sandbox.Report
	Findings []probe.Finding
	Error    string
	// Script is a program to run instead of probes, with Mark in its environment.
	Script, Mark string
}

func main() {
	if code, stage := sandbox.Child(os.Args); stage {
		os.Exit(code)
	}
	if code, stage := probe.Child(os.Args); stage {
		os.Exit(code)
	}
	var r round
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		panic(err)
	}
	r.run()
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		panic(err)
	}
}

func (r *round) run() {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	runner := r.runner(ctx, program)
	if runner == nil {
		return
	}
	if r.Script != "" {
		_, err = runner.Run(ctx, sandbox.Spec{
			Argv: []string{"/bin/sh", "-c", r.Script}, Env: []string{"PATH=/usr/bin:/bin", r.Mark},
			Dir: r.Dir, Write: []string{r.Dir}, Stdout: os.Stdout, Stderr: os.Stderr,
		})
		panic(err) // it is to be killed, and never to get here
	}
	r.Findings, err = probe.Run(ctx, runner, probe.Options{
		Program: program, Dir: r.Dir, Environ: os.Environ(), Only: r.Only, Proxied: r.Proxied, Trusted: r.Trusted,
		Reported: func(report sandbox.Report) { r.Report = report },
	})
	if err != nil {
		r.Error = err.Error()
	}
}

// runner is nil where the layer does not work.
func (r *round) runner(ctx context.Context, program string) sandbox.Runner {
	r.Works = true
	if r.Layer == "" {
		return bare{}
	}
	box := sandbox.New(sandbox.Options{Program: program, Layer: sandbox.Layer(r.Layer), Path: os.Getenv("PATH")})
	for _, status := range box.Layers(ctx) {
		if string(status.Layer) == r.Layer {
			r.Works, r.Why = status.Works, status.Why
		}
	}
	if !r.Works {
		return nil
	}
	return box
}

// bare contains nothing: what it runs has all that this process has.
type bare struct{}

func (bare) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	cmd := exec.CommandContext(ctx, spec.Argv[0], spec.Argv[1:]...)
	cmd.Env = append(os.Environ(), spec.Env...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.Dir, spec.Stdin, spec.Stdout, spec.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return sandbox.Result{}, err
	}
	return sandbox.Result{Exit: cmd.ProcessState.ExitCode(), Signal: strings.TrimSpace(cmd.ProcessState.String())}, nil
}

func (bare) Expect(context.Context, sandbox.Spec) sandbox.Report { return sandbox.Report{} }
