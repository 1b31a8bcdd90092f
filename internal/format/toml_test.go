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
		"name='a'\nkind='Shell'\ncommand='ls'\ndescription='d'\nargs={path='where', all={description='x', dash=true}}": {
			tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls", Description: text("d"),
				Args: []skill.ToolArg{{Name: "path", Description: text("where")}, {Name: "all", Description: text("x"), Dash: true}}}},
		"name='a'\nkind='shell'\ncommand='ls'\nargs=[{name='p', description='d', dash=true}, 'q']": {
			tool: skill.ToolDecl{Name: "a", Kind: "shell", Command: "ls",
				Args: []skill.ToolArg{{Name: "p", Description: text("d"), Dash: true}, {Name: "q"}}}},
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
