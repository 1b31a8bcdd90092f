package format

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestFrontmatterFields(t *testing.T) {
	text := skill.NewText
	for lines, want := range map[string]skill.Skill{
		"version: 1.0":                        {Version: "1.0"},
		"version: 2025-10-20":                 {Version: "2025-10-20"},
		"author: Ann":                         {Author: "Ann"},
		"author: {name: Ann, url: x}":         {Author: "Ann"},
		"author: [Ann, {name: Bo}]":           {Author: "Ann, Bo"},
		"authors: [Ann, Bo]":                  {Author: "Ann, Bo"},
		"category: coding":                    {Category: "coding"},
		"license: MIT":                        {License: "MIT"},
		"licence: MIT":                        {License: "MIT"},
		"homepage: https://a.example":         {Homepage: "https://a.example"},
		"website: https://a.example":          {Homepage: "https://a.example"},
		"url: https://a.example":              {Homepage: "https://a.example"},
		"homepage:":                           {},
		"emoji: 🔧":                            {Emoji: "🔧"},
		"tags: [one, 'two three', 4, yes]":    {Tags: []string{"one", "two three", "4", "yes"}},
		"tags: one, two three ,,4":            {Tags: []string{"one", "two three", "4"}},
		"tags: []":                            {},
		"tags: [a, ~, '', b]":                 {Tags: []string{"a", "b"}},
		"triggers:\n  - Note: this\n  - that": {Triggers: []string{"Note: this", "that"}},
		"permissions: [file_read, git]":       {Permissions: []string{"file_read", "git"}},
		"permissions: file_read, git":         {Permissions: []string{"file_read", "git"}},
		"compatibility: Needs jq":             {Compatibility: text("Needs jq")},
		"compatibility: [macOS, Linux]":       {Compatibility: text("macOS, Linux")},
		"compatibility: [{os: mac, min: 1}]":  {Compatibility: text("{os: mac, min: 1}")},

		"allowed-tools: Read Bash(git add *) Write":      {AllowedTools: []string{"Read", "Bash(git add *)", "Write"}},
		"allowed_tools: Bash(a:*), Bash(b, c),Read":      {AllowedTools: []string{"Bash(a:*)", "Bash(b, c)", "Read"}},
		"allowed-tools: [Bash(git *), Web Search, Read]": {AllowedTools: []string{"Bash(git *)", "Web Search", "Read"}},
		"allowed-tools: Bash(git":                        {AllowedTools: []string{"Bash(git"}},
		"allowed-tools: a) b":                            {AllowedTools: []string{"a)", "b"}},
		"disallowed-tools: Bash(rm *) WebFetch":          {DisallowedTools: []string{"Bash(rm *)", "WebFetch"}},

		"argument-hint: <file> [options]": {Invocation: skill.Invocation{ArgumentHint: text("<file> [options]")}},
		"argument-hint: [issue-number]":   {Invocation: skill.Invocation{ArgumentHint: text("[issue-number]")}},
		"argument-hint: [a, [b], {c: d}]": {Invocation: skill.Invocation{ArgumentHint: text("[a, [b], {c: d}]")}},
		"argument_hint: '[file]'":         {Invocation: skill.Invocation{ArgumentHint: text("[file]")}},
		"user-invocable: false":           {Invocation: skill.Invocation{UserDisabled: true}},
		"user_invocable: NO":              {Invocation: skill.Invocation{UserDisabled: true}},
		"user-invocable: 'off'":           {Invocation: skill.Invocation{UserDisabled: true}},
		"user-invocable: 0":               {Invocation: skill.Invocation{UserDisabled: true}},
		"user-invocable: yes":             {},
		"disable-model-invocation: true":  {Invocation: skill.Invocation{ModelDisabled: true}},
		"disable_model_invocation: 'On'":  {Invocation: skill.Invocation{ModelDisabled: true}},
		"disable-model-invocation: 1":     {Invocation: skill.Invocation{ModelDisabled: true}},
		"disable-model-invocation: false": {},

		"command-dispatch: Tool\ncommand-tool: exec": {Dispatch: skill.Dispatch{Kind: "tool", Tool: "exec", ArgMode: "raw"}},
		"command_dispatch: tool\ncommand_tool: exec\ncommand_arg_mode: raw": {
			Dispatch: skill.Dispatch{Kind: "tool", Tool: "exec", ArgMode: "raw"}},

		"keywords: seo, growth": {Activation: skill.Activation{Keywords: []string{"seo", "growth"}}},
		"activation: {keywords: [seo]}\nkeywords: [growth, seo]": {
			Activation: skill.Activation{Keywords: []string{"seo", "growth"}}},
		"activation: {keywords: seo, exclude_keywords: [ads], patterns: 'a{1,2}', tags: x1, max_context_tokens: 2_000}": {
			Activation: skill.Activation{Keywords: []string{"seo"}, ExcludeKeywords: []string{"ads"},
				Patterns: []string{"a{1,2}"}, Tags: []string{"x1"}, MaxContextTokens: 2000}},

		// The standard's flat metadata.
		"metadata: {author: Ann, version: '1.0', category: c, tags: [x], homepage: h, emoji: e, license: MIT}": {
			Author: "Ann", Version: "1.0", Category: "c", Tags: []string{"x"}, Homepage: "h", Emoji: "e", License: "MIT"},
		"version: '2'\nmetadata: {version: '1'}": {Version: "2"},
	} {
		t.Run(lines, func(t *testing.T) {
			res := parseMarkdown(t, strings.Split(lines, "\n")...)
			want.Name, want.Slug, want.Description = "folder", "folder", text("what it does")
			if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			wantCodes(t, res)
		})
	}
}

