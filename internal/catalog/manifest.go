package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// choose keeps one manifest of each rank: the one that is spelled the usual
// way, else the first. It bounds what is read of one folder.
func (w *worker) choose(n *node) {
	if len(w.found) == 0 {
		return
	}
	slices.SortFunc(w.found, func(a, b manifestFile) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		if a.usual != b.usual {
			if a.usual {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.name, b.name)
	})
	n.files = slices.CompactFunc(slices.Clone(w.found), func(a, b manifestFile) bool { return a.rank == b.rank })
}

// duplicates tells which manifests were not chosen; one diagnostic a rank,
// for a hostile folder can have thousands.
func (w *worker) duplicates(n *node) []skill.Diagnostic {
	if len(w.found) == len(n.files) {
		return nil
	}
	var out []skill.Diagnostic
	for _, chosen := range n.files {
		var others []string
		for _, f := range w.found {
			if f.rank == chosen.rank && f.name != chosen.name {
				others = append(others, f.name)
			}
		}
		if len(others) == 0 {
			continue
		}
		message := fmt.Sprintf("%s is not read, because %s means the same", wording.Quote(others[0]), wording.Quote(chosen.name))
		if more := len(others) - 1; more > 0 {
			message += fmt.Sprintf("; nor are %d more spellings of it", more)
		}
		out = append(out, skill.FileDuplicate.New(others[0], 0, message, "keep one of them, spelled "+w.s.c.manifests[chosen.rank]))
	}
	return out
}

// load makes an entry of a folder that holds manifests.
func (w *worker) load(n *node, dir folder) {
	if w.sameFiles(n, dir) {
		w.reused++
		return
	}
	w.parsed++
	res, settled := w.parse(n, dir)
	if res == nil { // all of them went away
		n.files, n.stamp = nil, stamp{}
		return
	}
	if !settled {
		for i := range n.files {
			n.files[i].stamp = stamp{}
		}
	}
	res.Skill.Provenance.Source = w.sidecarName()
	n.record, w.packed = pack(res, w.packed, w.mem)
	if !w.unpack(n) { // cannot be: it was written by the same code
		panic("catalog: a record cannot be read back: " + n.path())
	}
}

// sameFiles takes the record of a folder from the index if the folder has
// changed but not its manifests.
func (w *worker) sameFiles(n *node, dir folder) bool {
	if n.old == nil || len(n.old.files) != len(n.files) || len(w.found) != len(n.files) {
		return false
	}
	for i, f := range n.files {
		old := &n.old.files[i]
		if f.name != old.name {
			return false
		}
		if st, _, err := dir.lstat(f.name); err != nil || !st.same(old.stamp) {
			return false
		}
	}
	if n.record = n.old.record; !w.unpack(n) {
		return false
	}
	// A record that tells of a spelling or sidecar that is gone now is out of date.
	if n.entry.Provenance.Source != w.sidecarName() || slices.ContainsFunc(n.entry.Diagnostics, func(d skill.Diagnostic) bool { return d.Code == skill.FileDuplicate }) {
		n.entry, n.gates = nil, nil
		return false
	}
	n.files = n.old.files
	return true
}

// parse reads the manifests of a folder. settled says whether the result can
// be kept until a stamp changes; it cannot if anything stood in the way of
// reading, which no stamp may tell. The result is nil if there is no manifest
// left; it is valid until the next call.
func (w *worker) parse(n *node, dir folder) (res *format.Result, settled bool) {
	w.sources = w.sources[:0]
	problems, left, unread := w.duplicates(n), 0, false
	settled = true
	for i := range n.files {
		f := &n.files[i]
		if len(w.data) <= len(w.sources) {
			w.data = append(w.data, nil)
		}
		buf := &w.data[len(w.sources)]
		data, st, problem := w.readManifest(n, dir, f, *buf)
		if problem != nil {
			problems, settled = append(problems, *problem), false
			if problem.Code != skill.DirVanished {
				left, unread = left+1, true
			}
			continue
		}
		left++
		*buf = data
		f.stamp = st.settled(w.s.moment)
		file := f.name
		if n.doc {
			file = w.s.c.markdown
		}
		w.sources = append(w.sources, format.Source{File: file, Data: data, Lent: true})
	}
	switch {
	case left == 0:
		for i := range problems {
			problems[i].File = n.path()
		}
		n.problems = append(n.problems, problems...)
		return nil, false
	case len(w.sources) == 0:
		w.result = format.Result{Skill: skill.Skill{Name: n.slug(), Slug: n.slug()}}
	default:
		w.result = w.s.c.parser.Parse(n.slug(), w.sources)
		if n.doc {
			w.renameDocument(n)
		}
		// What the file that could not be read requires is not known, and
		// unknown is never the same as none.
		requires := &w.result.Skill.Requires
		requires.Unreadable = requires.Unreadable || unread
	}
	res = &w.result
	res.Diagnostics = append(res.Diagnostics, problems...)
	skill.SortDiagnostics(res.Diagnostics)
	return res, settled
}

