package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// withHost gives a bench the file of a host.
func (b *bench) withHost(reader, content string) *bench {
	b.t.Helper()
	name := "host.json"
	if reader == "toml-skills" {
		name = "host.toml"
	}
	b.in.Host = Host{Name: "other", Reader: reader, File: filepath.Join(b.dir, "other", name)}
	b.write(b.in.Host.File, content)
	return b
}

// Every layer counts over the one below it.
func TestHostLayers(t *testing.T) {
	b := newBench(t, "", "")
	b.in.Host = Host{Name: "other", Env: map[string]string{"OTHER_MAX": "skills.max_active"}}
	steps := []struct {
		add  func()
		want int
		at   Origin
	}{
		{func() {}, 3, Origin{Layer: "default"}},
		{func() { b.in.Host.Defaults = map[string]any{"skills.max_active": int64(5)} }, 5, Origin{Layer: "host", Name: "other"}},
		{func() {
			b.in.Host.Reader, b.in.Host.File = "json5-entries", filepath.Join(b.dir, "o.json")
			b.write(b.in.Host.File, "// mine\n{\n skills: { max_active: 6 } }\n")
		}, 6, Origin{Layer: "host", File: filepath.Join(b.dir, "o.json"), Line: 3}},
		{func() { b.write(b.in.Home, "skills.max_active = 7\n") }, 7, Origin{Layer: "home", File: b.in.Home, Line: 1}},
		{func() { b.write(b.in.Local, "\nskills.max_active = 4\n") }, 4, Origin{Layer: "workspace", File: b.in.Local, Line: 2}},
		{func() { b.in.Environ = []string{"OTHER_MAX= 9 "} }, 9, Origin{Layer: "environment", Name: "OTHER_MAX"}},
		{func() { b.in.Flags = map[string]string{"skills.max_active": "0"} }, 0, Origin{Layer: "flag", Name: "skills.max_active"}},
	}
	for i, step := range steps {
		step.add()
		s, problems := b.load()
		v, _ := s.Get("skills.max_active")
		if s.Skills.MaxActive != step.want || problems != nil {
			t.Errorf("step %d: %d, %v", i, s.Skills.MaxActive, problems)
		}
		if diff := cmp.Diff(step.at, v.Origin); diff != "" {
			t.Errorf("step %d: (-want +got)\n%s", i, diff)
		}
	}
}

// Knack's own variables override those of the host.
func TestOwnVariableWins(t *testing.T) {
	b := newBench(t, "", "")
	b.in.Host = Host{Name: "other", Env: map[string]string{"OTHER_AGENT": "agent"}}
	b.in.Environ = []string{"OTHER_AGENT=theirs", "KNACK_AGENT=mine"}
	if s, problems := b.load(); s.Agent != "mine" || problems != nil {
		t.Errorf("%q %v", s.Agent, problems)
	}
}

