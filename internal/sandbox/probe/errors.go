package probe

import "errors"

var (
	// ErrNothingRan is what Run answers where the controls failed: what was
	// blocked then proves nothing.
	ErrNothingRan = errors.New("what a tool must be able to do did not work, so what was blocked proves nothing")
	// ErrElsewhere is what Run answers where there is nothing to attack with.
	ErrElsewhere = errors.New("probes exist for linux only")
	// ErrUnknown is what Run answers to a name that no probe has.
	ErrUnknown = errors.New("no such probe")
)

var (
	// errUntried marks an attack that could not be made, for reasons that have
	// nothing to do with containment.
	errUntried = errors.New("could not be tried")
	// errOther is of an attack that got somewhere, but not where it wanted.
	errOther = errors.New("what was there is not what is outside")
	// errUnchanged is of an attack that has changed nothing outside.
	errUnchanged = errors.New("it is as it was")
)
