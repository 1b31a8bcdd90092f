package trust

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/durable"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/wording"
)

// Change edits the file: one process at a time, all edits of do or none. now is
// the time of the decision. Edits that change nothing leave the file as it is,
// and an error of do writes nothing. It fails if the file cannot be used.
func Change(ctx context.Context, file string, now time.Time, do func(*Edit) error) (err error) {
	if file == "" {
		return errNoFile
	}
	unlock, err := durable.LockBeside(ctx, file)
	if err != nil {
		return unwritable(file, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	b, before, err := read(file)
	if err != nil {
		return fmt.Errorf("%s cannot be used: %w; %s", wording.Quote(file), cause(err), wayOut(file, err))
	}
	e := Edit{now: now.UTC().Truncate(time.Second), records: maps.Clone(b.records), workspaces: maps.Clone(b.workspaces)}
	if e.records == nil {
		e.records, e.workspaces = map[string]Record{}, map[string]Workspace{}
	}
	if err := do(&e); err != nil {
		return err
	}
	after, err := (&Book{records: e.records, workspaces: e.workspaces}).encode()
	switch {
	case err != nil:
		return unwritable(file, err)
	case bytes.Equal(before, after), before == nil && len(e.records)+len(e.workspaces) == 0:
		return nil
	case len(after) > maxBytes: // it could not be read again
		return fmt.Errorf("%s cannot take more, because it would be larger than %d bytes; distrust what you no longer use", wording.Quote(file), maxBytes)
	}
	if before != nil {
		// Writing keeps the mode. Where a file system has no modes, this fails,
		// and there is nothing to be kept.
		_ = os.Chmod(file, 0o600)
	}
	if err := durable.WriteFile(file, after, 0o600); err != nil {
		return unwritable(file, err)
	}
	return nil
}

// unwritable says which file could not be written, not which step failed.
func unwritable(file string, err error) error {
	return fmt.Errorf("%s cannot be written: %w; check the permissions of %s", wording.Quote(file), cause(err), wording.Quote(filepath.Dir(file)))
}

// Edit is a change of the file in the making. Each method may be repeated
// without further effect. A path is the [Place] of a skill, or the absolute
// path of a workspace.
type Edit struct {
	now        time.Time
	records    map[string]Record
	workspaces map[string]Workspace
}

// Trust trusts a skill with this content.
func (e *Edit) Trust(path, name, digest string) error {
	r, err := e.record(path, name, digest)
	if err != nil || r.Trusted {
		return err
	}
	r.Trusted, r.When = true, e.now
	e.records[r.Path] = r
	return nil
}

// Distrust takes a skill's trust back, and leaves its grants. It reports
// whether there was any.
func (e *Edit) Distrust(path string) bool {
	r, ok := e.records[clean(path)]
	if !ok || !r.Trusted {
		return false
	}
	r.Trusted = false
	e.keep(r)
	return true
}

// Grant lets a skill with this content keep a tool. Hosts add up with those
// that were granted for the same tool before.
func (e *Edit) Grant(path, name, digest string, g policy.Grant) error {
	if err := checkGrant(g); err != nil {
		return err
	}
	r, err := e.record(path, name, digest)
	if err != nil {
		return err
	}
	r.Grants = cloneGrants(r.Grants)
	i, found := slices.BinarySearchFunc(r.Grants, g.Tool, func(have policy.Grant, tool string) int { return cmp.Compare(have.Tool, tool) })
	if !found {
		r.Grants = slices.Insert(r.Grants, i, policy.Grant{Tool: g.Tool})
	}
	net := slices.Concat(r.Grants[i].Net, g.Net)
	slices.Sort(net)
	r.Grants[i].Net = slices.Compact(net)
	e.records[r.Path] = r
	return nil
}

// Revoke takes back what was granted for a tool, named as it was in the grant;
// for all tools if it is empty. It reports whether anything was granted.
func (e *Edit) Revoke(path, tool string) bool {
	r, ok := e.records[clean(path)]
	if !ok {
		return false
	}
	before := len(r.Grants)
	r.Grants = slices.DeleteFunc(cloneGrants(r.Grants), func(g policy.Grant) bool { return tool == "" || g.Tool == tool })
	switch len(r.Grants) {
	case before:
		return false
	case 0:
		r.Grants = nil // as a file without any is read
	}
	e.keep(r)
	return true
}

// AcceptWorkspace accepts a workspace with its skills as they are: digests has
// those of all that have one, by their [Place]. What was accepted before is
// forgotten.
func (e *Edit) AcceptWorkspace(path string, digests map[string]string) error {
	path = clean(path)
	if err := checkPath(path); err != nil {
		return err
	}
	w := Workspace{Path: path, Digests: make(map[string]string, len(digests)), When: e.now}
	for place, digest := range digests {
		if err := checkPath(place); err != nil {
			return err
		}
		if !isDigest(digest) {
			return noDigest(place)
		}
		w.Digests[below(path, place)] = digest
	}
	if before, ok := e.workspaces[path]; !ok || before.Refused || !maps.Equal(before.Digests, w.Digests) {
		e.workspaces[path] = w
	}
	return nil
}

// Accepted has the digests of a workspace's skills as they were accepted, by
// their [Place]; nothing if it was not.
func (e *Edit) Accepted(path string) map[string]string {
	w := e.workspaces[clean(path)]
	out := make(map[string]string, len(w.Digests))
	for place, digest := range w.Digests {
		if local := filepath.FromSlash(place); !filepath.IsAbs(local) {
			place = filepath.Join(w.Path, local)
		}
		out[place] = digest
	}
	return out
}

// RefuseWorkspace records that the user was asked and did not accept, so that
// nobody asks again.
func (e *Edit) RefuseWorkspace(path string) error {
	path = clean(path)
	if err := checkPath(path); err != nil {
		return err
	}
	if !e.workspaces[path].Refused {
		e.workspaces[path] = Workspace{Path: path, Refused: true, Digests: map[string]string{}, When: e.now}
	}
	return nil
}

// ForgetWorkspace takes back that a workspace was accepted. It reports whether
// it was.
func (e *Edit) ForgetWorkspace(path string) bool {
	path = clean(path)
	_, ok := e.workspaces[path]
	delete(e.workspaces, path)
	return ok
}

// record finds the decisions about this content, or starts anew: what was
// decided about other content must not come to count for this one.
func (e *Edit) record(path, name, digest string) (Record, error) {
	path = clean(path)
	if err := checkPath(path); err != nil {
		return Record{}, err
	}
	if !isDigest(digest) {
		return Record{}, noDigest(path)
	}
	if r, ok := e.records[path]; ok && r.Digest == digest {
		return r, nil
	}
	return Record{Path: path, Name: strings.ToValidUTF8(name, "\ufffd"), Digest: digest, When: e.now}, nil
}

// keep stores a record if it still says anything.
func (e *Edit) keep(r Record) {
	if r.Trusted || len(r.Grants) > 0 {
		e.records[r.Path] = r
	} else {
		delete(e.records, r.Path)
	}
}

// checkPath refuses what the file could not tell from another path.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("trust: no path is given")
	case !utf8.ValidString(path):
		return fmt.Errorf("the path %s is not valid UTF-8, so nothing can be decided about it; rename the folder", wording.Quote(path))
	}
	return nil
}

func checkGrant(g policy.Grant) error {
	for _, s := range append([]string{g.Tool}, g.Net...) {
		if s == "" || !utf8.ValidString(s) {
			return fmt.Errorf("the tool or host %s is empty or not valid UTF-8, so it cannot be granted", wording.Quote(s))
		}
	}
	return nil
}

func noDigest(path string) error {
	return fmt.Errorf("%s has no digest, so nothing can be decided about its content; knack lint tells what is in the way", wording.Quote(path))
}

// clean is the one spelling of a path on disk.
func clean(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return path
}

// below is the path of a skill relative to its workspace, with slashes, or its
// own path if it lies elsewhere.
func below(workspace, place string) string {
	if rel, err := filepath.Rel(workspace, clean(place)); filepath.IsAbs(place) && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(place)
}
