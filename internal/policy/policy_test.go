package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// Profiles as hosts write them.
const (
	native = `
permissions = "both"
installed   = "read-only"`
	listed = `
permissions = "both"
installed   = "listed"
read_only   = ["Read", "Glob", "Grep", "WebFetch", "SkillCatalog"]
[says]
installed      = "Tool '{tool}' not available (installed skill active)"
installed_hint = "place a trusted version of {skill} in the workspace or user directory, remove {skill}, or use read-only tools only"`
	required = `
permissions = "require"
installed   = "read-only"
[says]
permission = "Skill '{skill}' requires permission '{permission}' but no matching tool is available."`
)

func policy(t testing.TB, profile string) *Policy {
	t.Helper()
	var rules Rules
	if err := toml.NewDecoder(strings.NewReader(profile)).DisallowUnknownFields().Decode(&rules); err != nil {
		t.Fatal(err)
	}
	p, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The tools of a session: each kind of effect, a server's, and skills' own.
func tools() []tool.Spec {
	return []tool.Spec{
		{Name: "file_read", Effects: tool.Effects{Read: true}},
		{Name: "glob_search", Effects: tool.Effects{Read: true}},
		{Name: "content_search", Effects: tool.Effects{Read: true}},
		{Name: "skill_search"},
		{Name: "calculator"},
		{Name: "file_write", Effects: tool.Effects{Write: true}},
		{Name: "file_edit", Effects: tool.Effects{Read: true, Write: true}},
		{Name: "shell", Effects: tool.Effects{Read: true, Write: true, Run: true, Network: true}},
		{Name: "web_fetch", Effects: tool.Effects{Network: true}},
		{Name: "mcp__files__delete", Effects: tool.Effects{Write: true, Network: true}},
		{Name: "skill_weather_local", Effects: tool.Effects{Read: true}, Skill: "weather"},
		{Name: "skill_weather_fetch", Effects: tool.Effects{Network: true}, Skill: "weather"},
		{Name: "skill_weather_run", Effects: tool.Effects{Read: true, Write: true, Run: true, Network: true}, Skill: "weather"},
		{Name: "skill_news_fetch", Effects: tool.Effects{Network: true}, Skill: "news"},
		{Name: "Bash", Effects: tool.Effects{Run: true}, Skill: "sly"},
	}
}

func allowed(ds []Decision) []string {
	var names []string
	for _, d := range ds {
		if d.Allowed {
			names = append(names, d.Tool.Name)
		}
	}
	return names
}

func decision(t testing.TB, ds []Decision, name string) Decision {
	t.Helper()
	for _, d := range ds {
		if d.Tool.Name == name {
			return d
		}
	}
	t.Fatalf("no decision about %s", name)
	return Decision{}
}

var (
	harmless = []string{"file_read", "glob_search", "content_search", "skill_search", "calculator"}
	builtin  = append(harmless[:5:5], "file_write", "file_edit", "shell", "web_fetch", "mcp__files__delete")
)

func plus(names []string, more ...string) []string {
	return append(names[:len(names):len(names)], more...)
}

func TestDecide(t *testing.T) {
	weather := func(trust skill.Trust, change func(*Active)) Active {
		a := Active{Name: "weather", Trust: trust}
		if change != nil {
			change(&a)
		}
		return a
	}
	grants := func(tools ...string) func(*Active) {
		return func(a *Active) {
			for _, tool := range tools {
				a.Grants = append(a.Grants, Grant{Tool: tool})
			}
		}
	}
	for name, c := range map[string]struct {
		profile string
		active  []Active
		want    []string
	}{
		"no skill":                              {native, nil, builtin},
		"trusted skill":                         {native, []Active{weather(skill.Trusted, nil)}, plus(builtin, "skill_weather_local", "skill_weather_fetch", "skill_weather_run")},
		"installed skill keeps what only reads": {native, []Active{weather(skill.Installed, nil)}, plus(harmless, "skill_weather_local")},
		"no trust at all is installed":          {native, []Active{weather("", nil)}, plus(harmless, "skill_weather_local")},
		"lowest trust rules, own tools of a trusted skill stay": {native, []Active{
			weather(skill.Trusted, nil), {Name: "news", Trust: skill.Installed},
		}, plus(harmless, "skill_weather_local", "skill_weather_fetch", "skill_weather_run")},
		"a list is exactly that": {listed, []Active{weather(skill.Installed, nil)},
			[]string{"file_read", "glob_search", "content_search", "skill_search", "web_fetch"}},
		"a list counts for installed skills only": {listed, nil, builtin},
		"granted": {native, []Active{weather(skill.Installed, grants("Bash", "skill_weather_fetch"))}, plus(harmless, "shell", "skill_weather_local", "skill_weather_fetch")},
		"granted to one of two": {native, []Active{
			weather(skill.Installed, grants("shell", "web_fetch")), {Name: "other", Trust: skill.Installed, Grants: []Grant{{Tool: "WebFetch"}}},
		}, plus(harmless, "web_fetch", "skill_weather_local")},
		"another's grant for my tool is nothing": {native, []Active{
			{Name: "news", Trust: skill.Installed}, {Name: "other", Trust: skill.Installed, Grants: []Grant{{Tool: "skill_news_fetch"}}},
		}, harmless},
		"granting the shell is not granting what calls itself so": {native, []Active{{Name: "sly", Trust: skill.Installed, Grants: []Grant{{Tool: "shell"}}}}, plus(harmless, "shell")},
		"a tool of a skill is granted literally":                  {native, []Active{{Name: "sly", Trust: skill.Installed, Grants: []Grant{{Tool: "Bash"}}}}, plus(harmless, "shell", "Bash")},
		"a grant that is not understood":                          {native, []Active{weather(skill.Installed, grants("Bash(", "Bash()", "(x)", ""))}, plus(harmless, "skill_weather_local")},
		"a server is not granted whole":                           {native, []Active{weather(skill.Installed, grants("mcp__files", "mcp__files__*"))}, plus(harmless, "skill_weather_local")},
		"a server's tool is granted":                              {native, []Active{weather(skill.Installed, grants("mcp__files__delete"))}, plus(harmless, "mcp__files__delete", "skill_weather_local")},
		"allowed-tools of an installed skill are nothing":         {native, []Active{weather(skill.Installed, func(a *Active) { a.Allowed = []string{"Bash", "web_fetch"} })}, plus(harmless, "skill_weather_local")},
		"allowed-tools of a trusted skill restrict nothing":       {native, []Active{{Name: "x", Trust: skill.Trusted, Allowed: []string{"Read"}}}, builtin},
		"disallowed in another dialect and case":                  {native, []Active{{Name: "x", Trust: skill.Trusted, Disallowed: []string{"BASH", "Write", "mcp__files"}}}, plus(harmless, "file_edit", "web_fetch")},
		"disallowed with asterisks":                               {native, []Active{{Name: "x", Trust: skill.Trusted, Disallowed: []string{"file_*", "mcp__*"}}}, []string{"glob_search", "content_search", "skill_search", "calculator", "shell", "web_fetch"}},
		"disallowed arguments that are not understood":            {native, []Active{{Name: "x", Trust: skill.Trusted, Disallowed: []string{"Bash(rm", "Bash(*)"}}}, plus(harmless, "file_write", "file_edit", "web_fetch", "mcp__files__delete")},
		"an installed skill takes away too":                       {native, []Active{{Name: "x", Trust: skill.Installed, Disallowed: []string{"Read", ""}}}, harmless[1:]},
		"permissions are a ceiling":                               {native, []Active{weather(skill.Trusted, func(a *Active) { a.Permissions = []string{"file_read", "web_fetch"} })}, plus(builtin, "skill_weather_local", "skill_weather_fetch")},
		"programs stay, without the network":                      {native, []Active{weather(skill.Trusted, func(a *Active) { a.Permissions = []string{"shell_exec"} })}, plus(builtin, "skill_weather_local", "skill_weather_run")},
		"a permission can be a tool's name":                       {native, []Active{weather(skill.Trusted, func(a *Active) { a.Permissions = []string{"mcp__files__delete"} })}, plus(builtin, "skill_weather_fetch")},
		"a permission that nobody knows allows nothing":           {native, []Active{weather(skill.Trusted, func(a *Active) { a.Permissions = []string{"nonsense"} })}, builtin},
		"no ceiling where permissions are a requirement":          {required, []Active{weather(skill.Trusted, func(a *Active) { a.Permissions = []string{"file_read"} })}, plus(builtin, "skill_weather_local", "skill_weather_fetch", "skill_weather_run")},
		"a grant does not lift the ceiling":                       {native, []Active{weather(skill.Installed, func(a *Active) { a.Permissions = []string{"file_read"}; grants("skill_weather_fetch")(a) })}, plus(harmless, "skill_weather_local")},
		"two of one name share their tools' limits":               {native, []Active{weather(skill.Trusted, nil), weather(skill.Installed, nil)}, plus(harmless, "skill_weather_local")},
	} {
		t.Run(name, func(t *testing.T) {
			ds := policy(t, c.profile).Decide(tools(), c.active)
			if diff := cmp.Diff(c.want, allowed(ds)); diff != "" {
				t.Error(diff)
			}
			for i, d := range ds {
				if diff := cmp.Diff(tools()[i], d.Tool); diff != "" {
					t.Errorf("decision %d is about another tool: %s", i, diff)
				}
				if (d.Reason != skill.Reason{}) == d.Allowed || !d.Allowed && (d.Reason.Code == "" || d.Reason.Message == "" || d.Reason.Hint == "") {
					t.Errorf("%s: allowed is %v with the reason %+v", d.Tool.Name, d.Allowed, d.Reason)
				}
			}
		})
	}
}

func TestReasons(t *testing.T) {
	installed := []Active{{Name: "weather", Trust: skill.Installed}}
	two := []Active{{Name: "b c", Trust: skill.Installed}, {Name: "a", Trust: skill.Installed}}
	for _, c := range []struct {
		profile, tool string
		active        []Active
		want          skill.Reason
	}{
		{native, "shell", installed, skill.Reason{
			Code:    "tool-attenuated",
			Message: "shell is kept back while weather is active, which is not trusted and has no grant for it",
			Hint:    "knack grant weather shell, or knack trust weather",
		}},
		{native, "file_write", two, skill.Reason{
			Code:    "tool-attenuated",
			Message: "file_write is kept back while a and b c are active, which are not trusted and have no grant for it",
			Hint:    "knack grant a file_write && knack grant 'b c' file_write, or knack trust a && knack trust 'b c'",
		}},
		{listed, "Bash", installed, skill.Reason{
			Code:    "tool-attenuated",
			Message: "Tool 'Bash' not available (installed skill active)",
			Hint:    "place a trusted version of weather in the workspace or user directory, remove weather, or use read-only tools only",
		}},
		{native, "skill_news_fetch", installed, skill.Reason{
			Code: "tool-attenuated", Message: "skill_news_fetch belongs to news, which is not active", Hint: "activate news first",
		}},
		{native, "shell", []Active{{Name: "x", Trust: skill.Trusted, Disallowed: []string{"Read", "Bash"}}}, skill.Reason{
			Code:    "tool-disallowed",
			Message: "shell is taken away by x (disallowed-tools: Bash)",
			Hint:    "deactivate x, or take the rule out of its disallowed-tools",
		}},
		{native, "skill_weather_run", []Active{{Name: "weather", Trust: skill.Trusted, Permissions: []string{"file_read"}}}, skill.Reason{
			Code:    "tool-ceiling",
			Message: "skill_weather_run can write and run programs, which the permissions of weather do not name (file_read)",
			Hint:    "if it should, add file_write and shell_exec to the permissions of weather",
		}},
		{native, "file_write", []Active{{Name: "x\x1b[31m{tool}", Trust: skill.Installed}}, skill.Reason{
			Code:    "tool-attenuated",
			Message: "file_write is kept back while x[31m{tool} is active, which is not trusted and has no grant for it",
			Hint:    "knack grant 'x[31m{tool}' file_write, or knack trust 'x[31m{tool}'",
		}},
	} {
		all := tools()
		if c.tool == "Bash" { // the shell as that host calls it
			all = []tool.Spec{{Name: "Bash", Effects: tool.Effects{Run: true}}}
		}
		got := decision(t, policy(t, c.profile).Decide(all, c.active), c.tool)
		if diff := cmp.Diff(c.want, got.Reason); diff != "" {
			t.Error(diff)
		}
	}
}

func TestApprovals(t *testing.T) {
	p := policy(t, native)
	a := Active{Name: "a", Trust: skill.Trusted, Allowed: []string{"Bash(git:*)", "Bash(jq *)", "Read", "mcp__files", "Bash(", "Bash"[:0]}}
	ds := p.Decide(tools(), []Active{a})
	for name, want := range map[string]struct {
		approved bool
		only     []string
	}{
		"shell": {true, []string{"git:*", "jq *"}}, "file_read": {true, nil}, "file_write": {false, nil}, "mcp__files__delete": {true, nil},
	} {
		d := decision(t, ds, name)
		if d.Approved != want.approved || !cmp.Equal(d.Only, want.only) {
			t.Errorf("%s: approved %v only %q", name, d.Approved, d.Only)
		}
	}
	shell := decision(t, ds, "shell")
	for args, want := range map[string]bool{"git status": true, "jq . x": true, "rm x": false, "git log; rm x": false} {
		if got := shell.Preapproved(args); got != want || !shell.May(args) {
			t.Errorf("%s: approved %v, may %v", args, got, shell.May(args))
		}
	}
	whole := decision(t, p.Decide(tools(), []Active{a, {Name: "b", Trust: skill.Trusted, Allowed: []string{"exec"}}}), "shell")
	if !whole.Approved || whole.Only != nil || !whole.Preapproved("rm x") {
		t.Errorf("approved by one skill for all arguments: %+v", whole)
	}
	mixed := p.Decide(tools(), []Active{a, {Name: "i", Trust: skill.Installed, Grants: []Grant{{Tool: "shell"}}}})
	if d := decision(t, mixed, "shell"); !d.Allowed || d.Approved || d.Only != nil {
		t.Errorf("an installed skill could use another's approval: %+v", d)
	}
	if d := decision(t, mixed, "file_read"); !d.Approved {
		t.Error("what only reads stays approved")
	}
	forbidden := decision(t, p.Decide(tools(), []Active{a, {Name: "b", Trust: skill.Trusted, Disallowed: []string{"Bash(git push:*)", "Bash(git push:*)"}}}), "shell")
	if diff := cmp.Diff([]string{"git push:*"}, forbidden.Forbidden); diff != "" {
		t.Error(diff)
	}
	if forbidden.May("git push") || forbidden.Preapproved("git push -f") || !forbidden.Preapproved("git pull") {
		t.Error("a prohibition goes before an approval")
	}
	if refused := (&Decision{Approved: true}); refused.May("x") || refused.Preapproved("x") {
		t.Error("what is not allowed may not be called")
	}
}

func TestGrantsConfine(t *testing.T) {
	p := policy(t, native)
	one := Active{Name: "one", Trust: skill.Installed, Grants: []Grant{
		{Tool: "Bash(git:*)", Net: []string{"*.github.com", "gitlab.com"}}, {Tool: "Bash(curl:*)", Net: []string{"api.example.com"}}, {Tool: "WebFetch", Net: []string{"bad host", "*.example.com"}},
	}}
	two := Active{Name: "two", Trust: skill.Installed, Grants: []Grant{
		{Tool: "shell", Net: []string{"api.github.com", "api.example.com:443"}}, {Tool: "web_fetch", Net: []string{"example.com"}},
	}}
	d := decision(t, p.Decide(tools(), []Active{one, two}), "shell")
	if diff := cmp.Diff([]string{"api.example.com:443", "api.github.com"}, d.Net); diff != "" || !d.Confined {
		t.Errorf("confined %v to %s", d.Confined, diff)
	}
	for args, want := range map[string][]string{
		"git fetch": {"api.github.com"}, "curl x": {"api.example.com:443"}, "npm i": nil,
	} {
		if got, confined := d.Reach(args); !cmp.Equal(want, got) || !confined {
			t.Errorf("%s reaches %q, confined %v", args, got, confined)
		}
		if got := d.May(args); got != (want != nil) {
			t.Errorf("may %s: %v", args, got)
		}
	}
	if d := decision(t, p.Decide(tools(), []Active{one, two}), "web_fetch"); !d.Allowed || !d.Confined || d.Net != nil {
		t.Errorf("grants without a common host: %+v", d)
	}
	if hosts, confined := new(Decision).Reach("x"); hosts != nil || confined {
		t.Error("without grants nothing is confined")
	}
	// A ceiling without network leaves programs none, granted or not.
	for _, grants := range [][]Grant{nil, {{Tool: "skill_weather_run", Net: []string{"a.org"}}}} {
		trust := skill.Trusted
		if grants != nil {
			trust = skill.Installed
		}
		d := decision(t, p.Decide(tools(), []Active{{Name: "weather", Trust: trust, Permissions: []string{"shell_exec"}, Grants: grants}}), "skill_weather_run")
		if hosts, confined := d.Reach("x"); !d.Allowed || !confined || hosts != nil || d.Net != nil {
			t.Errorf("%+v reaches %q", d, hosts)
		}
	}
}

func TestPermissionGoldens(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "goldens", "rantaiclaw-clawseed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var goldens map[string]json.RawMessage
	if err := json.Unmarshal(data, &goldens); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ permissions, tools []string }{
		"ok_map":             {[]string{"file_read", "file_write", "shell_exec"}, []string{"file_read", "file_write", "shell"}},
		"file_write_by_edit": {[]string{"file_write"}, []string{"file_edit"}},
		"memory_any_one":     {[]string{"memory"}, []string{"memory_recall"}},
		"missing_web_search": {[]string{"file_read", "web_search", "git"}, []string{"file_read"}},
		"unknown_exact":      {[]string{"skill_create"}, []string{"skill_create"}},
		"shell_not_literal":  {[]string{"shell_exec"}, []string{"shell_exec"}},
		"literal_shell":      {[]string{"shell"}, []string{"shell"}},
		"case_sensitive":     {[]string{"Skill_create"}, []string{"skill_create"}},
	}
	p, seen := policy(t, required), 0
	for key, raw := range goldens {
		name, ok := strings.CutPrefix(key, "clawseed.perm.")
		if !ok {
			continue
		}
		seen++
		c, known := cases[name]
		var want string
		if err := json.Unmarshal(raw, &want); err != nil || !known {
			t.Fatalf("%s: %v, known %v", key, err, known)
		}
		var all []tool.Spec
		for _, name := range c.tools {
			all = append(all, tool.Spec{Name: name})
		}
		got := "ok"
		if permission, missing := p.Missing(c.permissions, all); missing {
			got = p.MissingReason("s", permission).Message
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
	if seen != len(cases) {
		t.Errorf("%d cases, want %d", seen, len(cases))
	}
}

func TestMissingNatively(t *testing.T) {
	p := policy(t, native)
	permission, missing := p.Missing([]string{"calculator", "memory"}, tools())
	if permission != "memory" || !missing {
		t.Errorf("got %s, %v", permission, missing)
	}
	want := skill.Reason{
		Code: "permission-missing", Message: "diary needs the permission memory, and there is no tool for it",
		Hint: "make a tool available that is called memory_store, memory_recall, memory_export, memory_forget or memory_purge",
	}
	if diff := cmp.Diff(want, p.MissingReason("diary", permission)); diff != "" {
		t.Error(diff)
	}
	ceiling := policy(t, "permissions = \"ceiling\"\ninstalled = \"read-only\"")
	if _, missing := ceiling.Missing([]string{"memory"}, nil); missing {
		t.Error("a ceiling is no requirement")
	}
	if len(permissions) != 16 {
		t.Errorf("%d permissions; the document has 16", len(permissions))
	}
}

func TestNewRefuses(t *testing.T) {
	for want, rules := range map[string]Rules{
		`policy.permissions is "x"; it can be both, ceiling, require`:                 {Permissions: "x", Installed: "listed"},
		`policy.installed is ""; it can be listed, read-only`:                         {Permissions: "both"},
		`policy.says words "tool"; it can word installed, installed_hint, permission`: {Permissions: "both", Installed: "listed", Says: map[string]string{"tool": "x"}},
	} {
		if _, err := New(rules); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What a profile is made from may change afterwards.
func TestPolicyKeepsItsRules(t *testing.T) {
	says := map[string]string{"permission": "no {permission}"}
	p, err := New(Rules{Permissions: "both", Installed: "read-only", Says: says})
	if err != nil {
		t.Fatal(err)
	}
	says["permission"] = "changed"
	if got := p.MissingReason("s", "{skill}").Message; got != "no {skill}" {
		t.Error(got)
	}
}

// A skill chooses the names of its own tools, and could choose one of the list.
func TestNamesOfOwnToolsOpenNoList(t *testing.T) {
	all := []tool.Spec{{Name: "WebFetch", Effects: tool.Effects{Run: true, Network: true}, Skill: "sly"}, {Name: "web_fetch", Effects: tool.Effects{Network: true}}}
	ds := policy(t, listed).Decide(all, []Active{{Name: "sly", Trust: skill.Installed}})
	if diff := cmp.Diff([]string{"web_fetch"}, allowed(ds)); diff != "" {
		t.Error(diff)
	}
}

// What is said about two skills does not tell which was activated first, and
// what they agree on is said once.
func TestOneWordOfMany(t *testing.T) {
	git, curl := []Grant{{Tool: "Bash(git:*)"}}, []Grant{{Tool: "Bash(curl:*)"}, {Tool: "Bash(git:*)"}}
	active := []Active{
		{Name: "c", Trust: skill.Installed, Grants: git, Disallowed: []string{"Write"}},
		{Name: "b", Trust: skill.Installed, Grants: []Grant{curl[1], curl[0], curl[1]}},
		{Name: "a", Trust: skill.Installed, Grants: git, Disallowed: []string{"file_write"}},
	}
	ds := policy(t, native).Decide(tools(), active)
	if diff := cmp.Diff([][]Grant{curl, git}, decision(t, ds, "shell").Within); diff != "" {
		t.Error(diff)
	}
	if got := decision(t, ds, "file_write").Reason.Message; got != "file_write is taken away by a (disallowed-tools: file_write)" {
		t.Error(got)
	}
}

// What the table says of a permission counts, not what the tool of that name does.
func TestTableGoesBeforeTools(t *testing.T) {
	all := append(tools(), tool.Spec{Name: "file_read", Effects: tool.Effects{Network: true}})
	d := decision(t, policy(t, native).Decide(all, []Active{{Name: "weather", Trust: skill.Trusted, Permissions: []string{"file_read"}}}), "skill_weather_fetch")
	if d.Reason.Code != skill.ToolCeiling {
		t.Errorf("%+v", d)
	}
}

func TestServersAreApprovedAsUnderstood(t *testing.T) {
	for rule, want := range map[string]bool{
		"mcp__files": true, "mcp__files__*": true, "mcp__files__delete": true, "mcp__files(": false, "mcp__file": false, "mcp__": false, "mcp__*": false, "MCP__files": false,
	} {
		d := decision(t, policy(t, native).Decide(tools(), []Active{{Name: "x", Trust: skill.Trusted, Allowed: []string{rule}}}), "mcp__files__delete")
		if d.Approved != want {
			t.Errorf("%s: %v", rule, d.Approved)
		}
	}
}
