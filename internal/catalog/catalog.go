package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

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
	// Index is the file of the persisted index; empty keeps none. Each set of
	// roots needs a file of its own.
	Index string
	// Fingerprint stands for everything but the files that parsing depends on
	// (the rules, the build). An index made under another one is not used.
	Fingerprint string
	// Now is the clock. Without one the index is written but never believed.
	Now func() time.Time
	Log *slog.Logger
}

// Catalog finds, reads, resolves and gates skills. It may be used by many
// goroutines.
type Catalog struct {
	opt         Options
	log         *slog.Logger
	parser      parser
	gate        checker
	limits      format.Limits
	manifests   []string // usual names of manifests, by rank
	fingerprint string
	shadow      func(a, b *candidate) bool

	// What tests replace.
	openTree func(path string) (tree, error)
	watchDir func(events *fsnotify.Watcher, dir string) error
	workers  int
	pace     pace

	mu   sync.Mutex
	last string // version of the snapshot that was handed out last
}

// parser is what the catalog needs of [format.Parser].
type parser interface {
	Rules() format.Rules
	Rank(file string) (rank int, usual, ok bool)
	Parse(slug string, sources []format.Source) format.Result
}

// checker is what the catalog needs of [gate.Checker].
type checker interface {
	Check(*skill.Skill, gate.Supplied, *gate.Environment) []skill.Reason
}

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
func New(opt Options) (*Catalog, error) {
	if opt.Parser == nil || opt.Gate == nil {
		return nil, errors.New("catalog: a parser and a gate are needed")
	}
	return newCatalog(opt, opt.Parser, opt.Gate)
}

func newCatalog(opt Options, p parser, g checker) (*Catalog, error) {
	shadow, err := opt.Rules.check()
	if err != nil {
		return nil, err
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	opt.Roots = slices.Clone(opt.Roots)
	for i := range opt.Roots {
		if r := &opt.Roots[i]; r.FS == nil {
			if !filepath.IsAbs(r.Path) {
				return nil, fmt.Errorf("catalog: the root %s is not an absolute path", quote(r.Path))
			}
			r.Path = filepath.Clean(r.Path)
		}
	}
	return &Catalog{
		opt: opt, log: opt.Log, parser: p, gate: g,
		limits: p.Rules().Limits, manifests: p.Rules().Manifests,
		fingerprint: fmt.Sprintf("%s %+v", opt.Fingerprint, opt.Rules), shadow: shadow,
		openTree: openTree, watchDir: (*fsnotify.Watcher).Add, workers: defaultWorkers(), pace: defaultPace(),
	}, nil
}

// Load scans the roots. It fails only if ctx ends; what is wrong on disk is in
// the snapshot.
func (c *Catalog) Load(ctx context.Context) (*Snapshot, error) {
	snap, _, err := c.load(ctx)
	return snap, err
}

// load returns the scan as well, for those who want to know where it was.
func (c *Catalog) load(ctx context.Context) (*Snapshot, *scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s := &scan{c: c}
	if c.opt.Now != nil {
		s.moment = c.opt.Now()
	}
	defer s.close()
	index := c.readIndex()
	s.openRoots(c.opt.Roots)
	if err := s.run(ctx, index); err != nil {
		return nil, nil, err
	}
	snap := s.snapshot()
	if index == nil || s.changed() {
		c.writeIndex(s, index)
	}
	c.log.Debug("skills loaded", "entries", len(snap.Entries), "parsed", snap.Stats.Parsed,
		"reused", snap.Stats.Reused, "folders", snap.Stats.Dirs, "version", snap.Version)
	c.mu.Lock()
	c.last = snap.Version
	c.mu.Unlock()
	return snap, s, nil
}

// Forget drops the persisted index.
func (c *Catalog) Forget() error {
	if c.opt.Index == "" {
		return nil
	}
	if err := os.Remove(c.opt.Index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the index cannot be removed: %w", err)
	}
	return nil
}

// skips reports whether the rules keep a folder of that name from being
// searched.
func (c *Catalog) skips(name string) bool {
	for _, s := range c.opt.Rules.Skip {
		if s == name || s == "." && strings.HasPrefix(name, ".") {
			return true
		}
	}
	return false
}

// manifestName returns the name without keeping what it is a part of.
func (c *Catalog) manifestName(rank int, name string) string {
	if rank < len(c.manifests) && c.manifests[rank] == name {
		return c.manifests[rank]
	}
	return strings.Clone(name)
}
