package durable

import (
	"os"
	"path/filepath"
	"testing"
)

// A lock file that was removed by whoever held it is no lock.
func TestLockOfARemovedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	path := besides(file)
	first, err := LockBeside(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan func() error)
	for range 2 {
		go func() {
			unlock, err := LockBeside(t.Context(), file)
			if err != nil {
				t.Error(err)
			}
			got <- unlock
		}()
	}
	if err := first(); err != nil {
		t.Fatal(err)
	}
	second := <-got
	select {
	case <-got:
		t.Fatal("two hold the lock")
	default:
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the lock is held, but %v", err)
	}
	if err := second(); err != nil {
		t.Error(err)
	}
	if err := (<-got)(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the lock file is left: %v", err)
	}
}
