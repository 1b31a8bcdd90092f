package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// native are the rules that the native profile sets.
var native = Rules{
	Config: "auto", Env: []string{"process", "config"}, Always: "bypass",
	OSAliases: map[string]string{"macos": "darwin", "OSX": "darwin", "win32": "windows"},
}

func checker(t testing.TB, rules Rules) *Checker {
	t.Helper()
	c, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// linux is a machine with little on it.
func linux() *Environment {
	has := func(names ...string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	return &Environment{
		OS: "linux", Home: "/home/u",
		HasBin:       has("git", "npm"),
		FileExists:   has("/etc/vale.ini", "/home/u/.valerc", `C:\vale.ini`, "plain"),
		ConfigTruthy: has("browser.enabled", "/as/key"),
		Getenv: func(name string) string {
			return map[string]string{"TOKEN": "t", "BLANK": " \t"}[name]
		},
	}
}

func TestCheck(t *testing.T) {
	unmet := skill.Requirements{Bins: []string{"gh"}, AnyBins: []string{"rg"}, Env: []string{"KEY"}, Config: []string{"x"}}
	always := unmet
	always.Always = true
	alwaysUnreadable := skill.Requirements{Always: true, Unreadable: true, Bins: []string{"gh"}}
	alwaysElsewhere := skill.Requirements{Always: true, OS: []string{"darwin"}}
	everything := unmet
	everything.OS, everything.Unreadable, everything.Bins = []string{"darwin"}, true, []string{"gh", "jq"}

	for name, c := range map[string]struct {
		requires skill.Requirements
		given    Supplied
		want     []string // code: message
	}{
		"nothing":                       {},
		"this system":                   {requires: skill.Requirements{OS: []string{"darwin", " Linux "}}},
		"another system":                {requires: skill.Requirements{OS: []string{"darwin"}}, want: []string{"gate-os: needs macOS; this is Linux"}},
		"alias, any case":               {requires: skill.Requirements{OS: []string{"MacOS", "osx", "WIN32", "Plan9"}}, want: []string{"gate-os: needs macOS, Windows or plan9; this is Linux"}},
		"blank system":                  {requires: skill.Requirements{OS: []string{""}}, want: []string{"gate-os: needs ; this is Linux"}},
		"program":                       {requires: skill.Requirements{Bins: []string{"git"}}},
		"missing programs":              {requires: skill.Requirements{Bins: []string{"gh", "git", "jq", "gh"}}, want: []string{"gate-bin: needs gh, which is not on your PATH", "gate-bin: needs jq, which is not on your PATH"}},
		"one of two":                    {requires: skill.Requirements{AnyBins: []string{"rg", "git"}}},
		"none of two":                   {requires: skill.Requirements{AnyBins: []string{"rg", "ag", "ack"}}, want: []string{"gate-any-bin: needs rg, ag or ack; none of them is on your PATH"}},
		"none of one":                   {requires: skill.Requirements{AnyBins: []string{"rg"}}, want: []string{"gate-any-bin: needs rg, which is not on your PATH"}},
		"variable":                      {requires: skill.Requirements{Env: []string{"TOKEN"}}},
		"blank variable":                {requires: skill.Requirements{Env: []string{"BLANK"}}, want: []string{"gate-env: needs the environment variable BLANK"}},
		"blank, supplied":               {requires: skill.Requirements{Env: []string{"BLANK"}}, given: Supplied{Env: map[string]string{"BLANK": "x"}}},
		"supplied blank":                {requires: skill.Requirements{Env: []string{"KEY"}}, given: Supplied{Env: map[string]string{"KEY": "  "}}, want: []string{"gate-env: needs the environment variable KEY"}},
		"api key":                       {requires: skill.Requirements{Env: []string{"KEY"}, PrimaryEnv: "KEY"}, given: Supplied{APIKey: true}},
		"api key of other":              {requires: skill.Requirements{Env: []string{"KEY"}, PrimaryEnv: "OTHER"}, given: Supplied{APIKey: true}, want: []string{"gate-env: needs the environment variable KEY"}},
		"key":                           {requires: skill.Requirements{Config: []string{"browser.enabled"}}},
		"missing key":                   {requires: skill.Requirements{Config: []string{"browser.x"}}, want: []string{"gate-config: needs the configuration to set browser.x"}},
		"file":                          {requires: skill.Requirements{Config: []string{"/etc/vale.ini", "~/.valerc", `C:\vale.ini`}}},
		"missing file":                  {requires: skill.Requirements{Config: []string{"~/x", "~u/x", `d:/x`, "a/b"}}, want: []string{"gate-config: needs the file ~/x, which does not exist", "gate-config: needs the file ~u/x, which does not exist", "gate-config: needs the file d:/x, which does not exist", "gate-config: needs the file a/b, which does not exist"}},
		"name of a file is no file":     {requires: skill.Requirements{Config: []string{"plain"}}, want: []string{"gate-config: needs the configuration to set plain"}},
		"always":                        {requires: always},
		"always but elsewhere":          {requires: alwaysElsewhere, want: []string{"gate-os: needs macOS; this is Linux"}},
		"always but unreadable":         {requires: alwaysUnreadable, want: []string{"gate-unknown: its requirements could not be read, so nobody can say whether they are met"}},
		"everything, in a fixed order":  {requires: everything, want: []string{"gate-unknown: its requirements could not be read, so nobody can say whether they are met", "gate-os: needs macOS; this is Linux", "gate-bin: needs gh, which is not on your PATH", "gate-bin: needs jq, which is not on your PATH", "gate-any-bin: needs rg, which is not on your PATH", "gate-env: needs the environment variable KEY", "gate-config: needs the configuration to set x"}},
		"names steer no terminal":       {requires: skill.Requirements{Bins: []string{"g\x1b[31mh\r\n\u202e"}}, want: []string{"gate-bin: needs g[31mh, which is not on your PATH"}},
		"a name does not fill a screen": {requires: skill.Requirements{Env: []string{strings.Repeat("Ä", 5000)}}, want: []string{"gate-env: needs the environment variable " + strings.Repeat("Ä", 100) + "…"}},
	} {
		var got []string
		for _, r := range checker(t, native).Check(&skill.Skill{Name: "s", Requires: c.requires}, c.given, linux()) {
			got = append(got, string(r.Code)+": "+r.Message)
			if r.Hint == "" {
				t.Errorf("%s: %s has no hint", name, r.Code)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestStrategies(t *testing.T) {
	requires := skill.Skill{Requires: skill.Requirements{Config: []string{"/as/key", "plain"}, Env: []string{"TOKEN", "KEY"}}}
	given := Supplied{Env: map[string]string{"KEY": "k"}}
	for name, c := range map[string]struct {
		change func(*Rules)
		want   []string
	}{
		"key":          {func(r *Rules) { r.Config = "key" }, []string{"knack config set plain true"}},
		"file":         {func(r *Rules) { r.Config = "file" }, []string{"create the file /as/key"}},
		"process only": {func(r *Rules) { r.Config, r.Env = "file", []string{"process"} }, []string{"export KEY=…", "create the file /as/key"}},
		"config only":  {func(r *Rules) { r.Config, r.Env = "file", []string{"config"} }, []string{"knack config set skills.entries.s.env.TOKEN VALUE", "create the file /as/key"}},
	} {
		rules := native
		c.change(&rules)
		requires.Name = "s"
		var got []string
		for _, r := range checker(t, rules).Check(&requires, given, linux()) {
			got = append(got, r.Hint)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestUnknownStrategiesAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Rules){
		`gate.config is "guess"; it can be auto, file, key`: func(r *Rules) { r.Config = "guess" },
		`gate.always is ""; it can be bypass`:               func(r *Rules) { r.Always = "" },
		`gate.env is "dream"; it can be config, process`:    func(r *Rules) { r.Env = []string{"process", "dream"} },
	} {
		rules := native
		change(&rules)
		if _, err := New(rules); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