func TestHostFileOfJSON5(t *testing.T) {
	b := newBench(t, "", "").withHost("json5-entries", `{
  // skills of mine
  skills: {
    allowBundled: ["x"],
    load: { extraDirs: ["~/mine", "team/../ours"], allowSymlinkTargets: ["/t"], watch: false },
    install: { preferBrew: false, nodeManager: "PNPM", allowUploadedArchives: true },
    limits: { maxCandidatesPerRoot: 1, maxSkillsLoadedPerSource: 2e2, maxSkillsInPrompt: 0, maxSkillsPromptChars: 0x10, maxSkillFileBytes: 5. },
    entries: {
      'nano-banana-pro': { enabled: false, apiKey: "sk", env: { GEMINI_API_KEY: "g" }, config: { a: { b: 1 } } },
      ref: { apiKey: { source: "env", provider: "default", id: "TOKEN" } },
      dollar: { apiKey: "$SAG_KEY" }, braces: { apiKey: "${SAG_KEY}" }, price: { apiKey: "$5" },
      empty: {},
    },
  },
  gateway: { port: 1, token: "hidden", bind: null, list: [null, .5, +1, Infinity] },
}`)
	s, problems := b.load()
	if problems != nil {
		t.Error(problems)
	}
	n := func(i int) *int { return &i }
	want := others(Skills{
		Enabled: true, Excluded: []string{}, AllowBundled: []string{"x"},
		ExtraRoots: []string{filepath.Join(b.in.UserHome, "mine"), filepath.Join(b.dir, "other/ours")},
		Entries: map[string]Entry{
			"nano-banana-pro": {APIKey: "sk", Env: map[string]string{"GEMINI_API_KEY": "g"}},
			"ref":             {Enabled: true, Ref: SecretRef{"env", "default", "TOKEN"}},
			"dollar":          {Enabled: true, Ref: SecretRef{Source: "env", ID: "SAG_KEY"}},
			"braces":          {Enabled: true, Ref: SecretRef{Source: "env", ID: "SAG_KEY"}},
			"price":           {Enabled: true, APIKey: "$5"},
			"empty":           {Enabled: true},
		},
		Limits: Limits{n(1), n(200), n(0), n(16), n(5)},
	})
	want.Load = LoadSettings{AllowSymlinkTargets: []string{"/t"}}
	want.Install = InstallSettings{NodeManager: "pnpm", AllowUploadedArchives: true}
	if diff := cmp.Diff(want, s.Skills); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for key, want := range map[string]bool{
		"gateway.port": true, "gateway.bind": false, "gateway": true, "gateway.list.1": true, "gateway.list.0": false,
		"skills.load": true, "skills.entries.empty": true, "skills.entries.ref.apiKey": true, "skills.entries.ref.apiKey.id": true,
		"skills.entries.nano-banana-pro.config.a.b": true,
		// Nobody wrote these, and the host knows nothing of Knack's defaults.
		"skills.enabled": false, "skills.max_active": false,
	} {
		if got := s.Truthy(key); got != want {
			t.Errorf("Truthy(%s) = %v", key, got)
		}
	}
	all, err := json.Marshal(s.Values())
	if err != nil || strings.Contains(string(all), "hidden") || strings.Contains(string(all), "TOKEN") || strings.Contains(string(all), "SAG_KEY") {
		t.Errorf("a secret is shown: %s %v", all, err)
	}
	if v, _ := s.Get("gateway.list"); v.Value != `["", 5e-01, +1, inf]` {
		t.Error(v.Value)
	}
	if v, ok := s.Get("gateway.bind"); ok {
		t.Errorf("null is no value: %v", v)
	}
}

func TestHostFileOfTOML(t *testing.T) {
	b := newBench(t, "skills.excluded = [\"b\"]\n", "").withHost("toml-skills", `
[skills]
prompt_injection_mode = "Compact"
max_active = 5
excluded = ["a"]
extra_roots = ["more"]
open_skills_enabled = true
open_skills_url = "https://example.com/x"
open_skills_dir = "~/open"
open_skills_ref = "v1"
skillforge_enabled = true
skillforge_min_score = 1
skillforge_scan_interval_hours = 2
[skills.entries.gh]
api_key = { source = "literal", id = "GH", value = "k" }
[skills.entries.other]
api_key = { source = "env", id = "X" }
[gateway]
port = 1
`)
	b.in.Host.Defaults = map[string]any{"skills.extra_roots": []any{"~/base"}}
	s, problems := b.load()
	if problems != nil {
		t.Error(problems)
	}
	want := others(Skills{
		Enabled: true, Excluded: []string{"a", "b"},
		ExtraRoots: []string{filepath.Join(b.in.UserHome, "base"), filepath.Join(b.dir, "other/more")},
		Entries: map[string]Entry{
			"gh":    {Enabled: true, APIKey: "k", Ref: SecretRef{Source: "literal", ID: "GH"}},
			"other": {Enabled: true, Ref: SecretRef{Source: "env", ID: "X"}},
		},
	})
	want.Mode, want.MaxActive = "compact", 5
	want.OpenSkills = OpenSkills{true, "https://example.com/x", filepath.Join(b.in.UserHome, "open"), "v1"}
	want.Forge = Forge{true, 1, 2}
	if diff := cmp.Diff(want, s.Skills); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !s.Truthy("gateway.port") {
		t.Error("what is not about skills is lost")
	}
}

