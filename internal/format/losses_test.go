package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestLosses(t *testing.T) {
	const skillMD = `---
name: x
description: |
  Two
  lines
version: 1.0
tags: [a, b]
triggers: [go]
activation: {keywords: [one, two, three]}
allowed-tools: Read
metadata: {openclaw: {os: [linux], emoji: "E", requires: {bins: [git], anyBins: [a, b]}}}
argument-hint: "[file]"
---
Body.
`
	few := strictRules()
	few.Limits.Keywords = 2
	for _, c := range []struct {
		name    string
		rules   Rules
		sources []Source
		want    []Loss
	}{
		{"strict", few, files("SKILL.md", skillMD), []Loss{
			{"emoji", "SKILL.md", 11, "not read"},
			{"tags", "SKILL.md", 7, "not read"},
			{"triggers", "SKILL.md", 8, "not read"},
			{"allowed-tools", "SKILL.md", 10, "not read"},
			{"activation.keywords", "SKILL.md", 9, "cut to 2"},
			{"os", "SKILL.md", 11, "not read"},
			{"requires.anyBins", "SKILL.md", 11, "not read"},
			{"argument-hint", "SKILL.md", 12, "not read"},
		}},
		{"lines", replacingRules(), files("SKILL.md", skillMD), []Loss{
			{"description", "SKILL.md", 3, `read as "|"`},
			{"emoji", "SKILL.md", 11, "not read"},
			{"triggers", "SKILL.md", 8, "not read"},
			{"allowed-tools", "SKILL.md", 10, "not read"},
			{"activation.keywords", "SKILL.md", 9, "not read"},
			{"os", "SKILL.md", 11, "not read"},
			{"requires.bins", "SKILL.md", 11, "not read"},
			{"requires.anyBins", "SKILL.md", 11, "not read"},
			{"argument-hint", "SKILL.md", 12, "not read"},
		}},
		{"replaced", replacingRules(), files("SKILL.toml", "name='x'\ndescription='d'\n[requires]\nbins=['a']\n[[tools]]\nname='t'\nkind='shell'\ncommand='c'", "SKILL.md", "Body."), []Loss{
			{"requires.bins", "SKILL.toml", 3, "not read"},
			{"body", "", 0, "not read"},
		}},
		{"dropped", strictRules(), files("SKILL.md", "---\nname: x\ndescription: d\n---\n"), []Loss{{"skill", "SKILL.md", 0, "dropped: Empty prompt"}}},
		{"refused", strictRules(), files("SKILL.md", "---\nname: x\ndescription: a: b\n---\nBody.\n"),
			[]Loss{{"skill", "SKILL.md", 3, "dropped: Invalid YAML: line 3: mapping values are not allowed in this context"}}},
		{"defaults stand in", strictRules(), files("SKILL.md", markdown("name: x", "description: d", "metadata: {version: 2}")),
			[]Loss{{"version", "SKILL.md", 4, "not read"}}},
		{"nothing", strictRules(), files("SKILL.md", markdown("name: x", "description: d")), nil},
		{"junk to everybody", strictRules(), files("SKILL.md", ""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newAs(t, c.rules)
			got := p.Losses("folder", c.sources)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(got, p.Losses("folder", c.sources)); diff != "" {
				t.Errorf("another order: %s", diff)
			}
		})
	}
	if got := newParser(t).Losses("folder", files("SKILL.md", skillMD)); got != nil {
		t.Errorf("the native parser loses %v", got)
	}
}

// Every field of a skill that a manifest can set is compared, so that none is
// lost in silence.
func TestLossesKnowEveryField(t *testing.T) {
	full := newParser(t).Parse("folder", files("SKILL.md", markdown(
		"name: x", "description: d", "version: 1", "author: a", "category: c", "license: l", "homepage: https://a.b", "emoji: e",
		"tags: [t]", "triggers: [t]", "compatibility: c", "permissions: [p]", "allowed-tools: A", "disallowed-tools: D",
		"activation: {keywords: [kk], exclude_keywords: [ee], patterns: [p], tags: [tt], max_context_tokens: 5}",
		"metadata: {openclaw: {os: [linux], requires: {bins: [a], anyBins: [b, c], env: [E], config: [f], skills: [s]}, always: true, skillKey: k, primaryEnv: P, install: [{kind: brew, formula: f}]}}",
		"user-invocable: false", "disable-model-invocation: true", "argument-hint: h", "command-dispatch: tool", "command-tool: t"),
		"SKILL.toml", "prompts=['p']\n[[tools]]\nname='t'\nkind='shell'\ncommand='c'\n[[install_recipes]]\nkind='brew'\nformula='f'\n"))
	var none skill.Skill
	var lost []string
	for _, c := range comparisons {
		if difference(c.value(&none), c.value(&full.Skill)) == NotRead {
			lost = append(lost, c.field)
		}
	}
	if len(lost) != len(comparisons) {
		t.Errorf("of %d fields only %s", len(comparisons), strings.Join(lost, ", "))
	}
}
