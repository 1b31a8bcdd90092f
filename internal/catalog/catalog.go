// Package catalog finds skills on disk, decides which of them are used, and
// keeps the answer quick.
//
// A [Catalog] is made from the roots to search, the rules of the host, the
// parser, the gate and the user's choices. [Catalog.Load] returns a [Snapshot]:
// every folder that holds a manifest as an entry, with its status, the reasons
// for it and what is wrong with its files. The same files give the same
// snapshot, byte for byte.
//
// # Discovery
//
// A root may hold a manifest itself: a flat skill, to which nothing but its
// manifests belongs. Each folder below, down to the root's depth, is listed
// once; if it holds a manifest it is a skill and is not searched further, else
// its folders are. Hidden folders and those the rules name are left out. Links
// are followed as the root's rule says, and a manifest that is a link must lead
// to a file of its own folder.
//
// That is the layout "grouped"; [Rules] has others, which differ in what the
// root itself is: one skill with all that is in it, no skill, or a folder of
// files that are skills each. What limits leave out is told, never dropped.
//
// Skills are strangers' files, and their names may change while they are being
// read. So every folder is opened relative to the one before, never through a
// link that was not looked at; pipes and devices are not opened at all; no file
// is read beyond its limit. Something that cannot be read is a diagnostic and
// keeps nothing else from being read.
//
// # Resolution
//
// Of several skills of one name the most trusted is used, then the one whose
// root comes first, then the first folder in order of bytes, unless the rules
// have it otherwise. Broken ones and those beyond a limit take no part. A
// folder that is reached twice counts once. Then the user's choices
// and the gate have their say. An entry has the first status that applies of
// invalid, shadowed, disabled, gated and ready, and all reasons, the one that
// decided first. [Snapshot.Find] looks a skill up by what people call it.
//
// # The index
//
// With [Options.Index], what was read is kept in a file. The next load asks for
// the times, sizes and inode numbers of folders and manifests, and reads only
// what changed. As in git, what was changed just before it was read is not
// believed but read again. The index is a shortcut and nothing more: entries
// are made from the same packed records with or without it, gates and choices
// are applied anew each time, and a damaged index is as good as none.
//
// # More of one skill
//
// A snapshot has headers only. [Catalog.Open] reads one of its skills whole:
// instructions, resources, digest. [Catalog.Inspect] does that for any folder.
// [Catalog.Survey] looks deeper into all of them. [Catalog.Watch] loads again
// whenever something changed.
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
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Options is everything a catalog depends on.
type Options struct {
	Roots  []Root // highest precedence first
	Rules  Rules
	Parser *format.Parser
	Gate   *gate.Checker
	// Env describes the machine. It is called once for each load, since a
	// program may be installed between two of them.
	Env     func() *gate.Environment
	Choices Choices
	// Index is the file of the persisted index; empty keeps none. Each set of
	// roots needs a file of its own.
	Index string
	// Trust, unless nil, is called once for each load. What it returns may change
	// an entry's trust before it is decided which skill of a name is used; it is
	// called for each entry, one at a time, and done after the last.
	Trust func(ctx context.Context) (judge func(e *skill.Entry), done func())
	// Sidecars are the hidden names in a skill's folder by which other programs
	// remember what they installed. One that is there is its entry's
	// Provenance.Source, for those who judge trust.
	Sidecars []string
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
	markdown    string   // the manifest that a document is taken for
	fingerprint string
	only        map[string]bool // nil if every name may be used
	behaviour

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
	how, err := opt.Rules.resolve()
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
				return nil, fmt.Errorf("catalog: the root %s is not an absolute path", wording.Quote(r.Path))
			}
			r.Path = filepath.Clean(r.Path)
		}
	}
	c := &Catalog{
		opt: opt, log: opt.Log, parser: p, gate: g,
		limits: p.Rules().Limits, manifests: p.Rules().Manifests,
		fingerprint: fmt.Sprintf("%s %+v %q", opt.Fingerprint, opt.Rules, opt.Sidecars), behaviour: how,
		openTree: openTree, watchDir: (*fsnotify.Watcher).Add, workers: defaultWorkers(), pace: defaultPace(),
	}
	if opt.Choices.Only != nil {
		c.only = map[string]bool{}
		for _, name := range opt.Choices.Only {
			c.only[name] = true
		}
	}
	return c, c.checkLayouts()
}

// checkLayouts refuses roots that cannot be searched as they ask for.
func (c *Catalog) checkLayouts() error {
	for i := range c.opt.Roots {
		l, err := c.layoutOf(&c.opt.Roots[i])
		if err == nil && l.documents {
			c.markdown, err = markdownManifest(c.manifests)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Load scans the roots. It fails only if ctx ends; what is wrong on disk is in
// the snapshot.
func (c *Catalog) Load(ctx context.Context) (*Snapshot, error) {
	snap, _, err := c.load(ctx)
	return snap, err
}

// LoadFresh is a [Catalog.Load] that reads every file, whatever the index says,
// and then replaces the index. Until then the old one stays, so that nothing is
// lost if ctx ends. An index that can neither be replaced nor removed is an
// error, for the next load would believe it again.
func (c *Catalog) LoadFresh(ctx context.Context) (*Snapshot, error) {
	snap, s, err := c.loadWith(ctx, nil)
	if err != nil {
		return nil, err
	}
	if c.writeIndex(s, nil) != nil {
		if err := os.Remove(c.opt.Index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the index can neither be replaced nor removed: %w; check its permissions", err)
		}
	}
	return snap, nil
}

// load returns the scan as well, for those who want to know where it was.
func (c *Catalog) load(ctx context.Context) (*Snapshot, *scan, error) {
	index := c.readIndex()
	snap, s, err := c.loadWith(ctx, index)
	switch {
	case err != nil:
		return nil, nil, err
	case s.changed(index):
		_ = c.writeIndex(s, index) // is logged; the next load takes a little longer
	default:
		c.touchIndex()
	}
	return snap, s, nil
}

// loadWith scans the roots with the help of an index, if there is one.
func (c *Catalog) loadWith(ctx context.Context, index *index) (*Snapshot, *scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s := c.newScan()
	if c.opt.Now != nil {
		s.moment = c.opt.Now()
	}
	defer s.close()
	if c.opt.Trust != nil {
		s.trust, s.trusted = c.opt.Trust(ctx)
	}
	s.openRoots(c.opt.Roots)
	if err := s.run(ctx, index); err != nil {
		return nil, nil, err
	}
	snap := s.snapshot()
	c.log.Debug("skills loaded", "entries", len(snap.Entries), "parsed", snap.Stats.Parsed,
		"reused", snap.Stats.Reused, "folders", snap.Stats.Dirs, "version", snap.Version)
	c.mu.Lock()
	c.last = snap.Version
	c.mu.Unlock()
	return snap, s, nil
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
