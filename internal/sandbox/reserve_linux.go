package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reserve keeps a path from being made where there is nothing yet. The kernel
// mounts only on what exists, so an empty folder is put there for as long as the
// program runs. Programs that run at the same time share it: each holds a lock,
// and who can get it alone in the end removes the folder.
func reserve(path string) (release func(), err error) {
	dir, err := openBeneath(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	name := filepath.Base(path)
	for range 100 { // each time somebody else removed it in between
		err := unix.Mkdirat(dir, name, 0o755)
		switch {
		case errors.Is(err, unix.EACCES), errors.Is(err, unix.EROFS), errors.Is(err, unix.EPERM):
			return func() {}, nil // nor can the program make it
		case err != nil && !errors.Is(err, unix.EEXIST):
			return nil, err
		}
		fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("somebody else is making it: %w", err)
		}
		if err := unix.Flock(fd, unix.LOCK_SH); err != nil {
			unix.Close(fd)
			return nil, err
		}
		var held, there unix.Stat_t
		if unix.Fstat(fd, &held) != nil ||
			unix.Fstatat(dir, name, &there, unix.AT_SYMLINK_NOFOLLOW) != nil || held.Ino != there.Ino {
			unix.Close(fd)
			continue
		}
		return func() {
			defer unix.Close(fd)
			if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
				_ = unix.Rmdir(path) // it stays if somebody outside has put something in
			}
		}, nil
	}
	return nil, errors.New("others make and remove it all the time")
}

// reserve is the same inside of the private root, with a mount that lets nothing
// be put into the folder.
func (r *root) reserve(path string) error {
	release, err := reserve(path)
	if err != nil {
		return err
	}
	r.undo = append(r.undo, release)
	err = bindSelf(place{Kind: kept, Path: path})
	if errors.Is(err, unix.ENOENT) {
		return nil // it could not be made
	}
	if err != nil {
		return err
	}
	r.undo = append(r.undo, func() { _ = unix.Unmount(path, unix.MNT_DETACH) })
	return nil
}
