// Package durable writes files that are whole at every moment, and takes turns
// between processes.
//
// [WriteFile] replaces a file in one step: whoever reads it, and whatever
// happens to the process or the machine, finds the old content or the new one.
// It writes a temporary file beside the target, brings it to disk, renames it,
// and brings the rename to disk. When it fails, the temporary file is removed;
// only a crash can leave one behind, named .knack-*.tmp, and it is harmless.
// TestEveryStepMayFail stops it at each of these steps and looks.
//
// [WriteCache] is the same without waiting for the disk, for files that carry
// a checksum and can be made again.
//
// [Lock] lets one process at a time into a section. The lock is the kernel's,
// so it ends with its process.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces the content of a file, or creates it with permissions
// perm less the process's umask. An existing file keeps its permissions, and a
// link its target, which is written instead. Missing directories are created,
// open to the user alone.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return writer{sync: true}.write(path, data, perm)
}

// WriteCache is [WriteFile] for a file of the user alone that may be lost. It
// does not wait for the disk: after a power cut the file may be torn, which its
// reader has to detect by a checksum. A link in its place is replaced, not
// followed: nobody keeps a cache elsewhere, and whatever it points to is not one.
func WriteCache(path string, data []byte) error {
	return writer{}.write(path, data, 0o600)
}

// writer writes a file step by step.
type writer struct {
	sync bool
	// before, if set, is called ahead of each step, with the temporary file
	// once there is one. Its error stops the writing. Tests set it.
	before func(step, temp string) error
}

func (w writer) step(name, temp string) error {
	if w.before == nil {
		return nil
	}
	return w.before(name, temp)
}

func (w writer) write(path string, data []byte, perm fs.FileMode) error {
	target := path
	if w.sync {
		var err error
		if target, err = followLink(path); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	dir := filepath.Dir(target)
	if err := w.makeDir(dir); err != nil {
		return fmt.Errorf("write %s: create its directory: %w", path, err)
	}
	temp, err := w.writeTemp(dir, target, data, perm)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = w.step("rename", temp); err == nil {
		err = os.Rename(temp, target)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(temp)))
	}
	if err := w.syncDir(dir); err != nil {
		return fmt.Errorf("write %s: written, but a power cut may undo it: %w", path, err)
	}
	return nil
}

// followLink returns the file behind a link, so that a configuration file that
// is linked from elsewhere stays so.
func followLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil // a missing file is created; other errors show then
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("it is a link to nothing; remove the link, or create what it points to")
	}
	return target, err
}

// makeDir creates a directory and its parents.
func (w writer) makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := w.makeDir(parent); err != nil {
			return err
		}
	}
	if err := w.step("mkdir", ""); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return w.syncDir(parent)
}

// writeTemp writes a new file beside the target and returns its path. On an
// error there is no such file.
func (w writer) writeTemp(dir, target string, data []byte, perm fs.FileMode) (string, error) {
	if err := w.step("create", ""); err != nil {
		return "", err
	}
	temp := filepath.Join(dir, ".knack-"+rand.Text()+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return "", err
	}
	if err := w.fill(f, target, data); err != nil {
		f.Close() // a file that is open cannot be removed everywhere
		return "", errors.Join(err, os.Remove(temp))
	}
	return temp, nil
}

// fill writes, completes and closes the temporary file.
func (w writer) fill(f *os.File, target string, data []byte) error {
	if err := w.step("write", f.Name()); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := w.step("chmod", f.Name()); err != nil {
		return err
	}
	if old, err := os.Stat(target); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if w.sync {
		if err := w.step("sync", f.Name()); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := w.step("close", f.Name()); err != nil {
		return err
	}
	return f.Close()
}

// syncDir brings the names in a directory to disk.
func (w writer) syncDir(dir string) error {
	if !w.sync {
		return nil
	}
	if err := w.step("sync directory", ""); err != nil {
		return err
	}
	return syncDir(dir)
}
