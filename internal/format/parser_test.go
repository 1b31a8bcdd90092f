package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/knackhq/knack/skill"
)

// testRules are those of the native profile.
func testRules() Rules {
	return Rules{
		Manifests: []string{"SKILL.toml", "manifest.toml", "SKILL.md", "skills.md"}, AnyCase: true,
		Merge: "fields", OnError: "next", Frontmatter: "yaml", TOML: "union", Identity: "declared",
		Keys: "any", Install: "any", Describe: "prose",
		Namespaces: []string{"openclaw", "clawdbot", "moltbot", "clawdis"},
		Limits: Limits{
			FileBytes: 1 << 20, FrontmatterBytes: 65_536, Depth: 32, Nodes: 20_000,
			NamePattern: `^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`, DescriptionChars: 1024,
			Keywords: 100, Patterns: 20, Tags: 50, MinChars: 2, PatternProgram: 5_000,
		},
	}
}

func newParser(t testing.TB, change ...func(*Rules)) *Parser {
	t.Helper()
	rules := testRules()
	for _, f := range change {
		f(&rules)
	}
	p, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// files makes sources of names and contents in turn.
func files(pairs ...string) []Source {
	var out []Source
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Source{File: pairs[i], Data: []byte(pairs[i+1])})
	}
	return out
}

// markdown makes a SKILL.md with the lines of a frontmatter and some body.
func markdown(lines ...string) string {
	return "---\n" + strings.Join(lines, "\n") + "\n---\nDo it.\n"
}

// parseMarkdown parses a folder named "folder" with that SKILL.md; the
// frontmatter's name and description need not be given.
func parseMarkdown(t testing.TB, lines ...string) Result {
	t.Helper()
	lines = append([]string{"name: folder", "description: what it does"}, lines...)
	return newParser(t).Parse("folder", files("SKILL.md", markdown(lines...)))
}

func parseTOML(t testing.TB, text string) Result {
	t.Helper()
	return newParser(t).Parse("folder", files("SKILL.toml", text))
}

// ignoreOrigin leaves out what every skill has and few tests are about.
var ignoreOrigin = cmpopts.IgnoreFields(skill.Skill{}, "Manifests", "Format", "Tokens", "Body")

// found lists the codes of diagnostics without the ones to leave out.
func found(res Result, without ...skill.Code) []skill.Code {
	var codes []skill.Code
next:
	for _, d := range res.Diagnostics {
		for _, code := range without {
			if d.Code == code {
				continue next
			}
		}
		codes = append(codes, d.Code)
	}
	return codes
}

// wantDiagnostic checks that one diagnostic has the code and says all of that.
func wantDiagnostic(t testing.TB, res Result, code skill.Code, says ...string) {
	t.Helper()
next:
	for _, d := range res.Diagnostics {
		for _, part := range says {
			if d.Code != code || !strings.Contains(d.String(), part) {
				continue next
			}
		}
		if d.Code == code {
			return
		}
	}
	t.Errorf("no %s that says %q in %v", code, says, res.Diagnostics)
}

func wantCodes(t testing.TB, res Result, want ...skill.Code) {
	t.Helper()
	if diff := cmp.Diff(want, found(res), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s\n%v", diff, res.Diagnostics)
	}
}

func TestNewRefusesRulesItCannotFollow(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Rules)
		want   string
	}{
		"merge":            {func(r *Rules) { r.Merge = "mix" }, `format.merge is "mix"; it can be fields`},
		"on_error":         {func(r *Rules) { r.OnError = "" }, `format.on_error is ""; it can be next`},
		"frontmatter":      {func(r *Rules) { r.Frontmatter = "ini" }, `format.frontmatter is "ini"; it can be yaml`},
		"toml":             {func(r *Rules) { r.TOML = "x" }, `format.toml is "x"; it can be union`},
		"identity":         {func(r *Rules) { r.Identity = "x" }, `format.identity is "x"; it can be declared`},
		"no manifests":     {func(r *Rules) { r.Manifests = nil }, "format.manifests is empty"},
		"odd manifest":     {func(r *Rules) { r.Manifests = []string{"skill.json"} }, `"skill.json"`},
		"no size":          {func(r *Rules) { r.Limits.FileBytes = 0 }, "format.limits.file_bytes is 0"},
		"no head size":     {func(r *Rules) { r.Limits.FrontmatterBytes = 0 }, "format.limits.frontmatter_bytes"},
		"no depth":         {func(r *Rules) { r.Limits.Depth = -1 }, "format.limits.depth is -1"},
		"no nodes":         {func(r *Rules) { r.Limits.Nodes = 0 }, "format.limits.nodes"},
		"name pattern":     {func(r *Rules) { r.Limits.NamePattern = "(" }, "format.limits.name_pattern"},
		"namespace taken":  {func(r *Rules) { r.Namespaces = []string{"requires"} }, `format.namespaces has "requires"`},
		"namespace folded": {func(r *Rules) { r.Namespaces = []string{"Primary_ENV"} }, `format.namespaces has "Primary_ENV"`},
		"namespace empty":  {func(r *Rules) { r.Namespaces = []string{""} }, `format.namespaces has ""`},
	} {
		rules := testRules()
		c.change(&rules)
		if _, err := New(rules); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %s", name, err, c.want)
		}
	}
}

