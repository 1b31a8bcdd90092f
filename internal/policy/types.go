package policy

import (
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// Rules are the knobs of this step, as a host profile sets them under [policy].
type Rules struct {
	// Permissions says what a skill's declared permissions are: "require" makes
	// them needed for activation, "ceiling" the most its own tools may do,
	// "both" is both.
	Permissions string `toml:"permissions"`
	// Installed says which tools remain while a skill of installed trust is
	// active: those whose effects are "read-only", or those "listed" in ReadOnly.
	Installed string   `toml:"installed"`
	ReadOnly  []string `toml:"read_only"` // names in any dialect
	// Says is how the host words a refusal, by its kind: "installed" (the tool is
	// kept back by an installed skill), "installed_hint" (what the user can do
	// about that), "permission" (no tool for a permission). {tool}, {skill} and
	// {permission} are filled in. What it does not word, Knack does.
	Says map[string]string `toml:"says"`
}

// Active is a skill that is active, as far as it matters to tools.
type Active struct {
	Name  string
	Trust skill.Trust
	// Permissions, Allowed and Disallowed are what its author declares.
	Permissions, Allowed, Disallowed []string
	// Grants are what the user allows this skill beyond its trust.
	Grants []Grant
}

// Grant lets a skill of installed trust keep a tool. [ParseGrant] makes one of
// what a user typed.
type Grant struct {
	// Tool is a name in any dialect: shell, Bash, Bash(git:*). One with
	// arguments grants calls with these arguments only.
	Tool string `json:"tool"`
	// Net are the hosts it may reach; none is no network.
	Net []string `json:"net,omitempty"`
}

// Decision is what becomes of one tool. Its methods answer for one call.
type Decision struct {
	Tool    tool.Spec `json:"tool"`
	Allowed bool      `json:"allowed"`
	// Approved tells that a trusted skill's allowed-tools ask for it, so that
	// nobody need be asked again; Only are the arguments that is limited to,
	// such as "git:*"; none is all.
	Approved bool     `json:"approved,omitempty"`
	Only     []string `json:"only,omitempty"`
	// Forbidden are the arguments with which it must not be called.
	Forbidden []string `json:"forbidden,omitempty"`
	// Within has the grants that it is allowed by, one list for each skill
	// that needs one: a call needs a grant of every list.
	Within [][]Grant `json:"within,omitempty"`
	// Confined tells that it may reach no hosts but Net, which is what the
	// grants have in common.
	Confined bool     `json:"confined,omitempty"`
	Net      []string `json:"net,omitempty"`
	// Reason says why it is not allowed; Lacking are the skills without whose
	// grant it is not.
	Reason  skill.Reason `json:"reason,omitzero"`
	Lacking []string     `json:"lacking,omitempty"`
}
