package durable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// LockBeside locks a file by a lock file beside it, which goes when it is
// unlocked: it may lie in the home of another system, where nothing is to be left
// behind. All links to one file have one lock.
//
// Two processes must not lock two files of one name. So a file goes only while
// its lock is held, and counts as locked only if it still is at its path then:
// since it is held open from before, no other file can be taken for it.
func LockBeside(ctx context.Context, file string) (unlock func() error, err error) {
	path := besides(file)
	for {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		held, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
		if err != nil {
			return nil, err
		}
		free, err := Lock(ctx, path)
		if err != nil {
			return nil, errors.Join(err, held.Close())
		}
		if isAt(held, path) {
			return func() error { return release(held, path, free) }, nil
		}
		if err := errors.Join(held.Close(), free()); err != nil {
			return nil, err
		}
	}
}

// isAt reports whether an open file is the one at a path.
func isAt(f *os.File, path string) bool {
	one, err := f.Stat()
	if err != nil {
		return false
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(one, other)
}

// release removes and unlocks a lock file. Where a file that is open cannot be
// removed, it is once nobody has it open.
func release(held *os.File, path string, free func() error) error {
	if runtime.GOOS == "windows" {
		err := errors.Join(held.Close(), free())
		_ = os.Remove(path) // it stays if another process has it by now
		return err
	}
	_ = os.Remove(path) // one that stays does no harm
	return errors.Join(held.Close(), free())
}

// besides is the same for every link to one file.
func besides(file string) string {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".lock")
}
