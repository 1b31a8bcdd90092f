package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// locate finds the folder of an entry below the open root it was found in, in
// the way it was found: links on the way are judged by the root's rule again.
func (s *scan) locate(e *skill.Entry) (*node, error) {
	missing := fmt.Errorf("the skill %s is no longer in %s: %w", wording.Quote(e.Name), wording.Quote(e.Path), fs.ErrNotExist)
	i := slices.IndexFunc(s.roots, func(r *rootScan) bool { return r.Path == e.Root })
	if i < 0 {
		for _, p := range s.problems {
			return nil, errors.New(p.Message)
		}
		return nil, missing
	}
	r := s.roots[i]
	n, w := s.rootNode(r, nil), newWorker(s)
	switch {
	case r.layout.documents && e.Path == r.Path:
		if doc, ok := s.document(n, e); ok {
			return doc, nil
		}
		return nil, missing
	case r.Real:
		return s.locateReal(n, e, missing)
	}
	shown, ok := r.shown(e.Path)
	if !ok {
		return nil, missing
	}
	if shown == "." {
		return n, nil
	}
	for name := range strings.SplitSeq(shown, "/") {
		next := n.child(sub{name: name})
		tree, err := s.use(n.from)
		if err != nil {
			return nil, missing
		}
		_, k, err := tree.lstat(next.in)
		s.release(n.from, tree)
		if err != nil {
			return nil, missing
		}
		if next.link = k == linkKind; next.link && !w.follow(&next) {
			for _, p := range next.problems {
				return nil, errors.New(p.Message)
			}
			return nil, missing
		}
		n = &next
	}
	return n, nil
}

// locateReal finds the folder of an entry that is known by its real path. The
// root's rule says whether a link may lead there.
func (s *scan) locateReal(root *node, e *skill.Entry, missing error) (*node, error) {
	real, err := filepath.EvalSymlinks(e.Path)
	if err != nil {
		return nil, missing
	}
	below, within := inside(real, root.real())
	if below == "." {
		return root, nil
	}
	n := root.child(sub{name: e.Slug, link: true})
	if within {
		n.in = filepath.ToSlash(below)
		return &n, nil
	}
	if !newWorker(s).allowed(&n, real) {
		for _, p := range n.problems {
			return nil, errors.New(p.Message)
		}
	}
	return &n, nil
}

// sharesFolder reports whether only its manifests are a skill's own: its folder
// is the root, which has others.
func (n *node) sharesFolder(e *skill.Entry) bool {
	if n.parent != nil {
		return n.doc
	}
	return !n.root.layout.whole || e.Status == skill.Invalid
}
