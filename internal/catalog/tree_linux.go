package catalog

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openTree opens a directory on disk.
//
// Linux has its own implementation, because a library has thousands of small
// files and most of the time to load it is spent in system calls: os.Root and
// os.File need more than twice as many. Containment is kept in the same way,
// by opening each part of a path relative to the one before, never through a
// link.
func openTree(path string) (tree, error) {
	fd, err := openAt(unix.AT_FDCWD, path, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return linuxTree(fd), nil
}

type linuxTree int

func (t linuxTree) close() { _ = unix.Close(int(t)) }

func (t linuxTree) lstat(path string) (stamp, kind, error) { return statAt(int(t), path) }

func (t linuxTree) open(path string, b *buffers) (folder, error) {
	fd, err := walk(int(t), path, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if b.names == nil {
		b.names = make([]byte, 32<<10) // as much as the C library takes
	}
	return &linuxFolder{fd: fd, buf: b.names}, nil
}

// walk opens a path below a directory one part at a time.
func walk(dir int, path string, flags int) (int, error) {
	if !localPath(path) {
		return -1, errBadPath
	}
	at := dir
	for {
		part, rest, more := strings.Cut(path, "/")
		how := flags
		if more {
			how = unix.O_PATH | unix.O_DIRECTORY
		}
		fd, err := openAt(at, part, how|unix.O_NOFOLLOW)
		if at != dir {
			_ = unix.Close(at)
		}
		if err != nil || !more {
			return fd, err
		}
		at, path = fd, rest
	}
}

func openAt(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func statAt(dir int, path string) (stamp, kind, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Fstatat(dir, path, &st, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			return linuxStamp(&st), linuxKind(st.Mode >> 12), nil
		case unix.EINTR:
		default:
			return stamp{}, 0, &fs.PathError{Op: "lstat", Path: strings.Clone(path), Err: err}
		}
	}
}

func linuxStamp(st *unix.Stat_t) stamp {
	return stamp{mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino, size: st.Size, mode: st.Mode, links: uint32(st.Nlink)}
}

// linuxKind reads the type bits of a mode, which directory entries use too.
func linuxKind(bits uint32) kind {
	switch bits {
	case unix.DT_DIR:
		return folderKind
	case unix.DT_REG:
		return fileKind
	case unix.DT_LNK:
		return linkKind
	}
	return otherKind
}

type linuxFolder struct {
	fd  int
	buf []byte
}

func (f *linuxFolder) close() { _ = unix.Close(f.fd) }

func (f *linuxFolder) stamp() (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return stamp{}, err
	}
	return linuxStamp(&st), nil
}

func (f *linuxFolder) lstat(name string) (stamp, kind, error) { return statAt(f.fd, name) }

// Where the fields of a linux_dirent64 lie.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func (f *linuxFolder) list(tell func(string, kind) bool) error {
	for {
		n, err := unix.Getdents(f.fd, f.buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return os.NewSyscallError("getdents64", err)
		}
		if n == 0 {
			return nil
		}
		for entries := f.buf[:n]; len(entries) > direntName; {
			length := int(binary.NativeEndian.Uint16(entries[direntLength:]))
			if length <= direntName || length > len(entries) {
				return os.NewSyscallError("getdents64", unix.EIO)
			}
			name := cString(entries[direntName:length])
			k, known := uint32(entries[direntType]), entries[direntType] != unix.DT_UNKNOWN
			entries = entries[length:]
			if name == "." || name == ".." {
				continue
			}
			kind := linuxKind(k)
			if !known { // some file systems do not say
				if _, kind, err = f.lstat(name); err != nil {
					continue // it went away
				}
			}
			if !tell(name, kind) {
				return nil
			}
		}
	}
}

// cString is the text before the first NUL, without a copy.
func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return unsafe.String(unsafe.SliceData(b), i)
		}
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (f *linuxFolder) read(path string, limit int64, buf []byte) ([]byte, stamp, error) {
	fd, err := walk(f.fd, path, unix.O_RDONLY)
	if errors.Is(err, unix.ENXIO) { // a socket, or a device without a driver
		err = errNotRegular
	}
	if err != nil {
		return nil, stamp{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, stamp{}, os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, stamp{}, errNotRegular
	}
	data, err := readAtMost(func(p []byte) (int, error) { return readFD(fd, p) }, st.Size, limit, buf)
	return data, linuxStamp(&st), err
}

func readFD(fd int, p []byte) (int, error) {
	for {
		n, err := unix.Read(fd, p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
