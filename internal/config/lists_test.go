package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who excludes a skill is the file that has its name, not the last one that
// adds to the list.
func TestExcluding(t *testing.T) {
	b := newBench(t, "agent = 'Dev'\n[skills]\nexcluded = [\n  'a',\n  'b',\n]\n[agents.dev]\ndenied_skills = ['d', 'e']\n", "skills.excluded = ['c', 'B']\n")
	b.withHost("toml-skills", "[skills]\nexcluded = ['h']\n[agents.dev]\nx = 1\ndenied_skills = [\n'E',\n'f']\n")
	b.in.Host.Defaults = map[string]any{"skills.excluded": []any{"z"}}
	s, problems := b.load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	home, local, hosts := Origin{Layer: "home", File: b.in.Home}, Origin{Layer: "workspace", File: b.in.Local}, Origin{Layer: "host", File: b.in.Host.File}
	at := func(o Origin, line int) Origin { o.Line = line; return o }
	for name, want := range map[string]List{
		"a": {Key: "skills.excluded", Names: []string{"a", "b"}, Origin: at(home, 4)},
		"B": {Key: "skills.excluded", Names: []string{"a", "b"}, Origin: at(home, 5)},
		"C": {Key: "skills.excluded", Names: []string{"c", "B"}, Origin: at(local, 1)},
		"h": {Key: "skills.excluded", Names: []string{"h"}, Origin: at(hosts, 2)},
		"z": {Key: "skills.excluded", Names: []string{"z"}, Origin: Origin{Layer: "host", Name: "other"}},
		"d": {Key: "agents.dev.denied_skills", Names: []string{"d", "e"}, Origin: at(home, 8)},
		"e": {Key: "agents.dev.denied_skills", Names: []string{"E", "f"}, Origin: at(hosts, 6)},
	} {
		got, as, ok := s.Excluding("no", name)
		if diff := cmp.Diff(want, got); diff != "" || !ok || as == "" {
			t.Errorf("%s: %q (-want +got)\n%s", name, as, diff)
		}
	}
	if _, as, _ := s.Excluding("e"); as != "E" {
		t.Errorf("as the list has it: %q", as)
	}
	if got, _, ok := s.Excluding("none"); ok {
		t.Errorf("%+v", got)
	}
}

func TestOnlyList(t *testing.T) {
	const file = "{ skills: { allowBundled: ['x'] }, agents: { defaults: { skills: ['a'] },\n entries: { w: { skills: ['b'] } },\n list: [{ id: 'l', skills: ['c'] }] } }"
	for agent, want := range map[string]List{
		"":  {Key: "agents.defaults.skills", Names: []string{"a"}, Origin: Origin{Line: 1}},
		"W": {Key: "agents.entries.w.skills", Names: []string{"b"}, Origin: Origin{Line: 2}},
		"l": {Key: "agents.entries.l.skills", Names: []string{"c"}, Origin: Origin{Line: 3}, ByHand: true},
	} {
		b := newBench(t, "agent = '"+agent+"'\n", "").withHost("json5-entries", file)
		s, _ := b.load()
		want.Origin.Layer, want.Origin.File = "host", b.in.Host.File
		if diff := cmp.Diff(want, s.OnlyList()); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", agent, diff)
		}
		want = List{Key: "skills.allow_bundled", Names: []string{"x"}, Origin: Origin{Layer: "host", File: b.in.Host.File, Line: 1}}
		if diff := cmp.Diff(want, s.BundledList()); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", agent, diff)
		}
	}
	s, _ := newBench(t, "", "").load()
	if diff := cmp.Diff(List{Key: "agents.defaults.skills"}, s.OnlyList()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHostHas(t *testing.T) {
	for key, want := range map[string]bool{"skills.excluded": true, "skills.mode": true, "skills.allow_bundled": false, "skills.nope": false, "": false} {
		if got := tomlHost("/x").Has(key); got != want {
			t.Errorf("%s: %t", key, got)
		}
	}
	if (Host{Name: "other", Env: map[string]string{"A": "skills.mode"}}).Has("skills.mode") {
		t.Error("it has no file")
	}
}
