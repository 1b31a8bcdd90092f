package sandbox

import "errors"

// ErrUncontained is what Run answers where a process must be contained and
// nothing here can.
var ErrUncontained = errors.New("nothing on this machine contains its files and network")

var (
	// errNoParent is the answer to somebody who starts a stage by hand.
	errNoParent = errors.New("this is a stage of the sandbox, which only the sandbox itself can start")
	// errNoProgram means that Options.Program is empty.
	errNoProgram = errors.New("this program has no stages of the sandbox: its main does not call Child")
	// errNoLayer means that not even limits work, or that the one layer that may
	// be used does not.
	errNoLayer = errors.New("no layer of the sandbox works")
	// errPortOnly is why landlock alone does not do with a proxy for a process
	// that has to be contained.
	errPortOnly = errors.New("landlock alone keeps a process to the port of its proxy, on any machine: it contains none with network")
)
