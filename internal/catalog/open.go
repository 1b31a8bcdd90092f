package catalog

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Open returns e whole: prompts, body, resources, digest and survey, read anew.
// What other skills and the user's choices say of e stays as it was; what its
// files and the machine say is said anew. It fails if the folder is no longer
// a skill or ctx ends.
func (c *Catalog) Open(ctx context.Context, e *skill.Entry) (*skill.Entry, error) {
	i := slices.IndexFunc(c.opt.Roots, func(r Root) bool { return r.Path == e.Root })
	if i < 0 {
		return c.Inspect(ctx, e.Path)
	}
	s := c.newScan()
	defer s.close()
	s.openRoots(c.opt.Roots[i : i+1])
	n, err := s.locate(e)
	if err != nil {
		return nil, err
	}
	full, usable, err := s.whole(ctx, n, n.sharesFolder(e))
	if err != nil {
		return nil, err
	}
	var shadowed, chosen []skill.Reason
	for _, r := range e.Reasons {
		switch r.Code {
		case skill.ReasonShadowed, skill.ReasonDuplicate, skill.ReasonSameFolder:
			shadowed = append(shadowed, r)
		case skill.ReasonOff, skill.ReasonExcluded, skill.ReasonDisabled, skill.ReasonNotAllowed, skill.ReasonFiltered, skill.ReasonLimit:
			chosen = append(chosen, r)
		}
	}
	full.Trust, full.TrustReasons, full.Provenance = e.Trust, e.TrustReasons, e.Provenance // others may have lowered it since
	setStatus(full, usable, shadowed, chosen, n.gates)
	return full, nil
}

// Inspect reads one folder on its own, wherever it is, whole. Its path must be
// absolute, for a catalog knows of no working directory. The entry's
// status speaks of its files and gates alone. The path of a manifest stands for
// its folder. A folder that is no skill gives an error that matches
// [ErrNoManifest].
func (c *Catalog) Inspect(ctx context.Context, dir string) (*skill.Entry, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%s is not an absolute path", wording.Quote(dir))
	}
	dir = filepath.Clean(dir)
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", wording.Quote(dir), cleanCause(err))
	}
	if !info.IsDir() {
		if e, root, ok := c.documentAt(dir); ok {
			return c.inspect(ctx, *root, e)
		}
		if _, _, ok := c.parser.Rank(filepath.Base(dir)); !ok {
			return nil, noManifest(dir, c.manifests)
		}
		dir = filepath.Dir(dir)
	}
	return c.inspect(ctx, Root{Path: dir, Links: DenyLinks, Layout: wholeLayout}, &skill.Entry{Root: dir, Path: dir})
}

// inspect reads the skill of a root where e says it is, as one of unknown origin.
func (c *Catalog) inspect(ctx context.Context, root Root, e *skill.Entry) (*skill.Entry, error) {
	s := c.newScan()
	defer s.close()
	root.Class, root.Trust = "", skill.Installed
	s.openRoots([]Root{root})
	if len(s.roots) == 0 {
		return nil, fmt.Errorf("%s cannot be read; check its permissions", wording.Quote(root.Path))
	}
	n, err := s.locate(e)
	if err != nil {
		return nil, err
	}
	full, usable, err := s.whole(ctx, n, n.sharesFolder(e))
	if err != nil {
		return nil, err
	}
	setStatus(full, usable, nil, nil, s.gates(full, usable))
	return full, nil
}

func (s *scan) gates(e *skill.Entry, usable bool) []skill.Reason {
	if !usable {
		return nil
	}
	return s.check(&e.Skill)
}

// whole reads the folder of a node with all that is in it. A flat skill shares
// its folder with others, so only its manifests are its own.
func (s *scan) whole(ctx context.Context, n *node, flat bool) (e *skill.Entry, usable bool, err error) {
	w := newWorker(s)
	tree, err := s.use(n.from)
	if err != nil {
		return nil, false, fmt.Errorf("%s cannot be read: %w", wording.Quote(n.path()), cleanCause(err))
	}
	defer s.release(n.from, tree)
	dir, err := tree.open(n.holder(), &w.bufs)
	if err == nil {
		defer dir.close()
		if n.doc {
			err = w.takeDocument(n, dir)
		} else {
			err = w.list(n, dir)
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s cannot be read: %w", wording.Quote(n.path()), cleanCause(err))
	}
	if len(n.files) == 0 {
		return nil, false, noManifest(n.path(), s.c.manifests)
	}
	res, _ := w.parse(n, dir)
	if res == nil {
		return nil, false, noManifest(n.path(), s.c.manifests)
	}
	w.addSHA256(res.Skill.Manifests)
	res.Skill.Provenance.Source = w.sidecarName()
	root := &n.root.Root
	e = &skill.Entry{Skill: res.Skill, Source: root.Class, Root: root.Path, Path: n.folder(), Diagnostics: res.Diagnostics}
	e.Trust = root.Trust
	if !flat {
		v := s.survey(ctx, n, tree, true)
		e.Resources = v.resources
		e.Diagnostics = append(e.Diagnostics, v.problems...)
	}
	s.addDigest(ctx, n, e, flat)
	skill.SortDiagnostics(e.Diagnostics)
	makeAbsolute(e)
	n.gates = s.gates(e, res.Usable)
	return e, res.Usable, ctx.Err()
}

// addSHA256 completes manifests with the digests of the sources just read.
func (w *worker) addSHA256(manifests []skill.Manifest) {
	for i := range manifests {
		for _, src := range w.sources {
			if src.File == manifests[i].File {
				manifests[i].SHA256 = fmt.Sprintf("%x", sha256.Sum256(src.Data))
			}
		}
	}
}

// cleanCause is an error without the path that the message has already.
func cleanCause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
