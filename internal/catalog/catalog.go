package catalog

import (
	"context"
	"log/slog"
	"time"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/skill"
)

// Options is everything a catalog depends on.
type Options struct {
	Roots   []Root // highest precedence first
	Rules   Rules
	Parser  *format.Parser
	Gate    *gate.Checker
	Env     *gate.Environment
	Choices Choices
	// Index is the file of the persisted index; empty keeps none.
	Index string
	// Fingerprint stands for everything but the files that parsing depends on
	// (the rules, the build). An index made under another one is not used.
	Fingerprint string
	Now         func() time.Time
	Log         *slog.Logger
}

// Catalog finds, reads, resolves and gates skills.
type Catalog struct{ opt Options }

// Snapshot is the resolved set of skills at one moment. It is never changed.
type Snapshot struct {
	// Version is the same for the same result and differs for another.
	Version string
	// Entries are sorted by name; for one name the winner comes first.
	Entries []*skill.Entry
	// Diagnostics are those that belong to no skill: roots and stray links.
	Diagnostics []skill.Diagnostic
	Stats       Stats
}

// Stats says what a load did.
type Stats struct {
	Parsed int // folders whose manifests were read
	Reused int // folders taken from the index
	Dirs   int // folders visited
}

// New checks the strategy names of the rules.
func New(opt Options) (*Catalog, error) { panic("unfinished") }

// Load scans the roots. It fails only if ctx ends; what is wrong on disk is in
// the snapshot.
func (c *Catalog) Load(ctx context.Context) (*Snapshot, error) { panic("unfinished") }

// Survey returns a copy of s in which each entry also tells what lies deeper in
// its folder: nested manifests, special files, links that leave it.
func (c *Catalog) Survey(ctx context.Context, s *Snapshot) (*Snapshot, error) { panic("unfinished") }

// Open returns e whole: prompts, body, resources, digest and survey, read anew.
func (c *Catalog) Open(ctx context.Context, e *skill.Entry) (*skill.Entry, error) {
	panic("unfinished")
}

// Inspect reads one folder on its own, wherever it is, whole. The entry's
// status speaks of its files and gates alone.
func (c *Catalog) Inspect(ctx context.Context, dir string) (*skill.Entry, error) {
	panic("unfinished")
}

// Forget drops the persisted index.
func (c *Catalog) Forget() error { panic("unfinished") }

// Watch calls publish with a new snapshot whenever a change of the roots has
// settled and changed what is resolved. It returns when ctx ends.
func (c *Catalog) Watch(ctx context.Context, publish func(*Snapshot)) error { panic("unfinished") }

// Find looks a skill up by name, then slug, exactly, then in any letter case.
func (s *Snapshot) Find(name string) (*skill.Entry, error) { panic("unfinished") }
