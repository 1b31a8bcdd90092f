package catalog

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// scan is one load in progress. It goes through all roots level by level: the
// folders of a level are visited by several workers at once, then the next
// level is made of what they found, in order. So the same files give the same
// nodes however the workers were scheduled, and limits cut at the same place.
type scan struct {
	c   *Catalog
	env func() *gate.Environment // the machine as it is during this scan
	// moment is before anything was looked at; see [stamp.settled].
	moment   time.Time
	roots    []*rootScan
	missing  []string // paths of roots that do not exist
	levels   [][]node
	problems []skill.Diagnostic // of roots
	workers  []*worker
	trust    func(e *skill.Entry) // nil leaves it to the roots
	trusted  func()
	ways     map[string]int // how often links led to a folder, by its real path
	alphabet *alphabet      // nil if names are in order of bytes
	limited  map[*node]skill.Reason

	openMu sync.Mutex
	open   []tree
}

func (c *Catalog) newScan() *scan {
	s := &scan{c: c, env: func() *gate.Environment { return nil }}
	if c.opt.Env != nil {
		s.env = sync.OnceValue(c.opt.Env)
	}
	return s
}

// node is a folder that may be a skill or hold some.
type node struct {
	root   *rootScan
	parent *node
	name   string
	shown  string     // path below the root as the user sees it; "." is the root
	link   bool       // the name is a link
	lost   bool       // it is a link that leads nowhere or may not be followed
	bare   bool       // a manifest in it makes it no skill
	doc    bool       // it is a file, which is a skill by itself
	left   int        // how many levels of folders below it are searched
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
	doc  bool // it is no folder but a skill by itself
	old  *oldFolder
}

// real is the path of a node's folder, links resolved.
func (n *node) real() string {
	if n.in == "." {
		return n.from.real
	}
	return filepath.Join(n.from.real, filepath.FromSlash(n.in))
}

// target is where the node is if its path does not say so, because it is a link
// or a root behind one.
func (n *node) target() string {
	if n.link && !n.lost || n.parent == nil && n.from.real != n.root.Path {
		return n.real()
	}
	return ""
}

// path is the absolute path of a node's folder as the user sees it.
func (n *node) path() string { return n.root.path(n.shown) }

// folder is the path of the skill's folder as its entry tells it.
func (n *node) folder() string {
	switch {
	case n.doc:
		return n.root.Path
	case n.root.Real && n.from.real != "":
		return n.real()
	}
	return n.path()
}

// slug is the name of the folder, or of the file without its ending.
func (n *node) slug() string {
	if n.doc {
		return strings.TrimSuffix(n.name, filepath.Ext(n.name))
	}
	if n.shown != "." {
		return n.name
	}
	if n.root.FS != nil {
		return strings.TrimSuffix(n.root.Path, ":")
	}
	return filepath.Base(n.root.Path)
}

// join puts two relative paths together.
func join(dir, path string) string {
	switch {
	case dir == ".":
		return path
	case path == ".":
		return dir
	}
	return dir + "/" + path
}

// run visits every folder.
func (s *scan) run(ctx context.Context, index *index) error {
	level := make([]node, len(s.roots))
	for i, r := range s.roots {
		level[i] = *s.rootNode(r, index.root(&r.Root))
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

func (s *scan) rootNode(r *rootScan, old *oldFolder) *node {
	n := &node{root: r, name: ".", shown: ".", from: r.from, in: ".", old: old, bare: r.layout.bare, left: r.Depth}
	switch {
	case r.layout.shallow:
		n.left = 1
	case r.Nested != "" && n.slug() == r.Nested:
		n.left = r.NestedDepth
	}
	return n
}

// nextLevel makes nodes of the sub-folders that were found, as far as the
// limits go.
func (s *scan) nextLevel(level []node) []node {
	count := 0
	for i := range level {
		n := &level[i]
		s.limitWays(n)
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
			next = append(next, n.child(sub))
		}
	}
	return next
}

// maxWays is how often links may lead to one folder full of folders. People
// have two or three ways to a folder; a few that all lead to each other would
// make millions.
const maxWays = 4

// limitWays keeps a node from being searched if its folder was reached often
// enough.
func (s *scan) limitWays(n *node) {
	if !n.link || len(n.subs) == 0 {
		return
	}
	if s.ways == nil {
		s.ways = map[string]int{}
	}
	real := n.real()
	if s.ways[real]++; s.ways[real] > maxWays {
		n.subs = nil
		n.problems = append(n.problems, skill.LinkRefused.New(n.path(), 0,
			fmt.Sprintf("the link %s to %s was not followed: %d other links lead there", wording.Quote(n.path()), wording.Quote(real), maxWays),
			"remove the link"))
	}
}

func (n *node) child(sub sub) node {
	child := node{root: n.root, parent: n, name: sub.name, link: sub.link, doc: sub.doc, left: n.left - 1, old: sub.old,
		shown: join(n.shown, sub.name), from: n.from}
	if child.in = child.shown; n.in != n.shown {
		child.in = join(n.in, sub.name)
	}
	if sub.name == n.root.Nested && n.parent == nil {
		child.nest()
	}
	return child
}

// nest makes a node the folder in which a root keeps its skills.
func (n *node) nest() {
	switch layout := n.root.layout; {
	case layout.documents:
		n.bare, n.left = true, 1
	case !layout.shallow:
		n.left = n.root.NestedDepth
	}
}

func (s *scan) truncate(r *rootScan) {
	if r.truncated {
		return
	}
	r.truncated = true
	s.problems = append(s.problems, skill.RootTruncated.New(r.Path, 0,
		fmt.Sprintf("more than %d folders lie below %s; the rest was not searched", s.c.opt.Rules.MaxDirs, wording.Quote(r.Path)),
		"move what holds no skills elsewhere"))
}

// visitAll visits the folders of a level. It fails only if ctx ends.
func (s *scan) visitAll(ctx context.Context, level []node) error {
	return s.parallel(ctx, len(level), func(w *worker, i int) { w.visit(&level[i]) })
}

// grain is how many pieces of work a worker takes at a time: enough that
// taking them costs nothing, few enough that the workers finish together.
const grain = 16

// parallel does n pieces of work with several workers. It fails only if ctx
// ends.
func (s *scan) parallel(ctx context.Context, n int, do func(w *worker, i int)) error {
	var next atomic.Int64
	run := func(w *worker) {
		for ctx.Err() == nil {
			end := int(next.Add(grain))
			if end-grain >= n {
				return
			}
			for i := end - grain; i < min(end, n); i++ {
				do(w, i)
			}
		}
	}
	want := max(1, min(s.c.workers, (n+grain-1)/grain))
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

// defaultWorkers: what the system has cached is read no faster by more workers
// than processors, and hardly slower by twice as many; what it has not is read
// faster by up to eight.
func defaultWorkers() int { return min(2*runtime.GOMAXPROCS(0), 8) }