func TestWrongValuesHaveNoEffect(t *testing.T) {
	for lines, want := range map[string]struct {
		code skill.Code
		says string
	}{
		"version: [1]":                           {skill.ValueInvalid, "SKILL.md:4: warning: version is a list; it has no effect"},
		"author: {}":                             {skill.ValueInvalid, "author is a map"},
		"author: [[x]]":                          {skill.ValueInvalid, "author is a list"},
		"tags: {a: b}":                           {skill.ValueInvalid, "tags is a map"},
		"tags: [[a]]":                            {skill.ValueInvalid, "tags has items that are no texts"},
		"allowed-tools: {a: b}":                  {skill.ValueInvalid, "allowed-tools is a map"},
		"user-invocable: perhaps":                {skill.ValueInvalid, `user-invocable is "perhaps"`},
		"user-invocable: [false]":                {skill.ValueInvalid, "user-invocable is a list"},
		"activation: always":                     {skill.ValueInvalid, `activation is "always"`},
		"activation: {max_context_tokens: many}": {skill.ValueInvalid, "activation.max_context_tokens"},
		"activation: {max_context_tokens: -1}":   {skill.ValueInvalid, "activation.max_context_tokens"},
		"activation: {max_context_tokens: 99999999999999999999}": {skill.ValueInvalid, "activation.max_context_tokens"},
		"activation: {setup_marker: x}":                          {skill.KeyIgnored, "activation.setup_marker has no effect"},
		"command-dispatch: shell":                                {skill.ValueInvalid, `command-dispatch is "shell"`},
		"command-dispatch: tool":                                 {skill.ValueInvalid, "command-dispatch has no effect: no tool is named"},
		"command-tool: exec":                                     {skill.KeyIgnored, "command-tool has no effect without command-dispatch"},
		"command-arg-mode: json":                                 {skill.ValueInvalid, `command-arg-mode is "json"`},
		"licence: MIT\nlicense: BSD":                             {skill.KeyIgnored, "licence has no effect beside license"},
		"homepage: a\nurl: b":                                    {skill.KeyIgnored, "url has no effect beside homepage"},
	} {
		t.Run(lines, func(t *testing.T) {
			res := parseMarkdown(t, strings.Split(lines, "\n")...)
			if got := found(res); len(got) != 1 {
				t.Errorf("diagnostics %v", res.Diagnostics)
			}
			wantDiagnostic(t, res, want.code, want.says)
			if res.Skill.Requires.Unreadable || res.Skill.Invocation.UserDisabled || res.Skill.Dispatch != (skill.Dispatch{}) {
				t.Errorf("it has an effect: %+v", res.Skill)
			}
		})
	}
	if res := parseMarkdown(t, "licence: MIT", "license: BSD"); res.Skill.License != "BSD" {
		t.Errorf("license = %q, the usual spelling says BSD", res.Skill.License)
	}
}

