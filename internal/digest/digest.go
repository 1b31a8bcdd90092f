// Package digest computes the fingerprint of a skill's folder: one text that
// changes when any file in it does.
//
// # The tree digest
//
// The digest is "sha256:" and the SHA-256, in lower-case hexadecimal, of these
// bytes:
//
//	"knack-tree-1\n"
//	for each file and link, in the order of their paths compared byte by byte:
//	  kind        1 byte: 'f' a file, 'l' a symbolic link
//	  length      8 bytes, big-endian: of the path
//	  path        relative to the folder, its parts joined by '/'
//	  executable  1 byte: 1 if the owner may execute the file, else 0
//	  size        8 bytes, big-endian: of the content
//	  sha256      32 bytes: of the content
//
// The content of a link is the text of its target, which is not followed, and
// a link is not executable. Every part has a fixed length or its length before
// it, so no two folders give the same bytes. TestGolden holds a folder and its
// bytes written out by hand.
//
// Not covered are times, owners, permissions but the one bit, and empty
// directories; and the folder's own .git directory, which changes with every
// command of git. One deeper down is like any other directory: leaving it out
// would give scripts a place to hide from the digest. Pipes, sockets and devices are errors. A folder on a system
// without the executable bit, such as Windows, has none set, so digests of
// folders with programs compare only between systems of one kind.
package digest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
)

// The errors of folders that have no digest.
var (
	ErrTooLarge = errors.New("the folder is too large")
	ErrSpecial  = errors.New("a pipe, socket or device is in the folder")
	ErrChanged  = errors.New("the folder changed while it was being read")
)

// File is a file or link of a folder, as it went into the digest.
type File struct {
	Path       string // relative to the folder, with slashes
	Link       bool
	Executable bool
	Size       int64
	SHA256     [sha256.Size]byte
}

// Option changes the bounds of [Tree] and [TreeFS].
type Option func(*bounds)

type bounds struct {
	files int
	bytes int64
}

// MaxFiles bounds the entries of the folder, directories among them. Without
// it 20,000 are allowed, ten times what the largest real skills have.
func MaxFiles(n int) Option { return func(b *bounds) { b.files = n } }

// MaxBytes bounds the size of all files together. Without it 1 GiB is allowed,
// some seconds of reading.
func MaxBytes(n int64) Option { return func(b *bounds) { b.bytes = n } }

// Tree returns the digest of a folder below a root, and its files in the order
// of the digest. Nothing outside of the folder is read.
func Tree(ctx context.Context, root *os.Root, dir string, opts ...Option) (string, []File, error) {
	sub, err := root.OpenRoot(dir)
	if err != nil {
		return "", nil, err
	}
	defer sub.Close()
	return tree(ctx, rootFolder{sub}, opts)
}

// TreeFS is [Tree] for a folder of a file system. Links are read where the file
// system can do that; else they are errors.
func TreeFS(ctx context.Context, fsys fs.FS, dir string, opts ...Option) (string, []File, error) {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return "", nil, err
	}
	return tree(ctx, fsFolder{sub}, opts)
}

func tree(ctx context.Context, from folder, opts []Option) (string, []File, error) {
	w := walker{ctx: ctx, from: from, bounds: bounds{files: 20_000, bytes: 1 << 30}, buffer: make([]byte, 64<<10)}
	for _, opt := range opts {
		opt(&w.bounds)
	}
	found, err := w.list()
	if err != nil {
		return "", nil, err
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	sum := sha256.New()
	sum.Write([]byte("knack-tree-1\n"))
	files := make([]File, 0, len(found))
	for _, e := range found {
		file, err := w.read(e)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", e.path, err)
		}
		file.record(sum)
		files = append(files, file)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), files, nil
}

// record writes a file as the package comment says.
func (f File) record(sum hash.Hash) {
	kind, executable := byte('f'), byte(0)
	if f.Link {
		kind = 'l'
	}
	if f.Executable {
		executable = 1
	}
	b := []byte{kind}
	b = binary.BigEndian.AppendUint64(b, uint64(len(f.Path)))
	b = append(b, f.Path...)
	b = append(b, executable)
	b = binary.BigEndian.AppendUint64(b, uint64(f.Size))
	b = append(b, f.SHA256[:]...)
	sum.Write(b)
}

// entry is something that was found in the folder.
type entry struct {
	path string
	info fs.FileInfo // of the link itself, if it is one
}

type walker struct {
	ctx    context.Context
	from   folder
	bounds bounds
	buffer []byte
}

// list finds the files and links of the folder, in no particular order.
func (w *walker) list() ([]entry, error) {
	var found []entry
	dirs := []string{"."}
	seen := 0
	for len(dirs) > 0 {
		dir := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		err := w.eachIn(dir, func(d fs.DirEntry) error {
			name := d.Name()
			if seen++; seen > w.bounds.files {
				return fmt.Errorf("%w: it holds more than %d files and directories", ErrTooLarge, w.bounds.files)
			}
			e := entry{path: name}
			if dir != "." {
				e.path = dir + "/" + name
			}
			var err error
			if e.info, err = w.from.lstat(e.path); err != nil {
				return err
			}
			switch mode := e.info.Mode(); {
			case mode.Type() != d.Type():
				// Or the file system follows links and cannot read them.
				return fmt.Errorf("%s: %w", e.path, ErrChanged)
			case mode.IsDir() && e.path == ".git":
			case mode.IsDir():
				dirs = append(dirs, e.path)
			case mode.IsRegular(), mode.Type() == fs.ModeSymlink:
				found = append(found, e)
			default:
				return fmt.Errorf("%w: %s; remove it", ErrSpecial, e.path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// eachIn calls f with every entry of a directory. It reads some at
// a time, so that a bound is met before all are in memory.
func (w *walker) eachIn(dir string, f func(fs.DirEntry) error) error {
	opened, err := w.from.open(dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	list, ok := opened.(fs.ReadDirFile)
	if !ok {
		return fmt.Errorf("%s: %w", dir, ErrChanged)
	}
	for {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		batch, err := list.ReadDir(256)
		for _, d := range batch {
			if err := f(d); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(batch) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
