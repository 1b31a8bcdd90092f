package catalog

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/skill"
)

// In a root of the layout "documents" each Markdown file is a skill. Its node is
// a child of the root's, as a folder's would be, but its folder is the root, in
// which nothing else belongs to it. The parser is told that the file is the
// manifest that holds instructions, and what it says is told of the file again.

// isDocument reports whether a file of that name is a skill by itself.
func isDocument(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && !strings.EqualFold(name, "README.md")
}

// hearDocument is [worker.hear] for a root whose files are skills.
func (w *worker) hearDocument(name string, k kind) bool {
	c := w.s.c
	switch nested := (k == folderKind || k == linkKind) && name == w.nested; {
	case c.skips(name):
	case nested, k != folderKind && isDocument(name):
		w.names = append(w.names, name...)
		w.ends = append(w.ends, nameEnd{end: len(w.names), link: nested && k == linkKind, doc: !nested})
	}
	return w.count(k)
}

// documents keeps either the folder of skills or the documents of a root. Where
// the folder is a link, the root says nothing of what that leads to, so it is
// listed each time.
func (w *worker) documents(n *node, subs []sub) []sub {
	isFolder := func(s sub) bool { return !s.doc }
	if i := slices.IndexFunc(subs, isFolder); i >= 0 {
		w.partial = w.partial || subs[i].link
		if !subs[i].link || n.leadsToFolder(subs[i].name) {
			return subs[i : i+1]
		}
	}
	return slices.DeleteFunc(subs, isFolder)
}

// leadsToFolder reports whether a link in a node's folder leads to a folder.
func (n *node) leadsToFolder(link string) bool {
	if n.from.real == "" {
		return false
	}
	info, err := os.Stat(filepath.Join(n.real(), link))
	return err == nil && info.IsDir()
}

// holder is the path of the folder in which the manifests of a node lie.
func (n *node) holder() string {
	if n.doc {
		return n.parent.in
	}
	return n.in
}

// visitDocument reads the file that a node stands for.
func (w *worker) visitDocument(n *node) {
	before := w.parsed
	if err := w.readDocument(n); err != nil {
		w.changed = w.changed || n.root.FS == nil
		w.folderProblem(n, err)
	}
	w.changed = w.changed || n.root.FS == nil && w.parsed != before
}

func (w *worker) readDocument(n *node) error {
	tree, err := w.s.use(n.from)
	if err != nil {
		return err
	}
	defer w.s.release(n.from, tree)
	dir, err := tree.open(n.holder(), &w.bufs)
	if err != nil {
		return err
	}
	defer dir.close()
	if err := w.takeDocument(n, dir); err != nil {
		return err
	}
	w.load(n, dir)
	return nil
}

// takeDocument makes the file the manifest of its node.
func (w *worker) takeDocument(n *node, dir folder) error {
	_, k, err := dir.lstat(n.name)
	if err != nil {
		return err
	}
	w.sidecar = 0 // what lies beside it is about the folder
	n.files = []manifestFile{{name: n.name, kind: k, usual: true}}
	w.found = append(w.found[:0], n.files...)
	return nil
}

// renameDocument tells of the file what the parser said of the manifest it was
// taken for.
func (w *worker) renameDocument(n *node) {
	manifest, res := w.s.c.markdown, &w.result
	rename := func(file *string) {
		if *file == manifest {
			*file = n.name
		}
	}
	for i := range w.sources {
		rename(&w.sources[i].File)
	}
	for i := range res.Diagnostics {
		d := &res.Diagnostics[i]
		rename(&d.File)
		d.Message = strings.ReplaceAll(d.Message, manifest, n.name)
		d.Hint = strings.ReplaceAll(d.Hint, manifest, n.name)
	}
	for i := range res.Skill.Manifests {
		rename(&res.Skill.Manifests[i].File)
	}
	for i := range res.Skill.Extra {
		rename(&res.Skill.Extra[i].File)
	}
}

// markdownManifest is the usual name of the manifest that holds instructions.
func markdownManifest(manifests []string) (string, error) {
	for _, name := range manifests {
		if strings.EqualFold(path.Ext(name), ".md") {
			return name, nil
		}
	}
	return "", errors.New("the layout of documents needs a Markdown file among format.manifests")
}

// document finds the node of an entry of a root whose files are skills.
func (s *scan) document(root *node, e *skill.Entry) (*node, bool) {
	w := newWorker(s)
	tree, err := s.use(root.from)
	if err != nil {
		return nil, false
	}
	defer s.release(root.from, tree)
	dir, err := tree.open(root.in, &w.bufs)
	if err != nil {
		return nil, false
	}
	defer dir.close()
	if w.list(root, dir) != nil {
		return nil, false
	}
	for _, sub := range root.subs {
		n := root.child(sub)
		if sub.doc && n.slug() == e.Slug && (len(e.Manifests) == 0 || e.Manifests[0].File == sub.name) {
			return &n, true
		}
	}
	return nil, false
}

// documentAt returns an entry for a file that is a skill by itself, because it
// lies in a root of such files.
func (c *Catalog) documentAt(file string) (*skill.Entry, *Root, bool) {
	dir, name := filepath.Split(file)
	for i := range c.opt.Roots {
		r := &c.opt.Roots[i]
		if l, err := c.layoutOf(r); err == nil && l.documents && r.FS == nil && r.Path == filepath.Clean(dir) && isDocument(name) {
			e := &skill.Entry{Root: r.Path, Path: r.Path}
			e.Slug = strings.TrimSuffix(name, filepath.Ext(name))
			e.Name, e.Manifests = e.Slug, []skill.Manifest{{File: name}}
			return e, r, true
		}
	}
	return nil, nil, false
}
