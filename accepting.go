package knack

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/skill"
)

// AcceptWorkspace accepts the workspace with its skills as they are now, and
// returns how many those are. A skill that is added or changed later counts as
// installed until the workspace is accepted again.
func (e *Engine) AcceptWorkspace(ctx context.Context) (int, error) {
	if e.trustFile() == "" || e.opt.Workspace == "" {
		return 0, ErrNoConfig
	}
	snap, err := e.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	digests := map[string]string{}
	for _, entry := range snap.Entries() {
		if entry.Source != workspaceClass || entry.Status == skill.Invalid {
			continue
		}
		sum, err := e.digest(ctx, entry)
		if err != nil {
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			continue // it stays as it is: not accepted
		}
		digests[trust.Place(entry)] = sum
	}
	n := len(digests)
	err = trust.Change(ctx, e.trustFile(), e.opt.Now(), func(edit *trust.Edit) error {
		// Another host looks for skills elsewhere in the workspace, and what was
		// accepted there still is.
		for place, sum := range edit.Accepted(e.opt.Workspace) {
			if !e.searches(place) {
				digests[place] = sum
			}
		}
		return edit.AcceptWorkspace(e.opt.Workspace, digests)
	})
	return n, err
}

// searches reports whether skills in a place of the workspace can be seen.
func (e *Engine) searches(place string) bool {
	return slices.ContainsFunc(e.roots, func(r catalog.Root) bool {
		rel, err := filepath.Rel(r.Path, place)
		return r.Class == workspaceClass && err == nil && filepath.IsLocal(rel)
	})
}

// ForgetWorkspace takes back that the workspace was accepted, and reports
// whether it was.
func (e *Engine) ForgetWorkspace(ctx context.Context) (was bool, err error) {
	return e.takeBack(ctx, func(edit *trust.Edit) bool { return edit.ForgetWorkspace(e.opt.Workspace) })
}

// RefuseWorkspace records that the user was asked about the workspace and did
// not accept it.
func (e *Engine) RefuseWorkspace(ctx context.Context) error {
	if e.trustFile() == "" || e.opt.Workspace == "" {
		return ErrNoConfig
	}
	return trust.Change(ctx, e.trustFile(), e.opt.Now(), func(edit *trust.Edit) error {
		return edit.RefuseWorkspace(e.opt.Workspace)
	})
}

// Undecided lists the skills of a workspace that the user has neither accepted
// nor refused; whoever can ask a person should.
func (e *Engine) Undecided(snap *Snapshot) []*skill.Entry {
	book, _ := trust.Open(e.trustFile())
	if slices.ContainsFunc(book.Workspaces(), func(w trust.Workspace) bool { return w.Path == e.opt.Workspace }) {
		return nil
	}
	var out []*skill.Entry
	for _, entry := range snap.Entries() {
		if slices.ContainsFunc(entry.TrustReasons, func(r skill.Reason) bool { return r.Code == skill.WorkspaceNotAccepted }) {
			out = append(out, entry)
		}
	}
	return out
}
