package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestSkillTOMLDialects(t *testing.T) {
	text := skill.NewText
	for name, c := range map[string]struct {
		toml  string
		want  skill.Skill
		codes []skill.Code
	}{
		"table": {"prompts = ['first', 'second']\n[skill]\nname = 'folder'\ndescription = 'd'\nversion = '1'\nauthor = 'A'\ntags = ['x']\n",
			skill.Skill{Description: text("d"), Version: "1", Author: "A", Tags: []string{"x"},
				Prompts: []skill.Text{text("first"), text("second")}}, nil},
		"table wins over flat": {"name = 'other'\ndescription = 'flat'\nversion = '1'\nauthor = 'A'\n[skill]\nname = 'folder'\ndescription = 'd'\nversion = '2'\n",
			skill.Skill{Description: text("d"), Version: "2", Author: "A"},
			[]skill.Code{skill.BodyMissing, skill.ManifestConflict, skill.ManifestConflict, skill.ManifestConflict}},
		"prompts in the table": {"name = 'folder'\ndescription = 'd'\n[skill]\nprompts = ['in it']\n",
			skill.Skill{Description: text("d"), Prompts: []skill.Text{text("in it")}}, nil},
		"prompts as one text": {"name = 'folder'\ndescription = 'd'\nprompts = 'only'\n",
			skill.Skill{Description: text("d"), Prompts: []skill.Text{text("only")}}, nil},
		"prompts of both kinds": {"name = 'folder'\ndescription = 'd'\n[[prompts]]\ncontent = 'a'\n[[prompts]]\ncontent = ' '\n[[prompts]]\nfile = 'x'\n[[prompts]]\ncontent = 'b'\n",
			skill.Skill{Description: text("d"), Prompts: []skill.Text{text("a"), text("b")}}, []skill.Code{skill.ValueInvalid}},
		"all that SKILL.md knows": {`name = "folder"
description = "d"
category = "c"
licence = "MIT"
homepage = "h"
permissions = ["git"]
triggers = ["t"]
allowed_tools = "Read Bash(git *)"
disallowed_tools = ["WebFetch"]
compatibility = "c"
argument_hint = "[x]"
user_invocable = false
disable_model_invocation = true
os = ["linux"]
primary_env = "E"
skill_key = "k"
always = true
[activation]
keywords = ["kw"]
max_context_tokens = 1_000
[requires]
bins = ["a"]
any_bins = ["b", "c"]
env = ["E"]
config = ["x.y"]
[metadata.openclaw]
emoji = "e"
always = true
requires = { bins = ["m"] }
install = [{ kind = "brew", formula = "f" }]
[[prompts]]
content = "p"
`, skill.Skill{Description: text("d"), Category: "c", License: "MIT", Homepage: "h", Emoji: "e",
			Permissions: []string{"git"}, Triggers: []string{"t"}, AllowedTools: []string{"Read", "Bash(git *)"},
			DisallowedTools: []string{"WebFetch"}, Compatibility: text("c"),
			Invocation: skill.Invocation{UserDisabled: true, ModelDisabled: true, ArgumentHint: text("[x]")},
			Activation: skill.Activation{Keywords: []string{"kw"}, MaxContextTokens: 1000},
			Requires: skill.Requirements{OS: []string{"linux"}, Bins: []string{"m", "a"}, AnyBins: []string{"b", "c"},
				Env: []string{"E"}, Config: []string{"x.y"}, Always: true, PrimaryEnv: "E", SkillKey: "k"},
			Installers: []skill.InstallSpec{{ID: "brew-0", Kind: "brew", Package: "f"}},
			Prompts:    []skill.Text{text("p")},
		}, nil},
		"requirements beside the table": {"[skill]\nname = 'folder'\ndescription = 'd'\nalways = true\n[requires]\nbins = ['a']\n",
			skill.Skill{Description: text("d"), Requires: skill.Requirements{Always: true, Bins: []string{"a"}}},
			[]skill.Code{skill.BodyMissing}},
		"byte-order mark and CRLF": {"\ufeffname = 'folder'\r\ndescription = 'd'\r\nprompts = ['p']\r\n",
			skill.Skill{Description: text("d"), Prompts: []skill.Text{text("p")}}, nil},
		"dates and numbers stay text": {"name = 'folder'\ndescription = 'd'\nversion = 1.10\nprompts = ['p']\n",
			skill.Skill{Description: text("d"), Version: "1.10", Prompts: []skill.Text{text("p")}}, nil},
		"a skill that is no table": {"skill = 'x'\nname = 'folder'\ndescription = 'd'\nprompts = ['p']\n",
			skill.Skill{Description: text("d"), Prompts: []skill.Text{text("p")}}, []skill.Code{skill.ValueInvalid}},
	} {
		t.Run(name, func(t *testing.T) {
			res := parseTOML(t, c.toml)
			c.want.Name, c.want.Slug = "folder", "folder"
			if diff := cmp.Diff(c.want, res.Skill, ignoreOrigin); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.codes, found(res)); diff != "" && len(c.codes)+len(found(res)) > 0 {
				t.Errorf("%s\n%v", diff, res.Diagnostics)
			}
		})
	}
}

