package format

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// Rules like those of other hosts: a stringent one that needs a description,
// one that needs valid YAML, one whose SKILL.toml replaces SKILL.md, and one
// that reads a few keys of two manifests.
func describedRules() Rules {
	r := testRules()
	r.Manifests, r.AnyCase, r.Frontmatter, r.Keys, r.Install = []string{"SKILL.md"}, false, "texts", "exact", "registry"
	r.Namespaces = []string{"openclaw", "clawdbot"}
	r.Required = []string{"description"}
	r.Reads = map[string][]string{"SKILL.md": {
		"name", "description", "homepage", "website", "url", "emoji", "user-invocable", "disable-model-invocation",
		"command-dispatch", "command-tool", "command-arg-mode", "command_dispatch", "command_tool", "command_arg_mode",
		"metadata.always", "metadata.emoji", "metadata.homepage", "metadata.skillKey", "metadata.primaryEnv", "metadata.os",
		"metadata.requires.bins", "metadata.requires.anyBins", "metadata.requires.env", "metadata.requires.config", "metadata.install",
	}}
	r.Says = map[string]string{"frontmatter": "description is required", "description": "description is required", "yaml": "invalid frontmatter: {detail}"}
	r.Limits.FileBytes, r.Limits.NamePattern = 256_000, ""
	return r
}

func strictRules() Rules {
	r := testRules()
	r.Manifests, r.AnyCase, r.Frontmatter, r.Keys = []string{"SKILL.md"}, false, "strict", "exact"
	r.Namespaces = []string{"openclaw"}
	r.Required, r.Describe, r.DefaultVersion = []string{"frontmatter", "name", "body"}, "declared", "0.0.0"
	r.Reads = map[string][]string{"SKILL.md": {
		"name", "version", "description", "activation", "metadata.requires.bins", "metadata.requires.env", "metadata.requires.config",
	}}
	r.Says = map[string]string{
		"frontmatter": "Missing frontmatter", "yaml": "Invalid YAML: {detail}", "body": "Empty prompt", "name": "Invalid YAML: missing field `name`",
		"name_pattern": "Invalid skill name '{detail}'", "size": "Skill file too large: {detail} bytes", "budget": "Prompt is ~{detail} tokens",
	}
	r.Limits.FileBytes, r.Limits.Keywords, r.Limits.Patterns, r.Limits.Tags, r.Limits.MinChars = 64<<10, 20, 5, 10, 3
	r.Limits.BudgetFactor, r.Limits.DefaultBudget = 2, 2000
	return r
}

func replacingRules() Rules {
	r := testRules()
	r.Manifests, r.AnyCase, r.Merge, r.OnError = []string{"SKILL.toml", "SKILL.md"}, false, "replace", "drop"
	r.Frontmatter, r.Keys, r.Describe, r.DefaultDescription, r.DefaultVersion = "lines", "exact", "line", "No description", "0.1.0"
	r.Namespaces = []string{"clawdbot", "openclaw"}
	r.Reads = map[string][]string{
		"SKILL.toml": {"name", "description", "version", "author", "tags", "tools", "prompts", "install_recipes"},
		"SKILL.md":   {"name", "description", "version", "author", "tags", "env", "metadata.requires.bins", "metadata.requires.env", "metadata.os", "metadata.install"},
	}
	r.Limits.NamePattern = ""
	return r
}

func indexedRules() Rules {
	r := testRules()
	r.Manifests, r.AnyCase, r.TOML = []string{"manifest.toml", "SKILL.md"}, false, "table"
	r.Frontmatter, r.Keys, r.Describe = "scalars", "exact", "declared"
	r.Limits.NamePattern = ""
	return r
}

// hostLike are those rules by name.
func hostLike() map[string]Rules {
	return map[string]Rules{
		"described": describedRules(), "strict": strictRules(), "replacing": replacingRules(), "indexed": indexedRules(),
		"native": testRules(),
	}
}

