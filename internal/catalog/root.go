package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// rootScan is a root that exists.
type rootScan struct {
	Root
	rank   int // its place in the order of precedence
	layout layout
	// from is where its folders are opened from.
	from *anchor
	// within is where contained links may lead, besides the root itself.
	within func() (*anchor, error)
	// targets are where they may lead besides.
	targets   func() []*anchor
	info      fs.FileInfo // nil for an embedded tree
	dirs      int
	truncated bool
}

// anchor is a directory on disk or in the program, its links resolved.
type anchor struct {
	real string // its path; empty for an embedded tree
	tree tree   // nil if it is to be opened for every use
}

// openRoots opens the roots that exist, each directory once.
func (s *scan) openRoots(roots []Root) {
	for rank, root := range roots {
		r := &rootScan{Root: root, rank: rank}
		r.layout, _ = s.c.layoutOf(&root) // was checked
		if root.FS != nil {
			r.from = &anchor{tree: fsTree{root.FS}}
			s.roots = append(s.roots, r)
			continue
		}
		if err := s.openRoot(r); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				s.missing = append(s.missing, root.Path)
			} else {
				s.problems = append(s.problems, skill.RootUnreadable.New(root.Path, 0,
					"the root "+wording.Quote(root.Path)+" cannot be searched: "+cause(err), "check its permissions, or take it out of the configuration"))
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
	if errors.Is(err, syscall.ENOTDIR) { // a file lies on the way to it
		return fs.ErrNotExist
	}
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
	s.lowerTrust(r, real)
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
	r.targets = sync.OnceValue(func() []*anchor { return s.anchors(r.Targets) })
	return nil
}

// anchors opens the directories that exist.
func (s *scan) anchors(dirs []string) []*anchor {
	var out []*anchor
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			var a *anchor
			if a, err = s.anchor(real); err == nil {
				out = append(out, a)
				continue
			}
		}
		s.c.log.Debug("links cannot lead into a directory", "directory", dir, "cause", err)
	}
	return out
}

// lowerTrust does not let a workspace make skills of another place its own: a
// root that is a link out of where it belongs is searched, but what it holds
// counts as installed.
func (s *scan) lowerTrust(r *rootScan, real string) {
	if _, ours := inside(r.Path, r.Within); !ours || r.Within == "" || !skill.Installed.Below(r.Trust) {
		return
	}
	within, err := filepath.EvalSymlinks(r.Within)
	if err != nil {
		return // the root itself could be resolved, so this cannot be
	}
	if _, ok := inside(real, within); ok {
		return
	}
	r.Trust = skill.Installed
	s.problems = append(s.problems, skill.RootLeaves.New(r.Path, 0,
		"the root "+wording.Quote(r.Path)+" is a link to "+wording.Quote(real)+", outside "+wording.Quote(within)+
			", so its skills count as installed", "copy the skills, or add their place to skills.extra_roots"))
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

// use returns the tree of an anchor. Give it back with release.
func (s *scan) use(a *anchor) (tree, error) {
	if a.tree != nil {
		return a.tree, nil
	}
	return s.c.openTree(a.real)
}

func (s *scan) release(a *anchor, t tree) {
	if a.tree == nil {
		t.close()
	}
}

func (s *scan) close() {
	for _, tree := range s.open {
		tree.close()
	}
}

// path is the absolute path of a folder below the root.
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

// shown is the path of a folder below a root, with forward slashes.
func (r *Root) shown(path string) (string, bool) {
	if path == r.Path {
		return ".", true
	}
	if r.FS != nil {
		rest, ok := strings.CutPrefix(path, r.path(""))
		return rest, ok && rest != ""
	}
	rest, ok := inside(path, r.Path)
	return filepath.ToSlash(rest), ok
}
