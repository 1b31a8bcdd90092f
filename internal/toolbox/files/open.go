package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/knackhq/knack/internal/wording"
)

// tries is how often a file is opened that others replace meanwhile. They would
// have to do so between two system calls each time.
const tries = 16

// open opens a regular file in a folder, itself and nothing that was put in its
// place: a link that is there is refused, not followed.
func open(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	for range tries {
		seen, err := dir.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if err := regular(seen); err != nil {
			return nil, nil, err
		}
		f, err := dir.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		if err == nil && os.SameFile(seen, info) {
			if err = regular(info); err == nil && madeUp(f) {
				err = errSpecial
			}
			if err == nil {
				return f, info, nil
			}
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errSwapped
}

// regular refuses what is no regular file.
func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errFolder
	case info.Mode()&fs.ModeSymlink != 0:
		return errSwapped // links are resolved before
	case !info.Mode().IsRegular():
		return errSpecial
	}
	return nil
}

// open opens the file that the way led to.
func (s *spot) open(a *area) (*os.File, fs.FileInfo, error) {
	if s.info == nil {
		return nil, nil, s.absent(a)
	}
	f, info, err := open(s.last(), s.name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", wording.Quote(a.show(s.real)), cause(err))
	}
	return f, info, nil
}