// A key that a user's own file sets replaces a table that says where the
// secret is, and the other way round.
func TestSecretsDoNotMix(t *testing.T) {
	for _, c := range []struct {
		host, home string
		want       Entry
	}{
		{`{source = "env", id = "A"}`, `"k"`, Entry{Enabled: true, APIKey: "k"}},
		{`"k"`, `{source = "env", id = "A"}`, Entry{Enabled: true, Ref: SecretRef{Source: "env", ID: "A"}}},
		{`{source = "file", provider = "p", id = "A"}`, `{source = "literal", value = "v"}`, Entry{Enabled: true, APIKey: "v", Ref: SecretRef{Source: "literal"}}},
	} {
		b := newBench(t, "skills.entries.x.api_key = "+c.home, "").withHost("toml-skills", "skills.entries.X.api_key = "+c.host)
		s, problems := b.load()
		if diff := cmp.Diff(map[string]Entry{"X": c.want}, s.Skills.Entries); diff != "" || problems != nil {
			t.Errorf("%+v: %v (-want +got)\n%s", c, problems, diff)
		}
		if !s.Skills.Entries["X"].HasAPIKey() {
			t.Errorf("%+v: not configured", c)
		}
	}
	for _, e := range []Entry{{}, {APIKey: " "}, {Ref: SecretRef{Source: "literal", ID: "X"}}} {
		if e.HasAPIKey() {
			t.Errorf("%+v is configured", e)
		}
	}
}

