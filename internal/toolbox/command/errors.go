package command

import "errors"

var (
	errEmpty   = errors.New("Empty command in skill tool definition") //nolint:staticcheck // as documented
	errNUL     = errors.New("the command has a NUL byte in it")
	errTooLong = errors.New("the command is too long; put it into a script")
	errUnnamed = errors.New("an argument has no name")

	errConfiguration = errors.New("the repository's configuration names too many programs to keep them all from running")
)
