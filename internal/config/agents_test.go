package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgents(t *testing.T) {
	const both = `
[agents.defaults]
skills = ["a", "b"]
model = "free"
[agents.entries.writer]
skills = ["c"]
[agents.entries.nobody]
skills = []
[agents.entries.free]
name = "F"
[agents.coder]
denied_skills = ["x", "y"]
allowed_tools = ["*"]
`
	for name, c := range map[string]struct {
		file, agent string
		only        []string
		whose       string
		excluded    []string
	}{
		"nothing":            {"", "writer", nil, "", []string{"z"}},
		"no agent":           {both, "", []string{"a", "b"}, "", []string{"z"}},
		"its own":            {both, "writer", []string{"c"}, "writer", []string{"z"}},
		"in any case":        {both, "Writer", []string{"c"}, "Writer", []string{"z"}},
		"none":               {both, "nobody", []string{}, "nobody", []string{"z"}},
		"without a list":     {both, "free", []string{"a", "b"}, "", []string{"z"}},
		"unknown":            {both, "who", []string{"a", "b"}, "", []string{"z"}},
		"denied":             {both, "CODER", []string{"a", "b"}, "", []string{"z", "x", "y"}},
		"old shape":          {`agents.list = [{id = "w", skills = ["d"]}, {id = "v"}, {skills = []}, 3, {id = 4, skills = []}]`, "w", []string{"d"}, "w", []string{"z"}},
		"old shape, no list": {`agents.list = [{id = "w", skills = ["d"]}, {id = "v"}]`, "v", nil, "", []string{"z"}},
	} {
		b := newBench(t, "skills.excluded = [\"z\"]\nagent = \""+c.agent+"\"\n"+c.file, "")
		s, problems := b.load()
		if diff := cmp.Diff(c.only, s.Skills.Only); diff != "" || problems != nil || s.Skills.OnlyFor != c.whose {
			t.Errorf("%s: for %q, %v (-want +got)\n%s", name, s.Skills.OnlyFor, problems, diff)
		}
		if diff := cmp.Diff(c.excluded, s.Skills.Excluded); diff != "" {
			t.Errorf("%s: excluded (-want +got)\n%s", name, diff)
		}
	}
}

func TestAgentsOfAHost(t *testing.T) {
	b := newBench(t, "agents.entries.main.skills = [\"mine\"]\n", "").withHost("json5-entries", `{
  agents: {
    defaults: { skills: ["a"], model: { primary: "m" } },
    list: [{ id: "main", skills: ["theirs"], default: true }, { id: "ops", skills: [] }],
  },
}`)
	b.in.Environ = []string{"KNACK_AGENT=main"}
	s, problems := b.load()
	if diff := cmp.Diff([]string{"mine"}, s.Skills.Only); diff != "" || problems != nil || s.Agent != "main" {
		t.Errorf("%v (-want +got)\n%s", problems, diff)
	}
	for key, want := range map[string]bool{"agents.defaults.model.primary": true, "agents.list.0.id": true, "agents.list.1.default": false} {
		if s.Truthy(key) != want {
			t.Errorf("Truthy(%s)", key)
		}
	}
	b.in.Flags = map[string]string{"agent": "ops"}
	if s, _ := b.load(); s.Skills.Only == nil || len(s.Skills.Only) > 0 {
		t.Errorf("none are for ops: %v", s.Skills.Only)
	}
}

// Neither shape nor agent lets a workspace lift what the user restricts.
func TestNamesHaveNoBlanksAroundThem(t *testing.T) {
	b := newBench(t, "", "").withHost("json5-entries", `{
  agents: { defaults: { skills: [" a "] }, entries: { ops: { skills: ["b c\t"] } } },
  skills: { allowBundled: [" d", "e "] },
}`)
	for agent, want := range map[string][]string{"": {"a"}, "ops": {"b c"}} {
		b.in.Flags = map[string]string{"agent": agent}
		s, _ := b.load()
		if diff := cmp.Diff([][]string{want, {"d", "e"}}, [][]string{s.Skills.Only, s.Skills.AllowBundled}); diff != "" {
			t.Errorf("agent %q: -want +got:\n%s", agent, diff)
		}
	}
}

func TestWorkspaceAndAgents(t *testing.T) {
	for _, local := range []string{
		"agents = 3", "agents = []", "agents.entries = 1", "agents.entries.main = true", "agents.defaults = \"x\"", "agent = \"other\"",
		"agents.entries.main.skills = [\"evil\"]", "agents.defaults.skills = [\"evil\"]", "agents.entries.MAIN.skills = [\"evil\"]",
		"agents.list = [{id = \"main\", skills = [\"evil\"]}]", "agents.main = 3", "agents.main.denied_skills = []", "[[agents]]\nid = 1",
	} {
		b := newBench(t, "agent = \"main\"\nagents.defaults.skills = [\"a\"]\nagents.entries.main.skills = [\"b\"]\nagents.main.denied_skills = [\"c\"]\n", local)
		s, _ := b.load()
		if s.Agent != "main" || !cmp.Equal(s.Skills.Only, []string{"b"}) || !cmp.Equal(s.Skills.Excluded, []string{"c"}) {
			t.Errorf("%s: %q %v %v", local, s.Agent, s.Skills.Only, s.Skills.Excluded)
		}
		b.in.Flags = map[string]string{"agent": ""}
		if s, _ := b.load(); !cmp.Equal(s.Skills.Only, []string{"a"}) {
			t.Errorf("%s: %v", local, s.Skills.Only)
		}
	}
	b := newBench(t, "agent = \"main\"\n", "agents.main.denied_skills = [\"c\"]\n")
	if s, problems := b.load(); !cmp.Equal(s.Skills.Excluded, []string{"c"}) || problems != nil {
		t.Errorf("a workspace may take away: %v %v", s.Skills.Excluded, problems)
	}
}

func TestSetAgents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, c := range []Change{
		{"agents.defaults.skills", "[a]"}, {"agents.entries.main.skills", "[]"}, {"agents.main.denied_skills", "x"}, {"agents.main.model", "m"},
	} {
		if err := Set(t.Context(), file, c.Key, c.Value); err != nil {
			t.Errorf("%s: %v", c.Key, err)
		}
	}
	s, ds := Load(Input{Files: Files{Home: file}, Flags: map[string]string{"agent": "main"}})
	if !cmp.Equal(s.Skills.Only, []string{}) || !cmp.Equal(s.Skills.Excluded, []string{"x"}) || !s.Truthy("agents.main.model") || ds != nil {
		t.Errorf("%+v %v", s.Skills, ds)
	}
	b := newBench(t, "agents.list = [{id = \"main\", skills = []}]\n", "")
	if err := Set(t.Context(), b.in.Home, "agents.entries.main.skills", "x"); err == nil || !strings.Contains(err.Error(), "the list of agents has main already") {
		t.Error(err)
	}
}
