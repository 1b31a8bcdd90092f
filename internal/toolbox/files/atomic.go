package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// The modes of what is made: that of sources, to be built and served by others.
// The umask is taken off both.
const (
	newFile   fs.FileMode = 0o644
	newFolder fs.FileMode = 0o755
)

// step is called ahead of each step of writing.
func (set *toolset) step(name string) error {
	if set.before == nil {
		return nil
	}
	return set.before(name)
}

// replace puts a file with this content where the way led, in one step. Missing
// folders are made. seen is what is to be replaced: if something else is there by
// now, it stays.
//
// Package durable does the same by path; here it is done in folders that are
// open, for a path could be led elsewhere by a link that is swapped in between.
func (set *toolset) replace(a *area, s *spot, data []byte, seen fs.FileInfo) error {
	err := set.replaceIn(s, data, seen)
	if err != nil {
		return fmt.Errorf("%s: %w", wording.Quote(a.show(s.real)), cause(err))
	}
	return nil
}

func (set *toolset) replaceIn(s *spot, data []byte, seen fs.FileInfo) error {
	if err := set.makeFolders(s); err != nil {
		return err
	}
	dir, mode := s.last(), newFile
	if seen != nil {
		mode = seen.Mode().Perm()
	}
	temp := ".knack-" + rand.Text() + ".tmp"
	err := set.writeTemp(dir, temp, data, mode, seen != nil)
	if err == nil {
		err = set.step("rename")
	}
	if err == nil {
		err = unchanged(dir, s.name, seen)
	}
	if err == nil {
		err = dir.Rename(temp, s.name)
	}
	if err != nil {
		if gone := dir.Remove(temp); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return err
	}
	if err := set.step("sync folder"); err != nil {
		return err
	}
	return syncFolder(dir)
}

// makeFolders makes the folders that are missing on the way, and enters them.
func (set *toolset) makeFolders(s *spot) error {
	for len(s.missing) > 1 {
		name, rest := s.missing[0], s.missing
		if err := set.step("mkdir"); err != nil {
			return err
		}
		if err := s.last().Mkdir(name, newFolder); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err := s.last().Lstat(name)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return errSwapped
		}
		real, last := s.real, s.name
		if err := s.enter(name, info); err != nil {
			return err
		}
		s.real, s.name, s.info, s.missing = real, last, nil, rest[1:]
	}
	return nil
}

// writeTemp writes a new file and brings it to disk.
func (set *toolset) writeTemp(dir *os.Root, name string, data []byte, mode fs.FileMode, exact bool) error {
	if err := set.step("create"); err != nil {
		return err
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := set.step("write"); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if exact {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := set.step("sync"); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// unchanged refuses to replace what is not what was seen.
func unchanged(dir *os.Root, name string, seen fs.FileInfo) error {
	now, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if seen != nil {
			return errChanged
		}
		return nil
	case err != nil:
		return err
	case seen == nil || !os.SameFile(seen, now) || seen.Size() != now.Size() || !seen.ModTime().Equal(now.ModTime()):
		return errChanged
	}
	return nil
}

// syncFolder brings the names in a folder to disk.
func syncFolder(dir *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// target is where a call wants to write. What is there is a regular file or
// nothing, and may be changed.
func (set *toolset) target(a *area, path string) (*spot, error) {
	s, err := a.walk(path)
	if err != nil {
		return nil, err
	}
	err = set.mayChange(a, s)
	if err == nil {
		name := wording.Quote(a.show(s.real))
		switch {
		case s.info == nil:
			if strings.HasSuffix(path, "/") || os.IsPathSeparator(path[len(path)-1]) {
				err = fmt.Errorf("%s: give the path of a file; folders are made along with it", name)
			}
		case s.info.IsDir():
			err = fmt.Errorf("%s: %w", name, errFolder)
		case !s.info.Mode().IsRegular():
			err = fmt.Errorf("%s: %w", name, errSpecial)
		case s.info.Mode().Perm()&0o200 == 0:
			err = fmt.Errorf("%s: its mode is %#o, so not even its owner may write it; that has to be changed first", name, s.info.Mode().Perm())
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}
