package probe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lendProbes leave a file in the workspace that lends the rights of its owner to
// whoever starts it on the host. Nobody may start these, which are empty.
func lendProbes() []Probe {
	var probes []Probe
	for _, way := range []struct {
		name, title string
		bit         os.FileMode
		leave       func(path string) error
	}{
		{"setuid-chmod", "makes a file of the workspace run as its owner for everybody", os.ModeSetuid, changes(unix.S_ISUID)},
		{"setgid-chmod", "makes a file of the workspace run with its group for everybody", os.ModeSetgid, changes(unix.S_ISGID)},
		{"setuid-open", "makes a new file that runs as its owner for everybody", os.ModeSetuid, func(path string) error {
			fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY, unix.S_ISUID|0o600)
			return descriptor(uintptr(fd), 0, asErrno(err))
		}},
		{"setuid-openat2", "makes such a file by a call that hides its mode from filters", os.ModeSetuid, func(path string) error {
			fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: unix.S_ISUID | 0o600})
			return descriptor(uintptr(fd), 0, asErrno(err))
		}},
		{"setuid-mknod", "makes such a file as one makes devices", os.ModeSetuid, func(path string) error {
			return unix.Mknod(path, unix.S_IFREG|unix.S_ISUID|0o600, 0)
		}},
		{"setuid-unnamed", "makes such a file without a name, and names it", os.ModeSetuid, names},
	} {
		file := "lends-" + way.name
		probes = append(probes, Probe{
			Name: way.name, Title: way.title, Threatens: Files,
			attack: func(p *place) error { return way.leave(filepath.Join(p.Work, file)) },
			seen: func(s *stage) error {
				info, err := os.Lstat(filepath.Join(s.Work, file))
				if err == nil && info.Mode()&way.bit == 0 {
					err = errUnchanged
				}
				return err
			},
		})
	}
	return probes
}

// changes gives a file a bit that it was not made with.
func changes(bit uint32) func(path string) error {
	return func(path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return fmt.Errorf("%w: %w", errUntried, err)
		}
		return unix.Chmod(path, bit|0o600)
	}
}

// names links a file that has a mode before it has a name.
func names(path string) error {
	fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY, unix.S_ISUID|0o600)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("%w: %w", errUntried, err)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}
