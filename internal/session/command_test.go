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

func TestNameGoldens(t *testing.T) {
	var cases []struct{ Input, Command, Index string }
	readGolden(t, "openclaw/command-name-cases.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	rules := listing(t).Command
	for _, c := range cases {
		if got := newNaming(rules.MaxLength, rules.TrimEnd, nil).plain(c.Input); got != c.Command {
			t.Errorf("command of %q is %q, want %q", c.Input, got, c.Command)
		}
		if got := near(c.Input); got != c.Index {
			t.Errorf("near(%q) is %q, want %q", c.Input, got, c.Index)
		}
	}
}

func TestReservedGoldens(t *testing.T) {
	var words []string
	readGolden(t, "openclaw/reserved-commands.json", &words)
	if len(words) == 0 {
		t.Fatal("no words")
	}
	c := newCommands(t, listing(t).Command)
	for _, word := range words {
		e := entry(word, skill.Ready)
		name := c.With([]*skill.Entry{e}).Names()[e]
		// Names have no hyphens, so a word that has one is in nobody's way.
		want := word + "_2"
		if strings.Contains(word, "-") {
			want = strings.ReplaceAll(word, "-", "_")
		}
		if name != want {
			t.Errorf("a skill named %s is /%s, want /%s", word, name, want)
		}
	}
}

func TestNamesOfASet(t *testing.T) {
	cut := strings.Repeat("a", 31) + "-tail"
	names := []string{"help", "Help!", "技能", cut, cut, "İx", "a__b", "_"}
	for _, c := range []struct {
		rules CommandRules
		want  []string
	}{
		{native(t).Command, []string{"help_2", "help_3", "skill_2", cut[:31], cut[:30] + "_2", "i_x", "a_b", "skill_3"}},
		{listing(t).Command, []string{"help_2", "help_3", "skill_2", cut[:31] + "_", cut[:30] + "_2", "i_x", "a_b", "skill_3"}},
	} {
		var entries []*skill.Entry
		for _, name := range names {
			entries = append(entries, entry(name, skill.Ready))
		}
		set := newCommands(t, c.rules).With(entries, Template{Name: "help", Text: "x"})
		var got []string
		for _, cmd := range set.Commands() {
			got = append(got, cmd.Name)
		}
		if diff := cmp.Diff(append(c.want, "help_4"), got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(got[:len(names)], mapped(entries, set.Names())); diff != "" {
			t.Error(diff)
		}
	}
}

func mapped(entries []*skill.Entry, names map[*skill.Entry]string) []string {
	var out []string
	for _, e := range entries {
		out = append(out, names[e])
	}
	return out
}

// Numbers end at 999; one skill gets the name that ends in _x, and the others
// are still told apart.
func TestThousandsOfOneName(t *testing.T) {
	var entries []*skill.Entry
	for range 5000 {
		entries = append(entries, entry(strings.Repeat("n", 40), skill.Ready))
	}
	got := mapped(entries, newCommands(t, native(t).Command).With(entries).Names())
	n := strings.Repeat("n", 32)
	for i, want := range map[int]string{0: n, 1: n[:30] + "_2", 998: n[:28] + "_999", 999: n[:30] + "_x", 1000: n[:27] + "_1000", 4999: n[:27] + "_4999"} {
		if got[i] != want {
			t.Errorf("name %d is %q, want %q", i, got[i], want)
		}
	}
	seen := map[string]bool{}
	for _, name := range got {
		if seen[name] || len(name) > 32 {
			t.Fatalf("bad name %q", name)
		}
		seen[name] = true
	}
}

func TestSetsGiveUniqueUnreservedNames(t *testing.T) {
	sets := []*CommandSet{newCommands(t, native(t).Command), newCommands(t, listing(t).Command)}
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"help", "HELP", "skill", "Skill!", "model", "a b", "a-b", "a_b", "a_b_2", "t", "v"}))
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom(sets).Draw(t, "rules")
		var entries []*skill.Entry
		for _, name := range rapid.SliceOf(name).Draw(t, "names") {
			entries = append(entries, entry(name, skill.Ready))
		}
		set := base.With(entries)
		seen := map[string]bool{}
		for i, cmd := range set.Commands() {
			switch {
			case cmd.Entry != entries[i]:
				t.Fatal("commands are not in the order of the skills")
			case seen[cmd.Name], base.reserved[cmd.Name], cmd.Name == "", len(cmd.Name) > base.rules.MaxLength,
				strings.Trim(cmd.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
				t.Fatalf("bad command %q", cmd.Name)
			}
			seen[cmd.Name] = true
			if inv, ok := set.Parse("/" + cmd.Name); !ok || inv.Command != cmd {
				t.Fatalf("/%s calls %+v", cmd.Name, inv)
			}
		}
		if len(seen) != len(entries) {
			t.Fatalf("%d commands for %d skills", len(seen), len(entries))
		}
	})
}
