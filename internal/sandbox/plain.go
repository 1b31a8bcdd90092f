package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// runPlain is limits without a stage: for binaries whose main does not call
// [Child], and for systems other than Linux.
func runPlain(ctx context.Context, spec Spec) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("it did not start: %w", context.Cause(ctx))
	}
	tmp, err := os.MkdirTemp("", "sandbox-")
	if err != nil {
		return Result{}, err
	}
	defer removeAll(tmp)
	env := withHome(spec.Env, tmp)
	if spec.Proxy != nil {
		port, stop, err := serveHere(spec.Proxy)
		if err != nil {
			return Result{}, err
		}
		defer stop()
		env = proxied(env, port)
	}
	path, err := findProgram(spec.Argv[0], env)
	if err != nil {
		return Result{}, err
	}
	pipes, err := openStreams(spec)
	if err != nil {
		return Result{}, err
	}
	process, err := os.StartProcess(path, spec.Argv, &os.ProcAttr{Dir: spec.Dir, Env: env, Files: pipes.files, Sys: plainAttr()})
	if err != nil {
		pipes.abandon()
		return Result{}, err
	}
	boundProcess(process.Pid, spec.Bounds)
	pipes.started()
	ended := make(chan struct{})
	killed := make(chan bool, 1)
	go func() {
		select {
		case <-ctx.Done():
			killGroup(process)
			killed <- true
		case <-ended:
			killed <- false
		}
	}()
	state, err := process.Wait()
	close(ended)
	result := Result{Report: plainReport(spec), TimedOut: <-killed}
	killGroup(process)
	pipes.ended()
	if err != nil {
		return Result{}, err
	}
	result.Exit, result.Signal = exitOf(state)
	return result, nil
}

// plainReport is the report of limits without a stage.
func plainReport(spec Spec) Report {
	r := Report{Layer: Limits, Files: uncontained.files, Network: uncontained.network, Processes: uncontained.processes}
	if spec.Proxy != nil {
		r.Network = uncontained.proxy
		r.Weak = append(r.Weak, pastProxy)
	}
	if len(spec.Keep) > 0 {
		r.Weak = append(r.Weak, keepsNothing(spec.Keep))
	}
	r.Weak = append(r.Weak, plainWeak...)
	return r
}

const (
	pastProxy    = "it can go past its proxy"
	tmpUnbounded = "the size of its tmp is not bounded"
)

func keepsNothing(paths []string) string {
	return "nothing is kept from being written: " + strings.Join(paths, ", ")
}

// uncontained is what reports say of limits.
var uncontained = words{
	files: "all that its user can", processes: "can signal all of its user; what it starts ends with it", network: "all", proxy: "all",
}

// words are what reports say of a layer.
type words struct{ files, processes, network, proxy string }
