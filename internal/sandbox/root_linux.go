package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// privateTmp is where programs have their own tmp, in a private root.
	privateTmp = "/tmp"
	// oldRoot is where the host's root is while the private one is made.
	oldRoot = "/.old"
	// rootSize is for what is made here of names and small files: folders,
	// links and mount points.
	rootSize = "size=4m,mode=0755"
)

// root makes a private root.
type root struct {
	weak []string
	undo []func()
	host int // its root
}

// cloneTree copies the mounts below a descriptor, all of them: those that the
// host mounted over something cannot be taken off.
const cloneTree = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE | unix.AT_EMPTY_PATH

// makeRoot replaces the root of this mount namespace by one that has only the
// places of a policy. What release undoes would be left on the host.
func makeRoot(p *policy) (release func(), weak []string, err error) {
	r := &root{}
	release = func() {
		for i := len(r.undo) - 1; i >= 0; i-- {
			r.undo[i]()
		}
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return release, nil, fmt.Errorf("mounts of its own: %w", err)
	}
	// Any folder does: the root that is mounted on it moves away at once.
	if err := unix.Mount("root", privateTmp, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, rootSize); err != nil {
		return release, nil, fmt.Errorf("private root: %w", err)
	}
	if err := os.Mkdir(privateTmp+oldRoot, 0o755); err != nil {
		return release, nil, err
	}
	if err := unix.PivotRoot(privateTmp, privateTmp+oldRoot); err != nil {
		return release, nil, fmt.Errorf("private root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return release, nil, err
	}
	if r.host, err = unix.Open(oldRoot, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return release, nil, err
	}
	defer unix.Close(r.host)
	if err := r.system(p.Bounds.Tmp); err != nil {
		return release, nil, err
	}
	for _, e := range p.View {
		if err := r.add(e); err != nil {
			return release, nil, fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return release, nil, fmt.Errorf("leaving the host's root: %w", err)
	}
	if err := os.Remove(oldRoot); err != nil {
		return release, nil, err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: attributes[readOnly]}); err != nil {
		return release, nil, fmt.Errorf("private root: %w", err)
	}
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return release, nil, err
	}
	return release, r.weak, nil
}

// system mounts what the kernel makes: /proc and the tmp.
func (r *root) system(tmpSize int64) error {
	for _, dir := range []string{"/proc", privateTmp, "/dev", "/etc"} {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "")
	switch {
	case errors.Is(err, unix.EPERM):
		// Inside a container that hides parts of /proc the kernel gives no other.
		r.weak = append(r.weak, "there is no /proc inside")
	case err != nil:
		return fmt.Errorf("/proc: %w", err)
	}
	options := "mode=1777,size=" + strconv.FormatInt(tmpSize, 10)
	if err := unix.Mount("tmp", privateTmp, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("private tmp: %w", err)
	}
	return nil
}

// add makes one place.
func (r *root) add(e place) error {
	switch e.Kind {
	case folder:
		return os.MkdirAll(e.Path, 0o755)
	case symlink, plainFile:
		if err := os.MkdirAll(filepath.Dir(e.Path), 0o755); err != nil {
			return err
		}
		if e.Kind == symlink {
			return os.Symlink(e.Data, e.Path)
		}
		return os.WriteFile(e.Path, []byte(e.Data), 0o644)
	case readOnly, writable, device:
		return r.bindHost(e)
	case kept, pinned:
		return bindSelf(e)
	case linked:
		if bindSelf(e) != nil {
			r.weak = append(r.weak, replaceable(e.Path))
		}
		return nil
	case reserved:
		return r.reserve(e.Path)
	default:
		return fmt.Errorf("no kind of place: %q", e.Kind)
	}
}

func replaceable(path string) string { return path + " is a symbolic link, which can be replaced" }

// attributes are those of the mounts of each kind.
var attributes = map[placeKind]uint64{
	readOnly: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
	writable: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
	device:   unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC,
	kept:     unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
	linked:   unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
	pinned:   unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
}

// bindHost shows a place of the host at the same path.
func (r *root) bindHost(e place) error {
	// Absolute links of the host lead to places of the host.
	from, err := openResolved(r.host, strings.TrimPrefix(e.Path, "/"), unix.O_PATH, unix.RESOLVE_IN_ROOT)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	tree, err := unix.OpenTree(from, "", cloneTree)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil {
		return err
	}
	if err := mountPoint(e.Path, stat.Mode&unix.S_IFMT == unix.S_IFDIR); err != nil {
		return err
	}
	return attach(tree, e.Kind, unix.AT_FDCWD, e.Path, 0)
}

// bindSelf mounts what a path of the private root has already onto itself. It
// follows no symbolic links: they may be the work of an earlier program.
func bindSelf(e place) error {
	at, err := openBeneath(e.Path)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	tree, err := unix.OpenTree(at, "", cloneTree)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, e.Kind, at, "", unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// openBeneath opens a path that has no symbolic links in it.
func openBeneath(path string) (int, error) {
	return openResolved(unix.AT_FDCWD, path, unix.O_PATH|unix.O_NOFOLLOW, unix.RESOLVE_NO_SYMLINKS)
}

// openResolved asks again while the kernel cannot tell where a path leads, for
// somebody renames something on the machine.
func openResolved(at int, path string, flags, resolve uint64) (fd int, err error) {
	for range 1000 {
		fd, err = unix.Openat2(at, path, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: resolve})
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return fd, err
}

func attach(tree int, kind placeKind, at int, path string, flags int) error {
	attr := &unix.MountAttr{Attr_set: attributes[kind]}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr); err != nil {
		return fmt.Errorf("mount attributes: %w", err)
	}
	return unix.MoveMount(tree, "", at, path, unix.MOVE_MOUNT_F_EMPTY_PATH|flags)
}

// mountPoint makes a file or folder to mount on, where there is none.
func mountPoint(path string, dir bool) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o644)
}
