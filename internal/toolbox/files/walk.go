package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

const (
	// mostLinks is what Linux follows in one path.
	mostLinks = 40
	// longestPath is what Linux takes for a path.
	longestPath = 4096
)

// spot is where a path leads. The folders to it are open, so that what is done
// there is done in the folders that were looked at.
type spot struct {
	base    base
	real    string        // absolute, without links
	dirs    []*os.Root    // from the base to the folder that it lies in
	infos   []fs.FileInfo // of dirs
	names   []string      // of dirs after the first
	name    string        // in the last of dirs; "." for the base itself
	info    fs.FileInfo   // what is there; nil if nothing is
	missing []string      // names that do not exist, the last one being name
}

// close closes the folders.
func (s *spot) close() {
	for _, d := range s.dirs {
		d.Close()
	}
	s.dirs, s.infos, s.names = nil, nil, nil
}

// last is the folder that it lies in.
func (s *spot) last() *os.Root { return s.dirs[len(s.dirs)-1] }

// walk follows a path that was given, absolute or relative to the workspace. That
// nothing is there is no error.
func (a *area) walk(path string) (*spot, error) {
	clean, err := a.clean(path)
	if err == nil {
		b, rest, ok := a.locate(clean)
		if !ok {
			return nil, fmt.Errorf("%s: %w", wording.Quote(path), errOutside)
		}
		s := &spot{}
		if err = s.start(b); err == nil {
			err = s.follow(a, split(rest))
		}
		if err == nil {
			return s, nil
		}
		s.close()
	}
	if len(path) > longestPath {
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", wording.Quote(path), cause(err))
}

// clean makes a given path absolute.
func (a *area) clean(path string) (string, error) {
	slashed := filepath.ToSlash(path)
	switch {
	case strings.TrimSpace(path) == "":
		return "", errEmpty
	case len(path) > longestPath:
		return "", errLong
	case strings.ContainsRune(path, 0):
		return "", errNUL
	case path[0] == '~':
		return "", errHome
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		return "", errUp
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	case strings.HasPrefix(slashed, "/") || filepath.VolumeName(path) != "":
		return "", errOutside // neither relative nor absolute, on Windows
	case !a.hasWorkspace():
		return "", errNoWorkspace
	}
	return filepath.Join(a.workspace.given, path), nil
}

// split returns the names of a path.
func split(path string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool {
		return name == "" || name == "."
	})
}

// start begins the way at a base.
func (s *spot) start(b base) error {
	s.close()
	root, err := os.OpenRoot(b.real)
	if err != nil {
		return err
	}
	info, err := root.Stat(".")
	if err != nil {
		return errors.Join(err, root.Close())
	}
	s.base, s.dirs, s.infos = b, []*os.Root{root}, []fs.FileInfo{info}
	return nil
}

// follow goes on by names, resolving links.
func (s *spot) follow(a *area, names []string) error {
	links := 0
	s.at(".", s.infos[0])
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if name == ".." { // of a link: given paths have none
			var err error
			if names, err = s.up(a, names); err != nil {
				return err
			}
			continue
		}
		info, err := s.last().Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if slices.Contains(names, "..") {
				return errMissing
			}
			s.at(name, nil)
			s.missing = append([]string{name}, names...)
			s.name = s.missing[len(s.missing)-1]
			s.real = filepath.Join(append([]string{s.real}, names...)...)
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > mostLinks {
				return errLinks
			}
			if names, err = s.link(a, name, names); err != nil {
				return err
			}
		case len(names) == 0:
			s.at(name, info)
		case !info.IsDir():
			return errNotFolder
		default:
			if err := s.enter(name, info); err != nil {
				return err
			}
		}
	}
	return nil
}

// at ends the way at a name in the last folder.
func (s *spot) at(name string, info fs.FileInfo) {
	s.name, s.info, s.missing = name, info, nil
	s.real = filepath.Join(s.folder(), name)
}

// folder is the real path of the last folder.
func (s *spot) folder() string {
	return filepath.Join(append([]string{s.base.real}, s.names...)...)
}

// enter opens a folder that was looked at, and ends the way there for now. The
// dot has it opened as a folder only: a pipe that was put in its place would
// keep us waiting.
func (s *spot) enter(name string, seen fs.FileInfo) error {
	dir, err := s.last().OpenRoot(name + "/.")
	if err != nil {
		return err
	}
	info, err := dir.Stat(".")
	if err == nil && !os.SameFile(seen, info) {
		err = errSwapped
	}
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	s.dirs, s.infos, s.names = append(s.dirs, dir), append(s.infos, info), append(s.names, name)
	s.name, s.info, s.real = ".", info, s.folder()
	return nil
}

// up goes to the parent of the last folder. Above a base it goes on only if the
// way leads into a base again.
func (s *spot) up(a *area, names []string) ([]string, error) {
	if end := len(s.dirs) - 1; end > 0 {
		s.dirs[end].Close()
		s.dirs, s.infos, s.names = s.dirs[:end], s.infos[:end], s.names[:end-1]
		s.name, s.info, s.real = ".", s.infos[end-1], s.folder()
		return names, nil
	}
	parent := filepath.Dir(s.base.real)
	for len(names) > 0 && names[0] == ".." {
		parent, names = filepath.Dir(parent), names[1:]
	}
	return s.jump(a, parent, names)
}

// link follows a link in the last folder.
func (s *spot) link(a *area, name string, names []string) ([]string, error) {
	target, err := s.last().Readlink(name)
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(target) {
		return s.jump(a, filepath.VolumeName(target)+string(filepath.Separator), append(split(target[len(filepath.VolumeName(target)):]), names...))
	}
	if target == "" || os.IsPathSeparator(target[0]) || filepath.VolumeName(target) != "" {
		return nil, errLeadsOut
	}
	s.name, s.info, s.real = ".", s.infos[len(s.infos)-1], s.folder()
	return append(split(target), names...), nil
}

// jump goes on from a folder without links in its path, through the base that the
// names lead into. Names that go up again behind others are not followed: what
// lies outside is not looked at to find out where they lead.
func (s *spot) jump(a *area, folder string, names []string) ([]string, error) {
	plain := slices.Index(names, "..")
	if plain < 0 {
		plain = len(names)
	}
	b, rest, ok := a.locate(filepath.Join(append([]string{folder}, names[:plain]...)...))
	if !ok {
		return nil, errLeadsOut
	}
	if err := s.start(b); err != nil {
		return nil, err
	}
	s.at(".", s.infos[0])
	return append(split(rest), names[plain:]...), nil
}