func TestTools(t *testing.T) {
	text := skill.NewText
	for tool, want := range map[string]struct {
		tool skill.ToolDecl
		code skill.Code // of the only diagnostic
		says string
	}{
		"name='a'\nkind='shell'\ncommand='ls'": {tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls"}},
		"name='a'\nkind='Shell'\ncommand='ls'\ndescription='d'\nargs={path='where', all={description='x'}}": {
			tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls", Description: text("d"),
				Args: []skill.ToolArg{{Name: "path", Description: text("where")}, {Name: "all", Description: text("x")}}}},
		"name='a'\nkind='shell'\ncommand='ls'\nargs=[{name='p', description='d'}, 'q']": {
			tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls",
				Args: []skill.ToolArg{{Name: "p", Description: text("d")}, {Name: "q"}}}},
		"name='a'\nkind='http'\nurl='https://e.com/x'": {tool: skill.ToolDecl{Name: "a", Kind: "http", Method: "GET", URL: "https://e.com/x"}},
		"name='a'\nkind='http'\ncommand='https://e.com/{id}?q={q}'\nmethod='post'": {
			tool: skill.ToolDecl{Name: "a", Kind: "http", Method: "POST", URL: "https://e.com/{id}?q={q}"}},

		"kind='shell'\ncommand='ls'":                                {code: skill.ToolInvalid, says: "tools[0]: it has no name"},
		"name=' '\nkind='shell'\ncommand='ls'":                      {code: skill.ToolInvalid, says: "no name"},
		"name='a'\ncommand='ls'":                                    {code: skill.ToolInvalid, says: `"a" has no kind`},
		"name='a'\nkind='shell'":                                    {code: skill.ToolInvalid, says: `"a" has no command`},
		"name='a'\nkind='http'":                                     {code: skill.ToolInvalid, says: `"a" has no url`},
		"name='a'\nkind='http'\nurl='file:///etc/passwd'":           {code: skill.ToolInvalid, says: "http or https address"},
		"name='a'\nkind='http'\ncommand='-o /tmp/x'":                {code: skill.ToolInvalid, says: "http or https address"},
		"name='a'\nkind='http'\nurl='https://{host}/'":              {code: skill.ToolInvalid, says: "host is fixed"},
		"name='a'\nkind='http'\nurl='https://e.com/a b'":            {code: skill.ToolInvalid, says: "http or https address"},
		"name='a'\nkind='http'\nurl='https://e.com'\nmethod='BREW'": {code: skill.ToolInvalid, says: `"BREW"`},
		"name='a'\nkind='builtin'": {tool: skill.ToolDecl{Name: "a", Kind: "builtin"},
			code: skill.ValueInvalid, says: `tools of kind "builtin" cannot run`},
		"name='a'\nkind='shell'\ncommand='ls'\nargs='x'": {tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls"},
			code: skill.ValueInvalid, says: "tools[0].args"},
		"name='a'\nkind='shell'\ncommand='ls'\nargs=[{description='x'}]": {tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls"},
			code: skill.ValueInvalid, says: "tools[0].args[0]"},
		"name='a'\nkind='shell'\ncommand='ls'\ndescription=['x']": {tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls"},
			code: skill.ValueInvalid, says: "tools[0].description"},
		"name='a'\nkind='shell'\ncommand='ls'\nmethod=['x']": {tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls"},
			code: skill.ValueInvalid, says: "tools[0].method"},
		"name='a'\nkind='shell'\ncommand='ls'\ntimeout=5": {tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls"},
			code: skill.KeyIgnored, says: "tools[0].timeout has no effect"},
	} {
		t.Run(tool, func(t *testing.T) {
			res := parseTOML(t, "name='folder'\ndescription='d'\nprompts=['p']\n[[tools]]\n"+tool)
			var tools []skill.ToolDecl
			if want.tool.Name != "" {
				tools = append(tools, want.tool)
			}
			if diff := cmp.Diff(tools, res.Skill.Tools); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if want.code == "" {
				wantCodes(t, res)
				return
			}
			wantCodes(t, res, want.code)
			wantDiagnostic(t, res, want.code, want.says, "SKILL.toml:")
			if !res.Usable {
				t.Error("one tool costs the whole skill")
			}
		})
	}
	for _, wrong := range []string{"tools = 'x'", "tools = ['x']", "[tools]\nname='a'"} {
		res := parseTOML(t, "name='folder'\ndescription='d'\nprompts=['p']\n"+wrong)
		if len(res.Skill.Tools) != 0 || len(res.Diagnostics) != 1 || !res.Usable {
			t.Errorf("%s: tools %v, %v", wrong, res.Skill.Tools, res.Diagnostics)
		}
	}
}

