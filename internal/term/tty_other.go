//go:build !unix && !windows

package term

import "os"

// IsTerminal reports whether f is a terminal, which cannot be found out here.
func IsTerminal(*os.File) bool { return false }

// Size is not known here.
func Size(*os.File) (columns, rows int) { return 0, 0 }

func enableEscapes(*os.File) bool { return false }
