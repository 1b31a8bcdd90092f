package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// base is a folder below which files may be opened.
type base struct {
	given, real string
}

// area is all that may be read during one call: the workspace first, then the
// folders of skills that lie elsewhere.
type area struct {
	bases []base
}

// area looks up what may be read now.
func (set *toolset) area() (*area, error) {
	ws := filepath.Clean(set.Workspace)
	real, err := filepath.EvalSymlinks(ws)
	if err != nil {
		return nil, fmt.Errorf("the workspace %s cannot be opened: %w", wording.Quote(ws), cause(err))
	}
	a := &area{bases: []base{{given: ws, real: real}}}
	for _, folder := range set.folders() {
		folder = filepath.Clean(folder)
		if a.bases[0].has(folder) || !filepath.IsAbs(folder) {
			continue // it is reached through the workspace, or is a link out of it
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			a.bases = append(a.bases, base{given: folder, real: real})
		}
	}
	return a, nil
}

// folders are those of skills.
func (set *toolset) folders() []string {
	if set.Folders == nil {
		return nil
	}
	return set.Folders()
}

// has reports whether a path lies in the base by its names.
func (b base) has(path string) bool {
	_, ok := b.rest(path)
	return ok
}

// rest is a path within the base.
func (b base) rest(path string) (string, bool) {
	if rest, ok := within(b.real, path); ok {
		return rest, true
	}
	return within(b.given, path)
}

// within returns what follows a folder in a clean path.
func within(folder, path string) (rest string, ok bool) {
	if path == folder {
		return "", true
	}
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	return strings.CutPrefix(path, folder)
}

// locate returns the innermost base that a clean absolute path lies in, and the
// path within it.
func (a *area) locate(path string) (b base, rest string, ok bool) {
	for _, other := range a.bases {
		if r, has := other.rest(path); has && (!ok || len(r) < len(rest)) {
			b, rest, ok = other, r, true
		}
	}
	return b, rest, ok
}

// show writes a real path for people, rules and models: relative to the
// workspace if it lies there, with slashes.
func (a *area) show(path string) string {
	rest, ok := within(a.bases[0].real, path)
	switch {
	case !ok:
		rest = path
	case rest == "":
		rest = "."
	}
	return filepath.ToSlash(rest)
}

// cause leaves out what the system says around an error: which call failed on
// which descriptor tells nobody anything.
func cause(err error) error {
	switch e := err.(type) { //nolint:errorlint // what wraps it further says more
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
