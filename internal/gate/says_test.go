package gate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// The words of two hosts, and a third that words everything.
var (
	terse = map[string]string{
		"os":   "wrong OS: requires {name} (this is {have})",
		"bins": "missing binary `{name}`",
		"env":  "env `{name}` not set",
	}
	formal = map[string]string{
		"bins":   "required binary not found: {name}",
		"env":    "required env var not set: {name}",
		"config": "required config not found: {name}",
	}
	thorough = map[string]string{
		"os": "{have} is not {name}", "bins": "{name}", "anyBins": "none of {name}", "env": "{name} on {have}", "config": "{name}",
	}
)

func TestHostsWords(t *testing.T) {
	for name, c := range map[string]struct {
		says     map[string]string
		goos     string
		requires skill.Requirements
		want     []string
	}{
		"systems": {
			says: terse, requires: skill.Requirements{OS: []string{"macos", "Windows"}},
			want: []string{"wrong OS: requires macos or Windows (this is linux)"},
		},
		"three systems": {
			says: terse, requires: skill.Requirements{OS: []string{"a", "b", "c"}},
			want: []string{"wrong OS: requires a or b or c (this is linux)"},
		},
		"another spelling": {
			says: terse, goos: "darwin", requires: skill.Requirements{OS: []string{"darwin"}},
			want: []string{"wrong OS: requires darwin (this is macos)"},
		},
		"each thing that is missing": {
			says: terse, requires: skill.Requirements{Bins: []string{"gh", "git", "jq"}, Env: []string{"KEY", "BLANK"}},
			want: []string{"missing binary `gh`", "missing binary `jq`", "env `KEY` not set", "env `BLANK` not set"},
		},
		"what the host has no words for": {
			says: terse, requires: skill.Requirements{AnyBins: []string{"rg"}, Config: []string{"x"}, Unreadable: true},
			want: []string{"its requirements could not be read, so nobody can say whether they are met", "needs rg, which is not on your PATH", "needs the configuration to set x"},
		},
		"files": {
			says: formal, requires: skill.Requirements{Bins: []string{"gh"}, Env: []string{"KEY"}, Config: []string{"/x/y", "key"}, OS: []string{"darwin"}},
			want: []string{"needs macOS; this is Linux", "required binary not found: gh", "required env var not set: KEY", "required config not found: /x/y", "required config not found: key"},
		},
		"alternatives": {
			says: thorough, requires: skill.Requirements{OS: []string{"mac", "win"}, AnyBins: []string{"rg", "ag"}, Env: []string{"KEY"}},
			want: []string{"linux is not mac or win", "none of rg or ag", "KEY on linux"},
		},
		"names that are not what they look like": {
			says: thorough, requires: skill.Requirements{Bins: []string{"g\x1b[31mh", "x\u202ey", "\xff", "a b", "é"}, AnyBins: []string{"rg\n", "ag"}},
			want: []string{`"g\x1b[31mh"`, `"x\u202ey"`, `"\xff"`, "a b", "é", `none of "rg\n" or ag`},
		},
		"names that look like placeholders": {
			says: thorough, requires: skill.Requirements{Env: []string{"{have}", "{name}"}},
			want: []string{"{have} on linux", "{name} on linux"},
		},
		"a name that is endless": {
			says: thorough, requires: skill.Requirements{Bins: []string{strings.Repeat("é", 5000)}},
			want: []string{strings.Repeat("é", 100) + "…"},
		},
	} {
		rules := native
		rules.OS, rules.OSNames, rules.Says = "exact", map[string]string{"darwin": "macos"}, c.says
		env := linux()
		if c.goos != "" {
			env.OS = c.goos
		}
		s := skill.Skill{Name: "s", Requires: c.requires}
		var got, hints []string
		for _, r := range checker(t, rules).Check(&s, Supplied{}, env) {
			got, hints = append(got, r.Message), append(hints, r.Hint)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		rules.Says = nil
		var ours []string
		for _, r := range checker(t, rules).Check(&s, Supplied{}, env) {
			ours = append(ours, r.Hint)
		}
		if diff := cmp.Diff(ours, hints); diff != "" {
			t.Errorf("%s: the words change the hints: (-ours +got)\n%s", name, diff)
		}
	}
}