// Every documented key is known in both of its spellings, and none is also on
// the list of keys that have no effect.
func TestFieldTableIsSound(t *testing.T) {
	p := newParser(t)
	for f := range fieldCount {
		rule := &fieldRules[f]
		ways := 0
		for _, set := range []bool{rule.text != nil, rule.list != nil, rule.read != nil} {
			if set {
				ways++
			}
		}
		if ways != 1 {
			t.Errorf("field %d (%v) can be read in %d ways", f, rule.names, ways)
		}
		for _, name := range rule.names {
			for _, key := range []string{name, strings.ReplaceAll(name, "-", "_")} {
				if s, ok := p.spellings[key]; !ok || s.field != f {
					t.Errorf("%s is not field %d", key, f)
				}
			}
			if p.foreign[fold(name)] {
				t.Errorf("%s is a field and has no effect", name)
			}
		}
	}
	seen := map[string]bool{}
	for _, key := range foreignKeys {
		if seen[fold(key)] {
			t.Errorf("%s is listed twice", key)
		}
		seen[fold(key)] = true
	}
}

func TestRank(t *testing.T) {
	type answer struct {
		Rank      int
		Usual, OK bool
	}
	for file, want := range map[string]answer{
		"SKILL.toml": {0, true, true}, "skill.TOML": {0, false, true}, "Skill.toml": {0, false, true},
		"manifest.toml": {1, true, true}, "Manifest.toml": {1, false, true},
		"SKILL.md": {2, true, true}, "SKILL.MD": {2, false, true}, "skill.md": {2, false, true}, "Skill.md": {2, false, true},
		"skills.md": {3, false, true}, "SKILLS.md": {3, false, true},
		"SKILL.md ": {}, "SKILL": {}, "README.md": {}, "": {}, "SKILL.mdx": {}, "s\u212aILL.md": {}, "sub/SKILL.md": {},
	} {
		rank, usual, ok := newParser(t).Rank(file)
		if got := (answer{rank, usual, ok}); got != want {
			t.Errorf("%q: %+v, want %+v", file, got, want)
		}
	}
	exact := newParser(t, func(r *Rules) { r.AnyCase = false })
	if _, _, ok := exact.Rank("skill.md"); ok {
		t.Error("another letter case counts although the rules want the exact name")
	}
	if _, usual, ok := exact.Rank("SKILL.md"); !ok || !usual {
		t.Error("the exact name does not count")
	}
}