func newAs(t testing.TB, rules Rules) *Parser {
	t.Helper()
	p, err := NewAs(rules, newParser(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// errorsOf are the messages of errors.
func errorsOf(result Result) []string {
	var messages []string
	for _, d := range result.Diagnostics {
		if d.Severity == skill.Error {
			messages = append(messages, d.Message)
		}
	}
	return messages
}

func TestDroppedInTheHostsWords(t *testing.T) {
	big := strings.Repeat("word and word. ", 2000) // 30,000 bytes, 7,500 tokens
	for _, c := range []struct {
		name    string
		rules   Rules
		sources []Source
		want    []string // errors; none if the skill is used
	}{
		{"no description", describedRules(), files("SKILL.md", "---\nname: x\n---\nProse."), []string{"description is required"}},
		{"no frontmatter, so no description", describedRules(), files("SKILL.md", "Prose."), []string{"description is required"}},
		{"summary is no description", describedRules(), files("SKILL.md", markdown("summary: s")), []string{"description is required"}},
		{"no name is none needed", describedRules(), files("SKILL.md", markdown("description: d")), nil},
		{"any name", describedRules(), files("SKILL.md", markdown("name: über uns", "description: d")), nil},
		{"other letter case of a file", describedRules(), files("skill.md", markdown("description: d")),
			[]string{"the folder has none of the files that a skill is made of"}},

		{"no frontmatter", strictRules(), files("SKILL.md", "Prose."), []string{"Missing frontmatter"}},
		{"no name", strictRules(), files("SKILL.md", markdown("description: d")), []string{"Invalid YAML: missing field `name`"}},
		{"no body", strictRules(), files("SKILL.md", "---\nname: x\n---\n\n"), []string{"Empty prompt"}},
		{"no description is none needed", strictRules(), files("SKILL.md", markdown("name: x")), nil},
		{"a name that does not match", strictRules(), files("SKILL.md", markdown("name: a b")), []string{"Invalid skill name 'a b'"}},
		{"several", strictRules(), files("SKILL.md", "---\nname: a b\n---\n"), []string{"Empty prompt", "Invalid skill name 'a b'"}},
		{"too large", strictRules(), files("SKILL.md", markdown("name: x")+strings.Repeat("x", 64<<10)),
			[]string{"Skill file too large: 65559 bytes"}},
		{"over the default budget", strictRules(), files("SKILL.md", markdown("name: x")+big), []string{"Prompt is ~7501 tokens"}},
		{"within its own budget", strictRules(), files("SKILL.md", markdown("name: x", "activation: {max_context_tokens: 3751}")+big), nil},
		{"no budget", strictRules(), files("SKILL.md", markdown("name: x", "activation: {max_context_tokens: 0}")+big), nil},

		{"broken TOML", replacingRules(), files("SKILL.toml", "name = ", "SKILL.md", markdown("name: x")),
			[]string{"the file cannot be read: expected value, not end of input"}},
		{"nothing to describe it", replacingRules(), files("SKILL.md", "# Title\n"), nil},
		{"broken TOML, the next is used", indexedRules(), files("manifest.toml", "name = ", "SKILL.md", markdown("name: x")),
			[]string{"the file cannot be read: expected value, not end of input"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := newAs(t, c.rules).Parse("folder", c.sources)
			if diff := cmp.Diff(c.want, errorsOf(result)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if want := len(c.want) == 0 || strings.Contains(c.name, "next is used"); result.Usable != want {
				t.Errorf("usable is %v: %v", result.Usable, result.Diagnostics)
			}
		})
	}
}

// A host whose words hold what a file says must not print more than a line of
// it, nor anything that a terminal obeys.
func TestHostsWordsArePlain(t *testing.T) {
	name := `"a\e[31m\n` + strings.Repeat("é", 500) + `"`
	for _, message := range errorsOf(newAs(t, strictRules()).Parse("folder", files("SKILL.md", markdown("name: "+name)))) {
		if strings.ContainsAny(message, "\x1b\n") || len(message) > 600 {
			t.Errorf("got %q", message)
		}
	}
	if got := plainly("word word"); got != "word word" {
		t.Errorf("got %q", got)
	}
	if got := plainly("a\x1b\u202e\n" + strings.Repeat("x", 300)); got != "a\ufffd\ufffd…" {
		t.Errorf("got %q", got)
	}
}

func TestHostsOwnReading(t *testing.T) {
	type reading struct {
		Name, Description, Version, Homepage, Emoji string
		Tags, Bins                                  []string
		Body                                        string
		Budget                                      int
	}
	for _, c := range []struct {
		name    string
		rules   Rules
		sources []Source
		want    reading
	}{
		{"only documented spellings", describedRules(),
			files("SKILL.md", markdown("Name: y", "description: d", "website: https://a.b", "tags: [a]", "version: 2")),
			reading{Name: "folder", Description: "d", Homepage: "https://a.b", Body: "Do it.\n"}},
		{"metadata", describedRules(),
			files("SKILL.md", markdown("description: d", `metadata: {"author": "x", "openclaw": {"emoji": "E", "Homepage": "h", "requires": {"bins": ["a"], "bin": ["b"]}}}`)),
			reading{Name: "folder", Description: "d", Emoji: "E", Bins: []string{"a", "b"}, Body: "Do it.\n"}},
		{"a namespace that is not read gates", describedRules(),
			files("SKILL.md", markdown("description: d", `metadata: {"moltbot": {"emoji": "E", "requires": {"bins": ["a"]}}}`)),
			reading{Name: "folder", Description: "d", Bins: []string{"a"}, Body: "Do it.\n"}},
		{"metadata in YAML as text is none", describedRules(),
			files("SKILL.md", markdown("description: d", "metadata: |", "  openclaw: {emoji: E, requires: {bins: [a]}}")),
			reading{Name: "folder", Description: "d", Bins: []string{"a"}, Body: "Do it.\n"}},
		{"a default budget", strictRules(), files("SKILL.md", markdown("name: x", "summary: s")),
			reading{Name: "x", Version: "0.0.0", Body: "Do it.\n", Budget: 2000}},
		{"the first manifest alone", replacingRules(),
			files("SKILL.toml", "name = 'x'\nprompts = ['p']", "SKILL.md", markdown("name: y", "description: d", `metadata: {"openclaw": {"requires": {"bins": ["a"]}}}`)),
			reading{Name: "x", Description: "No description", Version: "0.1.0", Bins: []string{"a"}}},
		{"the first line", replacingRules(), files("SKILL.md", "# Title\n\n **Bold** words\n"),
			reading{Name: "folder", Description: "**Bold** words", Version: "0.1.0", Body: "# Title\n\n **Bold** words\n"}},
		{"the table", indexedRules(), files("manifest.toml", "tags = ['no']\n[skill]\nname = 'x'\ndescription = 'd'\n", "SKILL.md", "---\nname: y\nversion: 3\n---\nBody."),
			reading{Name: "x", Description: "d", Version: "3", Body: "Body."}},
		{"a table without a name", indexedRules(), files("manifest.toml", "[skill]\ndescription = 'd'\n", "SKILL.md", "---\nname: y\n---\nBody."),
			reading{Name: "y", Body: "Body."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := newAs(t, c.rules).Parse("folder", c.sources)
			s := &result.Skill
			got := reading{s.Name, s.Description.Raw(), s.Version, s.Homepage, s.Emoji, s.Tags, s.Requires.Bins, s.Body.Raw(), s.Activation.MaxContextTokens}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, result.Diagnostics)
			}
			if !result.Usable {
				t.Errorf("dropped: %v", result.Diagnostics)
			}
		})
	}
}

func TestIgnoredKeysAreTold(t *testing.T) {
	result := newAs(t, describedRules()).Parse("folder", files("SKILL.md", markdown("description: d", "version: 1", "Description: x",
		`metadata: {"author": "x", "openclaw": {"os": ["linux"], "nix": 1, "requires": {"bins": ["a"], "skills": ["b"]}}}`)))
	var ignored []string
	for _, d := range result.Diagnostics {
		if d.Code == skill.KeyIgnored {
			ignored = append(ignored, d.Message)
		}
	}
	want := []string{"version has no effect", "Description has no effect", "metadata.author has no effect",
		"metadata.openclaw.nix has no effect", "metadata.openclaw.requires.skills has no effect"}
	if diff := cmp.Diff(want, ignored); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	many := newAs(t, describedRules()).Parse("folder", files("SKILL.md", markdown("description: d", strings.Repeat("k", 3)+": 1", manyKeys(5000))))
	if n := len(many.Diagnostics); n > maxRemarks+10 {
		t.Errorf("%d remarks about one file", n)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("x" + strings.Repeat("y", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + ": 1\n")
	}
	return b.String()
}

func TestHostLimits(t *testing.T) {
	words := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, "word"+string(rune('a'+i)))
		}
		return "[ab, " + strings.Join(list, ", ") + "]"
	}
	patterns := "['a', 'b', 'c', 'd', 'e', 'f']"
	result := newAs(t, strictRules()).Parse("folder", files("SKILL.md", strings.ReplaceAll(markdown("name: x",
		"activation:", "  keywords: "+words(25), "  tags: "+words(12), "  patterns: "+patterns), "\n", "\r\n")))
	a := result.Skill.Activation
	if len(a.Keywords) != 20 || a.Keywords[0] != "worda" || len(a.Tags) != 10 || !slices.Equal(a.Patterns, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("got %+v", a)
	}
	if body := result.Skill.Body.Raw(); body != "Do it.\n" {
		t.Errorf("body %q", body)
	}
}

