//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether f is a terminal. Only terminals have a window
// size, and that question has the same name on every Unix.
func IsTerminal(f *os.File) bool {
	_, ok := windowSize(f)
	return ok
}

// Size is the number of columns and rows of the terminal f; zeros if f is none
// or does not tell.
func Size(f *os.File) (columns, rows int) {
	ws, _ := windowSize(f)
	return int(ws.Col), int(ws.Row)
}

// windowSize asks through SyscallConn, for Fd would make the file blocking.
func windowSize(f *os.File) (ws unix.Winsize, ok bool) {
	if f == nil {
		return ws, false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return ws, false
	}
	err = conn.Control(func(fd uintptr) {
		if got, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ); err == nil {
			ws, ok = *got, true
		}
	})
	return ws, ok && err == nil
}

// enableEscapes reports whether the terminal obeys escape sequences; those of
// Unix do, unless TERM says dumb.
func enableEscapes(*os.File) bool { return true }
