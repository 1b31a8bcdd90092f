//go:build unix

package config

import (
	"strings"
	"syscall"
	"testing"
)

// To open a pipe is to wait for its writer, and a repository may bring one
// where the configuration is looked for.
func TestPipeIsNotOpened(t *testing.T) {
	b := newBench(t, "", "")
	for _, file := range []string{b.in.Home, b.in.Local} {
		if err := syscall.Mkfifo(file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, problems := b.load()
	if len(problems) != 2 || !strings.Contains(problems[0]+problems[1], "not a regular file") {
		t.Error(problems)
	}
}