func TestIdentityByFolder(t *testing.T) {
	p := newParser(t, func(r *Rules) { r.Identity = "directory" })
	result := p.Parse("folder", files("SKILL.md", markdown("name: x", "description: d")))
	if s := result.Skill; s.Name != "folder" || !result.Usable || len(result.Diagnostics) > 0 || len(s.Extra) > 0 {
		t.Errorf("got %q, %v", s.Name, result.Diagnostics)
	}
}

func TestTOMLDialects(t *testing.T) {
	const both = "name = 'flat'\nauthor = 'Ann'\nprompts = ['p']\n[skill]\nname = 'table'\nversion = '2'\n[[tools]]\nname='t'\nkind='shell'\ncommand='c'\n"
	for _, c := range []struct {
		dialect, text                 string
		name, author, version, ignore string
		tools                         int
		broken                        string
	}{
		{dialect: "union", text: both, name: "table", author: "Ann", version: "2", tools: 1},
		{dialect: "flat", text: both, name: "flat", author: "Ann", tools: 1, ignore: "skill has no effect"},
		{dialect: "table", text: both, name: "table", version: "2", tools: 1, ignore: "name has no effect"},
		{dialect: "table", text: "[skill]\nname='x'\nprompts=['p']", name: "x", ignore: "skill.prompts has no effect"},
		{dialect: "table", text: "name = 'flat'", name: "folder", broken: "the file cannot be read: missing field skill"},
		{dialect: "table", text: "[skill]\nversion='1'", name: "folder", broken: "the file cannot be read: missing field name"},
	} {
		p := newParser(t, func(r *Rules) { r.TOML = c.dialect })
		result := p.Parse("folder", files("SKILL.toml", c.text))
		s := result.Skill
		if s.Name != c.name || s.Author != c.author || s.Version != c.version || len(s.Tools) != c.tools {
			t.Errorf("%s of %q: %+v", c.dialect, c.text, s)
		}
		says := func(message string) bool {
			return message == "" || slices.ContainsFunc(result.Diagnostics, func(d skill.Diagnostic) bool { return d.Message == message })
		}
		if !says(c.ignore) || !says(c.broken) || result.Usable != (c.broken == "") && s.Tools != nil {
			t.Errorf("%s of %q: %v", c.dialect, c.text, result.Diagnostics)
		}
	}
}

