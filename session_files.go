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
	e := s.where().manifests[realPath(filepath.Clean(path))]
	if e == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	req, asked := s.onRead[e.Name]
	if !asked {
		req = session.Request{Name: e.Name, Reason: session.Model}
	}
	return s.activate(ctx, req)
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

// ResolveFile is the path by which rules name a file that [Session.OpenFile] would
// open. It changes nothing: no skill is activated.
func (s *Session) ResolveFile(ctx context.Context, path string) (string, error) {
	if s.box == nil {
		return "", ErrNoToolbox
	}
	return files.Resolver(s.files())(ctx, path)
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
		Instructions: func(path string) bool { return s.where().manifests[path] != nil },
	}
}

// folders are those of skills that may be read.
func (s *Session) folders() []string { return s.where().folders }

// skillPlaces is where usable skills really are, links resolved: asked for at every
// file that is touched, and found once for each snapshot.
type skillPlaces struct {
	folders   []string
	manifests map[string]*skill.Entry
}

func (s *Session) where() skillPlaces {
	s.mu.Lock()
	places := s.places
	s.mu.Unlock()
	return places()
}

func placesOf(snap *Snapshot) skillPlaces {
	p := skillPlaces{manifests: map[string]*skill.Entry{}}
	for _, e := range snap.Entries() {
		if e.Status != skill.Ready || !filepath.IsAbs(e.Path) {
			continue
		}
		folder := realPath(e.Path)
		if p.folders = append(p.folders, folder); filepath.Clean(e.Path) != folder {
			p.folders = append(p.folders, filepath.Clean(e.Path)) // by either way
		}
		for _, m := range e.Manifests {
			path := filepath.Join(folder, m.File)
			p.manifests[path] = e
			p.manifests[realPath(path)] = e // a manifest may be a link as well
		}
	}
	return p
}
