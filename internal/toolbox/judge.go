package toolbox

import "github.com/knackhq/knack/tool"

// Caller is who wants a tool to be called.
type Caller string

// The callers.
const (
	Model Caller = "model"
	User  Caller = "user"  // by name, with its arguments
	Slash Caller = "slash" // by a command that a skill sends to a tool
)

// Case is one call, as far as it matters to whether somebody has to be asked.
type Case struct {
	Effects tool.Effects
	Caller  Caller
	// Allowed tells that policy lets the tool be called, and with these
	// arguments.
	Allowed bool
	// Granted tells that the user granted this call to the skills that are
	// active, Approved that a trusted skill's allowed-tools cover it, Remembered
	// that the user allowed it before in this session.
	Granted, Approved, Remembered bool
	// Untrusted tells that a skill that is not trusted wants the call, or is
	// active.
	Untrusted bool
}

// Verdict is what becomes of a call.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allowed"
	Ask     Verdict = "asked"
	Denied  Verdict = "denied"
)

// Judge decides about one call, and says in a word why.
func Judge(c Case) (Verdict, string) {
	switch {
	case !c.Allowed:
		return Denied, "policy"
	case c.Caller == Slash && c.Untrusted && c.Effects.Run:
		return Ask, "an untrusted skill made a command of it"
	case c.Effects.ReadOnly():
		return Allowed, "it only reads"
	case c.Granted:
		return Allowed, "granted"
	case c.Approved:
		return Allowed, "approved by a trusted skill"
	case c.Remembered:
		return Allowed, "allowed for this session"
	case c.Caller == User:
		return Allowed, "called by the user"
	}
	return Ask, "nobody has allowed it yet"
}
