//go:build !linux

package probe

import (
	"context"

	"github.com/knackhq/knack/internal/sandbox"
)

type (
	place struct{}
	stage struct{}
)

func fileProbes() []Probe        { return nil }
func keepProbes() []Probe        { return nil }
func lendProbes() []Probe        { return nil }
func networkProbes() []Probe     { return nil }
func processProbes() []Probe     { return nil }
func lifetimeProbes() []Probe    { return nil }
func kernelProbes() []Probe      { return nil }
func environmentProbes() []Probe { return nil }
func resourceProbes() []Probe    { return nil }

// Child reports that this process is no probe: there are none on this system.
func Child([]string) (code int, stage bool) { return 0, false }

func run(context.Context, sandbox.Runner, Options, []Probe) ([]Finding, error) {
	return nil, ErrElsewhere
}