func TestRulesThatMakeNoSense(t *testing.T) {
	for want, change := range map[string]func(*Rules){
		`format.keys is ""`:                       func(r *Rules) { r.Keys = "" },
		`format.install is ""`:                    func(r *Rules) { r.Install = "" },
		`format.describe is ""`:                   func(r *Rules) { r.Describe = "" },
		`format.identity is "slug"`:               func(r *Rules) { r.Identity = "slug" },
		`format.required has "tags"`:              func(r *Rules) { r.Required = []string{"tags"} },
		`format.says has "nothing"`:               func(r *Rules) { r.Says = map[string]string{"nothing": "x"} },
		`format.reads has "README.md"`:            func(r *Rules) { r.Reads = map[string][]string{"README.md": nil} },
		`format.reads."SKILL.md" has "metadata.x`: func(r *Rules) { r.Reads = map[string][]string{"SKILL.md": {"metadata.x"}} },
		`format.reads."SKILL.md" has "nmae"`:      func(r *Rules) { r.Reads = map[string][]string{"SKILL.md": {"nmae"}} },
	} {
		rules := testRules()
		change(&rules)
		if _, err := New(rules); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := NewAs(testRules(), nil); err == nil {
		t.Error("a host without the native parser")
	}
	if _, err := NewAs(testRules(), newAs(t, testRules())); err == nil {
		t.Error("a host beside a host")
	}
}

// The rules of another host restrict no less than the native ones, and no less
// than the host's own reading.
func checkRestricted(t testing.TB, rules Rules, sources []Source) {
	t.Helper()
	p := newAs(t, rules)
	host, full, both := p.parse("folder", sources, nil), p.full.parse("folder", sources, nil), p.Parse("folder", sources)
	q, all, own := &both.Skill.Requires, &full.Skill.Requires, &host.Skill.Requires
	for _, part := range []struct {
		name       string
		whole      []string
		full, host []string
	}{
		{"bins", q.Bins, all.Bins, own.Bins}, {"env", q.Env, all.Env, own.Env}, {"config", q.Config, all.Config, own.Config},
		{"disallowed tools", both.Skill.DisallowedTools, full.Skill.DisallowedTools, host.Skill.DisallowedTools},
	} {
		if missing := slices.Concat(part.full, part.host); len(missing) > 0 && !within(missing, part.whole) {
			t.Errorf("%s: %v lacks some of %v", part.name, part.whole, missing)
		}
	}
	if all.Unreadable && !q.Unreadable {
		t.Error("what nobody can read does not gate")
	}
	for _, must := range []*skill.Requirements{all, own} {
		if q.Unreadable {
			break
		}
		for _, system := range q.OS {
			if len(must.OS) > 0 && !slices.ContainsFunc(must.OS, func(s string) bool { return systemKey(s) == systemKey(system) }) {
				t.Errorf("os %v allows more than %v", q.OS, must.OS)
			}
		}
		inMust := func(bin string) bool { return slices.Contains(must.AnyBins, bin) }
		if len(must.OS) > 0 && len(q.OS) == 0 || len(must.AnyBins) > 0 && !within(q.AnyBins, must.AnyBins) && !slices.ContainsFunc(q.Bins, inMust) {
			t.Errorf("%+v demands less than %+v", q, must)
		}
	}
	if both.Skill.Invocation.ModelDisabled != (full.Skill.Invocation.ModelDisabled || host.Skill.Invocation.ModelDisabled) ||
		q.Always != (own.Always && all.Always) {
		t.Errorf("invocation %+v, always %v", both.Skill.Invocation, q.Always)
	}
	if both.Usable != host.Usable || both.Skill.Name != host.Skill.Name || !both.Skill.Body.Equal(host.Skill.Body) {
		t.Error("the host does not decide what the skill is")
	}
	isError := func(d skill.Diagnostic) bool { return d.Severity == skill.Error }
	if (q.Unreadable || !both.Usable) && !slices.ContainsFunc(both.Diagnostics, isError) && !slices.Contains(own.OS, "") && all.Unreadable == q.Unreadable {
		t.Errorf("held back without an error: %v", both.Diagnostics)
	}
	for _, loss := range p.Losses("folder", sources) {
		if loss.Field == "" || loss.Why == "" || strings.ContainsAny(loss.Why, "\x1b\n") || len(loss.Why) > 2000 {
			t.Errorf("a loss without sense: %+v", loss)
		}
	}
}

func TestHostsRestrictNoLess(t *testing.T) {
	rules := hostLike()
	names := []string{"described", "strict", "replacing", "indexed", "native"}
	lists := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "linux", "darwin", "X_KEY"}), 0, 3)
	list := func(t *rapid.T, what string) string { return "[" + strings.Join(lists.Draw(t, what), ", ") + "]" }
	rapid.Check(t, func(rt *rapid.T) {
		key := func(names ...string) string { return rapid.SampledFrom(names).Draw(rt, "key") }
		lines := []string{"name: x", "description: d",
			key("os", "OS", "oses") + ": " + list(rt, "os"),
			key("requires", "Requires", "require", "note") + ": {bins: " + list(rt, "bins") + ", " + key("anyBins", "any_bins", "any") + ": " + list(rt, "any") + "}",
			key("metadata", "Metadata") + ": {" + key("openclaw", "clawdbot", "moltbot", "other") + ": {" + key("os", "Os") + ": " + list(rt, "os") +
				", always: " + key("true", "false", "perhaps") + ", requires: {" + key("bins", "Bins") + ": " + list(rt, "bins") + ", env: " + list(rt, "env") + "}}}",
			key("disable-model-invocation", "disable_model_invocation") + ": " + key("true", "false", "maybe"),
			key("disallowed-tools", "disallowedTools") + ": " + list(rt, "tools"),
		}
		md := markdown(lines[:rapid.IntRange(2, len(lines)).Draw(rt, "lines")]...)
		toml := key("", "name = ", "name='x'\n[requires]\nbins=['t']\n", "[skill]\nname='x'\nos=['linux']\n")
		name := rapid.SampledFrom(names).Draw(rt, "rules")
		checkRestricted(t, rules[name], files("SKILL.md", md, "SKILL.toml", toml, "manifest.toml", toml))
		if t.Failed() {
			rt.Fatalf("%s:\n%s\n%s", name, md, toml)
		}
	})
}

