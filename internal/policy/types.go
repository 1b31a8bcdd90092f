// Package policy is documented in policy.go.
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
	ReadOnly  []string `toml:"read_only"`
	// Says is how the host words a refusal, by its kind: "installed" (the tool is
	// kept back by an installed skill), "permission" (no tool for a permission).
	// {tool}, {skill} and {permission} are filled in.
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

// Grant lets a skill of installed trust keep a tool.
type Grant struct {
	// Tool is a name in any dialect: shell, Bash, Bash(git:*).
	Tool string `json:"tool"`
	// Net are the hosts it may reach; none is no network.
	Net []string `json:"net,omitempty"`
}

// Decision is what becomes of one tool.
type Decision struct {
	Tool    tool.Spec `json:"tool"`
	Allowed bool      `json:"allowed"`
	// Approved tells that a trusted skill's allowed-tools ask for it, so that
	// nobody need be asked again; Only are the arguments that is limited to,
	// such as "git:*"; none is all.
	Approved bool     `json:"approved,omitempty"`
	Only     []string `json:"only,omitempty"`
	// Net are the hosts that grants let it reach.
	Net []string `json:"net,omitempty"`
	// Reason says why it is not allowed.
	Reason skill.Reason `json:"reason,omitzero"`
}
