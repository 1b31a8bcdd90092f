package catalog

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/digest"
	"github.com/knackhq/knack/skill"
)

// addDigest computes the digest of an entry, or says why it has none. The
// digest of a flat skill is that of a folder with its manifests alone.
func (s *scan) addDigest(ctx context.Context, n *node, e *skill.Entry, flat bool) {
	sum, files, err := s.digest(ctx, n, flat)
	if err == nil {
		err = n.covered(e.Manifests, files)
	}
	if err == nil {
		e.Digest = sum
	}
	switch {
	case err == nil || errors.Is(err, digest.ErrSpecial): // the survey names special files
	case errors.Is(err, digest.ErrTooLarge):
		e.Diagnostics = append(e.Diagnostics, skill.LimitExceeded.New("", 0,
			"it has no digest: "+err.Error(), "keep only what the skill needs in its folder"))
	case errors.Is(err, errUncovered):
		e.Diagnostics = append(e.Diagnostics, skill.FileEscapes.New("", 0,
			"it has no digest: "+err.Error(), "put a copy of the file in the link's place"))
	case errors.Is(err, digest.ErrChanged):
		e.Diagnostics = append(e.Diagnostics, skill.FileUnreadable.New("", 0, "it has no digest: "+err.Error(), "try again"))
	default:
		e.Diagnostics = append(e.Diagnostics, skill.FileUnreadable.New("", 0,
			"it has no digest: "+err.Error(), "check the permissions of its files"))
	}
}

// errUncovered is the error of a manifest that could change without the digest.
var errUncovered = errors.New("a link to a file that the digest does not cover")

// covered reports whether the digest is of the very manifests that were read:
// one could have been changed in between, or be a link to where the digest does
// not look.
func (n *node) covered(manifests []skill.Manifest, files []digest.File) error {
	for _, m := range manifests {
		name := m.File
		for _, f := range n.files {
			if f.name == m.File && f.leads != "" {
				name = f.leads
			}
		}
		i := slices.IndexFunc(files, func(f digest.File) bool { return f.Path == name && !f.Link })
		switch {
		case i < 0 && name != m.File:
			return fmt.Errorf("%s is %w", m.File, errUncovered)
		case i < 0 || m.SHA256 != hex.EncodeToString(files[i].SHA256[:]):
			return fmt.Errorf("%s: %w", m.File, digest.ErrChanged)
		}
	}
	return nil
}

func (s *scan) digest(ctx context.Context, n *node, flat bool) (string, []digest.File, error) {
	fsys, in := n.root.FS, n.holder()
	if fsys == nil {
		root, err := os.OpenRoot(n.from.real)
		if err != nil {
			return "", nil, err
		}
		defer root.Close()
		if !flat {
			return digest.Tree(ctx, root, in)
		}
		fsys = rootFS{root}
	}
	if flat {
		fsys = flatFS{fsys, n.files}
	}
	return digest.TreeFS(ctx, fsys, in)
}

// rootFS is the file system of a root that never waits for a pipe.
type rootFS struct{ root *os.Root }

func (f rootFS) Open(name string) (fs.File, error) {
	return f.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}
func (f rootFS) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }
func (f rootFS) ReadLink(name string) (string, error)   { return f.root.Readlink(name) }

// flatFS is a folder of which only the manifests are seen, and where those that
// are links lead.
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
			return !slices.ContainsFunc(d.files, func(f manifestFile) bool {
				first, _, _ := strings.Cut(f.leads, "/")
				return f.name == e.Name() || first == e.Name()
			})
		})
		if len(kept) > 0 || err != nil || len(all) == 0 {
			return kept, err
		}
	}
}