func FuzzParseAs(f *testing.F) {
	for _, md := range fuzzMarkdown {
		for i, toml := range fuzzTOML {
			f.Add(md, toml, uint8(i))
		}
	}
	names := []string{"described", "strict", "replacing", "indexed", "native"}
	rules := hostLike()
	f.Fuzz(func(t *testing.T, md, toml string, which uint8) {
		host := rules[names[int(which)%len(names)]]
		sources := files("SKILL.md", md, "SKILL.toml", toml, "manifest.toml", toml)
		checkRestricted(t, host, sources)
		checkedParse(t, newAs(t, host), sources)
	})
}

// A namespace that only the host reads is not one that nobody reads.
func TestHostsOwnNamespace(t *testing.T) {
	rules := testRules()
	rules.Namespaces = []string{"ours"}
	result := newAs(t, rules).Parse("folder", files("SKILL.md", markdown("name: x", "description: d",
		"metadata: {ours: {requires: {bins: [a]}}, openclaw: {requires: {bins: [b]}}}")))
	if q := result.Skill.Requires; q.Unreadable || !slices.Equal(q.Bins, []string{"b", "a"}) {
		t.Errorf("got %+v, %v", q, result.Diagnostics)
	}
}

// What a host cannot read gates a skill only if nobody can.
func TestUnreadableToTheHostAlone(t *testing.T) {
	rules := describedRules()
	rules.Frontmatter = "yaml" // which leaves it to others to read metadata
	for _, c := range []struct {
		lines string
		gated bool
		code  skill.Code
		says  string
	}{
		{"metadata: |\n  openclaw: {requires: {bins: [a]}}", false, skill.ValueInvalid, "this host cannot read"},
		{"metadata: {openclaw: {requires: 5}}", true, skill.MetadataUnreadable, "metadata.openclaw.requires is"},
		{"metadata: {other: {requires: {bins: [a]}}}", true, skill.MetadataUnreadable, "metadata.other looks like a requirement"},
		{"requires: {bins: [a]}", false, skill.KeyIgnored, "requires has no effect"},
	} {
		result := newAs(t, rules).Parse("folder", files("SKILL.md", markdown("description: d", c.lines)))
		if got := result.Skill.Requires; got.Unreadable != c.gated || !c.gated && !slices.Equal(got.Bins, []string{"a"}) {
			t.Errorf("%s: %+v", c.lines, got)
		}
		if !slices.ContainsFunc(result.Diagnostics, func(d skill.Diagnostic) bool {
			return d.Code == c.code && d.Line == 3 && strings.HasPrefix(d.Message, c.says)
		}) || !c.gated && len(errorsOf(result)) > 0 {
			t.Errorf("%s: %v", c.lines, result.Diagnostics)
		}
		if n := len(result.Diagnostics); c.code == skill.KeyIgnored && n > 2 { // that, and no name
			t.Errorf("%s: %d remarks: %v", c.lines, n, result.Diagnostics)
		}
	}
}

