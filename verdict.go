package knack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// Outcome is what a host does with a skill.
type Outcome string

// The outcomes.
const (
	Loads    Outcome = "loads"    // it can be used
	Gated    Outcome = "gated"    // it is read, but not offered on this machine
	Shadowed Outcome = "shadowed" // another of its name is used
	Dropped  Outcome = "dropped"  // its files are refused
	Unseen   Outcome = "unseen"   // the host does not take the folder for a skill
)

// Verdict is what another host would do with a skill, by the rules of the
// program that it ships.
type Verdict struct {
	Host    string  `json:"host"`
	Path    string  `json:"path"`
	Outcome Outcome `json:"outcome"`
	// Name is what that host would call it.
	Name string `json:"name,omitempty"`
	// Reasons say why it is not simply loaded, in the host's own words where
	// it has any.
	Reasons []skill.Reason `json:"reasons"`
	// Loses is what it would not have of what the skill declares.
	Loses []Loss `json:"loses"`
	// Documented is what would happen by the host's documents, where that is
	// something else.
	Documented Outcome `json:"documented,omitempty"`
}

// Loss is a field that a host does not read, or not as it is meant.
type Loss struct {
	Field string `json:"field"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Why   string `json:"why"`
}

// As tells what another host would do with the skill in a folder. dir is
// absolute.
func (e *Engine) As(ctx context.Context, hostName, dir string) (*Verdict, error) {
	shipped, err := e.as(ctx, hostName, true)
	if err != nil {
		return nil, err
	}
	v, err := shipped.verdict(ctx, dir)
	if err != nil {
		return nil, err
	}
	documented, err := e.as(ctx, hostName, false)
	if err != nil {
		return nil, err
	}
	by, err := documented.verdict(ctx, dir)
	if err != nil {
		return nil, err
	}
	if by.Outcome != v.Outcome {
		v.Documented = by.Outcome
	}
	return v, nil
}

// as opens an engine like this one that behaves as another host.
func (e *Engine) as(ctx context.Context, hostName string, shipped bool) (*Engine, error) {
	opt := e.opt
	opt.Host, opt.asShipped, opt.NoIndex, opt.OnlyRoots, opt.Roots = hostName, shipped, true, false, nil
	return Open(ctx, opt)
}

func (e *Engine) verdict(ctx context.Context, dir string) (*Verdict, error) {
	v := &Verdict{Host: e.profile.Name, Path: dir, Reasons: []skill.Reason{}, Loses: []Loss{}}
	entry, err := e.Inspect(ctx, dir)
	if errors.Is(err, ErrNoManifest) {
		v.Outcome = Unseen
		v.Reasons = append(v.Reasons, skill.Reason{Code: skill.NoManifest,
			Message: fmt.Sprintf("a skill's folder holds %s there, spelled exactly so", strings.Join(e.profile.Format.Manifests, " or ")),
			Hint:    "add " + e.profile.Format.Manifests[len(e.profile.Format.Manifests)-1]})
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	v.Name, v.Reasons = entry.Name, nonNil(entry.Reasons)
	switch entry.Status {
	case skill.Ready:
		v.Outcome = Loads
	case skill.Invalid:
		v.Outcome = Dropped
		return v, nil
	default:
		v.Outcome = Gated
	}
	if err := e.shadow(ctx, v); err != nil {
		return nil, err
	}
	sources, err := e.sources(entry)
	if err != nil {
		return nil, err
	}
	for _, loss := range e.parser.Losses(entry.Slug, sources) {
		v.Loses = append(v.Loses, Loss{loss.Field, loss.File, loss.Line, loss.Why})
	}
	return v, nil
}

// shadow finds out whether the host's roots have another skill of the name.
func (e *Engine) shadow(ctx context.Context, v *Verdict) error {
	snap, err := e.Snapshot(ctx)
	if err != nil {
		return err
	}
	same := func(other *skill.Entry) bool { return other.Path == v.Path }
	if i := slices.IndexFunc(snap.Entries(), same); i >= 0 {
		if entry := snap.Entries()[i]; entry.Status == skill.Shadowed || entry.Status == skill.Disabled {
			v.Outcome, v.Reasons = Gated, entry.Reasons
			if entry.Status == skill.Shadowed {
				v.Outcome = Shadowed
			}
		}
		return nil
	}
	for _, other := range snap.Entries() {
		if other.Name == v.Name && (other.Status == skill.Ready || other.Status == skill.Gated) {
			v.Reasons = append(v.Reasons, skill.Reason{Code: skill.ReasonShadowed,
				Message: "another skill of this name is at " + other.Path + "; of two, the one whose root comes first is used",
				Hint:    "give one of them another name"})
		}
	}
	return nil
}

// sources reads the manifests of an entry again, as far as they are plain files
// of its folder.
func (e *Engine) sources(entry *skill.Entry) ([]format.Source, error) {
	root, err := os.OpenRoot(entry.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []format.Source
	for _, m := range entry.Manifests {
		if st, err := root.Stat(m.File); err != nil || !st.Mode().IsRegular() || st.Size() > e.parser.Rules().Limits.FileBytes {
			continue
		}
		data, err := root.ReadFile(m.File)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", filepath.Join(entry.Path, m.File), err)
		}
		out = append(out, format.Source{File: m.File, Data: data})
	}
	return out, nil
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
