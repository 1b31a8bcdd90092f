// Package probe attacks a sandbox from the inside, and tells what got through.
//
// A [Probe] is one attack: reading a key, connecting to a service, outliving the
// run. [Run] plants what there is to steal or to break in a folder of its own: a
// home with keys, a workspace with places that are to be kept, a process to
// attack, services to reach. It then runs all probes through a [sandbox.Runner]
// with the terms of a skill's tool, and takes away what it planted. Those are of a
// skill that is not trusted, unless no such skill would run at all:
//
//	findings, err := probe.Run(ctx, box, probe.Options{Program: program, Dir: tmp, Environ: environ})
//
// An attack is believed to have succeeded only if it shows: it has read the very
// bytes that were planted, or the outside has seen what it did. A file that was
// written to a private copy, or a signal that hit a namesake, is no success. It
// is believed to be blocked only if it began and failed; what never began is
// [Untried]. Since a sandbox in which nothing works blocks everything, controls
// run before: reading the skill, writing the workspace, starting a shell. Where
// one of them fails, the answer is [ErrNothingRan].
//
// Probes are harmless also where they succeed. They touch what was planted;
// elsewhere they open without writing, connect without sending, and create files
// without names. 64 processes, 16 MiB over a bound and 20 seconds are the most
// they use. A probe that needs root to succeed says so.
//
// [Check] holds findings against the report of the layer that they were found
// in: what a layer promises must be blocked, and what it does not promise must be
// told.
//
// The attacks run in a process of their own each, inside of the sandbox, so the
// binary has to begin with [Child], as it begins with that of the sandbox.
package probe

import (
	"context"
	"fmt"
	"slices"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/wording"
)

// What a probe threatens.
const (
	Files       = "files"
	Network     = "network"
	Processes   = "processes"
	Resources   = "resources"
	Environment = "environment"
)

// Probe is one attack.
type Probe struct {
	Name      string `json:"name"`
	Title     string `json:"title"` // what it does if it succeeds: "reads ..."
	Threatens string `json:"threatens"`
	// NeedsRoot tells that only root can do it, without any sandbox.
	NeedsRoot bool `json:"needs_root,omitempty"`

	// attack runs inside. Nil is success, an error that is errUntried no attempt.
	attack func(*place) error
	// seen confirms, outside and afterwards, what the attack believes to have done.
	seen func(*stage) error
	// offered tells, outside and before, why this machine has nothing to attack.
	offered func(*stage) error
}

// Outcome is what became of an attack.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "succeeded"
	Blocked   Outcome = "blocked"
	Untried   Outcome = "untried"
)

// Finding is what became of one probe. Detail is why it failed.
type Finding struct {
	Probe   Probe   `json:"probe"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"`
}

// Options say what to probe with.
type Options struct {
	// Program is a binary that begins with [Child]. It must not be one with the
	// race detector: that reserves more memory than any bound allows.
	Program string
	// Dir is where things are planted. It exists, and is of the user's own.
	Dir string
	// Environ is the environment of this process: what must not get inside.
	Environ []string
	// Only are the names of the probes to run; none runs all.
	Only []string
	// Proxied gives the sandbox a proxy that refuses everything, instead of no
	// network: what gets out then has gone around it.
	Proxied bool
	// Trusted gives the terms of a skill that is trusted: it would run where its
	// files and network cannot be contained, and layers may give way for it.
	Trusted bool
	// Reported gets the report of the sandbox; it may be nil.
	Reported func(sandbox.Report)
}

// All are the probes, those that strain resources last.
func All() []Probe {
	return slices.Concat(fileProbes(), keepProbes(), lendProbes(), networkProbes(), processProbes(), lifetimeProbes(), kernelProbes(), environmentProbes(), resourceProbes())
}

// choose are the probes of the given names, in the order of All.
func choose(only []string) ([]Probe, error) {
	all := All()
	for _, name := range only {
		if !slices.ContainsFunc(all, func(p Probe) bool { return p.Name == name }) {
			return nil, fmt.Errorf("%w: %s", ErrUnknown, wording.Quote(name))
		}
	}
	if len(only) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(p Probe) bool { return !slices.Contains(only, p.Name) }), nil
}

// Run attacks a sandbox with every probe that the options choose.
func Run(ctx context.Context, r sandbox.Runner, opt Options) ([]Finding, error) {
	chosen, err := choose(opt.Only)
	if err != nil {
		return nil, err
	}
	return run(ctx, r, opt, chosen)
}