func TestJoined(t *testing.T) {
	q := func(change ...func(*skill.Requirements)) skill.Requirements {
		var q skill.Requirements
		for _, f := range change {
			f(&q)
		}
		return q
	}
	os := func(names ...string) func(*skill.Requirements) { return func(q *skill.Requirements) { q.OS = names } }
	bins := func(names ...string) func(*skill.Requirements) { return func(q *skill.Requirements) { q.Bins = names } }
	anyOf := func(names ...string) func(*skill.Requirements) {
		return func(q *skill.Requirements) { q.AnyBins = names }
	}
	keys := func(key, env string) func(*skill.Requirements) {
		return func(q *skill.Requirements) { q.SkillKey, q.PrimaryEnv = key, env }
	}
	always := func(q *skill.Requirements) { q.Always = true }
	unreadable := func(q *skill.Requirements) { q.Unreadable = true }
	for _, c := range []struct{ host, full, want skill.Requirements }{
		{q(), q(os("linux"), bins("a")), q(os("linux"), bins("a"))},
		{q(os("darwin"), bins("b")), q(os("linux", "macos"), bins("a")), q(os("macos"), bins("a", "b"))},
		{q(os("darwin")), q(os("linux")), q(os("linux"), unreadable)},
		{q(anyOf("a")), q(anyOf("a", "b")), q(anyOf("a"))},
		{q(anyOf("a", "c")), q(anyOf("a", "b")), q(anyOf("a", "b"), unreadable)},
		{q(keys("h", "H")), q(keys("f", "F")), q(keys("h", "H"))},
		{q(keys("", "")), q(keys("f", "F")), q()},
		{q(always), q(), q()},
		{q(), q(always), q()},
		{q(always), q(always), q(always)},
		{q(unreadable), q(), q()},
		{q(), q(unreadable), q(unreadable)},
	} {
		if diff := cmp.Diff(c.want, joined(&c.host, &c.full)); diff != "" {
			t.Errorf("%+v and %+v (-want +got):\n%s", c.host, c.full, diff)
		}
	}
}

