package knack

import (
	"context"
	"path/filepath"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/skill"
)

// Opened is to be called before a file tool reads a file, given by its absolute
// path. Reading a skill's instructions is activating it: the answers say whether
// that was done, and the file should not be read if it was not. They are empty
// for all other files.
func (s *Session) Opened(ctx context.Context, path string) []Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // by whichever way
	}
	for _, e := range s.snap.Entries() {
		if e.Status != skill.Ready || !isManifest(e, filepath.Clean(path)) {
			continue
		}
		req, asked := s.onRead[e.Name]
		if !asked {
			req = session.Request{Name: e.Name, Reason: session.Model}
		}
		return s.activate(ctx, req)
	}
	return nil
}

// isManifest reports whether a path, links resolved, is that of an entry's
// manifest.
func isManifest(e *skill.Entry, path string) bool {
	for _, m := range e.Manifests {
		own := filepath.Join(e.Path, m.File)
		if own == path {
			return true
		}
		if filepath.Base(path) != filepath.Base(own) {
			continue
		}
		if real, err := filepath.EvalSymlinks(own); err == nil && real == path {
			return true
		}
	}
	return false
}
