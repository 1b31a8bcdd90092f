package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	readFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	readTree = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// writeFile may be allowed on a file; writeTree on a folder.
	writeFile = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writeTree = writeFile | readTree | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	useDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockFiles are the accesses that a version knows. What it does not know
// cannot be forbidden, and must not be asked for.
func landlockFiles(abi int) uint64 {
	all := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM)<<1 - 1 // version 1: from EXECUTE to MAKE_SYM
	for _, since := range []struct {
		abi    int
		access uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	} {
		if abi >= since.abi {
			all |= since.access
		}
	}
	return all
}

// landlockScopes is the first version that keeps signals in.
const landlockScopes = 6

// landlockABI is the version of Landlock; 0 is none.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// withoutLandlock is what a private root lacks where there is no Landlock.
func withoutLandlock(abi int) []string {
	if abi > 0 {
		return nil
	}
	return []string{"there is no Landlock behind the private root"}
}

// landlockRules makes a ruleset of a policy and returns its descriptor. A path
// that does not exist needs no rule.
func landlockRules(p *policy, abi int) (int, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: landlockFiles(abi)}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if abi >= 4 {
		size = unsafe.Offsetof(attr.Scoped)
		if p.Port != 0 {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP | unix.LANDLOCK_ACCESS_NET_BIND_TCP
		}
	}
	if abi >= landlockScopes {
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock: %w", errno)
	}
	rules := int(fd)
	for _, group := range []struct {
		paths      []string
		open       func(string) (int, error)
		tree, file uint64
	}{
		{p.Read, openPath, readTree, readFile},
		{p.Write, openPath, writeTree, writeFile},
		{p.Inside, openBeneath, writeTree, writeFile},
		{p.Devices, openPath, 0, useDevice},
	} {
		for _, path := range group.paths {
			fd, err := group.open(path)
			if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) {
				continue
			}
			if err == nil {
				err = landlockBelow(rules, fd, group.tree&attr.Handled_access_fs, group.file&attr.Handled_access_fs)
				unix.Close(fd)
			}
			if err != nil {
				unix.Close(rules)
				return -1, fmt.Errorf("landlock: %s: %w", path, err)
			}
		}
	}
	if attr.Handled_access_net != 0 {
		port := landlockNetPort{access: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port: uint64(p.Port)}
		if errno := landlockRule(rules, landlockRuleNetPort, unsafe.Pointer(&port)); errno != 0 {
			unix.Close(rules)
			return -1, fmt.Errorf("landlock: port %d: %w", p.Port, errno)
		}
	}
	return rules, nil
}

// landlockNetPort is landlock_net_port_attr of the kernel.
type landlockNetPort struct{ access, port uint64 }

const landlockRuleNetPort = 2

func landlockRule(rules int, kind uintptr, attr unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), kind, uintptr(attr), 0, 0, 0)
	return errno
}

func openPath(path string) (int, error) { return unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0) }

// landlockBelow allows accesses to a folder and all below it, or to a file.
func landlockBelow(rules, fd int, tree, file uint64) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: file, Parent_fd: int32(fd)}
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		attr.Allowed_access = tree
	}
	if errno := landlockRule(rules, unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&attr)); errno != 0 {
		return errno
	}
	return nil
}
