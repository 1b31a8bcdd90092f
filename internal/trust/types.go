package trust

import (
	"time"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/skill"
)

// Record is what the user decided about one skill.
type Record struct {
	Path   string `json:"path"`   // its [Place]
	Name   string `json:"name"`   // for people to read
	Digest string `json:"digest"` // of the content it was decided on
	// Trusted raises the skill's trust as long as the digest holds.
	Trusted bool `json:"trusted,omitempty"`
	// Grants are sorted by tool, one for each.
	Grants []policy.Grant `json:"grants,omitempty"`
	// When is the time of the first decision on that content, or of trusting it.
	When time.Time `json:"when"`
}

// Workspace is a workspace that the user accepted, with its skills as they were,
// or was asked about and did not.
type Workspace struct {
	Path string `json:"path"`
	// Refused has no digests: the answer was no.
	Refused bool `json:"refused,omitempty"`
	// Digests are by the [Place] of the skill: relative to Path, with slashes;
	// absolute if it lies elsewhere.
	Digests map[string]string `json:"digests"`
	When    time.Time         `json:"when"`
}

// Verdict is the trust of one skill, and why it is not that of its root.
type Verdict struct {
	Trust skill.Trust `json:"trust"`
	// Reasons say what lowered the trust or raised it, and which decisions of
	// the user have no effect any more.
	Reasons []skill.Reason `json:"reasons"`
	// Grants count; Void were made on other content and do not.
	Grants []policy.Grant `json:"grants,omitempty"`
	Void   []policy.Grant `json:"void,omitempty"`
}