func TestWhichFilesAreRead(t *testing.T) {
	head := func(version string) string { return markdown("name: folder", "description: d", "version: "+version) }
	for name, c := range map[string]struct {
		sources []Source
		format  string
		version string
		codes   []skill.Code
	}{
		"the usual file": {files("SKILL.md", head("1")), "SKILL.md", "1", nil},
		"an unusual spelling alone": {
			files("skill.md", head("1")), "skill.md", "1", []skill.Code{skill.FileName}},
		"the usual spelling wins": {
			files("SKILL.md", head("1"), "Skill.md", head("2"), "skill.md", head("3")), "SKILL.md", "1",
			[]skill.Code{skill.FileDuplicate, skill.FileDuplicate}},
		"the usual spelling wins in any order": {
			files("skill.md", head("3"), "SKILL.md", head("1")), "SKILL.md", "1", []skill.Code{skill.FileDuplicate}},
		"of two unusual ones the first in byte order": {
			files("skill.md", head("2"), "Skill.md", head("1")), "Skill.md", "1",
			[]skill.Code{skill.FileName, skill.FileDuplicate}},
		"the lesser name alone":          {files("skills.md", head("1")), "skills.md", "1", []skill.Code{skill.FileName}},
		"the lesser name beside another": {files("skills.md", head("2"), "SKILL.md", head("1")), "SKILL.md", "1", []skill.Code{skill.FileDuplicate}},
		"the lesser name beside an unusual one": {
			files("skills.md", head("2"), "skill.md", head("1")), "skill.md", "1",
			[]skill.Code{skill.FileName, skill.FileDuplicate}},
		"all three, in any order": {
			files("SKILL.md", head("1"), "manifest.toml", "[skill]\nname='folder'", "SKILL.toml", "description = 'd'"),
			"SKILL.toml+manifest.toml+SKILL.md", "1", nil},
		"other files do not matter": {files("README.md", "x", "SKILL.md", head("1")), "SKILL.md", "1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			res := newParser(t).Parse("folder", c.sources)
			if res.Skill.Format != c.format || res.Skill.Version != c.version || !res.Usable {
				t.Errorf("read %s with version %s, want %s with %s", res.Skill.Format, res.Skill.Version, c.format, c.version)
			}
			wantCodes(t, res, c.codes...)
		})
	}
}

func TestManifestsCarryTheirDigest(t *testing.T) {
	res := newParser(t).Parse("folder", files("SKILL.md", "abc"))
	want := []skill.Manifest{{File: "SKILL.md", Size: 3,
		Sum: 0x364b3fb7352441c2}}
	if diff := cmp.Diff(want, res.Skill.Manifests); diff != "" {
		t.Error(diff)
	}
}

func TestUnusable(t *testing.T) {
	for name, c := range map[string]struct {
		sources []Source
		code    skill.Code
		says    string
	}{
		"no file":               {nil, skill.NoManifest, "add a file SKILL.md"},
		"no manifest":           {files("README.md", "hello"), skill.NoManifest, "SKILL.md"},
		"empty":                 {files("SKILL.md", ""), skill.ReasonInvalid, "write a description"},
		"white space":           {files("SKILL.md", " \n\t\n"), skill.ReasonInvalid, "write a description"},
		"a name alone":          {files("SKILL.md", "---\nname: x\n---\n"), skill.ReasonInvalid, "says nothing"},
		"a name alone in TOML":  {files("SKILL.toml", "name = 'x'"), skill.ReasonInvalid, "says nothing"},
		"broken TOML alone":     {files("SKILL.toml", "name ="), skill.ReasonInvalid, "none of the skill's files"},
		"broken and foreign":    {files("SKILL.toml", "name =", "manifest.toml", ""), skill.TOMLInvalid, "mend this line"},
		"foreign manifest.toml": {files("manifest.toml", "[package]\nname='x'"), skill.NoManifest, "add a file SKILL.md"},
		"too large":             {files("SKILL.md", strings.Repeat("x", 1<<20+1)), skill.FileTooLarge, "1048577 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			res := newParser(t).Parse("folder", c.sources)
			if res.Usable {
				t.Error("it is usable")
			}
			if res.Skill.Name == "" || res.Skill.Slug != "folder" {
				t.Errorf("name %q, slug %q", res.Skill.Name, res.Skill.Slug)
			}
			wantDiagnostic(t, res, c.code, c.says)
			if c.code.Severity() != skill.Error {
				t.Errorf("%s is no error", c.code)
			}
		})
	}
}

func TestBarelyUsable(t *testing.T) {
	for name, sources := range map[string][]Source{
		"prose alone":       files("SKILL.md", "Do it."),
		"a heading alone":   files("SKILL.md", "# Do it"),
		"code alone":        files("SKILL.md", "```\nls\n```"),
		"description alone": files("SKILL.md", "---\ndescription: d\n---\n"),
		"a prompt alone":    files("SKILL.toml", "prompts = ['do it']"),
		"a tool alone":      files("SKILL.toml", "[[tools]]\nname='x'\nkind='shell'\ncommand='ls'"),
		"beside broken":     files("SKILL.toml", "name =", "SKILL.md", "Do it."),
	} {
		if res := newParser(t).Parse("folder", sources); !res.Usable {
			t.Errorf("%s: unusable: %v", name, res.Diagnostics)
		}
	}
}
