package digest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// folder is where files are read from. Names are relative, with slashes.
type folder interface {
	// open opens a file or directory, and never waits for a pipe's other end.
	open(name string) (fs.File, error)
	// lstat describes an entry, and a link itself.
	lstat(name string) (fs.FileInfo, error)
	readlink(name string) (string, error)
}

type rootFolder struct{ root *os.Root }

func (f rootFolder) open(name string) (fs.File, error) {
	// Opening may race with a change of the folder, and a pipe in the file's
	// place must not hang the process.
	return f.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
}
func (f rootFolder) lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }
func (f rootFolder) readlink(name string) (string, error)   { return f.root.Readlink(name) }

type fsFolder struct{ fsys fs.FS }

func (f fsFolder) open(name string) (fs.File, error)      { return f.fsys.Open(name) }
func (f fsFolder) lstat(name string) (fs.FileInfo, error) { return fs.Lstat(f.fsys, name) }
func (f fsFolder) readlink(name string) (string, error)   { return fs.ReadLink(f.fsys, name) }

// read hashes the content of an entry.
func (w *walker) read(e entry) (File, error) {
	file := File{Path: e.path, Size: e.info.Size()}
	if e.info.Mode().Type() == fs.ModeSymlink {
		target, err := w.from.readlink(e.path)
		if err != nil {
			return File{}, err
		}
		file.Link, file.Size, file.SHA256 = true, int64(len(target)), sha256.Sum256([]byte(target))
		return file, nil
	}
	if w.bounds.bytes -= file.Size; w.bounds.bytes < 0 {
		return File{}, fmt.Errorf("%w: its files are too many bytes together", ErrTooLarge)
	}
	file.Executable = e.info.Mode()&0o100 != 0
	opened, err := w.from.open(e.path)
	if err != nil {
		return File{}, err
	}
	defer opened.Close()
	now, err := opened.Stat()
	if err != nil {
		return File{}, err
	}
	if !now.Mode().IsRegular() || !sameFile(e.info, now) {
		return File{}, ErrChanged
	}
	if file.SHA256, err = w.content(opened, file.Size); err != nil {
		return File{}, err
	}
	return file, nil
}

// sameFile reports whether a file that was opened is the one that was found.
// File systems without an identity for files are taken at their word.
func sameFile(found, opened fs.FileInfo) bool {
	return found.Sys() == nil || opened.Sys() == nil || os.SameFile(found, opened)
}

// content hashes a file, which must have the size it was found with.
func (w *walker) content(from io.Reader, size int64) (out [sha256.Size]byte, err error) {
	sum := sha256.New()
	var done int64
	for err == nil {
		if err := w.ctx.Err(); err != nil {
			return out, err
		}
		var n int
		n, err = from.Read(w.buffer)
		sum.Write(w.buffer[:n])
		if done += int64(n); done > size {
			return out, ErrChanged // it may grow for ever
		}
	}
	if err != io.EOF {
		return out, err
	}
	if done != size {
		return out, ErrChanged
	}
	sum.Sum(out[:0])
	return out, nil
}
