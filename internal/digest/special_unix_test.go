//go:build !windows

package digest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is an error where it is found, and does not hang where it comes later.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	info, err := root.Lstat("file")
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, "file"))
	if err := syscall.Mkfifo(filepath.Join(dir, "file"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, _, err := Tree(t.Context(), root, "."); !errors.Is(err, ErrSpecial) {
		t.Errorf("got error %v", err)
	}
	w := walker{ctx: t.Context(), from: rootFolder{root}, bounds: bounds{bytes: 1}, buffer: make([]byte, 1)}
	if _, err := w.read(entry{path: "file", info: info}); !errors.Is(err, ErrChanged) {
		t.Errorf("put in a file's place: got error %v", err)
	}
}

// Names need not be UTF-8.
func TestForeignNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "\xff\n\\"), nil, 0o600); err != nil {
		t.Skip(err)
	}
	if got, empty := treeOf(t, dir), treeOf(t, t.TempDir()); got == empty {
		t.Error("the file does not count")
	}
}
