package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/knackhq/knack/internal/wording"
)

// kept is a path that may only be read.
type kept struct {
	paths []string      // as given, and where its parents really are
	infos []fs.FileInfo // what is there: a link, and what it leads to
}

// keptAt looks up a path that may only be read: what is there, and the place that
// its links lead to. That place may not exist yet, and whoever made it would make
// what is kept.
func keptAt(path string) []kept {
	path = filepath.Clean(path)
	out := []kept{lookUp(path)}
	if end := leadsTo(path); end != path {
		out = append(out, lookUp(end))
	}
	return out
}

func lookUp(path string) kept {
	k := kept{paths: []string{path, realParents(path)}}
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		if info, err := look(path); err == nil {
			k.infos = append(k.infos, info)
		}
	}
	return k
}

// leadsTo follows the links of a clean path, also those to what does not exist:
// behind a name that is missing, the names alone say where it leads. A path whose
// links lead in a circle leads nowhere and is returned as it is.
func leadsTo(path string) string {
	top := func(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }
	at, names := top(path), split(path[len(filepath.VolumeName(path)):])
	for links := 0; len(names) > 0; {
		name := names[0]
		names = names[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > mostLinks || len(target) > longestPath {
			return path
		}
		volume := filepath.VolumeName(target)
		rest := target[len(volume):]
		switch {
		case volume != "":
			at = top(target)
		case rest != "" && os.IsPathSeparator(rest[0]):
			at = top(at)
		}
		names = append(split(rest), names...)
	}
	return at
}

// realParents resolves the links of the parents of a path, as far as they exist.
func realParents(path string) string {
	var rest []string
	for at := path; ; {
		parent := filepath.Dir(at)
		if parent == at {
			return path
		}
		rest = append([]string{filepath.Base(at)}, rest...)
		if real, err := filepath.EvalSymlinks(parent); err == nil {
			return filepath.Join(append([]string{real}, rest...)...)
		}
		at = parent
	}
}

// mayChange refuses to change what is not in the workspace, or is kept.
func (set *toolset) mayChange(a *area, s *spot) error {
	switch {
	case !a.hasWorkspace():
		return fmt.Errorf("%s: %w", wording.Quote(s.real), errNowhere)
	case s.base != a.workspace:
		return fmt.Errorf("%s: %w", wording.Quote(s.real), errReadOnly)
	}
	// Names are judged within the workspace alone: it may lie in a folder of such a
	// name.
	rest, _ := within(s.base.real, s.real)
	if slices.ContainsFunc(split(rest), nameOf(set.Anywhere)) {
		return fmt.Errorf("%s: %w", wording.Quote(a.show(s.real)), errKept)
	}
	for _, path := range slices.Concat(set.Keep, s.touched(a.folders())) {
		for _, k := range keptAt(path) {
			if err := k.refuse(s); err != nil {
				return fmt.Errorf("%s: %w", wording.Quote(a.show(s.real)), err)
			}
		}
	}
	return nil
}

// touched are the folders that a spot may lie in, or take the place of a parent of,
// going by names. There may be thousands, so that only these are looked up.
func (s *spot) touched(folders []string) []string {
	if len(folders) == 0 {
		return nil
	}
	isFolder := s.info != nil && s.info.IsDir() // which takes no place: it is not written
	own := []string{alike(s.real)}
	if long := alike(realParents(s.real)); long != own[0] { // Windows has short names
		own = append(own, long)
	}
	var out []string
	for _, folder := range folders {
		name := alike(folder)
		for _, o := range own {
			_, in := within(name, o)
			_, above := within(o, name)
			if in || above && !isFolder {
				out = append(out, folder)
				break
			}
		}
	}
	return out
}

// refuse says why a spot is kept, if it is.
func (k kept) refuse(s *spot) error {
	if k.is(s.info) || slices.ContainsFunc(s.infos, k.is) {
		return errKept
	}
	for _, path := range k.paths {
		if _, ok := within(path, s.real); ok {
			return errKept
		}
		// Where it exists, its inode has decided, unless inodes say little. Where it
		// does not, any name that could be taken for it counts.
		if len(k.infos) == 0 || runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
			if _, ok := within(alike(path), alike(s.real)); ok {
				return errKept
			}
		}
		if _, ok := within(alike(s.real), alike(path)); ok && len(k.infos) == 0 && (s.info == nil || !s.info.IsDir()) {
			return errBlocks
		}
	}
	return nil
}

// is reports whether something is what is kept.
func (k kept) is(info fs.FileInfo) bool {
	return info != nil && slices.ContainsFunc(k.infos, func(own fs.FileInfo) bool { return os.SameFile(own, info) })
}

// alike is the same for all paths that some filesystem takes for one.
func alike(path string) string {
	if isPlain(path) {
		return strings.ToLower(path)
	}
	names := strings.Split(filepath.ToSlash(path), "/")
	for i, name := range names {
		if i == 0 && filepath.VolumeName(name) != "" {
			names[i] = strings.ToLower(name)
			continue
		}
		names[i] = alikeName(name)
	}
	return filepath.FromSlash(strings.Join(names, "/"))
}

// isPlain reports a path of ASCII in which only letter case can make names alike.
func isPlain(path string) bool {
	for i := range len(path) {
		c := path[i]
		last := i+1 == len(path) || os.IsPathSeparator(path[i+1])
		if c >= utf8.RuneSelf || c == ':' || last && (c == '.' || c == ' ') {
			return false
		}
	}
	return true
}

// alikeName is the same for all names that some filesystem takes for one: in
// another letter case or composition, with characters that do not show, with dots
// or spaces behind it, or with the name of a stream.
func alikeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKC.String(name))
	if stream := strings.IndexByte(name, ':'); stream > 0 {
		name = name[:stream]
	}
	if short := strings.TrimRight(name, ". "); short != "" {
		name = short
	}
	return name
}
