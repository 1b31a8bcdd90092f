package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/knackhq/knack/internal/digest"
	"github.com/knackhq/knack/skill"
)

// addDigest computes the digest of an entry, or says why it has none. The
// digest of a flat skill is that of a folder with its manifests alone.
func (s *scan) addDigest(ctx context.Context, n *node, e *skill.Entry, flat bool) {
	sum, err := s.digest(ctx, n, flat)
	e.Digest = sum
	switch {
	case err == nil || errors.Is(err, digest.ErrSpecial): // the survey names special files
	case errors.Is(err, digest.ErrTooLarge):
		e.Diagnostics = append(e.Diagnostics, skill.LimitExceeded.New("", 0,
			"it has no digest: "+err.Error(), "keep only what the skill needs in its folder"))
	default:
		e.Diagnostics = append(e.Diagnostics, skill.FileUnreadable.New("", 0,
			"it has no digest: "+err.Error(), "check the permissions of its files"))
	}
}

func (s *scan) digest(ctx context.Context, n *node, flat bool) (string, error) {
	fsys, in := n.root.FS, n.holder()
	if fsys == nil {
		root, err := os.OpenRoot(n.from.real)
		if err != nil {
			return "", err
		}
		defer root.Close()
		if !flat {
			sum, _, err := digest.Tree(ctx, root, in)
			return sum, err
		}
		fsys = rootFS{root}
	}
	if flat {
		fsys = flatFS{fsys, n.files}
	}
	sum, _, err := digest.TreeFS(ctx, fsys, in)
	return sum, err
}

// rootFS is the file system of a root that never waits for a pipe.
type rootFS struct{ root *os.Root }

func (f rootFS) Open(name string) (fs.File, error) {
	return f.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}
func (f rootFS) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }
func (f rootFS) ReadLink(name string) (string, error)   { return f.root.Readlink(name) }

// flatFS is a folder of which only the manifests are seen.
type flatFS struct {
	fs.FS
	files []manifestFile
}

func (f flatFS) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(f.FS, name) }
func (f flatFS) ReadLink(name string) (string, error)   { return fs.ReadLink(f.FS, name) }

func (f flatFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if dir, ok := file.(fs.ReadDirFile); ok && err == nil && name == "." {
		return &flatDir{dir, f.files}, nil
	}
	return file, err
}

type flatDir struct {
	fs.ReadDirFile
	files []manifestFile
}

// ReadDir reads on where a batch has none of the files: an empty one would be
// the end.
func (d *flatDir) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		all, err := d.ReadDirFile.ReadDir(n)
		kept := slices.DeleteFunc(slices.Clone(all), func(e fs.DirEntry) bool {
			return !slices.ContainsFunc(d.files, func(f manifestFile) bool { return f.name == e.Name() })
		})
		if len(kept) > 0 || err != nil || len(all) == 0 {
			return kept, err
		}
	}
}
