package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// worker visits folders, one at a time, with buffers of its own.
type worker struct {
	s    *scan
	mem  *memory
	bufs buffers
	tell func(string, kind) bool // the method value, made once

	// Of the folder that is being listed.
	found           []manifestFile
	names           []byte // of sub-folders, one after the other
	ends            []nameEnd
	folders, others int
	overflow        bool
	sidecar         int    // its place in [Options].Sidecars from 1; 0 is none
	partial         bool   // its stamp does not tell when it must be listed again
	nested          string // the folder of skills among documents

	sources []format.Source
	result  format.Result
	data    [][]byte // what was read, by place in sources
	packed  []byte
	path    []byte

	parsed, reused int
	changed        bool // something is not as the index has it
}

// nameEnd is where a name ends in worker.names.
type nameEnd struct {
	end  int
	link bool
	doc  bool
}

// manifestFile is a file that makes a folder a skill.
type manifestFile struct {
	name  string
	leads string // of a link that was read: where to, below the skill's folder
	kind  kind
	stamp stamp // zero if it must be read again
	rank  int
	usual bool
}

func newWorker(s *scan) *worker {
	w := &worker{s: s, mem: &memory{}}
	w.tell = w.hear
	return w
}

// visit finds out what a folder is and, if it is a skill, what it says.
func (w *worker) visit(n *node) {
	if n.doc {
		w.visitDocument(n)
		return
	}
	n.lost = n.link && !w.follow(n)
	w.changed = w.changed || n.old != nil && n.old.target != n.target()
	if n.lost {
		return
	}
	tree, err := w.s.use(n.from)
	if err != nil {
		w.changed = true
		w.folderProblem(n, err)
		return
	}
	defer w.s.release(n.from, tree)
	if n.old != nil && w.unchanged(n, tree) {
		return
	}
	w.changed = w.changed || n.root.FS == nil
	dir, err := tree.open(n.in, &w.bufs)
	if err != nil {
		w.folderProblem(n, err)
		return
	}
	defer dir.close()
	var st stamp
	if w.s.c.opt.Index != "" { // else nobody asks
		st, err = dir.stamp()
	}
	if err == nil {
		err = w.list(n, dir)
	}
	if err != nil {
		w.folderProblem(n, err)
		return
	}
	if (!w.overflow || len(n.files) > 0) && !w.partial {
		n.stamp = st.settled(w.s.moment)
	}
	if len(n.files) > 0 {
		w.load(n, dir)
		if n.root.layout.whole && n.shown == "." {
			w.claim(n)
		}
	}
	w.cut(n)
}

// claim ends the search of a root that is a skill itself. One that cannot be
// used leaves the folder in which repositories keep skills, and what else is
// not searched because of it is told each time.
func (w *worker) claim(n *node) {
	if n.entry == nil {
		return // it went away
	}
	if n.usable {
		n.subs = nil
		return
	}
	count := len(n.subs)
	n.subs = slices.DeleteFunc(n.subs, func(s sub) bool { return s.name != n.root.Nested })
	if count == len(n.subs) {
		return
	}
	n.problems = append(n.problems, skill.RootTruncated.New(n.path(), 0,
		fmt.Sprintf("%s is a skill itself, though one that cannot be used, so its folders were not searched", wording.Quote(n.path())),
		"mend or remove "+wording.Quote(n.root.path(n.files[0].name))))
}

// list finds the manifests and sub-folders of a folder.
func (w *worker) list(n *node, dir folder) error {
	w.found, w.names, w.ends = w.found[:0], w.names[:0], w.ends[:0]
	w.folders, w.others, w.overflow, w.partial, w.sidecar = 0, 0, false, false, 0
	tell := w.tell
	if n.root.layout.documents && n.shown == "." {
		w.nested, tell = n.root.Nested, w.hearDocument
	}
	if err := dir.list(tell); err != nil {
		return err
	}
	if w.overflow {
		w.tooMany(n, dir)
	}
	if n.bare {
		w.found = w.found[:0]
	}
	w.choose(n)
	if n.shown == "." || len(n.files) == 0 {
		n.subs = w.subFolders(n)
	}
	return nil
}

