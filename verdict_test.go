package knack_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
)

// Verdicts come in the order of the folders, and one does not change the next.
func TestVerdictsOfSeveralFolders(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/skills/good/SKILL.md", md("good", ""))
	m.write(".claude/skills/tomlonly/SKILL.toml", "name = 'tomlonly'\ndescription = 'd'\n")
	good, other := filepath.Join(m.ws, ".claude/skills/good"), filepath.Join(m.ws, ".claude/skills/tomlonly")
	verdicts, err := m.open().As(t.Context(), "claude", good, other, good)
	if err != nil {
		t.Fatal(err)
	}
	var got []knack.Outcome
	for _, v := range verdicts {
		got = append(got, v.Outcome)
	}
	if diff := cmp.Diff([]knack.Outcome{knack.Loads, knack.Unseen, knack.Loads}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(verdicts[0], verdicts[2]); diff != "" {
		t.Error(diff)
	}
}
