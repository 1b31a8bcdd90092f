package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"strings"
	"unsafe"
)

// index is what the last load found, kept in a file so that the next one need
// not list folders and read manifests that did not change.
//
//	magic, fingerprint
//	number of roots, then for each
//	    key
//	    number of folders, then level by level for each
//	        name, flags, where it leads if it is a link, stamp
//	        number of sub-folders
//	        number of manifests, then for each its name and stamp
//	        record and its sum, if there are manifests
//	CRC-32C of all before it
//
// The sub-folders of a folder stand together in the next level, so their number
// is enough to find them. An index that is damaged, of another version or made
// under other rules is not used: it is only ever a shortcut.
type index struct {
	data  string // the whole file
	roots []oldRoot
}

// oldRoot is a root as the index has it.
type oldRoot struct {
	key     string
	folders []oldFolder
	files   slab[manifestFile]
}

// oldFolder is a folder as the index has it.
type oldFolder struct {
	name     string
	link     bool
	doc      bool
	target   string // where a link leads; empty for others
	stamp    stamp  // zero if it must be listed
	children []oldFolder
	files    []manifestFile
	record   record
	subs     int
}

// indexMagic ends in the version of the form. Change it whenever what is
// written changes, records included.
const indexMagic = "knack\x00\x00\x06"

// maxIndexBytes is what an index of the largest tree that is searched takes,
// about a kilobyte a folder. A larger file is none of ours.
const maxIndexBytes = 1 << 30

// The least bytes that a folder and a file of it take.
const (
	oldFolderBytes = 1 + 1 + stampBytes + 1 + 1
	oldFileBytes   = 1 + stampBytes
)

// readIndex returns the persisted index, or nil if there is none to be used.
func (c *Catalog) readIndex() *index {
	if c.opt.Index == "" {
		return nil
	}
	data, err := readIndexFile(c.opt.Index)
	if err == nil {
		var x *index
		if x, err = decodeIndex(data, c.fingerprint); err == nil {
			return x
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.log.Debug("index is not used", "file", c.opt.Index, "cause", err)
	}
	return nil
}

// readIndexFile reads the file into a string without a second copy.
func readIndexFile(name string) (string, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	data, err := readRegular(file, info, maxIndexBytes, nil)
	return temporary(data), err // nothing writes to data any more
}

func decodeIndex(data, fingerprint string) (*index, error) {
	body, ok := strings.CutPrefix(data, indexMagic)
	if !ok || len(body) < crc32.Size {
		return nil, errors.New("not an index of this version")
	}
	body = body[:len(body)-crc32.Size]
	sum := binary.LittleEndian.Uint32([]byte(data[len(data)-crc32.Size:]))
	if checksum(bytesOf(data[:len(data)-crc32.Size])) != sum {
		return nil, errors.New("damaged")
	}
	var made string
	w := reader(body, &memory{})
	if w.string(&made); made != fingerprint {
		return nil, errors.New("made under other rules or by another build")
	}
	x := &index{data: data}
	n := 0
	w.count(&n, 2)
	for range n {
		x.roots = append(x.roots, oldRoot{})
		x.roots[len(x.roots)-1].read(w)
	}
	if w.bad || w.in != "" {
		return nil, errors.New("damaged")
	}
	return x, nil
}

func (r *oldRoot) read(w *wire) {
	w.string(&r.key)
	n := 0
	w.count(&n, oldFolderBytes)
	r.folders = make([]oldFolder, n)
	next := 1
	for i := range r.folders {
		f := &r.folders[i]
		r.readFolder(w, f)
		if f.subs > n-next {
			w.fail()
			return
		}
		f.children = r.folders[next : next+f.subs : next+f.subs]
		next += f.subs
	}
	if next != max(n, 1) {
		w.fail()
	}
}

func (r *oldRoot) readFolder(w *wire, f *oldFolder) {
	w.string(&f.name)
	w.flags(&f.link, &f.doc, &f.target)
	w.stamp(&f.stamp)
	w.count(&f.subs, oldFolderBytes)
	n := 0
	w.count(&n, oldFileBytes)
	f.files = r.files.take(n)
	for i := range f.files {
		w.string(&f.files[i].name)
		w.stamp(&f.files[i].stamp)
		if !isName(f.files[i].name) {
			w.fail()
		}
	}
	if n > 0 {
		w.record(&f.record)
	}
	if !isName(f.name) && f.name != "." {
		w.fail()
	}
}

// The flags of a folder.
const (
	linkFlag = 1 << iota
	docFlag
	targetFlag
)

func (w *wire) flags(link, doc *bool, target *string) {
	var f uint64
	if *link {
		f |= linkFlag
	}
	if *doc {
		f |= docFlag
	}
	if *target != "" {
		f |= targetFlag
	}
	w.uint64(&f)
	*link, *doc = f&linkFlag != 0, f&docFlag != 0
	if f&targetFlag != 0 {
		w.string(target)
	}
}

func (w *wire) record(r *record) {
	w.string(&r.packed)
	if !w.reading {
		w.out = append(w.out, r.sum[:]...)
		return
	}
	if len(w.in) < sumSize {
		w.fail()
		return
	}
	copy(r.sum[:], w.in)
	w.in = w.in[sumSize:]
}

// isName reports whether a name can be one of a file in a folder.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && strings.IndexByte(s, '/') < 0 && strings.IndexByte(s, 0) < 0
}

// root returns what the index has of a root, or nil.
func (x *index) root(r *Root) *oldFolder {
	if x == nil || r.FS != nil {
		return nil
	}
	key := r.key()
	for i := range x.roots {
		if old := &x.roots[i]; old.key == key && len(old.folders) > 0 {
			return &old.folders[0]
		}
	}
	return nil
}

// key stands for all that decides which folders and files below a root are
// read, besides the rules of the catalog.
func (r *Root) key() string {
	return fmt.Sprintf("%q %d %s %q %q %q %q %d %t %t", r.Path, r.Depth, r.Links, r.Within, r.Targets, r.Layout, r.Nested, r.NestedDepth, r.Real,
		r.Class == bundledClass)
}

// bytesOf views a string as bytes, for reading only.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