func TestManifestTOML(t *testing.T) {
	p := newParser(t)
	md := markdown("name: folder", "description: d")
	res := p.Parse("folder", files("manifest.toml", "[package]\nname = 'other'\n[requires]\nbins=['x']", "SKILL.md", md))
	if res.Skill.Format != "SKILL.md" || res.Skill.Name != "folder" || len(res.Skill.Manifests) != 1 || len(res.Skill.Requires.Bins) != 0 {
		t.Errorf("a foreign file is read: %+v", res.Skill)
	}
	wantCodes(t, res, skill.TOMLForeign)

	res = p.Parse("folder", files("manifest.toml", "skill = 'x'", "SKILL.md", md))
	wantCodes(t, res, skill.TOMLForeign)

	res = p.Parse("folder", files("manifest.toml", "prompts=['x']\n[skill]\nname='folder'\ndescription='d'\n[[install_recipes]]\nkind='brew'\npackage='x'\n[forge]\na=1", "SKILL.md", md))
	if len(res.Skill.Prompts)+len(res.Skill.Recipes) != 0 || len(res.Skill.Extra) != 3 {
		t.Errorf("prompts %v, recipes %v, extra %v", res.Skill.Prompts, res.Skill.Recipes, res.Skill.Extra)
	}
	wantCodes(t, res, skill.KeyIgnored, skill.KeyIgnored, skill.KeyIgnored)

	res = p.Parse("folder", files("manifest.toml", "[skill]\nname='folder'\n[skill.requires]\nbins=['x']\n", "SKILL.md", md))
	if strings.Join(res.Skill.Requires.Bins, "") != "x" {
		t.Errorf("requires %+v", res.Skill.Requires)
	}
	wantCodes(t, res)
}

// malformedTOML are texts that are no TOML, and the line to mend.
var malformedTOML = map[string]struct {
	text string
	line int
}{
	"no value":                            {"name =", 1},
	"no equals sign":                      {"name 'x'", 1},
	"bare value":                          {"name = x", 1},
	"YAML":                                {"name: x\n", 1},
	"JSON":                                {`{"name": "x"}`, 1},
	"Markdown":                            {"# Title\n\nProse.\n", 3},
	"frontmatter":                         {"---\nname: x\n---\n", 1},
	"unclosed string":                     {"name = \"x\n", 1},
	"unclosed literal":                    {"name = 'x\n", 1},
	"unclosed long string":                {"a = 1\nb = \"\"\"x\n", 2},
	"unclosed long literal":               {"a = 1\nb = '''x\n", 2},
	"unclosed list":                       {"a = [1, 2\n", 1},
	"unclosed inline table":               {"a = {b = 1\n", 1},
	"unclosed header":                     {"[skill\nname = 'x'", 1},
	"half a header":                       {"[[tools]\nname = 'x'", 1},
	"empty header":                        {"[]\n", 1},
	"empty part of a header":              {"[a..b]\n", 1},
	"text behind a header":                {"[skill] name = 'x'", 1},
	"text behind a value":                 {"name = 'x' 'y'", 1},
	"two on a line":                       {"a = 1 b = 2", 1},
	"key twice":                           {"name = 'x'\nname = 'y'", 2},
	"table twice":                         {"[skill]\na=1\n[skill]\nb=2", 3},
	"table after key":                     {"skill = 1\n[skill]\na=1", 2},
	"list of tables after a table":        {"[tools]\na=1\n[[tools]]\nb=1", 3},
	"table after list of tables":          {"[[tools]]\na=1\n[tools]\nb=1", 3},
	"dotted key into a value":             {"a = 1\na.b = 2", 2},
	"inline table extended":               {"a = {b = 1}\n[a]\nc = 1", 2},
	"static list extended":                {"tools = []\n[[tools]]\na=1", 2},
	"bad escape":                          {`name = "\q"`, 1},
	"bad Unicode escape":                  {`name = "\uD800"`, 1},
	"short Unicode escape":                {`name = "\u12"`, 1},
	"line break in a string":              {"name = \"a\nb\"", 1},
	"control character":                   {"name = \"a\x01b\"", 1},
	"NUL":                                 {"name = \"a\x00b\"", 1},
	"not UTF-8":                           {"name = \"a\xffb\"", 1},
	"UTF-16":                              {"\xff\xfen\x00=\x001\x00", 1},
	"bad number":                          {"a = 01", 1},
	"bad underscores":                     {"a = 1__0", 1},
	"bad date":                            {"a = 2025-13-01", 1},
	"bad boolean":                         {"a = True", 1},
	"key without a name":                  {"= 1", 1},
	"key of a long string":                {"\"\"\"a\"\"\" = 1", 1},
	"comma at the end of an inline table": {"a = {b = 1,,}", 1},
	"list without commas":                 {"a = [1 2]", 1},
	"double comma":                        {"a = [1,,2]", 1},
	"single backslash path":               {`command = "C:\tools\x"`, 1},
	"a lone bracket":                      {"name = 'x'\n]", 2},
	"conflict markers":                    {"<<<<<<< HEAD\nname = 'a'\n=======\n", 1},
}

