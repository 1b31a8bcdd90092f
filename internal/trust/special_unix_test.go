//go:build unix

package trust

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Nobody waits for the other end of a pipe.
func TestPipes(t *testing.T) {
	root := folder(t, nil)
	if err := unix.Mkfifo(filepath.Join(root.Name(), ".clawhub.json"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, found := Provenance(root); !found {
		t.Error("the pipe was taken for none")
	}
	if _, problems := Open(filepath.Join(root.Name(), ".clawhub.json")); len(problems) != 1 || !strings.Contains(problems[0].Message, "not a regular file") {
		t.Errorf("%v", problems)
	}
}
