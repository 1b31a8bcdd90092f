package knack

import (
	"context"
	"fmt"
	"slices"

	"github.com/knackhq/knack/internal/host"
	"github.com/knackhq/knack/skill"
)

// Installation is a skill system that keeps its things on this machine.
type Installation struct {
	Host  string `json:"host"`
	About string `json:"about"`
	Home  string `json:"home"`
	// Config is its configuration file, empty if there is none.
	Config string `json:"config,omitempty"`
	// Skills counts what Knack sees as that host, by status.
	Skills map[skill.Status]int `json:"skills"`
	Total  int                  `json:"total"`
	// Problem says why it cannot be looked at, or what of it cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Installations finds the skill systems that are on this machine and counts
// the skills that Knack sees as each of them. It fails only if ctx ends.
func (e *Engine) Installations(ctx context.Context) ([]Installation, error) {
	var found []Installation
	for _, name := range host.Names(e.hostFiles()...) {
		if name == host.Native {
			continue
		}
		profile, err := host.Load(name, e.hostFiles()...)
		if err != nil {
			found = append(found, Installation{Host: name, Problem: err.Error(), Skills: map[skill.Status]int{}})
			continue
		}
		home := profile.State(e.machine())
		if home == "" {
			continue
		}
		in := Installation{Host: name, About: profile.About, Home: home, Skills: map[skill.Status]int{}}
		if err := e.count(ctx, &in); err != nil {
			return nil, err
		}
		found = append(found, in)
	}
	return found, nil
}

// count opens the engine as another host and counts what it sees.
func (e *Engine) count(ctx context.Context, in *Installation) error {
	opt := e.opt
	opt.Host, opt.NoIndex = in.Host, true
	other, err := Open(ctx, opt)
	if err != nil {
		in.Problem = err.Error()
		return ctx.Err()
	}
	if file := other.ConfigFile(HostsOwn); file != "" && other.places.Exists(file) {
		in.Config = file
	}
	snap, err := other.Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, entry := range snap.Entries() {
		in.Skills[entry.Status]++
		in.Total++
	}
	isError := func(d skill.Diagnostic) bool { return d.Severity == skill.Error }
	if i := slices.IndexFunc(snap.Diagnostics(), isError); i >= 0 {
		in.Problem = problem(snap.Diagnostics()[i])
	}
	return nil
}

// Manifests are the names of the files that make a folder a skill, the one that
// counts first first.
func (e *Engine) Manifests() []string { return slices.Clone(e.profile.Format.Manifests) }

// problem is a diagnostic in one short line, with its place.
func problem(d skill.Diagnostic) string {
	switch {
	case d.File == "":
		return d.Message
	case d.Line == 0:
		return d.File + ": " + d.Message
	}
	return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Message)
}

// HostNames lists the skill systems that this engine can behave as, those that
// the user wrote a profile for included.
func (e *Engine) HostNames() []string { return host.Names(e.hostFiles()...) }
