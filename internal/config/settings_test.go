package config

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTruthy(t *testing.T) {
	b := newBench(t, `
[a]
zero = 0
hex = 0x00
float = -0.0e9
small = 1_0
inf = inf
empty = ""
blank = " \t"
word = "no"
list = []
no = false
yes = true
date = 2026-01-01
servers = [{ name = "x", port = 0 }]
[a.table]
[skills]
enabled = false
excluded = []
[skills.entries.Gh]
apiKey = "secret"
config = { on = true }
`, `
a.later = 1
`)
	s, problems := b.load()
	if problems != nil {
		t.Error(problems)
	}
	for key, want := range map[string]bool{
		"": true, ".": true, "a": true, "b": false,
		"a.zero": false, "a.hex": false, "a.float": false, "a.small": true, "a.inf": true,
		"a.empty": false, "a.blank": false, "a.word": true, "a.list": true, "a.table": true,
		"a.no": false, "a.yes": true, "a.date": true, "a.later": true, "a.none": false,
		"a..word": true, ".a.word.": true, "a.word.length": false, "A.word": false,
		"a.servers.0": true, "a.servers.0.name": true, "a.servers.0.port": false, "a.servers.1": false,
		"a.servers.-1": false, "a.servers.x": false, "a.servers.0.none": false,
		"browser.enabled": false, "__proto__.x": false, "constructor": false,
		"host": false, "skills": true, "skills.enabled": false, "skills.load": false,
		"skills.excluded": true, "skills.extra_roots": false, "skills.allow_bundled": false,
		"skills.entries.Gh.apiKey": true, "skills.entries.gh.api_key": true, "skills.entries.gh.config.on": true,
		"skills.entries.gh.enabled": true, "skills.entries.gh.env": false,
	} {
		if got := s.Truthy(key); got != want {
			t.Errorf("Truthy(%q) = %v", key, got)
		}
	}
	if s, _ := Load(Input{}); !s.Truthy("skills.enabled") || s.Truthy("skills") {
		t.Error("a default counts, a table that nobody wrote does not")
	}
}

func TestValues(t *testing.T) {
	b := newBench(t, `log = "info"
[skills]
excluded = ["b"]
[skills.entries."my skill"]
apiKey = "sk-1"
env.TOKEN = "t"
config = { apiToken = "hidden", "a b" = [1, { password = "hidden", x = 0x1 }] }
[browser]
enabled = true
session_token = "hidden"
max_tokens = 4
accounts = [{ secret = "hidden", name = "n\n" }]
`, `skills.excluded = ["a"]
`)
	b.in.Environ = []string{"KNACK_HOST=x"}
	b.in.Flags = map[string]string{"log": "debug"}
	s, problems := b.load()
	if problems != nil {
		t.Error(problems)
	}
	home, local := func(line int) Origin { return Origin{Layer: "home", File: b.in.Home, Line: line} }, b.in.Local
	unset := Origin{Layer: "default"}
	want := []Value{
		{"agent", `""`, unset},
		{"browser.accounts", `[{ secret = "***", name = "n\n" }]`, home(12)},
		{"browser.enabled", "true", home(9)},
		{"browser.max_tokens", "4", home(11)},
		{"browser.session_token", `"***"`, home(10)},
		{"host", `"x"`, Origin{Layer: "environment", Name: "KNACK_HOST"}},
		{"llm.base_url", `""`, unset},
		{"llm.max_iterations", "25", unset},
		{"llm.name", `""`, unset},
		{"log", `"debug"`, Origin{Layer: "flag", Name: "log"}},
		{"skills.enabled", "true", Origin{Layer: "default"}},
		{`skills.entries."my skill".api_key`, `"***"`, home(5)},
		{`skills.entries."my skill".config."a b"`, `[1, { password = "***", x = 0x1 }]`, home(7)},
		{`skills.entries."my skill".config.apiToken`, `"***"`, home(7)},
		{`skills.entries."my skill".env.TOKEN`, `"***"`, home(6)},
		{"skills.excluded", `["b", "a"]`, Origin{Layer: "workspace", File: local, Line: 1}},
		{"skills.extra_roots", "[]", unset},
		{"skills.install.allow_uploaded_archives", "false", unset},
		{"skills.install.node_manager", `"npm"`, unset},
		{"skills.install.prefer_brew", "true", unset},
		{"skills.load.allow_symlink_targets", "[]", unset},
		{"skills.load.watch", "false", unset},
		{"skills.max_active", "3", unset},
		{"skills.max_context_tokens", "20000", unset},
		{"skills.mode", `"index"`, unset},
		{"skills.open_skills_enabled", "false", unset},
		{"skills.regex_activation", "true", unset},
		{"skills.skillforge_enabled", "false", unset},
		{"skills.skillforge_min_score", "0.7", unset},
		{"skills.skillforge_scan_interval_hours", "24", unset},
		{"skills.tool_output_bytes", "1048576", unset},
		{"skills.tool_timeout_seconds", "120", unset},
		{"tools.layer", `"strongest"`, unset},
		{"tools.private_hosts", "[]", unset},
		{"tools.shell_hosts", "[]", unset},
		{"tools.shell_read", "[]", unset},
		{"tools.web_search_kind", `"searxng"`, unset},
		{"tools.web_search_url", `""`, unset},
	}
	if diff := cmp.Diff(want, s.Values()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, v := range want {
		if got, ok := s.Get(v.Key); !ok || got != v {
			t.Errorf("Get(%s) = %v %v", v.Key, got, ok)
		}
	}
	all, err := json.Marshal(s.Values())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hidden", "sk-1"} {
		if strings.Contains(string(all), secret) {
			t.Errorf("%s is shown: %s", secret, all)
		}
	}
}

func TestGet(t *testing.T) {
	s, _ := newBench(t, "skills.entries.Gh.enabled = false\nskills.allowBundled = []\n[other]\n", "").load()
	for key, want := range map[string]string{
		"skills.entries.gh.enabled":   "false",
		"skills.entries.none.enabled": "true", // the default
		"skills.allowBundled":         "[]",
		"skills.allow_bundled":        "[]",
		"skills.load.extraDirs":       "[]",
		"skills.entries.gh.api_key":   "",
		"skills.entries.gh":           "{ enabled = false }",
		"skills.load":                 "{ allow_symlink_targets = [], watch = false }",
		"other":                       "",
		"none":                        "",
		`"`:                           "",
	} {
		got, ok := s.Get(key)
		if got.Value != want || ok != (want != "") {
			t.Errorf("Get(%s) = %v %v, want %s", key, got, ok, want)
		}
	}
}

func TestSettingsAreShared(t *testing.T) {
	s, _ := newBench(t, "[skills.entries.x]\nenabled = false\n", "").load()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			values := s.Values()
			values[0].Key = "changed by its reader"
			if s.Truthy("skills.entries.X.enabled") {
				t.Error("enabled")
			}
			if v, ok := s.Get("skills.entries.X.enabled"); !ok || v.Value != "false" {
				t.Error(v)
			}
		})
	}
	wg.Wait()
	if s.Values()[0].Key != "agent" {
		t.Error("a reader changed the settings")
	}
}
