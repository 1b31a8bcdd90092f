package skill

// Entry is a skill as it was found on this machine.
type Entry struct {
	Skill
	// Source is the class of the root: workspace, user, installed, extra,
	// remote or bundled.
	Source string `json:"source"`
	// Root is the directory that was searched, Path the skill's folder. Both
	// are absolute; those of bundled skills start with "bundled:".
	Root string `json:"root"`
	Path string `json:"path"`

	// TrustReasons say why its trust is not that of its root.
	TrustReasons []Reason `json:"trustReasons,omitempty"`

	Status      Status       `json:"status"`
	Reasons     []Reason     `json:"reasons"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Status says whether a skill can be used.
type Status string

// The states of an entry. Exactly one holds; where several could, the first
// of invalid, shadowed, disabled, gated does.
const (
	Ready    Status = "ready"    // may be used
	Gated    Status = "gated"    // a requirement is not met
	Disabled Status = "disabled" // switched off by configuration
	Shadowed Status = "shadowed" // another skill of that name wins
	Invalid  Status = "invalid"  // its files cannot be made into a skill
)

// Reason is one cause of a status other than ready, and the way out.
type Reason struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Trust is how much authority a skill's text may have.
type Trust string

const (
	// Trusted is what the user put there.
	Trusted Trust = "trusted"
	// Installed is what came from elsewhere.
	Installed Trust = "installed"
)

// Below reports whether t carries less authority than u. A value that is
// neither Trusted nor Installed carries the least.
func (t Trust) Below(u Trust) bool { return t.rank() < u.rank() }

func (t Trust) rank() int {
	switch t {
	case Trusted:
		return 2
	case Installed:
		return 1
	default:
		return 0
	}
}
