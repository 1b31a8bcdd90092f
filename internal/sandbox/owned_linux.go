package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// entry is what of a file tells who can change it.
type entry struct {
	uid, mode uint32
	link      string // where it leads, if it is a symbolic link
}

func lookAt(path string) (entry, error) {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return entry{}, err
	}
	e := entry{uid: stat.Uid, mode: stat.Mode}
	if stat.Mode&unix.S_IFMT != unix.S_IFLNK {
		return e, nil
	}
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlink(path, buf)
	e.link = string(buf[:max(n, 0)])
	return e, err
}

// ownedByRoot follows an absolute path as the kernel does, and returns where it
// leads if everything on the way is root's, and only root's to change. A folder in
// which everybody may make files is not, sticky or not.
func ownedByRoot(path string, look func(string) (entry, error)) (string, error) {
	at, links := "/", 0
	for rest := strings.Split(path, "/"); len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, name) // of "" and "..", too
		e, err := look(next)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", next, err)
		case e.uid != 0, e.link == "" && e.mode&0o022 != 0:
			return "", fmt.Errorf("%s can be changed by others than root", next)
		case e.link == "":
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: %w", path, unix.ELOOP)
		}
		if filepath.IsAbs(e.link) {
			at = "/"
		}
		rest = append(strings.Split(e.link, "/"), rest...)
	}
	return at, nil
}
