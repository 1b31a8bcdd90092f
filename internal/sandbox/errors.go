package sandbox

import "errors"

// ErrUncontained is what Run answers where a process must be contained and
// nothing here can.
var ErrUncontained = errors.New("nothing on this machine contains its files and network")
