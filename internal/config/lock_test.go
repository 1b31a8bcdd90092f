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
