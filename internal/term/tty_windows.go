package term

import (
	"os"

	"golang.org/x/sys/windows"
)

// IsTerminal reports whether f is a console.
func IsTerminal(f *os.File) bool {
	var mode uint32
	return f != nil && windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}

// Size is the number of columns and rows of the console f; zeros if f is none.
func Size(f *os.File) (columns, rows int) {
	var info windows.ConsoleScreenBufferInfo
	if f == nil || windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0, 0
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

// enableEscapes asks the console to obey escape sequences and reports whether
// it does; those before Windows 10 cannot.
func enableEscapes(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	if mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return true
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
