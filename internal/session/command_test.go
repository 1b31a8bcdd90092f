package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

func entry(name string, status skill.Status) *skill.Entry {
	return &skill.Entry{Skill: skill.Skill{Name: name}, Status: status}
}

func TestCommands(t *testing.T) {
	long := strings.Repeat("x", 40)
	entries := []*skill.Entry{
		entry("Azure CLI", skill.Ready), entry("azure-cli", skill.Ready), entry("azure.cli!", skill.Ready),
		entry("技能", skill.Ready), entry("__a__", skill.Ready), entry(long, skill.Ready), entry(long+"y", skill.Ready),
		entry("gated", skill.Gated), entry("quiet", skill.Ready),
	}
	entries[8].Invocation.UserDisabled = true
	var got []string
	names := Commands(entries)
	for _, e := range entries {
		got = append(got, names[e])
	}
	want := []string{"azure_cli", "azure_cli_2", "azure_cli_3", "skill", "a", long[:32], long[:30] + "_2", "", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCommandsAreUniqueAndShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []*skill.Entry
		for _, name := range rapid.SliceOf(rapid.String()).Draw(t, "names") {
			entries = append(entries, entry(name, skill.Ready))
		}
		seen := map[string]bool{}
		for _, name := range Commands(entries) {
			if seen[name] || name == "" || len(name) > maxCommand || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				t.Fatalf("bad command %q", name)
			}
			seen[name] = true
		}
		if len(seen) != len(entries) {
			t.Fatalf("%d commands for %d skills", len(seen), len(entries))
		}
	})
}
