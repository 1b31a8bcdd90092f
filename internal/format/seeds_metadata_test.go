package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestDocumentedOneLineMetadata(t *testing.T) {
	res := newParser(t).Parse("nano-banana-pro", files("SKILL.md", `---
name: nano-banana-pro
description: Generate or edit images via Gemini 3 Pro Image
homepage: https://example.com/nano
metadata: {"clawdis":{"requires":{"bins":["uv"],"env":["GEMINI_API_KEY"],"config":["browser.enabled"]},"primaryEnv":"GEMINI_API_KEY"}}
---
Use {baseDir}.
`))
	want := skill.Skill{
		Name: "nano-banana-pro", Slug: "nano-banana-pro", Homepage: "https://example.com/nano",
		Description: skill.NewText("Generate or edit images via Gemini 3 Pro Image"),
		Requires: skill.Requirements{Bins: []string{"uv"}, Env: []string{"GEMINI_API_KEY"},
			Config: []string{"browser.enabled"}, PrimaryEnv: "GEMINI_API_KEY"},
	}
	if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCodes(t, res)

	res = newParser(t).Parse("gemini", files("SKILL.md", `---
name: gemini
description: Use Gemini CLI for coding assistance and Google search lookups.
metadata: {"clawdis":{"always":true,"skillKey":"gem","homepage":"https://example.com","os":["darwin","linux"],"emoji":"♊️","requires":{"bins":["gemini"]},"install":[{"id":"brew","kind":"brew","formula":"gemini-cli","bins":["gemini"],"label":"Install Gemini CLI (brew)"}]}}
---
Ask it.
`))
	want = skill.Skill{
		Name: "gemini", Slug: "gemini", Emoji: "♊️", Homepage: "https://example.com",
		Description: skill.NewText("Use Gemini CLI for coding assistance and Google search lookups."),
		Requires:    skill.Requirements{Bins: []string{"gemini"}, OS: []string{"darwin", "linux"}, Always: true, SkillKey: "gem"},
		Installers: []skill.InstallSpec{{ID: "brew", Kind: "brew", Package: "gemini-cli", Bins: []string{"gemini"},
			Label: skill.NewText("Install Gemini CLI (brew)")}},
	}
	if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCodes(t, res)
}

func TestDocumentedBlockMetadata(t *testing.T) {
	res := newParser(t).Parse("my-skill", files("SKILL.md", `---
name: my-skill
description: A brief description of what this skill does
user-invocable: true
command-dispatch: tool
command-tool: exec
command-arg-mode: raw
metadata:
  openclaw:
    primaryEnv: MY_API_KEY
    emoji: "🔧"
    homepage: https://example.com
    os:
      - darwin
      - linux
    requires:
      bins:
        - my-binary
      anyBins:
        - alt-binary-a
        - alt-binary-b
      env:
        - MY_API_KEY
      config:
        - browser.enabled
    install:
      - kind: brew
        formula: my-tool
        bins:
          - my-binary
      - kind: node
        package: my-npm-package
        bins:
          - my-binary
---

# My Skill

Instructions for the agent on how to use this skill...
`))
	want := skill.Skill{
		Name: "my-skill", Slug: "my-skill", Emoji: "🔧", Homepage: "https://example.com",
		Description: skill.NewText("A brief description of what this skill does"),
		Dispatch:    skill.Dispatch{Kind: "tool", Tool: "exec", ArgMode: "raw"},
		Requires: skill.Requirements{
			OS: []string{"darwin", "linux"}, Bins: []string{"my-binary"}, AnyBins: []string{"alt-binary-a", "alt-binary-b"},
			Env: []string{"MY_API_KEY"}, Config: []string{"browser.enabled"}, PrimaryEnv: "MY_API_KEY",
		},
		Installers: []skill.InstallSpec{
			{ID: "brew-0", Kind: "brew", Package: "my-tool", Bins: []string{"my-binary"}},
			{ID: "node-1", Kind: "node", Package: "my-npm-package", Bins: []string{"my-binary"}},
		},
	}
	if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCodes(t, res)
}
