package knack

import (
	"context"
	"io"
	"path/filepath"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/toolbox/files"
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

// OpenFile opens a file as the file tools would, for tools that read it in their
// own way: within the workspace and the folders of usable skills. The path that is
// returned is the one that rules are held against.
func (s *Session) OpenFile(ctx context.Context, path string) (io.ReadCloser, string, error) {
	if s.box == nil {
		return nil, "", ErrNoToolbox
	}
	return files.Opener(s.files())(ctx, path)
}

// files says which files tools may touch.
func (s *Session) files() files.Options {
	return files.Options{
		Workspace: s.engine.workspace(), Keep: s.box.keep(), Anywhere: s.engine.profile.Tools.Anywhere, Folders: s.folders,
		Opened: func(ctx context.Context, path string) (refusal string) {
			if answers := s.Opened(ctx, path); len(answers) > 0 && !answers[0].OK {
				return answers[0].Message
			}
			return ""
		},
		Instructions: func(path string) bool {
			for _, e := range s.Skills().Entries() {
				if e.Status == skill.Ready && isManifest(e, path) {
					return true
				}
			}
			return false
		},
	}
}

// folders are those of skills that may be read.
func (s *Session) folders() []string {
	var out []string
	for _, e := range s.Skills().Entries() {
		if e.Status != skill.Ready || !filepath.IsAbs(e.Path) {
			continue
		}
		out = append(out, e.Path)
		if real, err := filepath.EvalSymlinks(e.Path); err == nil && real != e.Path {
			out = append(out, real) // file tools go where links lead
		}
	}
	return out
}
