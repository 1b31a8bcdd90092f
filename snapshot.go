package knack

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/host"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Snapshot is the set of skills at one moment: found, resolved, gated and
// explained. It never changes, and neither may its entries.
type Snapshot struct {
	s        *catalog.Snapshot
	problems []skill.Diagnostic
	commands *session.CommandSet // of the host, without names yet
}

// Version is equal for equal results and differs for different ones.
func (s *Snapshot) Version() string { return s.s.Version }

// Entries are all skills that were found, whatever their state, sorted by name.
func (s *Snapshot) Entries() []*skill.Entry { return s.s.Entries }

// Diagnostics tell what belongs to no skill: the configuration and the roots.
func (s *Snapshot) Diagnostics() []skill.Diagnostic {
	return append(slices.Clone(s.problems), s.s.Diagnostics...)
}

// Reused and Parsed tell how many folders were taken from the index and how
// many were read.
func (s *Snapshot) Reused() int { return s.s.Stats.Reused }

// Parsed is explained at [Snapshot.Reused].
func (s *Snapshot) Parsed() int { return s.s.Stats.Parsed }

// Find looks a skill up by name, then by slug, exactly, then in any letter
// case. It returns a *[NotFoundError] or an *[AmbiguousError].
func (s *Snapshot) Find(name string) (*skill.Entry, error) {
	e, err := s.s.Find(name)
	return e, publicError(err)
}

// Snapshot searches the roots and returns what is there now. It fails only if
// ctx ends.
func (e *Engine) Snapshot(ctx context.Context) (*Snapshot, error) {
	s, err := e.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	return &Snapshot{s: s, problems: e.problems, commands: e.commands}, nil
}

// Survey returns s with what lies deeper in each skill's folder: manifests
// inside a skill, special files, links that leave it. It walks every folder,
// which loading does not.
func (e *Engine) Survey(ctx context.Context, s *Snapshot) (*Snapshot, error) {
	deep, err := e.catalog.Survey(ctx, s.s)
	if err != nil {
		return nil, err
	}
	return &Snapshot{s: deep, problems: s.problems, commands: s.commands}, nil
}

// Load returns the skill of an entry whole: instructions, resources, digest.
func (e *Engine) Load(ctx context.Context, entry *skill.Entry) (*skill.Entry, error) {
	full, err := e.catalog.Open(ctx, entry)
	return full, publicError(err)
}

// Inspect reads one folder on its own, wherever it is. Its status speaks of
// its files and of this machine; nothing shadows or disables it.
// dir is absolute.
func (e *Engine) Inspect(ctx context.Context, dir string) (*skill.Entry, error) {
	entry, err := e.catalog.Inspect(ctx, dir)
	return entry, publicError(err)
}

// Reload is [Engine.Snapshot] without the index: every file is read, and the
// index is made anew.
func (e *Engine) Reload(ctx context.Context) (*Snapshot, error) {
	s, err := e.catalog.LoadFresh(ctx)
	if err != nil {
		return nil, err
	}
	return &Snapshot{s: s, problems: e.problems, commands: e.commands}, nil
}

// Watch calls publish with a new snapshot each time a change on disk has
// settled and changed what is resolved. It returns when ctx ends.
func (e *Engine) Watch(ctx context.Context, publish func(*Snapshot)) error {
	return e.catalog.Watch(ctx, func(s *catalog.Snapshot) {
		publish(&Snapshot{s: s, problems: e.problems, commands: e.commands})
	})
}

// RootInfo describes one place that is searched.
type RootInfo struct {
	Path   string      `json:"path"`
	Class  string      `json:"class"`
	Trust  skill.Trust `json:"trust"`
	Exists bool        `json:"exists"`
}

// Roots lists the places that are searched, highest precedence first.
func (e *Engine) Roots() []RootInfo {
	var out []RootInfo
	for _, r := range e.roots {
		info := RootInfo{Path: r.Path, Class: r.Class, Trust: r.Trust, Exists: r.FS != nil}
		if r.FS == nil {
			st, err := os.Stat(r.Path)
			info.Exists = err == nil && st.IsDir()
		}
		out = append(out, info)
	}
	return out
}

// NativeHost is the name of Knack among the hosts: what it behaves as unless
// told otherwise.
const NativeHost = host.Native

// Hosts lists the skill systems that the engine can behave as.
func Hosts() []string { return host.Names() }

// Host is the name of the skill system in force.
func (e *Engine) Host() string { return e.profile.Name }

// Index is the file of the persisted index; empty if none is kept.
func (e *Engine) Index() string { return e.index }

// Diagnostics tell what is wrong with the configuration.
func (e *Engine) Diagnostics() []skill.Diagnostic { return slices.Clone(e.problems) }

// NotFoundError says that no skill has that name.
type NotFoundError struct {
	Name string
	Near []string // names it may have meant
}

func (e *NotFoundError) Error() string {
	msg := "no skill named " + wording.Quote(e.Name)
	if len(e.Near) > 0 {
		msg += "; did you mean " + strings.Join(e.Near, ", ") + "?"
	}
	return msg
}

// AmbiguousError says that several skills answer to that name.
type AmbiguousError struct {
	Name       string
	Candidates []*skill.Entry
}

func (e *AmbiguousError) Error() string {
	return (&catalog.AmbiguousError{Name: e.Name, Candidates: e.Candidates}).Error()
}

// UnknownHostError says that there is no skill system of that name to behave as.
type UnknownHostError struct {
	Name  string
	Known []string
}

func (e *UnknownHostError) Error() string {
	return (&host.UnknownError{Name: e.Name, Known: e.Known}).Error()
}

// ErrNoManifest is matched when a directory holds no skill.
var ErrNoManifest = errors.New("no skill in this directory")

func publicError(err error) error {
	var notFound *catalog.NotFoundError
	var ambiguous *catalog.AmbiguousError
	var unknown *host.UnknownError
	switch {
	case errors.As(err, &unknown):
		return &UnknownHostError{Name: unknown.Name, Known: unknown.Known}
	case errors.As(err, &notFound):
		return &NotFoundError{Name: notFound.Name, Near: notFound.Near}
	case errors.As(err, &ambiguous):
		return &AmbiguousError{Name: ambiguous.Name, Candidates: ambiguous.Candidates}
	case errors.Is(err, catalog.ErrNoManifest):
		return &noManifestError{err}
	}
	return err
}

type noManifestError struct{ error }

func (e *noManifestError) Is(target error) bool { return target == ErrNoManifest }

// Commands names the slash command of each ready, user-invocable entry of this
// snapshot.
func (s *Snapshot) Commands() map[*skill.Entry]string { return s.commands.With(s.s.Entries).Names() }
