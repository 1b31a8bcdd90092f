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
	Config: "auto", Env: []string{"process", "config"}, Always: "bypass", OS: "folded",
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
	variables := map[string]string{"TOKEN": "t", "BLANK": " \t"}
	return &Environment{
		OS: "linux", Home: "/home/u",
		HasBin:       has("git", "npm"),
		FileExists:   has("/etc/vale.ini", "/home/u/.valerc", `C:\vale.ini`, "plain"),
		ConfigTruthy: has("browser.enabled", "/as/key"),
		Getenv:       func(name string) string { return variables[name] },
		LookupEnv:    func(name string) (string, bool) { value, set := variables[name]; return value, set },
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

func TestVariablesThatAreBlank(t *testing.T) {
	given := Supplied{Env: map[string]string{"GIVEN": ""}}
	requires := skill.Requirements{Env: []string{"TOKEN", "BLANK", "GIVEN", "KEY"}}
	for name, c := range map[string]struct {
		blank   bool
		sources []string
		want    []string
	}{
		"not enough":             {false, []string{"process", "config"}, []string{"BLANK", "GIVEN", "KEY"}},
		"enough":                 {true, []string{"process", "config"}, []string{"KEY"}},
		"enough, in the process": {true, []string{"process"}, []string{"GIVEN", "KEY"}},
		"enough, in the config":  {true, []string{"config"}, []string{"TOKEN", "BLANK", "KEY"}},
	} {
		rules := native
		rules.EnvBlank, rules.Env = c.blank, c.sources
		var got []string
		for _, r := range checker(t, rules).Check(&skill.Skill{Requires: requires}, given, linux()) {
			got = append(got, strings.TrimPrefix(r.Message, "needs the environment variable "))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// Which of the names of systems count on which machine, by strategy.
func TestNamesOfSystems(t *testing.T) {
	names := map[string]string{"darwin": "macos", "windows": "win32"}
	for _, c := range []struct {
		os, listed, goos string
		want             bool
	}{
		{"folded", "macOS", "darwin", true},
		{"folded", "darwin", "darwin", true},
		{"folded", " Linux", "linux", true},
		{"folded", "win32", "windows", true},
		{"folded", "linux", "darwin", false},
		{"exact", "macos", "darwin", true},
		{"exact", "macOS", "darwin", false},
		{"exact", "darwin", "darwin", false},
		{"exact", "win32", "windows", true},
		{"exact", "windows", "windows", false},
		{"exact", "linux", "linux", true},
		{"exact", "Linux", "linux", false},
		{"exact", " linux", "linux", false},
		{"exact", "", "linux", false},
		{"any-case", "MacOS", "darwin", true},
		{"any-case", "Darwin", "darwin", false},
		{"any-case", "LINUX", "linux", true},
		{"any-case", " linux", "linux", false},
	} {
		rules := native
		rules.OS, rules.OSNames = c.os, names
		env := linux()
		env.OS = c.goos
		s := skill.Skill{Requires: skill.Requirements{OS: []string{"plan9", c.listed}}}
		if reasons := checker(t, rules).Check(&s, Supplied{}, env); (len(reasons) == 0) != c.want {
			t.Errorf("%s: %q on %s: %v", c.os, c.listed, c.goos, reasons)
		}
	}
}

func TestAnotherSpellingOfThisSystem(t *testing.T) {
	rules := native
	rules.OS, rules.OSNames = "exact", map[string]string{"darwin": "macos"}
	env := linux()
	env.OS = "darwin"
	s := skill.Skill{Requires: skill.Requirements{OS: []string{"darwin", "Mac\x1bOS"}}}
	want := []skill.Reason{{
		Code:    skill.ReasonOS,
		Message: "needs a system called darwin or MacOS; this one is called macos",
		Hint:    "the skill's author has to list macos under os",
	}}
	if diff := cmp.Diff(want, checker(t, rules).Check(&s, Supplied{}, env)); diff != "" {
		t.Error(diff)
	}
}

func TestAlwaysIgnored(t *testing.T) {
	rules := native
	rules.Always = "ignore"
	requires := skill.Requirements{Bins: []string{"gh"}, Env: []string{"KEY"}}
	want := checker(t, rules).Check(&skill.Skill{Requires: requires}, Supplied{}, linux())
	requires.Always = true
	got := checker(t, rules).Check(&skill.Skill{Requires: requires}, Supplied{}, linux())
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 2 {
		t.Errorf("%d reasons (-without +with always)\n%s", len(got), diff)
	}
}

func TestUnknownStrategiesAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Rules){
		`gate.config is "guess"; it can be auto, file, key`:                 func(r *Rules) { r.Config = "guess" },
		`gate.always is ""; it can be bypass, ignore`:                       func(r *Rules) { r.Always = "" },
		`gate.os is ""; it can be any-case, exact, folded`:                  func(r *Rules) { r.OS = "" },
		`gate.os is "fuzzy"; it can be any-case, exact, folded`:             func(r *Rules) { r.OS = "fuzzy" },
		`gate.says words "bin"; it can word os, bins, anyBins, env, config`: func(r *Rules) { r.Says = map[string]string{"env": "x", "bin": "y", "files": "z"} },
		`gate.env is "dream"; it can be config, process`:                    func(r *Rules) { r.Env = []string{"process", "dream"} },
	} {
		rules := native
		change(&rules)
		if _, err := New(rules); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
