package catalog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// tree is contained access to what lies below one directory. Paths are
// relative, with forward slashes; "." is the directory itself. Whatever other
// processes do to the names meanwhile, nothing outside the directory is opened.
type tree interface {
	// lstat returns stamp and kind of a path, a link itself included.
	lstat(path string) (stamp, kind, error)
	// open opens a folder. The buffers are in use until it is closed.
	open(path string, b *buffers) (folder, error)
	close()
}

// folder is an open directory of a tree.
type folder interface {
	stamp() (stamp, error)
	// list tells the names in the folder, in no order, until there are no more
	// or tell returns false. The string is valid during the call only.
	list(tell func(name string, k kind) bool) error
	// lstat returns stamp and kind of a name, a link itself included.
	lstat(name string) (stamp, kind, error)
	// read returns the content of a regular file and its stamp from before it
	// was read. Files that are not regular give errNotRegular, larger ones than
	// limit errTooLarge; neither is read. The data is buf or a larger slice.
	read(path string, limit int64, buf []byte) ([]byte, stamp, error)
	close()
}

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("file too large")
	errBadPath    = errors.New("path leaves its folder")
)

// buffers are reused from folder to folder by one worker.
type buffers struct {
	names []byte // raw directory entries
}

// localPath refuses what could lead upwards. It is the last of several checks:
// names come from the system, from links that were resolved, or the index.
func localPath(p string) bool {
	return p == "." || p != "" && path.Clean(p) == p && p[0] != '/' && p != ".." &&
		!strings.HasPrefix(p, "../") && !strings.Contains(p, "\x00")
}

// rootTree is a tree on disk for every system.
type rootTree struct{ root *os.Root }

func openRootTree(path string) (tree, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return rootTree{root}, nil
}

func (t rootTree) close() { _ = t.root.Close() }

func (t rootTree) lstat(path string) (stamp, kind, error) {
	info, err := t.root.Lstat(path)
	if err != nil {
		return stamp{}, 0, err
	}
	return stampOf(info), kindOf(info.Mode()), nil
}

func (t rootTree) open(path string, _ *buffers) (folder, error) {
	if !localPath(path) {
		return nil, errBadPath
	}
	sub, err := t.root.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return rootFolder{sub}, nil
}

type rootFolder struct{ root *os.Root }

func (f rootFolder) close() { _ = f.root.Close() }

func (f rootFolder) lstat(name string) (stamp, kind, error) { return rootTree(f).lstat(name) }

func (f rootFolder) stamp() (stamp, error) {
	st, _, err := f.lstat(".")
	return st, err
}

func (f rootFolder) list(tell func(string, kind) bool) error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(256) // a batch, so that a huge folder can be left early
		for _, e := range entries {
			if !tell(e.Name(), kindOf(e.Type())) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f rootFolder) read(path string, limit int64, buf []byte) ([]byte, stamp, error) {
	info, err := f.root.Lstat(path) // opening a device can have effects, so look first
	if err != nil {
		return nil, stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, stamp{}, errNotRegular
	}
	file, err := f.root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, stamp{}, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil { // it may be another file by now
		return nil, stamp{}, err
	}
	data, err := readRegular(file, info, limit, buf)
	return data, stampOf(info), err
}

func readRegular(file io.Reader, info fs.FileInfo, limit int64, buf []byte) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return readAtMost(file.Read, info.Size(), limit, buf)
}

// readAtMost reads a file whose size was size, into buf if it is large enough.
// A file that meanwhile grew beyond the limit is as much too large as another.
func readAtMost(read func([]byte) (int, error), size, limit int64, buf []byte) ([]byte, error) {
	if size > limit {
		return nil, errTooLarge
	}
	buf = buf[:0]
	if int64(cap(buf)) <= size {
		// One more, to see the end in the same read; and enough for most
		// manifests, so that the next need not grow it again.
		buf = make([]byte, 0, max(size+1, 16<<10))
	}
	for {
		n, err := read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+max(n, 0)]
		switch {
		case int64(len(buf)) > limit:
			return nil, errTooLarge
		case errors.Is(err, io.EOF), err == nil && int64(len(buf)) == size && len(buf) < cap(buf):
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// fsTree is a tree compiled into the program.
type fsTree struct{ fsys fs.FS }

func (t fsTree) close() {}

// lstat knows sizes and modes only. That is no stamp to go by, so embedded
// trees are not indexed: their files cost nothing to read.
func (t fsTree) lstat(path string) (stamp, kind, error) {
	info, err := fs.Lstat(t.fsys, path)
	if err != nil {
		return stamp{}, 0, err
	}
	return stamp{size: info.Size(), mode: uint32(info.Mode().Perm())}, kindOf(info.Mode()), nil
}

func (t fsTree) open(path string, _ *buffers) (folder, error) {
	info, err := fs.Stat(t.fsys, path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a directory")}
	}
	return fsFolder{t.fsys, path}, nil
}

type fsFolder struct {
	fsys fs.FS
	path string
}

func (f fsFolder) close() {}

func (f fsFolder) stamp() (stamp, error) { return stamp{}, nil }

func (f fsFolder) lstat(name string) (stamp, kind, error) {
	return fsTree{f.fsys}.lstat(path.Join(f.path, name))
}

func (f fsFolder) list(tell func(string, kind) bool) error {
	entries, err := fs.ReadDir(f.fsys, f.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !tell(e.Name(), kindOf(e.Type())) {
			return nil
		}
	}
	return nil
}

func (f fsFolder) read(name string, limit int64, buf []byte) ([]byte, stamp, error) {
	file, err := f.fsys.Open(path.Join(f.path, name))
	if err != nil {
		return nil, stamp{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, stamp{}, err
	}
	data, err := readRegular(file, info, limit, buf)
	return data, stamp{}, err
}
