// Package trust is documented in trust.go.
package trust

import (
	"time"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/skill"
)

// Record is what the user decided about one skill's folder.
type Record struct {
	Path   string `json:"path"` // absolute, links resolved
	Name   string `json:"name"`
	Digest string `json:"digest"` // of the content it was decided on
	// Trusted raises the skill's trust as long as the digest holds.
	Trusted bool           `json:"trusted,omitempty"`
	Grants  []policy.Grant `json:"grants,omitempty"`
	When    time.Time      `json:"when"`
}

// Workspace is a workspace that the user accepted, with its skills as they were.
type Workspace struct {
	Path    string            `json:"path"`
	Digests map[string]string `json:"digests"` // by path of the skill's folder below Path
	When    time.Time         `json:"when"`
}

// Verdict is the trust of one skill, and why it is not that of its root.
type Verdict struct {
	Trust   skill.Trust    `json:"trust"`
	Reasons []skill.Reason `json:"reasons"`
	Grants  []policy.Grant `json:"grants,omitempty"`
}