// What is said by both readings is said once.
func TestBothReadingsTooLarge(t *testing.T) {
	result := newAs(t, testRules()).Parse("folder", files("SKILL.md", strings.Repeat("x", 1<<20+1)))
	if len(result.Diagnostics) != 1 || !result.Skill.Requires.Unreadable {
		t.Errorf("got %v", result.Diagnostics)
	}
}

func TestExactKeys(t *testing.T) {
	rules := testRules()
	rules.Keys = "exact"
	host := func(lines ...string) skill.Skill {
		return newAs(t, rules).parse("folder", files("SKILL.md", markdown(append(lines, "name: x", "description: d")...)), nil).Skill
	}
	var none skill.Skill
	for _, line := range []string{
		"activation: {Keywords: [kk], excludeKeywords: [ee], max-context-tokens: 5}",
		"metadata: {openclaw: {Requires: {bins: [a]}, OS: [linux], Emoji: e, skill_key: k}}",
		"metadata: {openclaw: {requires: {Bins: [a], any_bins: [b], envs: [c]}}}",
		"metadata: {OpenClaw: {requires: {bins: [a]}, emoji: e}}",
		"openclaw: {requires: {bins: [a]}, emoji: e}",
		"user_invocable: false", "Disable-Model-Invocation: true", "disallowed_tools: [a]", "requries: {bins: [a]}",
		"metadata: {Version: 2, Tags: [t]}", "summary: s", "authors: a", "licence: l", "primary-env: E",
	} {
		s := host(line)
		for _, c := range comparisons {
			if c.field == "name" || c.field == "description" || c.field == "body" {
				continue
			}
			if got := c.value(&s); !cmp.Equal(got, c.value(&none)) {
				t.Errorf("%s: %s is %v", line, c.field, got)
			}
		}
	}
	s := host("command_dispatch: tool", "command-tool: t", "user-invocable: false", "author: a",
		"activation: {keywords: [kk], exclude_keywords: [ee], max_context_tokens: 5}",
		"metadata: {version: 2, openclaw: {requires: {bins: [a], anyBins: [b, c]}, primaryEnv: P}}")
	if s.Dispatch.Tool != "t" || !s.Invocation.UserDisabled || s.Author != "a" || s.Activation.MaxContextTokens != 5 || s.Version != "2" ||
		len(s.Activation.Keywords)+len(s.Activation.ExcludeKeywords)+len(s.Requires.Bins) != 3 || s.Requires.PrimaryEnv != "P" || len(s.Requires.AnyBins) != 2 {
		t.Errorf("got %+v", s)
	}
}

