package knack

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/knackhq/knack/skill"
)

// Change is one difference between two snapshots.
type Change struct {
	Kind   string `json:"kind"` // added, removed, edited or status
	Name   string `json:"name"`
	Path   string `json:"path"`
	Detail string `json:"detail,omitempty"`
}

// Changes lists what is different in after, sorted by name and path. A nil
// before is a snapshot without skills.
func Changes(before, after *Snapshot) []Change {
	old := map[string]*skill.Entry{}
	if before != nil {
		for _, e := range before.Entries() {
			old[entryID(e)] = e
		}
	}
	var out []Change
	for _, e := range after.Entries() {
		was, ok := old[entryID(e)]
		delete(old, entryID(e))
		switch {
		case !ok:
			out = append(out, Change{Kind: "added", Name: e.Name, Path: e.Path})
		case !slices.Equal(was.Manifests, e.Manifests):
			out = append(out, Change{Kind: "edited", Name: e.Name, Path: e.Path, Detail: statusChange(was, e)})
		case was.Status != e.Status:
			out = append(out, Change{Kind: "status", Name: e.Name, Path: e.Path, Detail: statusChange(was, e)})
		}
	}
	for _, e := range old {
		out = append(out, Change{Kind: "removed", Name: e.Name, Path: e.Path})
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path), strings.Compare(a.Kind, b.Kind))
	})
	return out
}

// entryID tells entries apart: one folder may be reached through two roots, and
// may hold several skills that are a file each.
func entryID(e *skill.Entry) string { return e.Root + "\x00" + e.Path + "\x00" + e.Slug }

func statusChange(was, is *skill.Entry) string {
	if was.Status == is.Status {
		return ""
	}
	return string(was.Status) + " → " + string(is.Status)
}

// Remembered is the snapshot the index remembers from the last load, without a
// look at the roots; nil if there is no index. It is what [Changes] compares a
// new load with.
func (e *Engine) Remembered(ctx context.Context) (*Snapshot, error) {
	s, err := e.catalog.Remembered(ctx)
	if s == nil || err != nil {
		return nil, err
	}
	return &Snapshot{s: s, problems: e.problems, commands: e.commands}, nil
}