func TestMalformedTOML(t *testing.T) {
	if len(malformedTOML) < 40 {
		t.Errorf("only %d cases", len(malformedTOML))
	}
	for name, c := range malformedTOML {
		for _, file := range []string{"SKILL.toml", "manifest.toml"} {
			t.Run(name+" in "+file, func(t *testing.T) {
				res := newParser(t).Parse("folder", files(file, c.text, "SKILL.md", markdown("name: folder", "description: d")))
				if !res.Usable || res.Skill.Format != "SKILL.md" || res.Skill.Name != "folder" || len(res.Skill.Manifests) != 1 {
					t.Errorf("the next manifest is not used: %+v", res.Skill)
				}
				var lines []int
				for _, d := range res.Diagnostics {
					if d.Code == skill.TOMLInvalid && d.File == file {
						lines = append(lines, d.Line)
					}
				}
				if diff := cmp.Diff([]int{c.line}, lines); diff != "" {
					t.Errorf("lines: %s\n%v", diff, res.Diagnostics)
				}
			})
		}
	}
}

// A broken file that may hold requirements gates the skill.
func TestBrokenTOMLDoesNotOpenGates(t *testing.T) {
	for broken, want := range map[string][2]bool{ // unreadable, model disabled
		"name = \n[requires]\nbins = ['x']\n":               {true, false},
		"name = \nos = ['linux']\n":                         {true, false},
		"name = \n[metadata.openclaw]\n":                    {true, false},
		"name = \nx = { requires = {} }\n":                  {true, false},
		"name = \n\"requires\" = {}\n":                      {true, false},
		"name = \nREQUIRES = {}\n":                          {true, false},
		"name = \nopenclaw = {}\n":                          {true, false},
		"name = \npermissions = ['x']\n":                    {true, false},
		"name = \ndisallowed_tools = 'x'\n":                 {true, false},
		"name = \ndisable-model-invocation = true":          {false, true},
		"name = \ndisable_model_invocation = true":          {false, true},
		"name = \ndescription = 'runs on mac os or linux'":  {false, false},
		"name = \ndescription = 'what it requires, if any'": {false, false},
		"name = \nmacos = 1\nrequires_nothing = 1":          {false, false},
		"name = \xff": {true, false},
		"name = \x00": {true, false},
	} {
		res := newParser(t).Parse("folder", files("SKILL.toml", broken, "SKILL.md", markdown("name: folder", "description: d")))
		if got := [2]bool{res.Skill.Requires.Unreadable, res.Skill.Invocation.ModelDisabled}; got != want {
			t.Errorf("%q: %v, want %v", broken, got, want)
		}
		if want[0] {
			wantDiagnostic(t, res, skill.MetadataUnreadable, "SKILL.toml:1:", "may state requirements")
		}
	}
}

func TestTOMLBeyondLimits(t *testing.T) {
	p := newParser(t, func(r *Rules) { r.Limits.Nodes = 20 })
	res := p.Parse("folder", files("SKILL.toml", "a = ["+strings.Repeat("1,", 50)+"]\nrequires = 1", "SKILL.md", "Do it."))
	wantDiagnostic(t, res, skill.FrontmatterTooDeep, "SKILL.toml")
	if !res.Usable || !res.Skill.Requires.Unreadable {
		t.Errorf("usable %v, unreadable %v", res.Usable, res.Skill.Requires.Unreadable)
	}
}

func TestTooLargeManifestGates(t *testing.T) {
	p := newParser(t, func(r *Rules) { r.Limits.FileBytes = 100 })
	res := p.Parse("folder", files("SKILL.toml", strings.Repeat("#", 101), "SKILL.md", "Do it."))
	wantDiagnostic(t, res, skill.FileTooLarge, "101 bytes", "limit is 100")
	if !res.Usable || !res.Skill.Requires.Unreadable {
		t.Errorf("usable %v, unreadable %v", res.Usable, res.Skill.Requires.Unreadable)
	}
}
