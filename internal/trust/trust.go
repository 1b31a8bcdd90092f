// Package trust says how far each skill is trusted. Nothing else does.
//
// # Judging
//
// [Book.Judge] starts with the trust of the root in which the catalog found a
// skill, and goes on in this order:
//
//  1. A skill that comes with a workspace counts as installed unless the user
//     accepted the workspace; who was asked and refused is not asked again. Acceptance is of the skills as they were: one that
//     was added or changed since counts as installed.
//  2. A folder that another program recorded as installed from elsewhere
//     ([Provenance]) counts as installed. Such a record never raises trust.
//  3. What the user decided about the skill itself raises it to trusted,
//     whatever the steps before say.
//
// A decision of the user, acceptance and grants included, is bound to the
// digest of the skill's content. With one byte or executable bit changed it has
// no effect, and neither has it if the digest cannot be computed. Should the
// very same content come back, so does the decision.
//
// The verdict says what was decided otherwise than by the root, and by which
// command the user can have it otherwise. Nothing is read but through the
// functions of [Context]. A digest is asked for only where a decision depends
// on it: a skill without one costs two look-ups.
//
// # The record
//
// The decisions are kept in one JSON file, trust.json in the user's home, open
// to the user alone. [Open] reads it and gives a [Book], a snapshot that does
// not change. [Change] edits it: it waits for its turn, reads what others wrote,
// and replaces the file in one step, so that nothing is lost between two
// processes or when one of them is killed.
//
// The file carries a checksum and must be, byte by byte, what [Change] writes.
// A file that is damaged, edited by hand or of a newer version is a diagnostic
// and counts as empty, never as trust; Change refuses to replace it, so that
// the user can mend it. TestDamage holds that for every byte.
//
// A decision is found by the [Place] of a skill as the catalog tells it; links
// are not resolved. Who reaches the same folder another way has not decided
// about it.
package trust

import (
	"path/filepath"

	"github.com/knackhq/knack/skill"
)

// Context is what a verdict depends on beside the book.
type Context struct {
	// Workspace is the absolute path of the workspace whose skills are judged;
	// empty is none. Whether it is accepted, the book knows.
	Workspace string
	// AcceptWorkspace takes the workspace for accepted, with all that is in it.
	AcceptWorkspace bool
	// Digest computes the digest of a skill's content. It is called at most once
	// in a judgement, and only if a decision of the user depends on it.
	Digest func(e *skill.Entry) (string, error)
	// Provenance tells where a folder on disk was installed from, if that is
	// recorded in it; see the function of that name. It is asked only if it could
	// lower the trust. Nil is not to ask.
	Provenance func(path string) (source string, found bool)
}

// Place is the path by which decisions about a skill are kept: its folder, or
// the file of one that is a single document among others of its folder.
func Place(e *skill.Entry) string {
	if e.Path != e.Root || len(e.Manifests) == 0 || e.Slug == filepath.Base(e.Path) {
		return e.Path
	}
	return filepath.Join(e.Path, filepath.FromSlash(e.Manifests[0].File))
}
