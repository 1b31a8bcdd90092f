package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/knackhq/knack/skill"
)

// scan is one load in progress. It goes through all roots level by level: the
// folders of a level are visited by several workers at once, then the next
// level is made of what they found, in order. So the same files give the same
// nodes however the workers were scheduled, and limits cut at the same place.
type scan struct {
	c *Catalog
	// moment is before anything was looked at; see [stamp.settled].
	moment   time.Time
	roots    []*rootScan
	levels   [][]node
	problems []skill.Diagnostic // of roots
	workers  []*worker

	openMu sync.Mutex
	open   []tree
}

// rootScan is a root that exists.
type rootScan struct {
	Root
	rank int // its place in the order of precedence
	// from is where its folders are opened from.
	from *anchor
	// within is where contained links may lead, besides the root itself.
	within    func() (*anchor, error)
	info      fs.FileInfo // nil for an embedded tree
	dirs      int
	truncated bool
}

// node is a folder that may be a skill or hold some.
type node struct {
	root   *rootScan
	parent *node
	name   string
	shown  string // path below the root as the user sees it; "." is the root
	link   bool   // the name is a link
	depth  int
	old    *oldFolder // what the index has of it, or nil

	// Where it really is; for a link only known once it is followed.
	from *anchor
	in   string // path below from

	// What was found. The stamps are zero where they cannot be relied on.
	stamp    stamp
	subs     []sub
	files    []manifestFile
	record   record
	entry    *skill.Entry
	usable   bool
	gates    []skill.Reason
	problems []skill.Diagnostic // of a folder that is no skill
}

// sub is a name in a folder that may lead to skills.
type sub struct {
	name string
	link bool
	old  *oldFolder
}

// anchor is a directory on disk or in the program, its links resolved.
type anchor struct {
	real string // its path; empty for an embedded tree
	tree tree   // nil if it is to be opened for every use
}

// real is the path of a node's folder, links resolved.
func (n *node) real() string {
	if n.in == "." {
		return n.from.real
	}
	return filepath.Join(n.from.real, filepath.FromSlash(n.in))
}

// path is the absolute path of a node's folder as the user sees it.
func (n *node) path() string { return n.root.path(n.shown) }

func (r *Root) path(shown string) string {
	switch {
	case shown == ".":
		return r.Path
	case r.FS == nil:
		return strings.TrimSuffix(r.Path, string(filepath.Separator)) + string(filepath.Separator) + filepath.FromSlash(shown)
	case strings.HasSuffix(r.Path, ":") || r.Path == "":
		return r.Path + shown
	default:
		return r.Path + "/" + shown
	}
}

// slug is the name of the folder.
func (n *node) slug() string {
	if n.shown != "." {
		return n.name
	}
	if n.root.FS != nil {
		return strings.TrimSuffix(n.root.Path, ":")
	}
	return filepath.Base(n.root.Path)
}

// join appends a name to a path below a root.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// openRoots opens the roots that exist, each directory once.
func (s *scan) openRoots() {
	for rank, root := range s.c.opt.Roots {
		r := &rootScan{Root: root, rank: rank}
		if root.FS != nil {
			r.from = &anchor{tree: fsTree{root.FS}}
			s.roots = append(s.roots, r)
			continue
		}
		if err := s.openRoot(r); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				s.problems = append(s.problems, skill.RootUnreadable.New(root.Path, 0,
					"the root "+quote(root.Path)+" cannot be searched: "+cause(err), "check its permissions, or take it out of the configuration"))
			}
			continue
		}
		if r.from != nil {
			s.roots = append(s.roots, r)
		}
	}
}