// A reader that takes any file leaves it to the rules what is required.
func TestFrontmatterRequired(t *testing.T) {
	for _, reader := range []string{"yaml", "lines", "scalars"} {
		rules := testRules()
		rules.Frontmatter, rules.Required = reader, []string{"frontmatter", "name", "description"}
		result := newAs(t, rules).Parse("folder", files("SKILL.md", "Body."))
		if got := errorsOf(result); result.Usable || len(got) != 1 || got[0] != "the skill has no frontmatter; without one it is not used" || len(result.Diagnostics) != 1 {
			t.Errorf("%s: %v", reader, result.Diagnostics)
		}
	}
}

func TestReadsOfRepeatedKeysAndTables(t *testing.T) {
	rules := describedRules()
	rules.Frontmatter = "yaml"
	rules.Reads = map[string][]string{"SKILL.md": {"description", "metadata.requires", "metadata.emoji"}}
	sources := files("SKILL.md", markdown("description: d", "metadata: {openclaw: {os: [linux], requires: {bins: [a]}}}", "metadata: {openclaw: {emoji: e}}"))
	if s := newAs(t, rules).parse("folder", sources, nil).Skill; len(s.Requires.OS) > 0 || !slices.Equal(s.Requires.Bins, []string{"a"}) || s.Emoji != "e" {
		t.Errorf("got %+v", s)
	}
	result := newAs(t, replacingRules()).Parse("folder", files("SKILL.toml", "[skill]\nname='x'\ndescription='d'\nlicense='l'\nprompts=['p']"))
	if len(result.Diagnostics) != 1 || result.Diagnostics[0].Message != "license has no effect" || result.Skill.Name != "x" {
		t.Errorf("got %v", result.Diagnostics)
	}
	flat := newParser(t, func(r *Rules) { r.TOML = "flat" }).Parse("folder", files("manifest.toml", "[skill]\nname='x'\ndescription='d'"))
	if flat.Skill.Name != "x" {
		t.Errorf("a manifest.toml says %+v", flat.Skill)
	}
}

func TestReplacedManifestIsTold(t *testing.T) {
	result := newAs(t, replacingRules()).Parse("folder", files("SKILL.toml", "name='x'\ndescription='d'", "SKILL.md", "Body."))
	want := []skill.Diagnostic{skill.ManifestConflict.New("SKILL.md", 0, "this file is not read beside SKILL.toml", "move what it says there"),
		skill.BodyMissing.New("SKILL.toml", 0, "the skill has no instructions", "write in SKILL.md what to do")}
	if diff := cmp.Diff(want, result.Diagnostics); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRepairsComeFromTheFullReading(t *testing.T) {
	const data = "---\nname: x\ndescription: Use when: asked\n---\nBody.\n"
	p := newAs(t, strictRules())
	result := p.Parse("folder", files("SKILL.md", data))
	if result.Usable || len(result.Repairs) != 1 {
		t.Fatalf("got %v, %v", result.Repairs, result.Diagnostics)
	}
	fixed, err := p.Fix("SKILL.md", []byte(data), result.Repairs)
	if err != nil {
		t.Fatal(err)
	}
	if again := p.Parse("folder", files("SKILL.md", string(fixed))); !again.Usable || again.Skill.Description.Raw() != "Use when: asked" {
		t.Errorf("%s: %v", fixed, again.Diagnostics)
	}
}
