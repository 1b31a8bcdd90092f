package session

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

func tooled(name string, tools ...string) *skill.Entry {
	e := entry(name, skill.Ready)
	e.Path = "/skills/" + name
	for _, t := range tools {
		e.Tools = append(e.Tools, skill.ToolDecl{Name: t, Kind: "shell"})
	}
	return e
}

func namer(t *testing.T, rules ToolRules) *ToolNamer {
	t.Helper()
	n, err := NewToolNamer(rules)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestToolNameGoldens(t *testing.T) {
	data, err := os.ReadFile("../../testdata/goldens/rantaiclaw-clawseed.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	n, cases := namer(t, ToolRules{Sanitize: "unicode"}), 0
	for key, want := range all {
		pair, ok := strings.CutPrefix(key, "toolname.rantai.")
		if !ok {
			continue
		}
		cases++
		pair = strings.Replace(pair, "long80", strings.Repeat("x", 80), 1)
		name, tool, _ := strings.Cut(pair, "|")
		e := tooled(name, tool)
		if got := n.Names([]*skill.Entry{e})[e][0]; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if cases < 8 {
		t.Errorf("only %d cases", cases)
	}
}

func TestToolNamesAreShortPlainAndUnique(t *testing.T) {
	n := namer(t, ToolRules{Sanitize: "ascii", MaxLength: 64})
	a, b := tooled("a_b", "c"), tooled("a", "b_c")
	names := n.Names([]*skill.Entry{a, b})
	if names[a][0] == names[b][0] || !strings.HasPrefix(names[a][0], "skill_a_b_c_") {
		t.Errorf("%v collide", names)
	}
	if alone := n.Names([]*skill.Entry{a})[a][0]; alone != "skill_a_b_c" {
		t.Errorf("alone it is %s", alone)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var entries []*skill.Entry
		total := 0
		for i, name := range rapid.SliceOfNDistinct(rapid.StringN(0, 80, 200), 1, 6, rapid.ID[string]).Draw(rt, "skills") {
			e := tooled(name, rapid.SliceOfNDistinct(rapid.String(), 1, 4, rapid.ID[string]).Draw(rt, "tools")...)
			e.Path = strings.Repeat("/x", i+1)
			total += len(e.Tools)
			entries = append(entries, e)
		}
		seen := map[string]bool{}
		for _, list := range n.Names(entries) {
			for _, name := range list {
				if seen[name] || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
					rt.Fatalf("bad name %q", name)
				}
				seen[name] = true
			}
		}
		if len(seen) != total {
			rt.Fatalf("%d names for %d tools", len(seen), total)
		}
	})
}

// A skill must not be able to call its tool what another's is given.
func TestHashedNamesCannotBeChosen(t *testing.T) {
	n := namer(t, ToolRules{Sanitize: "ascii", MaxLength: 64})
	a, b := tooled("a", "b_c"), tooled("a_b", "c")
	given := n.Names([]*skill.Entry{a, b})[a][0]
	thief := tooled("a-b", strings.TrimPrefix(given, "skill_a_b_"))
	names := n.Names([]*skill.Entry{a, b, thief})
	if names[a][0] != given || names[thief][0] == given {
		t.Errorf("%s is %s now, and the other %s", given, names[a][0], names[thief][0])
	}
}

func TestToolLimitsLeaveRoom(t *testing.T) {
	for _, limit := range []int{-1, 1, shortestTool - 1} {
		if _, err := NewToolNamer(ToolRules{Sanitize: "ascii", MaxLength: limit}); err == nil {
			t.Errorf("%d is taken", limit)
		}
	}
	n := namer(t, ToolRules{Sanitize: "ascii", MaxLength: shortestTool})
	e := tooled("a", "long-enough")
	if got := n.Names([]*skill.Entry{e})[e][0]; len(got) != shortestTool {
		t.Error(got)
	}
}
