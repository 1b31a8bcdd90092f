package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/knackhq/knack/skill"
)

// profile is the part of a host profile that this package has knobs in.
type profile struct {
	Command CommandRules `toml:"command"`
	Env     EnvRules     `toml:"env"`
}

// native are Knack's rules, listing those of a host that lists skills for the
// model to read.
func native(t testing.TB) profile  { return readRules(t, "base") }
func listing(t testing.TB) profile { return readRules(t, "base", "openclaw") }

func readRules(t testing.TB, names ...string) profile {
	t.Helper()
	var p profile
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("..", "host", "hosts", name+".toml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := toml.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func newCommands(t testing.TB, rules CommandRules) *CommandSet {
	t.Helper()
	c, err := NewCommands(rules)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newEnv(t testing.TB, rules EnvRules) *Env {
	t.Helper()
	e, err := NewEnv(rules)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// readGolden reads outputs of a real system: those in testdata, or with
// KNACK_GOLDENS a directory that has more of them.
func readGolden(t testing.TB, name string, into any) {
	t.Helper()
	dir := os.Getenv("KNACK_GOLDENS")
	if dir == "" {
		dir = filepath.Join("..", "..", "testdata", "goldens")
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestRulesThatMakeNoSenseAreRefused(t *testing.T) {
	commands := map[string]struct {
		change func(*CommandRules)
		want   string
	}{
		"match":       {func(r *CommandRules) { r.Match = "best" }, `command.match is "best"; it can be first, closest`},
		"unavailable": {func(r *CommandRules) { r.Unavailable = "" }, `command.unavailable is ""; it can be filtered, any`},
		"body":        {func(r *CommandRules) { r.Body = "x" }, `command.body is "x"; it can be rest, list`},
		"length":      {func(r *CommandRules) { r.MaxLength = 9 }, "command.max_length is 9; it must be at least 10"},
		"mentions":    {func(r *CommandRules) { r.MaxMentions = -1 }, "must not be negative"},
		"lookup":      {func(r *CommandRules) { r.Lookup = "Skill" }, `command.lookup is "Skill"; it must be in lower case`},
		"request":     {func(r *CommandRules) { r.Text.Request = "{skills}" }, "command.text.request has no {text}"},
		"text":        {func(r *CommandRules) { r.Text.TooMany = "" }, "command.text.too_many is missing"},
	}
	for name, c := range commands {
		rules := listing(t).Command
		c.change(&rules)
		if _, err := NewCommands(rules); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	env := map[string]struct {
		change func(*EnvRules)
		want   string
	}{
		"credential": {func(r *EnvRules) { r.Credential = "" }, `env.credential is ""; it can be blocked, declared`},
		"bytes":      {func(r *EnvRules) { r.MaxBytes = -1 }, "env.max_bytes is -1; it must not be negative"},
		"blocked":    {func(r *EnvRules) { r.Blocked = nil }, "env.blocked and env.secrets must name something"},
	}
	for name, c := range env {
		rules := native(t).Env
		c.change(&rules)
		if _, err := NewEnv(rules); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// filteredOut makes an entry one that only the agent's list leaves out.
func filteredOut(e *skill.Entry) *skill.Entry {
	e.Status = skill.Disabled
	e.Reasons = []skill.Reason{{Code: skill.ReasonFiltered, Message: "it is not on the list"}}
	return e
}
