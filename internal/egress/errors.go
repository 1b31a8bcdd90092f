package egress

import (
	"errors"

	"github.com/knackhq/knack/internal/wording"
)

// ErrRefused is that a host may not be reached; such an error is a [*Refusal].
var ErrRefused = errors.New("may not be reached")

var (
	errRedirects = errors.New("there are too many redirects")
	errDowngrade = errors.New("a redirect from https to http is not followed")
	errFlood     = errors.New("much more was sent than is taken")
)

// Refusal says which host may not be reached, why, and what to do about it.
type Refusal struct {
	Host string // with its port, as it was asked for
	why  string
	hint string
}

func (r *Refusal) Error() string {
	text := wording.Name(r.Host) + " may not be reached: " + r.why
	if r.hint != "" {
		text += "; " + r.hint
	}
	return text
}

// Is makes a refusal [ErrRefused].
func (r *Refusal) Is(err error) bool { return err == ErrRefused }