// openRoot leaves r.from nil if the directory is one that is open already.
func (s *scan) openRoot(r *rootScan) error {
	info, err := os.Stat(r.Path)
	if err != nil {
		return err
	}
	for _, other := range s.roots {
		if other.info != nil && os.SameFile(info, other.info) {
			s.c.log.Debug("root is the same directory as another", "root", r.Path, "other", other.Path)
			return nil
		}
	}
	real, err := filepath.EvalSymlinks(r.Path)
	if err != nil {
		return err
	}
	if r.from, err = s.anchor(real); err != nil {
		return err
	}
	r.info = info
	r.within = sync.OnceValues(func() (*anchor, error) {
		if r.Within == "" {
			return r.from, nil
		}
		real, err := filepath.EvalSymlinks(r.Within)
		if err != nil {
			return nil, err
		}
		return s.anchor(real)
	})
	return nil
}

// anchor opens a directory until the scan is closed.
func (s *scan) anchor(real string) (*anchor, error) {
	tree, err := s.c.openTree(real)
	if err != nil {
		return nil, err
	}
	s.openMu.Lock()
	defer s.openMu.Unlock()
	s.open = append(s.open, tree)
	return &anchor{real: real, tree: tree}, nil
}

func (s *scan) close() {
	for _, tree := range s.open {
		tree.close()
	}
}

// run visits every folder.
func (s *scan) run(ctx context.Context, index *index) error {
	level := make([]node, len(s.roots))
	for i, r := range s.roots {
		level[i] = node{root: r, name: ".", shown: ".", from: r.from, in: ".", old: index.root(&r.Root)}
	}
	for len(level) > 0 {
		s.levels = append(s.levels, level)
		if err := s.visitAll(ctx, level); err != nil {
			return err
		}
		level = s.nextLevel(level)
	}
	return nil
}

// nextLevel makes nodes of the sub-folders that were found, as far as the
// limits go.
func (s *scan) nextLevel(level []node) []node {
	count := 0
	for i := range level {
		n := &level[i]
		if room := s.c.opt.Rules.MaxDirs - n.root.dirs; len(n.subs) > room {
			n.subs, n.stamp = n.subs[:room], stamp{}
			s.truncate(n.root)
		}
		n.root.dirs += len(n.subs)
		count += len(n.subs)
	}
	next := make([]node, 0, count)
	for i := range level {
		n := &level[i]
		for _, sub := range n.subs {
			child := node{root: n.root, parent: n, name: sub.name, link: sub.link, depth: n.depth + 1, old: sub.old,
				shown: join(n.shown, sub.name), from: n.from}
			if child.in = child.shown; n.in != n.shown {
				child.in = join(n.in, sub.name)
			}
			next = append(next, child)
		}
	}
	return next
}

func (s *scan) truncate(r *rootScan) {
	if r.truncated {
		return
	}
	r.truncated = true
	s.problems = append(s.problems, skill.RootTruncated.New(r.Path, 0,
		fmt.Sprintf("more than %d folders lie below %s; the rest was not searched", s.c.opt.Rules.MaxDirs, quote(r.Path)),
		"move what holds no skills elsewhere"))
}

// grain is how many folders a worker takes at a time: enough that taking them
// costs nothing, few enough that the workers finish together.
const grain = 16

// visitAll visits the folders of a level. It fails only if ctx ends.
func (s *scan) visitAll(ctx context.Context, level []node) error {
	var next atomic.Int64
	run := func(w *worker) {
		for ctx.Err() == nil {
			end := int(next.Add(grain))
			if end-grain >= len(level) {
				return
			}
			for i := end - grain; i < min(end, len(level)); i++ {
				w.visit(&level[i])
			}
		}
	}
	want := min(s.c.workers, (len(level)+grain-1)/grain)
	for len(s.workers) < want {
		s.workers = append(s.workers, newWorker(s))
	}
	var wg sync.WaitGroup
	for _, w := range s.workers[1:want] {
		wg.Go(func() { run(w) })
	}
	run(s.workers[0])
	wg.Wait()
	return ctx.Err()
}

// defaultWorkers: reading what the system has cached gains nothing beyond the
// number of processors, reading from a disk gains up to about eight.
func defaultWorkers() int { return min(runtime.GOMAXPROCS(0), 8) }