// What restricts must not be lost for being unreadable.
func TestUnreadableRestrictionsRestrict(t *testing.T) {
	for _, value := range []string{"maybe", "[]", "{a: b}", "[true]", "2"} {
		res := parseMarkdown(t, "disable-model-invocation: "+value)
		if !res.Skill.Invocation.ModelDisabled {
			t.Errorf("%s lets the model call it", value)
		}
		wantDiagnostic(t, res, skill.ValueInvalid, "counts as true")
	}
	for _, line := range []string{"permissions: {read: true}", "permissions: [[a]]", "disallowed-tools: {a: b}", "disallowed-tools: [[a]]",
		"disallowed-tools: true", "disallowed-tools: Bash(rm WebFetch", "disallowed-tools: [Bash(rm, mv), WebFetch]",
		"disallowed-tools: " + strings.Repeat("Bash ", maxRequirements) + "WebFetch",
		"disallowed-tools: [" + strings.Repeat("Bash, ", maxRequirements) + "WebFetch]"} {
		res := parseMarkdown(t, line)
		if !res.Skill.Requires.Unreadable {
			t.Errorf("%.60s is taken for no restriction", line)
		}
		wantDiagnostic(t, res, skill.MetadataUnreadable, line[:strings.Index(line, ":")])
	}
}

func TestDescriptionFallsBack(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		codes      []skill.Code
	}{
		"declared":       {"---\nname: folder\ndescription: |\n  one\n  two\n---\nBody.", "one\ntwo", nil},
		"summary":        {"---\nname: folder\nsummary: short\n---\nBody.", "short", nil},
		"both":           {"---\nname: folder\nsummary: short\ndescription: long\n---\nBody.", "long", []skill.Code{skill.KeyIgnored}},
		"blank, summary": {"---\nname: folder\ndescription: ''\nsummary: short\n---\nBody.", "short", nil},
		"prose":          {"---\nname: folder\n---\n# Title\n\nFirst line.\n", "First line.", []skill.Code{skill.DescriptionMissing}},
		"wrong shape":    {"---\nname: folder\ndescription: [a, b]\n---\nBody.", "Body.", []skill.Code{skill.DescriptionMissing, skill.ValueInvalid}},
	} {
		res := newParser(t).Parse("folder", files("SKILL.md", c.text))
		if got := res.Skill.Description.Raw(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		wantCodes(t, res, c.codes...)
	}
}

func TestIdentity(t *testing.T) {
	for name, c := range map[string]struct {
		declared, want string
		codes          []skill.Code
	}{
		"equal":          {"folder", "folder", nil},
		"missing":        {"", "folder", []skill.Code{skill.NameMissing}},
		"null":           {"~", "folder", []skill.Code{skill.NameMissing}},
		"differs":        {"other", "other", nil},
		"spaces":         {`"  My \t great\n skill "`, "My great skill", []skill.Code{skill.NameInvalid}},
		"controls":       {`"fol\u0007d\u202Eer"`, "folder", nil},
		"only controls":  {`"\u0007\u200B"`, "folder", []skill.Code{skill.NameMissing}},
		"number":         {"42", "42", nil},
		"list":           {"[a]", "folder", []skill.Code{skill.NameMissing, skill.ValueInvalid}},
		"leading hyphen": {"-x", "-x", []skill.Code{skill.NameInvalid}},
		"long":           {strings.Repeat("a", 65), strings.Repeat("a", 65), []skill.Code{skill.NameInvalid}},
		"not ASCII":      {"审核", "审核", []skill.Code{skill.NameInvalid}},
	} {
		t.Run(name, func(t *testing.T) {
			res := newParser(t).Parse("folder", files("SKILL.md", markdown("name: "+c.declared, "description: d")))
			if res.Skill.Name != c.want || res.Skill.Slug != "folder" {
				t.Errorf("name %q, slug %q, want name %q", res.Skill.Name, res.Skill.Slug, c.want)
			}
			wantCodes(t, res, c.codes...)
		})
	}
}

func TestDefaultVersion(t *testing.T) {
	p := newParser(t, func(r *Rules) { r.DefaultVersion = "0.0.0" })
	if res := p.Parse("x", files("SKILL.md", "Do it.")); res.Skill.Version != "0.0.0" {
		t.Errorf("version %q", res.Skill.Version)
	}
	if res := p.Parse("x", files("SKILL.md", markdown("version: 3"))); res.Skill.Version != "3" {
		t.Errorf("version %q", res.Skill.Version)
	}
}