// readManifest reads one file, or says why not.
func (w *worker) readManifest(n *node, dir folder, f *manifestFile, buf []byte) ([]byte, stamp, *skill.Diagnostic) {
	path := f.name
	switch f.kind {
	case linkKind:
		target, problem := w.manifestLink(n, f.name)
		if problem != nil {
			return nil, stamp{}, problem
		}
		path, f.leads = target, target
	case folderKind, otherKind:
		return nil, stamp{}, ptr(notRegular(f.name))
	}
	limit := w.s.c.limits.FileBytes
	data, st, err := dir.read(path, limit, buf)
	if err == nil && st.links > 1 && w.s.c.denyHardLinks && n.root.Class != bundledClass {
		return nil, stamp{}, ptr(skill.FileEscapes.New(f.name, 0,
			fmt.Sprintf("%s has %d names, of which others may lie outside the skill's folder, so it is not used", f.name, st.links),
			"put a copy of the file in its place"))
	}
	if err == nil {
		if f.kind == linkKind {
			st = stamp{} // what it leads to may change without the link
		}
		return data, st, nil
	}
	switch {
	case errors.Is(err, errNotRegular):
		return nil, stamp{}, ptr(notRegular(f.name))
	case errors.Is(err, errTooLarge):
		return nil, stamp{}, ptr(skill.FileTooLarge.New(f.name, 0,
			fmt.Sprintf("%s is larger than %d bytes, so it was not read", f.name, limit), "move what is not instructions into files beside it"))
	case gone(err):
		return nil, stamp{}, ptr(skill.DirVanished.New(f.name, 0, f.name+" went away while it was being read", "try again"))
	default:
		return nil, stamp{}, ptr(skill.FileUnreadable.New(f.name, 0, f.name+" cannot be read: "+cause(err), "check its permissions"))
	}
}

func notRegular(name string) skill.Diagnostic {
	return skill.FileNotRegular.New(name, 0, name+" is not a regular file, so it was not opened", "put a file in its place")
}

// manifestLink resolves a manifest that is a link. It returns where it leads,
// below the skill's folder.
func (w *worker) manifestLink(n *node, name string) (string, *skill.Diagnostic) {
	if n.from.real == "" {
		return "", ptr(notRegular(name))
	}
	if w.s.c.denyLinks {
		return "", ptr(skill.FileEscapes.New(name, 0, name+" is a link, which is not followed here", "put a copy of the file in its place"))
	}
	holder := n
	if n.doc {
		holder = n.parent
	}
	folder := holder.real()
	target, err := filepath.EvalSymlinks(filepath.Join(folder, name))
	switch {
	case err != nil && errors.Is(err, fs.ErrPermission):
		return "", ptr(skill.FileUnreadable.New(name, 0, name+" is a link that cannot be followed: "+cause(err), "check the permissions of what it leads to"))
	case err != nil:
		return "", ptr(skill.LinkLoop.New(name, 0, name+" is a link that leads to itself or to nothing", "remove the link or mend what it leads to"))
	}
	below, ok := inside(target, folder)
	if !ok || below == "." {
		return "", ptr(skill.FileEscapes.New(name, 0,
			name+" is a link to "+wording.Quote(target)+", outside the skill's folder, so it was not read", "copy the file into the folder"))
	}
	return filepath.ToSlash(below), nil
}

// unpack makes the entry of a node from its record.
func (w *worker) unpack(n *node) bool {
	e := &w.mem.entries.take(1)[0]
	usable, ok := n.record.unpack(e, w.mem)
	if !ok {
		return false
	}
	root := &n.root.Root
	e.Source, e.Root, e.Path, e.Trust = root.Class, root.Path, n.folder(), root.Trust
	if root.FS != nil {
		e.Provenance.Source = root.Class
	}
	makeAbsolute(e)
	n.entry, n.usable = e, usable
	if usable {
		n.gates = w.s.check(&e.Skill)
	}
	return true
}

// makeAbsolute puts the folder before the names of files in diagnostics.
func makeAbsolute(e *skill.Entry) {
	separator := string(filepath.Separator)
	if strings.HasSuffix(e.Path, ":") { // the root of an embedded tree
		separator = ""
	} else if !filepath.IsAbs(e.Path) {
		separator = "/"
	}
	var last, absolute string
	for i := range e.Diagnostics {
		d := &e.Diagnostics[i]
		if d.File == "" {
			d.File = e.Path
			continue
		}
		if d.File != last { // they are sorted by file
			last, absolute = d.File, e.Path+separator+filepath.FromSlash(d.File)
		}
		d.File = absolute
	}
}

func ptr[T any](v T) *T { return &v }

// temporary is a string that is only valid until the bytes change.
func temporary(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
