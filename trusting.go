package knack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// trustFile holds what the user decided; empty if there is no home.
func (e *Engine) trustFile() string {
	if e.opt.Home == "" {
		return ""
	}
	return filepath.Join(e.opt.Home, "trust.json")
}

// judging returns what sets the trust of entries during one load.
func (e *Engine) judging(ctx context.Context) (judge func(*skill.Entry), done func()) {
	book, _ := trust.Open(e.trustFile()) // what is wrong with it, Diagnostics tell
	sums := e.openDigests()
	in := e.trustContext(sums.within(ctx))
	return func(entry *skill.Entry) {
		v := judgement(book, entry, in)
		entry.Trust, entry.TrustReasons = v.Trust, v.Reasons
	}, sums.keep
}

// weighed is a skill that was read whole with the trust of the content that was
// read, which may have changed since its snapshot was made. It gains none.
func (e *Engine) weighed(book *trust.Book, full *skill.Entry) *skill.Entry {
	v := e.judgedAnew(book, full, func(*skill.Entry) (string, error) {
		if full.Digest == "" {
			return "", errNoDigest
		}
		return full.Digest, nil
	})
	if !v.Trust.Below(full.Trust) {
		return full
	}
	found := *full
	found.Trust, found.TrustReasons = v.Trust, v.Reasons
	return &found
}

// judgedAnew is the verdict about an entry that was judged before.
func (e *Engine) judgedAnew(book *trust.Book, entry *skill.Entry, digest func(*skill.Entry) (string, error)) trust.Verdict {
	found := *entry
	if i := slices.IndexFunc(e.roots, func(r catalog.Root) bool { return r.Path == entry.Root }); i >= 0 {
		found.Trust = e.roots[i].Trust
	}
	return judgement(book, &found, e.trustContext(digest))
}

// judgement is the verdict about one entry. Its folder is asked for provenance
// only if the catalog saw something there that could tell.
func judgement(book *trust.Book, entry *skill.Entry, in trust.Context) trust.Verdict {
	if strings.HasPrefix(entry.Provenance.Source, ".") {
		in.Provenance = provenance
	}
	return book.Judge(entry, in)
}

// trustContext is what verdicts depend on.
func (e *Engine) trustContext(digest func(*skill.Entry) (string, error)) trust.Context {
	return trust.Context{
		Workspace: e.opt.Workspace, AcceptWorkspace: e.opt.TrustWorkspace || e.opt.Workspace == "",
		Digest: digest,
	}
}

// provenance reads the sidecars of a skill's folder.
func provenance(path string) (source string, found bool) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return "", false
	}
	defer root.Close()
	return trust.Provenance(root)
}

// Decision is what the user decided about one skill.
type Decision struct {
	Name    string    `json:"name"`
	Path    string    `json:"path"`
	Trusted bool      `json:"trusted"`
	Grants  []Grant   `json:"grants"`
	Digest  string    `json:"digest"`
	When    time.Time `json:"when"`
}

// Grant is a tool that a skill of installed trust may keep, and the hosts it may
// reach with it.
type Grant struct {
	Tool string   `json:"tool"`
	Net  []string `json:"net,omitempty"`
}

// PrivateHosts are the hosts of a grant that are not of the public internet:
// this machine's and those of the networks around it. Users want to know.
func PrivateHosts(g Grant) []string { return policy.Grant(g).Private() }

// Acceptance is a workspace that the user accepted, or refused.
type Acceptance struct {
	Path    string    `json:"path"`
	Refused bool      `json:"refused,omitempty"`
	Skills  int       `json:"skills"`
	When    time.Time `json:"when"`
}

// Decisions lists what the user decided, and what is wrong with the record.
func (e *Engine) Decisions() (skills []Decision, workspaces []Acceptance, problems []skill.Diagnostic) {
	book, problems := trust.Open(e.trustFile())
	for _, r := range book.Records() {
		d := Decision{Name: r.Name, Path: r.Path, Trusted: r.Trusted, Digest: r.Digest, When: r.When, Grants: []Grant{}}
		for _, g := range r.Grants {
			d.Grants = append(d.Grants, Grant(g))
		}
		skills = append(skills, d)
	}
	for _, w := range book.Workspaces() {
		workspaces = append(workspaces, Acceptance{Path: w.Path, Refused: w.Refused, Skills: len(w.Digests), When: w.When})
	}
	return skills, workspaces, problems
}

// Trust raises skills to trusted, bound to their content as it is now. One
// changed byte, and it has no effect any more.
func (e *Engine) Trust(ctx context.Context, entries ...*skill.Entry) error {
	return e.decide(ctx, entries, func(edit *trust.Edit, entry *skill.Entry, digest string) error {
		return edit.Trust(trust.Place(entry), entry.Name, digest)
	})
}

// Grant lets a skill of installed trust keep tools, bound to its content: all of
// them or, where one cannot be granted, none.
func (e *Engine) Grant(ctx context.Context, entry *skill.Entry, grants ...Grant) error {
	checked := make([]policy.Grant, len(grants))
	for i, g := range grants {
		var err error
		if checked[i], err = policy.ParseGrant(g.Tool, g.Net); err != nil {
			return err
		}
	}
	return e.decide(ctx, []*skill.Entry{entry}, func(edit *trust.Edit, entry *skill.Entry, digest string) error {
		for _, g := range checked {
			if err := edit.Grant(trust.Place(entry), entry.Name, digest, g); err != nil {
				return err
			}
		}
		return nil
	})
}

// decide records a decision about the content that entries have now.
func (e *Engine) decide(ctx context.Context, entries []*skill.Entry, do func(*trust.Edit, *skill.Entry, string) error) error {
	if e.trustFile() == "" {
		return ErrNoConfig
	}
	digests := make([]string, len(entries))
	for i, entry := range entries {
		sum, err := e.digest(ctx, entry)
		if err == nil && entry.Digest != "" && sum != entry.Digest {
			err = fmt.Errorf("%s: %w", wording.Quote(entry.Name), errChangedSince) // since it was read
		}
		if err != nil {
			return err
		}
		digests[i] = sum
	}
	return trust.Change(ctx, e.trustFile(), e.opt.Now(), func(edit *trust.Edit) error {
		for i, entry := range entries {
			if err := do(edit, entry, digests[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Distrust takes back that a skill is trusted, and reports whether it was. What
// it was granted stays.
func (e *Engine) Distrust(ctx context.Context, path string) (was bool, err error) {
	return e.takeBack(ctx, func(edit *trust.Edit) bool { return edit.Distrust(path) })
}

// Revoke takes back what a skill was granted: one tool, or all if tool is empty.
// It reports whether there was such a grant.
func (e *Engine) Revoke(ctx context.Context, path, tool string) (was bool, err error) {
	if tool != "" {
		g, err := policy.ParseGrant(tool, nil)
		if err != nil {
			return false, err
		}
		tool = g.Tool
	}
	return e.takeBack(ctx, func(edit *trust.Edit) bool { return edit.Revoke(path, tool) })
}

func (e *Engine) takeBack(ctx context.Context, do func(*trust.Edit) bool) (was bool, err error) {
	if e.trustFile() == "" {
		return false, ErrNoConfig
	}
	err = trust.Change(ctx, e.trustFile(), e.opt.Now(), func(edit *trust.Edit) error {
		was = do(edit)
		return nil
	})
	return was, err
}

// TrustPath is the path by which decisions about an entry are kept.
func TrustPath(entry *skill.Entry) string { return trust.Place(entry) }
