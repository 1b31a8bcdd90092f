package format

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

func TestMergeFields(t *testing.T) {
	res := newParser(t).Parse("folder", files(
		"SKILL.md", `---
name: from-md
description: md
version: "1"
author: md
category: md
tags: [md]
user-invocable: false
disable-model-invocation: true
disallowed-tools: Bash
activation: {keywords: [md], tags: [md], max_context_tokens: 10}
zzzzzz: 1
metadata: {openclaw: {emoji: m, primaryEnv: M, requires: {bins: [md, both], env: [MD]}}}
---
Body.
`,
		"manifest.toml", "[skill]\nname='from-manifest'\nversion='2'\nauthor='manifest'\nrequires={bins=['manifest']}\n",
		"SKILL.toml", `name='from-toml'
version='3'
user_invocable=true
disable_model_invocation=false
disallowed_tools='WebFetch'
yyyyyy=1
[activation]
keywords=['toml']
[requires]
bins=['toml', 'both']
env=['TOML']
[[prompts]]
content='Prompt.'
`))
	text := skill.NewText
	want := skill.Skill{
		Name: "from-toml", Slug: "folder", Description: text("md"), Version: "3", Author: "manifest", Category: "md", Emoji: "m",
		Tags: []string{"md"}, DisallowedTools: []string{"WebFetch", "Bash"},
		Invocation: skill.Invocation{ModelDisabled: true},
		Activation: skill.Activation{Keywords: []string{"toml"}, Tags: []string{"md"}, MaxContextTokens: 10},
		Requires:   skill.Requirements{Bins: []string{"toml", "both", "manifest", "md"}, Env: []string{"TOML", "MD"}, PrimaryEnv: "M"},
		Extra: []skill.Field{
			{Key: "yyyyyy", Value: text("1"), File: "SKILL.toml", Line: 6},
			{Key: "zzzzzz", Value: text("1"), File: "SKILL.md", Line: 12},
		},
		Format:  "SKILL.toml+manifest.toml+SKILL.md",
		Prompts: []skill.Text{text("Prompt.")}, Body: text("Body.\n"),
		Tokens: text("Prompt.").Tokens() + text("Body.\n").Tokens(),
	}
	got := res.Skill
	got.Manifests = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var conflicts []string
	for _, d := range res.Diagnostics {
		if d.Code == skill.ManifestConflict {
			conflicts = append(conflicts, d.File+" "+d.Message)
		}
	}
	if diff := cmp.Diff([]string{
		`SKILL.md name "from-md" is ignored: SKILL.toml:1 says "from-toml"`,
		`SKILL.md version "1" is ignored: SKILL.toml:2 says "3"`,
		`manifest.toml name "from-manifest" is ignored: SKILL.toml:1 says "from-toml"`,
		`manifest.toml version "2" is ignored: SKILL.toml:2 says "3"`,
	}, conflicts); diff != "" {
		t.Error(diff)
	}
}

func TestAlwaysDoesNotReachOtherManifests(t *testing.T) {
	for name, c := range map[string]struct {
		toml, md string
		always   bool
	}{
		"alone":                     {"always=true\nrequires={bins=['a']}", "name: folder", true},
		"both":                      {"always=true\nrequires={bins=['a']}", "metadata: {openclaw: {always: true, requires: {bins: [b]}}}", true},
		"the other requires":        {"always=true\nrequires={bins=['a']}", "metadata: {openclaw: {requires: {bins: [b]}}}", false},
		"the other requires alone":  {"always=true", "metadata: {openclaw: {requires: {env: [B]}}}", false},
		"the other has only os":     {"always=true", "metadata: {openclaw: {os: [linux]}}", true},
		"the lesser one, no demand": {"name='folder'", "metadata: {openclaw: {always: true, requires: {bins: [b]}}}", true},
	} {
		res := newParser(t).Parse("folder", files("SKILL.toml", c.toml, "SKILL.md", markdown("description: d", c.md)))
		if res.Skill.Requires.Always != c.always {
			t.Errorf("%s: always = %v", name, res.Skill.Requires.Always)
		}
	}
}

// Joining two sets of requirements lets pass only what each would let pass.
func TestJoiningNeverOpensAGate(t *testing.T) {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3)
	systems := rapid.SliceOfN(rapid.SampledFrom([]string{"darwin", "macOS", "linux", "win32", "windows"}), 0, 3)
	draw := rapid.Custom(func(t *rapid.T) skill.Requirements {
		return skill.Requirements{
			OS: systems.Draw(t, "os"), Bins: names.Draw(t, "bins"), AnyBins: names.Draw(t, "anyBins"),
			Env: names.Draw(t, "env"), Config: names.Draw(t, "config"), Always: rapid.Bool().Draw(t, "always"),
			Unreadable: rapid.IntRange(0, 9).Draw(t, "unreadable") == 0,
		}
	})
	passes := func(q *skill.Requirements, os string, have []string) bool {
		has := func(name string) bool { return slices.Contains(have, name) }
		all := func(list []string) bool { return !slices.ContainsFunc(list, func(s string) bool { return !has(s) }) }
		if q.Unreadable || len(q.OS) > 0 && !slices.ContainsFunc(q.OS, func(s string) bool { return systemKey(s) == os }) {
			return false
		}
		return q.Always || all(q.Bins) && all(q.Env) && all(q.Config) && (len(q.AnyBins) == 0 || slices.ContainsFunc(q.AnyBins, has))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		os := rapid.SampledFrom([]string{"darwin", "linux", "windows"}).Draw(t, "this system")
		have := names.Draw(t, "here")
		wanted := passes(&a, os, have) && passes(&b, os, have)
		r := &reading{parser: &Parser{}}
		first, second := a, b
		r.require(&first, 1)
		r.require(&second, 1)
		joined := r.skill().Requires
		if got := passes(&joined, os, have); got && !wanted {
			t.Fatalf("%+v and %+v become %+v, which passes", a, b, joined)
		} else if !got && wanted && !joined.Unreadable && a.Always == b.Always {
			t.Fatalf("%+v and %+v become %+v, which does not pass", a, b, joined)
		}
	})
}

func TestParseDoesNotTouchItsInput(t *testing.T) {
	text := markdown("name: folder", "description: d", "tags: [a, b]", `metadata: {"openclaw":{"requires":{"bins":["x"]}}}`)
	sources := files("SKILL.md", text, "SKILL.toml", "requires={bins=['y']}")
	newParser(t).Parse("folder", sources)
	if string(sources[0].Data) != text || sources[0].File != "SKILL.md" {
		t.Error("the sources have changed")
	}
	res := newParser(t).Parse("folder", sources)
	copy(sources[0].Data, strings.Repeat("z", len(text)))
	if res.Skill.Description.Raw() != "d" || strings.Join(res.Skill.Requires.Bins, " ") != "y x" {
		t.Error("the skill changes with the bytes it was read from")
	}
}
