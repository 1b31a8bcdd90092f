package config

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Many writers lose nothing, and leave nothing beside the file.
func TestLockGoes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	const writers = 40
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			if err := Set(t.Context(), file, fmt.Sprintf("skills.entries.s%d.enabled", i), "false"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, problems := Load(Input{Files: Files{Home: file}})
	if len(s.Skills.Entries) != writers || len(problems) > 0 {
		t.Errorf("%d entries of %d: %v", len(s.Skills.Entries), writers, problems)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A lock file that was removed by whoever held it is no lock.
func TestLockOfARemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan func() error)
	for range 2 {
		go func() {
			unlock, err := lock(t.Context(), path)
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
