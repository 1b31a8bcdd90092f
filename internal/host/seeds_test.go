package host

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/skill"
)

// statement is one sentence of a host's document about a default, a limit or a
// path, and what the profile makes of it.
type statement struct {
	cite      string
	got, want any
}

func checkStatements(t *testing.T, statements []statement) {
	t.Helper()
	for _, s := range statements {
		if diff := cmp.Diff(s.want, s.got); diff != "" {
			t.Errorf("%s\n-want +got:\n%s", s.cite, diff)
		}
	}
}

func profile(t *testing.T, name string) *Profile {
	t.Helper()
	p, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// here is a machine where everything a profile may look for has a place.
func here(set map[string]string, settings map[string][]string, there ...string) Places {
	return Places{
		Workspace: "/p/ws", Home: "/h/.knack", UserHome: "/h", Bundled: fstest.MapFS{},
		Getenv: func(name string) string { return set[name] },
		Texts:  func(key string) []string { return settings[key] },
		Truthy: func(key string) bool { return len(settings[key]) > 0 && settings[key][0] == "true" },
		Exists: func(path string) bool { return slices.Contains(there, filepath.ToSlash(path)) },
		FirstLine: func(path string) string {
			if filepath.ToSlash(path) == "/h/.rantaiclaw/active_profile" && slices.Contains(there, "/h/.rantaiclaw/active_profile") {
				return "work"
			}
			return ""
		},
	}
}

// paths are the roots a profile has there, each with its trust.
func paths(p *Profile, at Places) []string {
	var out []string
	for _, r := range p.Expand(at) {
		out = append(out, filepath.ToSlash(r.Path)+" "+string(r.Trust))
	}
	return out
}

// order is where a path comes in precedence, 0 being the highest; -1 if it is
// not searched.
func order(p *Profile, at Places, path string) int {
	return slices.IndexFunc(p.Expand(at), func(r catalog.Root) bool { return filepath.ToSlash(r.Path) == path })
}

func TestOpenclawDocument(t *testing.T) {
	p := profile(t, "openclaw")
	extra := map[string][]string{"skills.extra_roots": {"/x1", "/x2"}}
	old := here(map[string]string{"OPENCLAW_BUNDLED_SKILLS_DIR": "/bundled"}, extra, "/h/.clawdis", "/h/.clawdis/clawdis.json")
	now := here(map[string]string{"OPENCLAW_BUNDLED_SKILLS_DIR": "/bundled"}, extra, "/h/.openclaw")
	checkStatements(t, []statement{
		{"openclaw: each skill is a directory containing a SKILL.md file", p.Format.Manifests, []string{"SKILL.md"}},
		{"openclaw: os?: string[] // Supported OS platforms (darwin, linux, win32)", p.Gate.OSNames, map[string]string{"windows": "win32"}},
		{"openclaw: config?: string[] // Config paths that must be truthy", p.Gate.Config, "key"},
		{"openclaw: always?: boolean // Always include regardless of eligibility", p.Gate.Always, "bypass"},
		{"openclaw: kind: \"brew\" | \"node\" | \"go\" | \"uv\" | \"download\"", p.Format.Install, "registry"},
		{"openclaw: metadata: openclaw:", p.Format.Namespaces[0], "openclaw"},
		{"clawdis: fields under metadata.clawdis", slices.Contains(p.Format.Namespaces, "clawdis"), true},
		{"clawdis: Managed/local skills: ~/.clawdis/skills", order(p, old, "/h/.clawdis/skills") >= 0, true},
		{"clawdis: Workspace skills: <workspace>/skills (highest)", order(p, old, "/p/ws/skills"), 0},
		{"clawdis: ~/.clawdis/skills → bundled skills (lowest)", order(p, old, "/h/.clawdis/skills") < order(p, old, "/bundled"), true},
		{"clawdis: extra skill folders (lowest precedence)", order(p, old, "/bundled") < order(p, old, "/x2"), true},
		{"clawdis: via skills.load.extraDirs in ~/.clawdis/clawdis.json", filepath.ToSlash(p.Settings(old).File), "/h/.clawdis/clawdis.json"},
		{"newest: of two extra folders the later wins", order(p, old, "/x2") < order(p, old, "/x1"), true},
		{"newest: ~/.openclaw/openclaw.json", filepath.ToSlash(p.Settings(now).File), "/h/.openclaw/openclaw.json"},
		{"newest: ~/.openclaw/skills", order(p, now, "/h/.openclaw/skills") >= 0, true},
		{"newest: ~/.agents/skills above the managed ones", order(p, now, "/h/.agents/skills") < order(p, now, "/h/.openclaw/skills"), true},
		{"clawdis: SKILL.md must include at least name and description", p.Format.Required, []string{"description"}},
		{"clawdis: requires.env: env var must exist or be provided in config", p.Gate.Env, []string{"process", "config"}},
		{"clawdis: the gateway picks a single preferred option (brew when available, otherwise node)", p.Config.Defaults["skills.install.prefer_brew"], true},
		{"clawdis: skills.install.nodeManager (default: npm …)", p.Config.Defaults["skills.install.node_manager"], "npm"},
		{"clawdis: enabled: false disables the skill", p.Config.Switch, "entries"},
		{"newest: 300 candidates a root", p.Discover.MaxCandidates, 300},
		{"newest: 200 skills a source", p.Discover.MaxLoaded, 200},
		{"newest: SKILL.md of at most 256,000 bytes", p.Format.Limits.FileBytes, int64(256_000)},
		{"newest: 150 skills in the prompt", p.Config.Defaults["skills.limits.max_skills_in_prompt"], int64(150)},
		{"newest: 18,000 characters of prompt", p.Config.Defaults["skills.limits.max_skills_prompt_chars"], int64(18_000)},
	})
	// With a home of its own, neither the usual ones nor ~/.agents count.
	moved := here(map[string]string{"OPENCLAW_STATE_DIR": "/s"}, nil, "/h/.openclaw", "/h/.clawdis")
	for _, path := range []string{"/h/.agents/skills", "/h/.clawdis/skills", "/h/.openclaw/skills"} {
		if order(p, moved, path) >= 0 {
			t.Errorf("%s is searched although OPENCLAW_STATE_DIR is set", path)
		}
	}
	for _, home := range []string{"~/s", "../s", "./s"} {
		typed := here(map[string]string{"OPENCLAW_STATE_DIR": home}, nil)
		want := map[string]string{"~/s": "/h/s/skills", "../s": "/p/s/skills", "./s": "/p/ws/s/skills"}[home]
		if order(p, typed, want) < 0 {
			t.Errorf("OPENCLAW_STATE_DIR=%s: %v", home, paths(p, typed))
		}
	}
	legacy := here(nil, nil, "/h/.openclaw", "/h/.clawdbot/clawdbot.json")
	if file := filepath.ToSlash(p.Settings(legacy).File); file != "/h/.clawdbot/clawdbot.json" {
		t.Errorf("the configuration of the old name is not read, but %s", file)
	}
	if order(p, moved, "/s/skills") < 0 || filepath.ToSlash(p.Settings(moved).File) != "/s/openclaw.json" {
		t.Errorf("OPENCLAW_STATE_DIR is not followed: %v", paths(p, moved))
	}
}

func TestIronclawDocument(t *testing.T) {
	p := profile(t, "ironclaw")
	at := here(nil, nil)
	limits := p.Format.Limits
	checkStatements(t, []statement{
		{"Trust Assignment: <workspace>/skills/ Trusted, ~/.ironclaw/skills/ Trusted, ~/.ironclaw/installed_skills/ Installed; Earlier locations win on name collision",
			paths(p, at), []string{"/p/ws/skills trusted", "/h/.ironclaw/skills trusted", "/h/.ironclaw/installed_skills installed"}},
		{"Earlier locations win on name collision", p.Discover.Shadow, "order"},
		{"name: … Pattern: ^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$", limits.NamePattern, `^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`},
		{"Required: name", slices.Contains(p.Format.Required, "name"), true},
		{"version: Semantic version (default: \"0.0.0\")", p.Format.DefaultVersion, "0.0.0"},
		{"Keywords: Max 20", limits.Keywords, 20},
		{"Keywords: min length 3 chars", limits.MinChars, 3},
		{"Patterns: Max 5 regex patterns", limits.Patterns, 5},
		{"Tags: Max 10", limits.Tags, 10},
		{"Token budget: Max 2x declared max_context_tokens", limits.BudgetFactor, 2},
		{"File size: Max 64 KiB", limits.FileBytes, int64(64 << 10)},
		{"Frontmatter parsing: Valid YAML", p.Format.Frontmatter, "strict"},
		{"Symlink rejection: No symlinks allowed", p.Roots[0].Symlinks, catalog.DenyLinks},
		{"config: [\"/etc/vale.ini\"] # Must exist", p.Gate.Config, "file"},
		{"env: Must be set", p.Gate.Env, []string{"process"}},
		{"Take top N skills (default: 3)", p.Config.Defaults["skills.max_active"], int64(3)},
		{"max 64 KiB compiled size", limits.PatternProgram * 40 / 1024, 63},
		{"Flat Layout, Subdirectory Layout", p.Discover.Layout, "grouped"},
	})
	for _, r := range p.Roots {
		if r.Symlinks != catalog.DenyLinks {
			t.Errorf("%s follows links", r.Path)
		}
	}
	set := here(nil, map[string][]string{"skills.dir": {"/mine"}, "skills.installed_dir": {"/theirs"}})
	if diff := cmp.Diff([]string{"/p/ws/skills trusted", "/mine trusted", "/theirs installed"}, paths(p, set)); diff != "" {
		t.Error(diff)
	}
}

func TestRantaiclawDocument(t *testing.T) {
	p := profile(t, "rantaiclaw")
	on := map[string][]string{"skills.open_skills_enabled": {"true"}}
	at := here(nil, on)
	checkStatements(t, []statement{
		{"SKILL.toml — preferred; SKILL.md — fallback", p.Format.Manifests, []string{"SKILL.toml", "SKILL.md"}},
		{"If both exist, SKILL.toml wins", p.Format.Merge, "replace"},
		{"a skill is a directory under <profile>/skills/<slug>/", order(p, at, "/h/.rantaiclaw/profiles/default/skills"), 0},
		{"Profile-level at <workspace_dir>/../skills/", order(p, at, "/p/skills") >= 0, true},
		{"Workspace-level at <workspace_dir>/skills/", order(p, at, "/p/ws/skills") >= 0, true},
		{"On name collision, profile-level wins", order(p, at, "/p/skills") < order(p, at, "/p/ws/skills"), true},
		{"open-skills repo at ~/open-skills/", order(p, at, "/h/open-skills") > order(p, at, "/p/ws/skills"), true},
		{"only if [skills].open_skills_enabled = true", order(p, here(nil, nil), "/h/open-skills"), -1},
		{"(or RANTAICLAW_OPEN_SKILLS_DIR)", p.Config.Env["RANTAICLAW_OPEN_SKILLS_DIR"], "skills.open_skills_dir"},
		{"Bundled built-in skills are not searched at runtime", order(p, at, bundledPath), -1},
		{"~/.local/share/rantaiclaw/skills/ is not searched", order(p, at, "/h/.local/share/rantaiclaw/skills"), -1},
		{"/usr/local/share/rantaiclaw/skills/ is not searched", order(p, at, "/usr/local/share/rantaiclaw/skills"), -1},
		{"mode = \"Full\" # default", p.Config.Defaults["skills.mode"], "full"},
		{"open_skills_url = \"https://github.com/besoeasy/open-skills\"", p.Config.Defaults["skills.open_skills_url"], "https://github.com/besoeasy/open-skills"},
		{"skillforge_enabled = false", p.Config.Defaults["skills.skillforge_enabled"], false},
		{"skillforge_min_score = 0.7", p.Config.Defaults["skills.skillforge_min_score"], 0.7},
		{"skillforge_scan_interval_hours = 24", p.Config.Defaults["skills.skillforge_scan_interval_hours"], int64(24)},
		{"120-second timeout", p.Config.Defaults["skills.tool_timeout_seconds"], int64(120)},
		{"1MB output cap", p.Config.Defaults["skills.tool_output_bytes"], int64(1 << 20)},
	})
	moved := here(nil, map[string][]string{"skills.open_skills_enabled": {"true"}, "skills.open_skills_dir": {"/repo"}})
	if order(p, moved, "/repo") < 0 || order(p, moved, "/h/open-skills") >= 0 {
		t.Errorf("RANTAICLAW_OPEN_SKILLS_DIR is not followed: %v", paths(p, moved))
	}
	// Which profile is in force.
	for _, c := range []struct {
		set   map[string]string
		there []string
		want  string
	}{
		{nil, nil, "/h/.rantaiclaw/profiles/default/skills"},
		{nil, []string{"/h/.rantaiclaw/active_profile"}, "/h/.rantaiclaw/profiles/work/skills"},
		{map[string]string{"RANTAICLAW_PROFILE": "home"}, []string{"/h/.rantaiclaw/active_profile"}, "/h/.rantaiclaw/profiles/home/skills"},
	} {
		if at := here(c.set, nil, c.there...); order(p, at, c.want) != 0 {
			t.Errorf("%v: want %s first, got %v", c.set, c.want, paths(p, at))
		}
	}
}

func TestClawseedDocument(t *testing.T) {
	p := profile(t, "clawseed")
	at := here(nil, map[string][]string{"skills.extra_roots": {"/x"}})
	checkStatements(t, []statement{
		{"1 (highest) <workspace>/.clawseed/skills/ … 4 (lowest) ~/.claude/skills/; additional roots",
			paths(p, at), []string{"/p/ws/.clawseed/skills trusted", "/p/ws/.claude/skills trusted", "/h/.clawseed/skills trusted", "/h/.claude/skills trusted", "/x trusted"}},
		{"On name collision, the higher-priority root wins", p.Discover.Shadow, "order"},
		{"Skills are identified by their manifest name field, not directory name", p.Format.Identity, "declared"},
		{"enabled = true # default: true", p.Config.Defaults["skills.enabled"], true},
		{"max_active = 5 # default: 5", p.Config.Defaults["skills.max_active"], int64(5)},
		{"excluded: skills to exclude from the index", p.Config.Switch, "excluded"},
		{"extra_roots = []", p.Config.Defaults["skills.extra_roots"], []any{}},
		{"manifest.toml takes precedence", p.Format.Manifests, []string{"manifest.toml", "SKILL.md"}},
		{"when both exist", p.Format.Merge, "fields"},
	})
}

func TestClaudeAndAgents(t *testing.T) {
	claude, agents := profile(t, "claude"), profile(t, "agents")
	at := here(nil, nil)
	checkStatements(t, []statement{
		{"enterprise > personal > project", order(claude, at, "/etc/claude-code/.claude/skills") < order(claude, at, "/h/.claude/skills") &&
			order(claude, at, "/h/.claude/skills") < order(claude, at, "/p/ws/.claude/skills"), true},
		{"CLAUDE_CONFIG_DIR", order(claude, here(map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, nil), "/c/skills") >= 0, true},
		{"the folder names the command", claude.Format.Identity, "directory"},
		{"it does not read .agents/skills", order(claude, at, "/p/ws/.agents/skills"), -1},
		{"project overrides user", paths(agents, at), []string{"/p/ws/.agents/skills trusted", "/h/.agents/skills trusted"}},
		{"description 1–1024 characters, required", slices.Contains(agents.Format.Required, "description"), true},
		{"description 1–1024 characters", agents.Format.Limits.DescriptionChars, 1024},
		{"name: lower-case letters, digits and single hyphens", agents.Format.Limits.NamePattern, `^[a-z0-9]+(-[a-z0-9]+)*$`},
		{"the file is named exactly SKILL.md", agents.Format.AnyCase, false},
	})
}

// A profile of the user's own may name places, and mistakes in them are said.
func TestPlacesAreChecked(t *testing.T) {
	root := "\n[[root]]\npath=\"<spot>/s\"\nclass=\"c\"\ntrust=\"trusted\"\nsymlinks=\"deny\"\ndepth=1\n"
	for name, c := range map[string]struct{ file, want string }{
		"no such place": {"extends=\"base\"\n" + root, "no place named <spot>"},
		"circle":        {"extends=\"base\"\n[place]\nspot=[\"<other>\"]\nother=[\"<spot>\"]\n" + root, "stand for each other"},
	} {
		_, err := Load("x", fs.FS(fstest.MapFS{"x.toml": {Data: []byte(c.file)}}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	own, err := Load("openclaw", fstest.MapFS{"openclaw.toml": {Data: []byte("extends = \"openclaw\"\n[discover]\nmax_loaded = 7\n")}})
	if err != nil || own.Discover.MaxLoaded != 7 || own.Discover.MaxCandidates != 300 {
		t.Errorf("a profile cannot extend the one it replaces: %v", err)
	}
	p, err := Load("x", fstest.MapFS{"x.toml": {Data: []byte("extends=\"base\"\n[place]\nspot=[\"$SPOT\", \"<skills.spot>\", \"/there\", \"/first\"]\n" + root)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   Places
		want string
	}{
		{here(nil, nil), "/there/s"},
		{here(nil, nil, "/first"), "/first/s"},
		{here(nil, map[string][]string{"skills.spot": {"/set"}}, "/there"), "/set/s"},
		{here(map[string]string{"SPOT": "/var"}, map[string][]string{"skills.spot": {"/set"}}), "/var/s"},
	} {
		if diff := cmp.Diff([]string{c.want + " " + string(skill.Trusted)}, paths(p, c.at)); diff != "" {
			t.Error(diff)
		}
	}
}

// No links at all: neither folders nor manifests.
func TestIronclawDocumentForbidsLinks(t *testing.T) {
	if p := profile(t, "ironclaw"); p.Discover.ManifestLinks != "deny" {
		t.Errorf("manifests may be links: %q", p.Discover.ManifestLinks)
	}
}