func TestHostProblems(t *testing.T) {
	for name, c := range map[string]struct {
		reader, file string
		want         []string
	}{
		"broken JSON5": {"json5-entries", "{\n  skills: {\n", []string{
			"other/host.json:3: error: expected a key or '}', found the end of the text (mend that line, or move the file away) [config-invalid]",
		}},
		"no object": {"json5-entries", "\n[]", []string{
			"other/host.json:2: error: the document must be a table, not a list (mend that line, or move the file away) [config-invalid]",
		}},
		"blank JSON5": {"json5-entries", "\n", []string{
			"other/host.json:2: error: expected a value, found the end of the text (mend that line, or move the file away) [config-invalid]",
		}},
		"broken TOML": {"toml-skills", "a = 1\n[b\n", []string{
			"other/host.toml:2: error: expected ']' to close table name (mend that line, or move the file away) [config-invalid]",
		}},
		"reader": {"ini", "a", []string{
			`error: host other: its configuration is written as "ini", which is not known (mend its profile; the readers are env, json5-entries or toml-skills) [config-invalid]`,
		}},
		"keys": {"json5-entries", "{ hots: 1, skill: {},\n skills: { workshop: {},\n exclude: [],\n load: { watchDebounceMs: 1,\n extradirs: [] } } }", []string{
			"other/host.json:2: info: skills.workshop: knack does not know it; the host may [config-unknown-key]",
			"other/host.json:3: warning: skills.exclude is no key of knack (did you mean skills.excluded?) [config-unknown-key]",
			"other/host.json:4: info: skills.load.watchDebounceMs: knack does not know it; the host may [config-unknown-key]",
			"other/host.json:5: warning: skills.load.extradirs is no key of knack (did you mean skills.load.extraDirs?) [config-unknown-key]",
		}},
		"values": {"json5-entries", `{ skills: {
			max_active: 1.5,
			limits: { maxCandidatesPerRoot: 0, maxSkillsInPrompt: "9" },
			install: { nodeManager: "deno" },
			mode: null,
			load: 3,
			dir: " ",
			skillforge_min_score: 1.1,
			entries: { x: { apiKey: { source: "moon", id: "A" } }, y: { apiKey: null } },
			max_context_tokens: 1e99, tool_timeout_seconds: -1 } }`, []string{
			`other/host.json:2: error: skills.max_active must be a whole number, 0 or more (write skills.max_active: 3) [config-bad-value]`,
			`other/host.json:3: error: skills.limits.max_candidates_per_root must be a whole number, 1 or more (write skills.limits.max_candidates_per_root: 100) [config-bad-value]`,
			`other/host.json:3: error: skills.limits.max_skills_in_prompt must be a whole number, 0 or more, not a string (write skills.limits.max_skills_in_prompt: 100) [config-bad-value]`,
			`other/host.json:4: error: skills.install.node_manager must be npm, pnpm, yarn or bun (write skills.install.node_manager: "npm") [config-bad-value]`,
			`other/host.json:5: error: skills.mode must be full, compact or index (write skills.mode: "index") [config-bad-value]`,
			`other/host.json:6: error: skills.load must be a table, not a number (write it as skills.load: { }, with its keys between the braces) [config-bad-value]`,
			`other/host.json:7: error: skills.dir must be a path, not a blank string (write skills.dir: "~/directory") [config-bad-value]`,
			`other/host.json:8: error: skills.skillforge_min_score must be a number from 0 to 1 (write skills.skillforge_min_score: 0.7) [config-bad-value]`,
			`other/host.json:9: error: skills.entries.x.api_key must be a string, not a table (write skills.entries.x.api_key: "text") [config-bad-value]`,
			`other/host.json:9: error: skills.entries.y.api_key must be a string, not null (write skills.entries.y.api_key: "text") [config-bad-value]`,
			`other/host.json:10: error: skills.max_context_tokens must be a whole number, 0 or more (write skills.max_context_tokens: 20000) [config-bad-value]`,
			`other/host.json:10: error: skills.tool_timeout_seconds must be a whole number, 1 or more (write skills.tool_timeout_seconds: 120) [config-bad-value]`,
		}},
	} {
		_, got := newBench(t, "", "").withHost(c.reader, c.file).load()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}

	b := newBench(t, "", "")
	b.in.Host = Host{Name: "other", Defaults: map[string]any{"skills.max_activ": 3, "skills.enabled": "no", "a..b": 1, "browser.x": []string{"a"}},
		Env: map[string]string{"V": "skills.nope"}}
	b.in.Environ = []string{"V=1"}
	s, got := b.load()
	want := []string{
		"error: host other: skills.enabled must be true or false, not a string (write skills.enabled = true or skills.enabled = false) [config-bad-value]",
		"warning: environment variable V: skills.nope is no key of knack; knack config list shows the keys there are (mend the profile of other) [config-unknown-key]",
		`warning: host other: key "a..b": a part is empty; write parts separated by single dots (mend the profile of other) [config-unknown-key]`,
		"warning: host other: skills.max_activ is no key of knack; did you mean skills.max_active? (mend the profile of other) [config-unknown-key]",
	}
	if diff := cmp.Diff(want, got); diff != "" || !s.Skills.Enabled {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if v, ok := s.Get("browser.x"); !ok || v.Value != `["a"]` || v.Origin.Name != "other" {
		t.Error(v)
	}
}

// A host's file that is not there, or is Knack's own, is no host's file.
func TestHostFileThatIsNone(t *testing.T) {
	b := newBench(t, "hots = 1\n", "").withHost("toml-skills", "")
	if _, problems := b.load(); len(problems) != 1 {
		t.Error(problems)
	}
	b.in.Host.File = b.in.Home
	if s, problems := b.load(); len(problems) != 1 || !s.Truthy("hots") {
		t.Error(problems)
	}
	b.in.Host = Host{Name: "other", Reader: "env", File: b.in.Local}
	b.write(b.in.Local, "[broken\n")
	b.in.Local = ""
	if _, problems := b.load(); len(problems) != 1 {
		t.Error(problems)
	}
}

func TestHostVariables(t *testing.T) {
	yes, no := true, false
	for text, want := range map[string]*bool{
		"1": &yes, "TRUE": &yes, " yes ": &yes, "on": &yes, "0": &no, "off": &no, "No": &no, "false": &no, "maybe": nil, "": nil, "2": nil,
	} {
		for _, was := range []bool{true, false} {
			b := newBench(t, "", "")
			b.in.Host = Host{Name: "other", Env: map[string]string{"OPEN": "skills.open_skills_enabled"},
				Defaults: map[string]any{"skills.open_skills_enabled": was}}
			b.in.Environ = []string{"OPEN=" + text}
			s, ds := Load(b.in)
			if want != nil && (s.Skills.OpenSkills.Enabled != *want || ds != nil) {
				t.Errorf("%q: %v %v", text, s.Skills.OpenSkills.Enabled, ds)
			}
			if want == nil && (s.Skills.OpenSkills.Enabled != was || len(ds) != 1 || ds[0].Severity != skill.Warning) {
				t.Errorf("%q is ignored, with a warning: %v %v", text, s.Skills.OpenSkills.Enabled, ds)
			}
		}
	}

	b := newBench(t, "", "")
	b.in.Host = Host{Name: "other", Env: map[string]string{
		"DIR": "skills.dir", "INSTALLED": "skills.installed_dir", "BLANK": "skills.open_skills_dir", "MODE": "skills.mode", "DEPTH": "skills.max_scan_depth", "BAD": "skills.max_active",
	}}
	b.in.Environ = []string{"DIR=~/s, t", "INSTALLED=rel", "BLANK= ", "MODE= Full", "DEPTH=7", "BAD=-1"}
	s, problems := b.load()
	want := []string{
		`warning: environment variable BAD: "-1" is not a whole number, 0 or more (use skills.max_active = 3) [config-bad-value]`,
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got := []string{s.Skills.Dir, s.Skills.InstalledDir, s.Skills.OpenSkills.Dir, s.Skills.Mode}
	if diff := cmp.Diff([]string{filepath.Join(b.in.UserHome, "s, t"), filepath.Join(b.ws, "rel"), "", "full"}, got); diff != "" || *s.Skills.MaxScanDepth != 7 {
		t.Errorf("depth %v (-want +got)\n%s", *s.Skills.MaxScanDepth, diff)
	}
}

// What a repository brings can lower, never raise, and never switch on what is
// off by default.
func TestWorkspaceTakesAway(t *testing.T) {
	b := newBench(t, "skills.max_context_tokens = 9000\n", `[skills]
max_active = 4
max_context_tokens = 9000
tool_timeout_seconds = 5
tool_output_bytes = 2000000
open_skills_enabled = true
regex_activation = false
mode = "full"
dir = "x"
skillforge_enabled = false
load.allow_symlink_targets = ["x"]
limits.max_skills_in_prompt = 1
`)
	s, problems := b.load()
	want := []string{
		"2: warning: a workspace's configuration may not raise skills.max_active above 3 (set it in home/config.toml instead) [config-refused]",
		"5: warning: a workspace's configuration may not raise skills.tool_output_bytes above 1048576 (set it in home/config.toml instead) [config-refused]",
		"6: warning: a workspace's configuration may not switch on skills.open_skills_enabled (set it in home/config.toml instead) [config-refused]",
		"8: warning: a workspace's configuration may not set skills.mode (set it in home/config.toml instead) [config-refused]",
		"9: warning: a workspace's configuration may not set skills.dir (set it in home/config.toml instead) [config-refused]",
		"11: warning: a workspace's configuration may not set skills.load.allow_symlink_targets (set it in home/config.toml instead) [config-refused]",
		"12: warning: a workspace's configuration may not set skills.limits.max_skills_in_prompt (set it in home/config.toml instead) [config-refused]",
	}
	for i := range problems {
		problems[i] = strings.TrimPrefix(problems[i], "ws/.knack/config.toml:")
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := s.Skills; got.MaxActive != 3 || got.MaxContextTokens != 9000 || got.ToolTimeoutSeconds != 5 || got.ToolOutputBytes != 1<<20 ||
		got.OpenSkills.Enabled || got.RegexActivation || got.Mode != "index" || got.Dir != "" || got.Limits.MaxSkillsInPrompt != nil {
		t.Errorf("%+v", got)
	}
}

// Real answers of the system whose files these are.
func TestTruthyGolden(t *testing.T) {
	data, err := os.ReadFile("../../testdata/goldens/openclaw/config-path-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Config json.RawMessage
		Cases  [][2]any
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) != 17 {
		t.Fatal(err, len(golden.Cases))
	}
	b := newBench(t, "", "").withHost("json5-entries", string(golden.Config))
	b.in.Host.Defaults = map[string]any{"browser.enabled": true, "browser.evaluateEnabled": true}
	s, problems := b.load()
	if problems != nil {
		t.Error(problems)
	}
	for _, c := range golden.Cases {
		if got := s.Truthy(c[0].(string)); got != c[1].(bool) {
			t.Errorf("Truthy(%q) = %v", c[0], got)
		}
	}

	for file, cases := range map[string]map[string]bool{
		"{}":                         {"browser.enabled": true, "browser": false, "": true},
		"{browser: {}}":              {"browser.enabled": true, "browser": true},
		"{browser: 3}":               {"browser.enabled": true, "browser.x": false},
		"{browser: {enabled: null}}": {"browser.enabled": false, "browser.evaluateEnabled": true},
		"{constructor: 1, a: {prototype: {x: 1}}}": {"constructor": false, "a.prototype.x": false, "a": true},
		"{a: NaN, b: -0, c: .0, d: -Infinity}":     {"a": true, "b": false, "c": false, "d": true},
	} {
		b.write(b.in.Host.File, file)
		s, _ := b.load()
		for key, want := range cases {
			if got := s.Truthy(key); got != want {
				t.Errorf("%s: Truthy(%q) = %v", file, key, got)
			}
		}
	}
}
