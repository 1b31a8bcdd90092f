//go:build unix

package term

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestDetectTerminal(t *testing.T) {
	// The master side of a pseudo-terminal is a terminal without a shell.
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	defer f.Close()
	if !IsTerminal(f) {
		t.Fatal("a pseudo-terminal is not taken for a terminal")
	}
	if o := Detect(f, []string{"COLUMNS=33"}); o.Columns() != 33 {
		t.Errorf("a terminal without a size has %d columns, want those of COLUMNS", o.Columns())
	}
	if err := unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 123, Row: 45}); err != nil {
		t.Skip("cannot size a pseudo-terminal:", err)
	}
	if columns, rows := Size(f); columns != 123 || rows != 45 {
		t.Errorf("size %d × %d, want 123 × 45", columns, rows)
	}
	o := Detect(f, []string{"TERM=xterm", "COLUMNS=33"})
	if !o.TTY() || o.Columns() != 123 || o.Bad("x") == "x" || o.dumb {
		t.Errorf("Detect = %+v, want a terminal of 123 columns with colour", o)
	}
	if o := Detect(f, []string{"TERM=dumb"}); !o.dumb || o.Bad("x") != "x" {
		t.Errorf("Detect with TERM=dumb = %+v, want no colour and no progress", o)
	}
}
