package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bench is a home and a workspace on disk.
type bench struct {
	t       testing.TB
	dir, ws string
	in      Input
}

func newBench(t testing.TB, home, local string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir, ws: filepath.Join(dir, "ws")}
	b.in = Input{
		Files:     Files{Home: filepath.Join(dir, "home", "config.toml"), Local: filepath.Join(b.ws, ".knack", "config.toml")},
		Workspace: b.ws, UserHome: filepath.Join(dir, "user"),
	}
	b.write(b.in.Home, home)
	b.write(b.in.Local, local)
	return b
}

// write makes a file, unless its content is empty.
func (b *bench) write(file, content string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if content == "" {
		return
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// load returns the settings and the diagnostics as lines, with the directory
// of the test left out.
func (b *bench) load() (*Settings, []string) {
	s, ds := Load(b.in)
	var lines []string
	for _, d := range ds {
		lines = append(lines, strings.ReplaceAll(d.String(), b.dir+string(filepath.Separator), ""))
	}
	return s, lines
}

// others adds the defaults of the keys that a test does not care about.
func others(s Skills) Skills {
	s.Mode, s.MaxActive, s.MaxContextTokens, s.RegexActivation = "index", 3, 20000, true
	s.ToolTimeoutSeconds, s.ToolOutputBytes = 120, 1<<20
	s.Load.AllowSymlinkTargets = []string{}
	s.Install = InstallSettings{PreferBrew: true, NodeManager: "npm"}
	s.Forge = Forge{MinScore: 0.7, ScanIntervalHours: 24}
	return s
}

func TestDefaults(t *testing.T) {
	b := newBench(t, "", "")
	s, problems := b.load()
	want := others(Skills{Enabled: true, Excluded: []string{}, ExtraRoots: []string{}, Entries: map[string]Entry{}})
	if diff := cmp.Diff(want, s.Skills); diff != "" || s.Host != "" || s.Log != "" {
		t.Errorf("host %q, log %q, skills (-want +got)\n%s", s.Host, s.Log, diff)
	}
	if s.Skills.AllowBundled != nil {
		t.Error("not set must not be the same as none allowed")
	}
	if problems != nil {
		t.Error(problems)
	}
	if s, ds := Load(Input{}); !s.Skills.Enabled || ds != nil {
		t.Errorf("without files: %+v %v", s, ds)
	}
}

func TestLayers(t *testing.T) {
	b := newBench(t, `
host = "h"
log = "WARN"
[skills]
enabled = true
excluded = ["a", "b"]
extra_roots = ["~/mine", "rel/../team", "/abs"]
allow_bundled = []
[skills.entries.one]
enabled = true
api_key = "sk-1"
env = { A = "1", PORT = 80 }
[skills.entries."two.x".config]
deep.er = "v"
`, `
log = "info"
[skills]
enabled = false
excluded = ["b", "c"]
extra_roots = ["more", "./more/../other"]
[skills.entries.ONE]
enabled = false
[skills.entries.three]
enabled = false
`)
	b.in.Environ = []string{"KNACK_HOST=  ", "KNACK_LOG=error", "KNACK_LOG=debug", "OTHER=x"}
	s, problems := b.load()
	if problems != nil {
		t.Error(problems)
	}
	want := Skills{
		Enabled: false, Excluded: []string{"a", "b", "c"}, AllowBundled: []string{},
		ExtraRoots: []string{
			filepath.Join(b.in.UserHome, "mine"), filepath.Join(filepath.Dir(b.in.Home), "team"), "/abs",
			filepath.Join(b.ws, "more"), filepath.Join(b.ws, "other"),
		},
		Entries: map[string]Entry{
			"one":   {Enabled: false, APIKey: "sk-1", Env: map[string]string{"A": "1", "PORT": "80"}},
			"two.x": {Enabled: true},
			"three": {},
		},
	}
	if diff := cmp.Diff(others(want), s.Skills); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Host != "h" || s.Log != "debug" {
		t.Errorf("host %q, log %q", s.Host, s.Log)
	}

	b.in.Flags = map[string]string{"host": "", "log": "error", "skills.excluded": "d", "skills.entries.one.enabled": "on", "x.y": "3"}
	s, problems = b.load()
	if s.Host != "" || s.Log != "error" || !s.Skills.Entries["one"].Enabled || !s.Truthy("x.y") || problems != nil {
		t.Errorf("flags must override: %+v %v", s, problems)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, s.Skills.Excluded); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What a repository brings can take away, never give back what the user took.
func TestWorkspaceOnlySwitchesOff(t *testing.T) {
	b := newBench(t, "[skills]\nenabled = false\n[skills.entries.one]\nenabled = false\n",
		"host = \"x\"\n[skills]\nenabled = true\n[skills.entries.ONE]\nenabled = true\n[skills.entries.two]\nenabled = true\n")
	s, problems := b.load()
	if s.Host != "" || s.Skills.Enabled || s.Skills.Entries["one"].Enabled || !s.Skills.Entries["two"].Enabled {
		t.Errorf("%+v", s.Skills)
	}
	var refused int
	for _, p := range problems {
		if strings.HasSuffix(p, "[config-refused]") {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("host and two switches are refused, got %v", problems)
	}
}

func TestSpellingsOfOthers(t *testing.T) {
	b := newBench(t, `
[skills]
allowBundled = ["x"]
[skills.load]
extraDirs = ["/d"]
[skills.entries.Peekaboo]
apiKey = "k"
`, "")
	s, problems := b.load()
	want := Skills{
		Enabled: true, Excluded: []string{}, AllowBundled: []string{"x"}, ExtraRoots: []string{"/d"},
		Entries: map[string]Entry{"Peekaboo": {Enabled: true, APIKey: "k"}},
	}
	if diff := cmp.Diff(others(want), s.Skills); diff != "" || problems != nil {
		t.Errorf("%v (-want +got)\n%s", problems, diff)
	}
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		home, local string
		want        []string
	}{
		"unknown, near": {home: "[skills]\nexclude = []\nextra-roots = []\n\n[skills.entries.x]\nenable = false\napi-key = \"k\"\n", want: []string{
			"home/config.toml:2: warning: skills.exclude is no key of knack (did you mean skills.excluded?) [config-unknown-key]",
			"home/config.toml:3: warning: skills.extra-roots is no key of knack (did you mean skills.extra_roots?) [config-unknown-key]",
			"home/config.toml:6: warning: skills.entries.x.enable is no key of knack (did you mean skills.entries.x.enabled?) [config-unknown-key]",
			"home/config.toml:7: warning: skills.entries.x.api-key is no key of knack (did you mean skills.entries.x.api_key?) [config-unknown-key]",
		}},
		"unknown, far": {home: "[skills.workshop]\nmaxPending = 50\n", want: []string{
			"home/config.toml:1: warning: skills.workshop is no key of knack (remove it; knack config list shows the keys there are) [config-unknown-key]",
		}},
		"entries forgotten": {home: "[skills.\"a b\"]\nenabled = false\n", want: []string{
			`home/config.toml:1: warning: skills."a b" is no key of knack (did you mean skills.entries."a b"?) [config-unknown-key]`,
		}},
		"top, near": {home: "hots = \"x\"\nLog = \"info\"\n[skill]\n", want: []string{
			"home/config.toml:1: warning: hots is no key of knack (did you mean host?) [config-unknown-key]",
			"home/config.toml:2: warning: Log is no key of knack (did you mean log?) [config-unknown-key]",
			"home/config.toml:3: warning: skill is no key of knack (did you mean skills?) [config-unknown-key]",
		}},
		"top, far": {home: "tag = 1\nhttp = 2\nmodel = 3\n[browser]\nenabled = true\n[tools]\n"},
		"types": {home: "host = 3\nlog = \"loud\"\n[skills]\nenabled = \"true\"\nexcluded = \"x\"\nload = true\n[skills.entries]\nx = false\ny.api_key = {source = \"env\"}\ny.env = \"A=1\"\n", want: []string{
			`home/config.toml:1: error: host must be a string, not a number (write host = "text") [config-bad-value]`,
			`home/config.toml:2: error: log must be debug, info, warn or error (write log = "info") [config-bad-value]`,
			"home/config.toml:4: error: skills.enabled must be true or false, not a string (write skills.enabled = true or skills.enabled = false) [config-bad-value]",
			`home/config.toml:5: error: skills.excluded must be a list of strings, not a string (write skills.excluded = ["name", "other"]) [config-bad-value]`,
			"home/config.toml:6: error: skills.load must be a table, not true (write it as [skills.load], with its keys below) [config-bad-value]",
			"home/config.toml:8: error: skills.entries.x must be a table, not false (write it as [skills.entries.x], with its keys below) [config-bad-value]",
			`home/config.toml:9: error: skills.entries.y.api_key must be a string, not a table (write skills.entries.y.api_key = "text") [config-bad-value]`,
			"home/config.toml:10: error: skills.entries.y.env must be a table, not a string (write it as [skills.entries.y.env], with its keys below) [config-bad-value]",
		}},
		"items": {home: "skills.excluded = [\n\"a\",\n3,\n\" \",\n\"b\"]\n", want: []string{
			`home/config.toml:3: error: skills.excluded holds a number where a name belongs (write skills.excluded = ["name", "other"]) [config-bad-value]`,
			`home/config.toml:4: error: skills.excluded holds a blank string where a name belongs (write skills.excluded = ["name", "other"]) [config-bad-value]`,
		}},
		"two spellings": {home: "[skills]\nallow_bundled = []\nallowBundled = [\"x\"]\n[skills.entries.a]\nenabled = true\n[skills.entries.A]\nenabled = false\n", want: []string{
			"home/config.toml:3: error: skills.allow_bundled is set on line 2 already, in another spelling (remove one of the two) [config-bad-value]",
			"home/config.toml:7: error: skills.entries.a.enabled is set on line 5 already, in another spelling (remove one of the two) [config-bad-value]",
		}},
		"no table": {home: "[[skills]]\nenabled = false\n", want: []string{
			"home/config.toml:1: error: skills must be a table, not a list (write it as [skills], with its keys below) [config-bad-value]",
		}},
		"workspace": {local: "[skills]\nallowBundled = []\nextra_roots = [\"/etc\", \"../x\", \"~/x\", \"in\"]\n[skills.entries.x]\nenabled = false\napi_key = \"k\"\nenv.PATH = \"/evil\"\n", want: []string{
			"ws/.knack/config.toml:2: warning: a workspace's configuration may not set skills.allow_bundled (set it in home/config.toml instead) [config-refused]",
			`ws/.knack/config.toml:3: warning: skills.extra_roots: "../x" is outside of the workspace, and a workspace's configuration may not lead there (name it in your own configuration instead) [config-refused]`,
			`ws/.knack/config.toml:3: warning: skills.extra_roots: "/etc" is outside of the workspace, and a workspace's configuration may not lead there (name it in your own configuration instead) [config-refused]`,
			`ws/.knack/config.toml:3: warning: skills.extra_roots: "~/x" is outside of the workspace, and a workspace's configuration may not lead there (name it in your own configuration instead) [config-refused]`,
			"ws/.knack/config.toml:6: warning: a workspace's configuration may not set skills.entries.x.api_key (set it in home/config.toml instead) [config-refused]",
			"ws/.knack/config.toml:7: warning: a workspace's configuration may not set skills.entries.x.env.PATH (set it in home/config.toml instead) [config-refused]",
		}},
	} {
		_, got := newBench(t, c.home, c.local).load()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestProblemsCostNothingElse(t *testing.T) {
	b := newBench(t, "[skills]\nenabled = 3\nexcluded = [\"a\", 3]\nnonsense = 1\n[skills.entries.x]\nenabled = false\napi_key = []\n",
		"[skills]\nallow_bundled = []\nextra_roots = [\"/etc\", \"in\"]\nentries.y = { api_key = \"k\", env = { A = \"1\" }, enabled = false }\n")
	s, _ := b.load()
	want := Skills{
		Enabled: true, Excluded: []string{"a"}, ExtraRoots: []string{filepath.Join(b.ws, "in")},
		Entries: map[string]Entry{"x": {}, "y": {}},
	}
	if diff := cmp.Diff(others(want), s.Skills); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBadVariablesAndFlags(t *testing.T) {
	b := newBench(t, "log = \"info\"\n", "")
	b.in.Environ = []string{"KNACK_LOG=loud"}
	b.in.Flags = map[string]string{"lgo": "x", "skills": "x", "skills.enabled": "maybe", "a..b": "1"}
	s, problems := b.load()
	want := []string{
		`error: environment variable KNACK_LOG: "loud" is none of debug, info, warn and error (use log = "info") [config-bad-value]`,
		`error: flag skills.enabled: "maybe" is neither true nor false (use skills.enabled = true or skills.enabled = false) [config-bad-value]`,
		`warning: flag a..b: key "a..b": a part is empty; write parts separated by single dots [config-unknown-key]`,
		`warning: flag lgo: lgo is no key of knack; did you mean log? [config-unknown-key]`,
		`warning: flag skills: skills is a table; set one of the keys below it: allow_bundled, dir, enabled, entries, excluded, extra_roots, install, installed_dir, limits, load, max_active, max_context_tokens, max_scan_depth, mode, open_skills_dir, open_skills_enabled, open_skills_ref, open_skills_url, regex_activation, skillforge_enabled, skillforge_min_score, skillforge_scan_interval_hours, tool_output_bytes, tool_timeout_seconds [config-unknown-key]`,
	}
	if diff := cmp.Diff(want, problems); diff != "" || s.Log != "info" || !s.Skills.Enabled {
		t.Errorf("%+v (-want +got)\n%s", s, diff)
	}
}

// What tools may use besides what skills are granted is the user's to say, and
// never a workspace's.
func TestTools(t *testing.T) {
	b := newBench(t, "[tools]\nlayer = \"Landlock\"\nshell_hosts = [\"a.example\"]\nprivate_hosts = [\"127.0.0.1:1\"]\nshell_read = [\"/opt/x\"]\nweb_search_kind = \"brave\"\nweb_search_key = \"k\"\n",
		"[tools]\nlayer = \"limits\"\nshell_hosts = [\"evil.example\"]\nweb_search_url = \"http://evil.example\"\n")
	s, problems := b.load()
	want := Tools{Layer: "landlock", ShellHosts: []string{"a.example"}, ShellRead: []string{"/opt/x"}, PrivateHosts: []string{"127.0.0.1:1"},
		WebSearchKind: "brave", WebSearchKey: "k"}
	if diff := cmp.Diff(want, s.Tools); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(problems) != 3 {
		t.Errorf("a workspace's three are refused aloud: %v", problems)
	}
}
