package files

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/knackhq/knack/internal/wording"
)

// base is a folder below which files may be opened.
type base struct {
	given, real string
}

// area is all that may be read during one call: the workspace, and the folders of
// skills that lie elsewhere. There may be thousands of these, so they are compared
// by their names alone, and only where a way leads out of the workspace; the one
// that it leads into is then looked at.
type area struct {
	workspace base            // nothing if there is none
	folders   func() []string // asked for once
}

// area looks up what may be read now.
func (set *toolset) area() (*area, error) {
	a := &area{folders: sync.OnceValue(set.folders)}
	if set.Workspace == "" {
		return a, nil
	}
	ws := filepath.Clean(set.Workspace)
	if !filepath.IsAbs(ws) { // of whatever folder this process was started in
		return nil, fmt.Errorf("the workspace %s: %w", wording.Quote(ws), errRelative)
	}
	real, err := filepath.EvalSymlinks(ws)
	if err != nil {
		return nil, fmt.Errorf("the workspace %s cannot be opened: %w", wording.Quote(ws), cause(err))
	}
	a.workspace = base{given: ws, real: real}
	return a, nil
}

// folders are those of skills.
func (set *toolset) folders() []string {
	if set.Folders == nil {
		return nil
	}
	return set.Folders()
}

// hasWorkspace reports whether there is a workspace.
func (a *area) hasWorkspace() bool { return a.workspace != base{} }

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

// within returns what follows a folder in a clean path. No folder has anything in
// it.
func within(folder, path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, folder)
	switch {
	case !ok || folder == "":
		return "", false
	case rest == "" || os.IsPathSeparator(folder[len(folder)-1]):
		return rest, true
	case os.IsPathSeparator(rest[0]):
		return rest[1:], true
	}
	return "", false
}

// locate returns the innermost base that a clean absolute path lies in, and the
// path within it. What lies in the workspace is reached through it alone: a folder
// of a skill in there may have become a link out of it.
func (a *area) locate(path string) (b base, rest string, ok bool) {
	if a.hasWorkspace() {
		if rest, ok := a.workspace.rest(path); ok {
			return a.workspace, rest, true
		}
	}
	for _, folder := range a.folders() {
		r, has := within(folder, path)
		if !has || ok && len(r) >= len(rest) || !filepath.IsAbs(folder) || a.hasWorkspace() && a.workspace.has(folder) {
			continue
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			b, rest, ok = base{given: folder, real: real}, r, true
		}
	}
	return b, rest, ok
}

// show writes a real path for people, rules and models: relative to the
// workspace if it lies there, with slashes.
func (a *area) show(path string) string {
	if a.hasWorkspace() {
		if rest, ok := within(a.workspace.real, path); ok {
			path = cmp.Or(rest, ".")
		}
	}
	return filepath.ToSlash(path)
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
