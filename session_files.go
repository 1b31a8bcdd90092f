package knack

import (
	"context"
	"path/filepath"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/trust"
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

// MayReach reports whether a call with these arguments may reach a host, which
// may have a port.
func (d *ToolDecision) MayReach(arguments, host string) bool {
	hosts, confined := d.Reach(arguments)
	return !confined || policy.HostWithin(host, hosts)
}

// PrivateHosts are the hosts of a grant that are not of the public internet:
// this machine's and those of the networks around it. Users want to know.
func PrivateHosts(g Grant) []string { return policy.Grant(g).Private() }

// End is how a dispatched command ended.
type End int

// The ends of a dispatch.
const (
	Answered End = iota // the tool answered
	NoTool              // there is no such tool
	Refused             // it was not allowed to run
)

// Reply is what the user is told of a dispatch: text is what the tool answered,
// or why it did not run.
func (s *Session) Reply(d *Dispatch, end End, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commands.Reply(&session.Dispatch{Tool: d.Tool}, session.DispatchEnd(end), text)
}

// grantedByName reports whether the user granted something to this very skill,
// and its variables are kept under its own name.
func (s *Session) grantedByName(ctx context.Context, e *skill.Entry) bool {
	if e.Key() != e.Name {
		return false
	}
	book, _ := trust.Open(s.engine.trustFile())
	return len(judgement(book, e, s.engine.trustContext(s.engine.openDigests().within(ctx))).Grants) > 0
}
