package knack_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// A manifest that is a link is refused even if it stays in its folder.
func TestIronclawFollowsNoLink(t *testing.T) {
	m := newMachine(t)
	m.write("skills/a/real.md", md("a", ""))
	if err := os.Symlink("real.md", filepath.Join(m.ws, "skills/a/SKILL.md")); err != nil {
		t.Skip(err)
	}
	for host, want := range map[string]skill.Status{"ironclaw": skill.Invalid, "openclaw": skill.Ready} {
		s, err := m.open(func(o *knack.Options) { o.Host = host }).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Entries()) != 1 || s.Entries()[0].Status != want {
			t.Errorf("%s: %+v", host, s.Entries())
		}
	}
}
