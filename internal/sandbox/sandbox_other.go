//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os"
)

// plainWeak is what limits do not keep where there is no Linux.
var plainWeak = []string{
	"only time and environment are bounded on this system",
	"processes that leave their group are not ended",
}

// errNotLinux is why stronger layers do not work.
var errNotLinux = errors.New("only Linux has what it takes")

// machine is what is found out once: nothing.
type machine struct{}

// Child does the work of a stage of the sandbox. There are stages on Linux only.
func Child([]string) (code int, stage bool) { return 0, false }

// openProgram opens nothing: there are no stages.
func openProgram(string) (*os.File, error) { return nil, nil }

func boundProcess(int, Bounds) {}

func (b *Box) run(ctx context.Context, _ Layer, spec Spec) (Result, error) {
	return runPlain(ctx, spec)
}

func (b *Box) attempt(_ context.Context, layer Layer) (Report, error) {
	if layer != Limits {
		return Report{}, errNotLinux
	}
	return plainReport(Spec{}), nil
}

func (b *Box) expect(_ context.Context, _ Layer, spec Spec) (Report, error) {
	return plainReport(spec), nil
}
