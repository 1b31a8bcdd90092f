package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/knackhq/knack/skill"
)

// Zero takes a bound away, so a workspace may not write it.
func TestAWorkspaceCannotTakeABoundAway(t *testing.T) {
	dir := t.TempDir()
	local := filepath.Join(dir, ".knack", "config.toml")
	if err := os.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(local, []byte("[skills]\nmax_active = 0\nmax_context_tokens = 100\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, found := Load(Input{Files: Files{Local: local}, Workspace: dir})
	if s.Skills.MaxActive != 3 || s.Skills.MaxContextTokens != 100 || len(found) != 1 || found[0].Code != skill.ConfigRefused {
		t.Errorf("%d %d %v", s.Skills.MaxActive, s.Skills.MaxContextTokens, found)
	}
}
