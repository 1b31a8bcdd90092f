package knack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/wording"
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

// As tells what another host would do with the skills in some folders, in their
// order. The folders are absolute. The host's own skills are read once for all of
// them.
func (e *Engine) As(ctx context.Context, hostName string, dirs ...string) ([]*Verdict, error) {
	verdicts, err := e.verdicts(ctx, hostName, true, dirs)
	if err != nil {
		return nil, err
	}
	documented, err := e.verdicts(ctx, hostName, false, dirs)
	if err != nil {
		return nil, err
	}
	for i, v := range verdicts {
		if by := documented[i].Outcome; by != v.Outcome {
			v.Documented = by
		}
	}
	return verdicts, nil
}

// verdicts judges folders by the rules of the host's program, or of its
// documents.
func (e *Engine) verdicts(ctx context.Context, hostName string, shipped bool, dirs []string) ([]*Verdict, error) {
	host, err := e.as(ctx, hostName, shipped)
	if err != nil {
		return nil, err
	}
	snap, err := host.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*Verdict, len(dirs))
	for i, dir := range dirs {
		if out[i], err = host.verdict(ctx, snap, dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// as opens an engine like this one that behaves as another host.
func (e *Engine) as(ctx context.Context, hostName string, shipped bool) (*Engine, error) {
	opt := e.opt
	opt.Host, opt.asShipped, opt.hostAlone = hostName, shipped, true
	opt.NoIndex, opt.OnlyRoots, opt.Roots = true, false, nil
	return Open(ctx, opt)
}

func (e *Engine) verdict(ctx context.Context, snap *Snapshot, dir string) (*Verdict, error) {
	v := &Verdict{Host: e.profile.Name, Path: dir, Reasons: []skill.Reason{}, Loses: []Loss{}}
	entry, err := e.Inspect(ctx, dir)
	if errors.Is(err, ErrNoManifest) {
		v.Outcome = Unseen
		v.Reasons = append(v.Reasons, skill.Reason{Code: skill.NoManifest,
			Message: fmt.Sprintf("a skill's folder holds %s there, spelled exactly so", strings.Join(e.profile.Format.Manifests, " or ")),
			Hint:    e.missingManifest(dir)})
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
	if e.inPlace(snap, v); v.Outcome == Unseen {
		return v, nil
	}
	sources, err := e.sources(entry)
	if err != nil {
		return nil, err
	}
	for _, loss := range e.parser.Losses(entry.Slug, sources) {
		v.Loses = append(v.Loses, Loss{loss.Field, loss.File, loss.Line, loss.Why})
	}
	if entry.Status == skill.Gated && v.Outcome == Gated {
		v.ungate()
	}
	return v, nil
}

// gateOf is the reason that a field gives where it is read.
var gateOf = map[string]skill.Code{
	"os": skill.ReasonOS, "requires.bins": skill.ReasonBin, "requires.anyBins": skill.ReasonAnyBin,
	"requires.env": skill.ReasonEnv, "requires.config": skill.ReasonConfig,
}

// ungate takes back what only Knack holds against the skill: it heeds a
// requirement that the host overlooks, and the host would load the skill.
func (v *Verdict) ungate() {
	for _, loss := range v.Loses {
		if code := gateOf[loss.Field]; code != "" && loss.Why == format.NotRead {
			v.Reasons = slices.DeleteFunc(v.Reasons, func(r skill.Reason) bool { return r.Code == code })
		}
	}
	gates := func(r skill.Reason) bool { return r.Code != skill.ReasonShadowed }
	if !slices.ContainsFunc(v.Reasons, gates) {
		v.Outcome = Loads
	}
}

// missingManifest says how a folder gets the manifest that the host looks for.
func (e *Engine) missingManifest(dir string) string {
	wanted := e.profile.Format.Manifests
	files, _ := os.ReadDir(dir) // without them, the general answer
	for _, f := range files {
		for _, name := range wanted {
			if strings.EqualFold(f.Name(), name) {
				return "rename " + wording.Quote(f.Name()) + " to " + name
			}
		}
	}
	return "add " + wanted[len(wanted)-1]
}

// inPlace finds out whether the host finds the skill where it lies, if that is
// in one of its roots, and whether they have another one of the name.
func (e *Engine) inPlace(snap *Snapshot, v *Verdict) {
	above := slices.IndexFunc(e.roots, func(r catalog.Root) bool { return r.FS == nil && below(v.Path, r.Path) })
	i := slices.IndexFunc(snap.Entries(), func(other *skill.Entry) bool { return other.Path == v.Path })
	if i < 0 && above >= 0 { // some hosts show a link by where it leads
		i = slices.IndexFunc(snap.Entries(), func(other *skill.Entry) bool {
			return other.Root == e.roots[above].Path && sameFolder(other.Path, v.Path)
		})
	}
	if i >= 0 {
		if entry := snap.Entries()[i]; entry.Status == skill.Shadowed || entry.Status == skill.Disabled {
			v.Outcome, v.Reasons = Gated, slices.Clone(entry.Reasons) // others may be judged by it
			if entry.Status == skill.Shadowed {
				v.Outcome = Shadowed
			}
		}
		return
	}
	if above >= 0 {
		v.Outcome, v.Name, v.Reasons = Unseen, "", []skill.Reason{unreached(v.Path, e.roots[above], snap.Diagnostics())}
		return
	}
	for _, other := range snap.Entries() {
		if other.Name == v.Name && (other.Status == skill.Ready || other.Status == skill.Gated) {
			v.Reasons = append(v.Reasons, skill.Reason{Code: skill.ReasonShadowed,
				Message: "another skill of this name is at " + other.Path + "; of two, the one whose root comes first is used",
				Hint:    "give one of them another name"})
		}
	}
}

// unreached says why the search of a root does not find a folder in it.
func unreached(dir string, root catalog.Root, found []skill.Diagnostic) skill.Reason {
	if i := slices.IndexFunc(found, func(d skill.Diagnostic) bool { return d.File == dir }); i >= 0 {
		return skill.Reason{Code: found[i].Code, Message: found[i].Message, Hint: found[i].Hint}
	}
	levels := fmt.Sprintf("%d levels", root.Depth)
	if root.Depth == 1 {
		levels = "one level"
	}
	return skill.Reason{Code: skill.NoManifest,
		Message: fmt.Sprintf("the search of %s goes %s deep, not into hidden folders and not into other skills", root.Path, levels),
		Hint:    "move the folder up to " + root.Path}
}

func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
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
