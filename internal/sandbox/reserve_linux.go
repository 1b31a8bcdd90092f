package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// reservedMode is how a folder looks that holds a place: sticky, and nobody may
// write into it. Nobody else makes such folders, so that one left by somebody who
// was killed is recognised, and removed by the next.
const reservedMode = unix.S_ISVTX | 0o555

func isReserved(mode uint32) bool {
	return mode&unix.S_IFMT == unix.S_IFDIR && mode&unix.S_ISVTX != 0 && mode&0o222 == 0
}

// reserve keeps a path from being made where there is nothing yet. The kernel
// mounts only on what exists, so an empty folder is put there for as long as the
// program runs. Programs that run at the same time share it: each holds a lock,
// and who can get it alone in the end removes the folder.
func reserve(path string) (release func(), err error) {
	dir, err := openBeneath(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	for range 1000 { // each time somebody else removed it in between
		err := unix.Mkdirat(dir, name, reservedMode)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			unix.Close(dir)
			if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.EPERM) {
				return func() {}, nil // nor can the program make it
			}
			return nil, err
		}
		fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		var held, there unix.Stat_t
		if err != nil || unix.Fstat(fd, &held) != nil || !isReserved(held.Mode) {
			// Somebody made something else there just now. It will be kept.
			unix.Close(dir)
			if err == nil {
				unix.Close(fd)
			}
			return func() {}, nil
		}
		if unix.Flock(fd, unix.LOCK_SH) != nil ||
			unix.Fstatat(dir, name, &there, unix.AT_SYMLINK_NOFOLLOW) != nil || held.Ino != there.Ino {
			unix.Close(fd)
			continue
		}
		return func() {
			if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
				_ = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
			}
			unix.Close(fd)
			unix.Close(dir)
		}, nil
	}
	unix.Close(dir)
	return nil, errors.New("others make and remove it all the time")
}

// reserveIn reserves a path of a spec, on the host. The workspace may be reached
// by links; those inside of it are not followed.
func reserveIn(spec Spec, path string) (release func(), err error) {
	base := innermost(path, spec.Write)
	real, err := filepath.EvalSymlinks(base)
	if err != nil {
		return nil, err
	}
	return reserve(real + strings.TrimPrefix(path, base))
}

// removeReserved removes what somebody who was killed has left reserved, for
// layers that reserve nothing themselves, and would do so by the way.
func removeReserved(spec Spec) {
	for _, e := range keeps(spec) {
		if _, err := os.Lstat(e.Path); e.Kind != reserved || err != nil {
			continue
		}
		if release, err := reserveIn(spec, e.Path); err == nil {
			release()
		}
	}
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
