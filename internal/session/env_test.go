package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// commaList is a list of names, or one text with commas.
type commaList []string

func (l *commaList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = strings.Split(text, ",")
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

func unset(string) (string, bool) { return "", false }

func needs(primary string, env ...string) *skill.Skill {
	return &skill.Skill{Name: "x", Requires: skill.Requirements{PrimaryEnv: primary, Env: env}}
}

func TestEnvGoldens(t *testing.T) {
	var cases []struct {
		Key      string
		Metadata struct {
			PrimaryEnv string
			Requires   struct{ Env commaList }
		}
		Injected *string
	}
	readGolden(t, "openclaw/env-override-cases.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	env := newEnv(t, listing(t).Env)
	for _, c := range cases {
		set, _ := env.For(needs(c.Metadata.PrimaryEnv, c.Metadata.Requires.Env...), map[string]string{c.Key: "v"}, "", unset)
		var got *string
		if value, ok := set[c.Key]; ok {
			got = &value
		}
		if diff := cmp.Diff(c.Injected, got); diff != "" {
			t.Errorf("%s with %+v: %s", c.Key, c.Metadata, diff)
		}
	}
}

func TestEnv(t *testing.T) {
	type answer struct {
		Set     map[string]string
		Refused []string
	}
	process := func(name string) (string, bool) {
		v, ok := map[string]string{"OURS": "1", "EMPTY": "", "OUR_API_KEY": "k"}[name]
		return v, ok
	}
	for name, c := range map[string]struct {
		skill  *skill.Skill
		entry  map[string]string
		apiKey string
		rules  profile
		want   answer
	}{
		"entry, trimmed": {needs(""), map[string]string{" A ": "1", "B": "", " ": "x", "C": " "}, "", native(t),
			answer{map[string]string{"A": "1", "C": " "}, nil}},
		"the name without blanks wins": {needs(""), map[string]string{" A": "1", "A": "2", "A ": "3"}, "", native(t),
			answer{map[string]string{"A": "2"}, nil}},
		"never over the process": {needs("OUR_API_KEY"), map[string]string{"OURS": "x", "EMPTY": "x"}, "key", native(t), answer{map[string]string{}, nil}},
		"key":                    {needs(" MY_TOKEN "), nil, " key\n", native(t), answer{map[string]string{"MY_TOKEN": "key"}, nil}},
		"the entry comes before the key": {needs("MY_TOKEN"), map[string]string{"MY_TOKEN": "own"}, "key", native(t),
			answer{map[string]string{"MY_TOKEN": "own"}, nil}},
		"an empty entry does not": {needs("MY_TOKEN"), map[string]string{"MY_TOKEN": ""}, "key", native(t),
			answer{map[string]string{"MY_TOKEN": "key"}, nil}},
		"key without a name": {needs(""), nil, "key", native(t), answer{map[string]string{}, nil}},
		"a key is no way in": {needs("LD_PRELOAD"), nil, "/x.so", native(t), answer{map[string]string{}, []string{"env-blocked LD_PRELOAD"}}},
		"secrets": {needs("P_SECRET", "D_PASSWORD", " d_token "), map[string]string{
			"P_SECRET": "1", "D_PASSWORD": "2", "d_token": "3", "D_TOKEN": "4", "X_API_KEY": "5", "apikey": "6", "x_private_key": "7", "MY_ADMIN_KEY": "8", "TOKENS": "9",
		}, "", native(t), answer{map[string]string{"P_SECRET": "1", "D_PASSWORD": "2", "d_token": "3", "apikey": "6", "TOKENS": "9"},
			[]string{"env-undeclared D_TOKEN", "env-undeclared MY_ADMIN_KEY", "env-undeclared X_API_KEY", "env-undeclared x_private_key"}}},
		"blocked, declared or not": {needs("BASH_ENV", "node_options", "Git_Config_Count"), map[string]string{
			"BASH_ENV": "1", "node_options": "2", "Git_Config_Count": "3", "cargo_target_a_b_linker": "4", "CARGO_TARGET_DIR": "5",
		}, "", native(t), answer{map[string]string{"CARGO_TARGET_DIR": "5"},
			[]string{"env-blocked BASH_ENV", "env-blocked Git_Config_Count", "env-blocked cargo_target_a_b_linker", "env-blocked node_options"}}},
		"credentials, natively": {needs("GH_TOKEN", "KUBECONFIG"), map[string]string{"GH_TOKEN": "1", "KUBECONFIG": "2", "DATABASE_URL": "3"}, "", native(t),
			answer{map[string]string{"GH_TOKEN": "1", "KUBECONFIG": "2"}, []string{"env-undeclared DATABASE_URL"}}},
		"credentials, blocked": {needs("GH_TOKEN", "KUBECONFIG"), map[string]string{"GH_TOKEN": "1", "KUBECONFIG": "2", "DATABASE_URL": "3"}, "", listing(t),
			answer{map[string]string{}, []string{"env-blocked DATABASE_URL", "env-blocked GH_TOKEN", "env-blocked KUBECONFIG"}}},
		"names, natively": {needs("", "FOO BAR"), map[string]string{"PATH": "1", "FOO BAR": "2", "1A": "3", "é": "4", "_a1": "5"}, "", native(t),
			answer{map[string]string{"_a1": "5"}, []string{"env-blocked 1A", "env-blocked FOO BAR", "env-blocked PATH", "env-blocked é"}}},
		"names, any": {needs(""), map[string]string{"PATH": "1", "FOO BAR": "2", "1A": "3"}, "", listing(t),
			answer{map[string]string{"PATH": "1", "FOO BAR": "2", "1A": "3"}, nil}},
		// What a program would be given is NAME=VALUE, cut at the first sign.
		"a value in a name": {needs(""), map[string]string{"NODE_OPTIONS=--require=/x.js": "2", "A=s3cret": "3", "B\x00C": "4"}, "", listing(t),
			answer{map[string]string{}, []string{"env-blocked A", "env-blocked BC", "env-blocked NODE_OPTIONS"}}},
		"values": {needs(""), map[string]string{"A": "x\x00y", "B": strings.Repeat("x", 32_768), "C": strings.Repeat("x", 32_769)}, "", native(t),
			answer{map[string]string{"B": strings.Repeat("x", 32_768)}, []string{"env-blocked A", "env-blocked C"}}},
		"a long value": {needs(""), map[string]string{"A": "x\x00y", "C": strings.Repeat("x", 32_769)}, "", listing(t),
			answer{map[string]string{"C": strings.Repeat("x", 32_769)}, []string{"env-blocked A"}}},
	} {
		set, refused := newEnv(t, c.rules.Env).For(c.skill, c.entry, c.apiKey, process)
		got := answer{Set: set}
		for _, r := range refused {
			word, _, _ := strings.Cut(r.Message, " is ")
			word, _, _ = strings.Cut(word, " has ")
			word, _, _ = strings.Cut(word, " looks ")
			got.Refused = append(got.Refused, fmt.Sprint(r.Code, " ", word))
			if r.Hint == "" {
				t.Errorf("%s: %q has no way out", name, r.Message)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestGlobs(t *testing.T) {
	var g globs
	g.add([]string{"a*", "*_z", "m*n*o", "Plain"})
	for name, want := range map[string]bool{
		"A": true, "abc": true, "ba": false, "x_Z": true, "_z": true, "z": false, "mno": true, "m1n2o": true, "mo": false, "mnox": false,
		"plain": true, "plains": false, "": false,
	} {
		if g.match(name) != want {
			t.Errorf("%q matches: %v", name, !want)
		}
	}
}

// Whatever is asked for, nothing that is blocked is given, the process is
// never overridden, nothing is invented, and no value is told.
func TestEnvHolds(t *testing.T) {
	profiles := []EnvRules{native(t).Env, listing(t).Env}
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SampledFrom(profiles).Draw(t, "rules")
		env, err := NewEnv(rules)
		if err != nil {
			t.Fatal(err)
		}
		never := slices.Concat(rules.Blocked, rules.Also)
		listed := rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom(slices.Concat(never, rules.Credentials, rules.Secrets)).Draw(t, "listed")
			name = strings.ReplaceAll(name, "*", rapid.StringMatching(`[A-Za-z_]{0,3}`).Draw(t, "star"))
			if rapid.Bool().Draw(t, "lower") {
				name = strings.ToLower(name)
			}
			return rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "before") + name + rapid.SampledFrom([]string{"", " ", "=", "=x", "\x00"}).Draw(t, "after")
		})
		name := rapid.OneOf(listed, rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,6}`), rapid.String())
		value := rapid.StringMatching(`VALUE[0-9]{6}\x00?`)
		entry := rapid.MapOf(name, value).Draw(t, "entry")
		s := needs(name.Draw(t, "primary"), rapid.SliceOfN(name, 0, 4).Draw(t, "declared")...)
		ours := rapid.SliceOfN(name, 0, 4).Draw(t, "process")
		set, refused := env.For(s, entry, value.Draw(t, "key"), func(name string) (string, bool) { return "", slices.Contains(ours, name) })
		var blocked globs
		blocked.add(never)
		if rules.Credential == "blocked" {
			blocked.add(rules.Credentials)
		}
		for name, v := range set {
			switch {
			case blocked.match(name):
				t.Fatalf("%q is given", name)
			case slices.Contains(ours, name):
				t.Fatalf("%q is the process's", name)
			case strings.ContainsAny(name, "=\x00"), strings.Contains(v, "\x00"), v == "", name != strings.TrimSpace(name):
				t.Fatalf("%q=%q is given", name, v)
			}
		}
		for _, r := range refused {
			if strings.Contains(r.Message+r.Hint, "VALUE") && !slices.ContainsFunc(slices.Collect(maps.Keys(entry)), func(k string) bool { return strings.Contains(k, "VALUE") }) {
				t.Fatalf("a value is told: %s", r.Message)
			}
		}
		again, why := env.For(s, entry, "", func(string) (string, bool) { return "", true })
		if len(again) != 0 {
			t.Fatalf("given though all is set: %v", again)
		}
		for _, r := range why {
			if r.Code != skill.EnvBlocked {
				t.Fatalf("%v is told of what is set anyway", r)
			}
		}
	})
}