// hear takes a name of the folder that is being listed. It returns false when
// there are more than can be taken.
func (w *worker) hear(name string, k kind) bool {
	c := w.s.c
	if rank, usual, ok := c.parser.Rank(name); ok {
		w.found = append(w.found, manifestFile{name: c.manifestName(rank, name), kind: k, rank: rank, usual: usual})
	} else if (k == folderKind || k == linkKind) && !c.skips(name) {
		w.names = append(w.names, name...)
		w.ends = append(w.ends, nameEnd{end: len(w.names), link: k == linkKind})
	} else if name[0] == '.' {
		w.hearSidecar(name)
	}
	return w.count(k)
}

// count counts a name. Folders are bounded by the number that may be visited: a
// library of a hundred thousand skills can be one folder.
func (w *worker) count(k kind) bool {
	if k == folderKind || k == linkKind {
		w.folders++
	} else {
		w.others++
	}
	rules := &w.s.c.opt.Rules
	w.overflow = w.others > rules.MaxEntries || w.folders > rules.MaxDirs
	return !w.overflow
}

// tooMany handles a folder with more names than may be listed. What the system
// listed first is arbitrary, so none of it counts: manifests are found by
// asking for their usual names, and folders in it are not searched.
func (w *worker) tooMany(n *node, dir folder) {
	w.found, w.names, w.ends = w.found[:0], w.names[:0], w.ends[:0]
	for _, name := range w.s.c.manifests {
		if rank, usual, ok := w.s.c.parser.Rank(name); ok {
			if _, k, err := dir.lstat(name); err == nil {
				w.found = append(w.found, manifestFile{name: name, kind: k, rank: rank, usual: usual})
			}
		}
	}
	w.askSidecars(dir)
	if len(w.found) == 0 || n.shown == "." || n.bare {
		n.problems = append(n.problems, skill.RootTruncated.New(n.path(), 0,
			fmt.Sprintf("%s holds more than %d names, so its folders were not searched", wording.Quote(n.path()), w.s.c.opt.Rules.MaxEntries),
			"put its skills into several folders"))
	}
}

// subFolders returns the names that were heard, in order, each with what the
// index has of it.
func (w *worker) subFolders(n *node) []sub {
	if n.left <= 0 || len(w.ends) == 0 {
		return nil
	}
	names, start := string(w.names), 0
	subs := make([]sub, len(w.ends))
	for i, e := range w.ends {
		subs[i] = sub{name: names[start:e.end], link: e.link, doc: e.doc}
		start = e.end
	}
	slices.SortFunc(subs, func(a, b sub) int { return strings.Compare(a.name, b.name) })
	if n.root.layout.documents && n.shown == "." {
		subs = w.documents(n, subs)
	}
	if n.old == nil {
		return subs
	}
	old := n.old.children // in the same order
	for i := range subs {
		for len(old) > 0 && old[0].name < subs[i].name {
			old = old[1:]
		}
		if len(old) > 0 && old[0].name == subs[i].name && old[0].link == subs[i].link {
			subs[i].old = &old[0]
		}
	}
	return subs
}

// folderProblem says why a folder was not read. Its place in the index is
// kept, without a stamp, so that it is tried again.
func (w *worker) folderProblem(n *node, err error) {
	path := n.path()
	if gone(err) {
		n.problems = append(n.problems, skill.DirVanished.New(path, 0,
			wording.Quote(path)+" went away while it was being read", "try again"))
		return
	}
	code := skill.DirUnreadable
	if n.shown == "." {
		code = skill.RootUnreadable
	}
	n.problems = append(n.problems, code.New(path, 0, wording.Quote(path)+" cannot be read: "+cause(err), "check its permissions"))
}

// gone reports whether something was there when its folder was listed, and no
// longer is, or became something else.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// cause is what an error says without the path, which the message has already.
func cause(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return err.Error()
}
