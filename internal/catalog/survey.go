package catalog

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

const (
	// maxResources is far above the few hundred files of the largest skills
	// there are; what has more is not a skill but a project.
	maxResources = 10_000
	// maxSurveyed bounds the names looked at in one skill, files or not.
	maxSurveyed = 10 * maxResources
	// maxDepth is deeper than any tool nests folders on purpose.
	maxDepth = 64
	// maxFindings keeps a hostile folder from flooding a report.
	maxFindings = 100
)

// Survey returns a copy of s in which each entry also tells what lies deeper in
// its folder: nested manifests, special files, links that leave it. The version
// stays: it is the same set of skills.
func (c *Catalog) Survey(ctx context.Context, s *Snapshot) (*Snapshot, error) {
	deep := *s
	deep.Entries = slices.Clone(s.Entries)
	sc := c.newScan()
	defer sc.close()
	sc.openRoots(c.opt.Roots)
	err := sc.parallel(ctx, len(deep.Entries), func(_ *worker, i int) {
		if problems := sc.surveyEntry(ctx, deep.Entries[i]); len(problems) > 0 {
			e := *deep.Entries[i]
			e.Diagnostics = slices.Concat(e.Diagnostics, problems)
			skill.SortDiagnostics(e.Diagnostics)
			deep.Entries[i] = &e
		}
	})
	if err != nil {
		return nil, err
	}
	return &deep, nil
}

// surveyEntry returns what there is to say of an entry on disk, with absolute
// paths. One that is gone has nothing left to survey.
func (s *scan) surveyEntry(ctx context.Context, e *skill.Entry) []skill.Diagnostic {
	n, err := s.locate(e)
	if err != nil || n.root.FS != nil || n.sharesFolder(e) {
		return nil
	}
	tree, err := s.use(n.from)
	if err != nil {
		return nil
	}
	defer s.release(n.from, tree)
	v := s.survey(ctx, n, tree, false)
	found := skill.Entry{Path: e.Path, Diagnostics: v.problems}
	makeAbsolute(&found)
	return found.Diagnostics
}

// survey is a walk through one skill's folder.
type survey struct {
	c         *Catalog
	tree      tree
	node      *node
	real      string // of the folder; empty in an embedded tree
	bufs      buffers
	measure   bool // collect resources
	resources []skill.Resource
	problems  []skill.Diagnostic // files relative to the folder
	names     int
	findings  int
}

// survey walks the folder of a node. It never follows a link.
func (s *scan) survey(ctx context.Context, n *node, tree tree, measure bool) *survey {
	v := &survey{c: s.c, tree: tree, node: n, measure: measure}
	if n.from.real != "" {
		v.real = n.real()
	}
	v.walk(ctx, ".", 0, false)
	if more := v.findings - len(v.problems); more > 0 {
		v.problems = append(v.problems, skill.LimitExceeded.New("", 0,
			fmt.Sprintf("%d more findings of this kind are not listed", more), "look at the folder itself"))
	}
	slices.SortFunc(v.resources, func(a, b skill.Resource) int { return strings.Compare(a.Path, b.Path) })
	if len(v.resources) > maxResources {
		v.resources = v.resources[:maxResources]
		v.problems = append(v.problems, skill.LimitExceeded.New("", 0,
			fmt.Sprintf("the folder holds more than %d files; the rest is not listed", maxResources), "keep only what the skill needs in its folder"))
	}
	skill.SortDiagnostics(v.problems)
	return v
}

// walk looks at one folder of the skill. skipped is set below folders in which
// skills are never searched for.
func (v *survey) walk(ctx context.Context, dir string, depth int, skipped bool) {
	type child struct {
		name string
		kind kind
	}
	if depth > maxDepth {
		v.find(skill.LimitExceeded.New(dir, 0, fmt.Sprintf("folders are nested more than %d deep; the rest is not looked at", maxDepth), "flatten the folder"))
		return
	}
	f, err := v.tree.open(join(v.node.in, dir), &v.bufs)
	if err != nil {
		v.unreadable(dir, err)
		return
	}
	defer f.close()
	var children []child
	err = f.list(func(name string, k kind) bool {
		children = append(children, child{strings.Clone(name), k})
		v.names++
		return v.names <= maxSurveyed && ctx.Err() == nil
	})
	if err != nil {
		v.unreadable(dir, err)
		return
	}
	if v.names > maxSurveyed {
		// What was listed first is arbitrary, so none of this folder counts.
		v.find(skill.LimitExceeded.New(dir, 0, fmt.Sprintf("the skill holds more than %d names; the rest is not looked at", maxSurveyed), "keep only what the skill needs in its folder"))
		return
	}
	slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.name, b.name) })
	for _, c := range children {
		path := join(dir, c.name)
		_, _, manifest := v.c.parser.Rank(c.name)
		if manifest && dir == "." {
			continue // the skill's own
		}
		if manifest && !skipped && (c.kind == fileKind || c.kind == linkKind) {
			v.find(skill.NestedManifest.New(path, 0, wording.Quote(path)+" belongs to this skill and is not a skill of its own", "move its folder out of this one if it is meant to be a skill"))
		}
		switch c.kind {
		case folderKind:
			if c.name == ".git" { // no part of the digest either
				continue
			}
			v.walk(ctx, path, depth+1, skipped || v.c.skips(c.name))
		case linkKind:
			v.link(path)
		case otherKind:
			v.find(skill.SpecialFile.New(path, 0, wording.Quote(path)+" is a pipe, socket or device; it is never opened", "remove it"))
		case fileKind:
			v.resource(f, c.name, path)
		}
	}
}

// resource notes a file; one beyond the limit stands for all the rest.
func (v *survey) resource(dir folder, name, path string) {
	if !v.measure || len(v.resources) > maxResources {
		return
	}
	if st, k, err := dir.lstat(name); err == nil && k == fileKind {
		v.resources = append(v.resources, skill.Resource{Path: path, Size: st.size, Executable: st.mode&0o100 != 0})
	}
}

// link says whether a link inside a skill leads out of it.
func (v *survey) link(path string) {
	if v.real == "" {
		return
	}
	link := filepath.Join(v.real, filepath.FromSlash(path))
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		v.find(brokenLink(path, link, err))
		return
	}
	if _, ok := inside(target, v.real); !ok {
		v.find(skill.LinkRefused.New(path, 0, "the link "+wording.Quote(path)+" leads to "+wording.Quote(target)+", outside the skill's folder", "copy what it leads to into the folder"))
	}
}

func (v *survey) unreadable(dir string, err error) {
	if gone(err) {
		v.find(skill.DirVanished.New(dir, 0, wording.Quote(dir)+" went away while it was being read", "try again"))
		return
	}
	v.find(skill.DirUnreadable.New(dir, 0, wording.Quote(dir)+" cannot be read: "+cause(err), "check its permissions"))
}

func (v *survey) find(d skill.Diagnostic) {
	if v.findings++; v.findings <= maxFindings {
		v.problems = append(v.problems, d)
	}
}