func TestUnknownKeys(t *testing.T) {
	for line, want := range map[string]struct {
		code skill.Code
		says string
	}{
		"descripton: x":    {skill.KeyUnknown, "did you mean description?"},
		"allowed_tool: x":  {skill.KeyUnknown, "did you mean allowed-tools?"},
		"homepgae: x":      {skill.KeyUnknown, "did you mean homepage?"},
		"frobnicate: x":    {skill.KeyUnknown, "frobnicate"},
		"model: opus":      {skill.KeyIgnored, "model has no effect"},
		"hooks: {a: b}":    {skill.KeyIgnored, "hooks has no effect"},
		"when_to_use: x":   {skill.KeyIgnored, "when_to_use has no effect"},
		"displayName: x":   {skill.KeyIgnored, "displayName has no effect"},
		"tools: [a, b]":    {skill.KeyIgnored, "only SKILL.toml declares tools"},
		"prompts: [a]":     {skill.KeyIgnored, "only SKILL.toml declares prompts"},
		"env: {A: b}":      {skill.KeyIgnored, "a requirement belongs into metadata.openclaw.requires"},
		"credentials: [x]": {skill.KeyIgnored, "credentials has no effect"},
	} {
		t.Run(line, func(t *testing.T) {
			res := parseMarkdown(t, line)
			wantDiagnostic(t, res, want.code, want.says)
			if len(res.Diagnostics) != 1 || len(res.Skill.Extra) != 1 {
				t.Fatalf("diagnostics %v, extra %v", res.Diagnostics, res.Skill.Extra)
			}
			if extra := res.Skill.Extra[0]; extra.File != "SKILL.md" || extra.Line != 4 || extra.Value.IsZero() {
				t.Errorf("extra = %+v", extra)
			}
		})
	}
}

// A key is a stranger's text too: nothing in it may reach a terminal.
func TestKeysAreShownSafely(t *testing.T) {
	res := parseTOML(t, "prompts=['p']\n\"a\\u001b[2Jb\" = 1\n[activation]\n\"\\u0007\" = 1\n\""+strings.Repeat("x", 200)+"\" = 1\n")
	for _, d := range res.Diagnostics {
		if strings.ContainsFunc(d.Message+d.Hint, unicode.IsControl) || len(d.Message) > 150 {
			t.Errorf("%q", d.Message)
		}
	}
	wantDiagnostic(t, res, skill.KeyUnknown, `"a\x1b[2Jb" is no known key`)
	if extra := res.Skill.Extra; len(extra) != 3 || extra[0].Key != "a\x1b[2Jb" || extra[1].Key != "activation.\a" {
		t.Errorf("extra = %+v", extra)
	}
}

func TestLetterCaseOfKeys(t *testing.T) {
	p := newParser(t)
	res := p.Parse("folder", files("SKILL.md", markdown("Name: folder", "Description: d", "allowedTools: Read")))
	if s := res.Skill; s.Name != "folder" || s.Description.Raw() != "d" || len(s.AllowedTools) != 1 {
		t.Errorf("skill = %+v", s)
	}
	wantCodes(t, res, skill.KeySpelling, skill.KeySpelling, skill.KeySpelling)
	wantDiagnostic(t, res, skill.KeySpelling, "Name is read as name")

	res = p.Parse("folder", files("SKILL.md", markdown("Name: other", "name: folder", "description: d")))
	if res.Skill.Name != "folder" {
		t.Errorf("name = %q although the right key is there", res.Skill.Name)
	}
	wantCodes(t, res, skill.KeyUnknown)
	wantDiagnostic(t, res, skill.KeyUnknown, "Name has no effect beside name")
}

func TestRemarksAreBounded(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("zzzzzzzz%d: 1", i))
	}
	res := parseMarkdown(t, append(lines, "metadata: [no]")...)
	if n := len(res.Diagnostics); n > maxRemarks+3 {
		t.Errorf("%d diagnostics", n)
	}
	wantDiagnostic(t, res, skill.LimitExceeded, "further remarks about this file were left out")
	wantDiagnostic(t, res, skill.MetadataUnreadable)
	if n := len(res.Skill.Extra); n != 500 {
		t.Errorf("%d keys kept", n)
	}
}
