package format

import (
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/tree"
)

// typicalMarkdown is a SKILL.md of 4 KB with what the median author writes.
var typicalMarkdown = []byte(`---
name: gemini
description: Use Gemini CLI for coding assistance and Google search lookups.
version: 1.0.0
homepage: https://example.com
author: Ann
tags: [search, coding, assistant]
metadata: {"clawdbot":{"emoji":"♊️","requires":{"bins":["gemini"],"env":["GEMINI_API_KEY"]},"primaryEnv":"GEMINI_API_KEY","install":[{"id":"brew","kind":"brew","formula":"gemini-cli","bins":["gemini"],"label":"Install Gemini CLI (brew)"}]}}
---

# Gemini

` + strings.Repeat("Ask one question at a time and read the answer.\n", 75))

func BenchmarkParse(b *testing.B) {
	sources := []Source{{File: "SKILL.md", Data: typicalMarkdown}}
	p := newParser(b)
	b.Run("file", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Parse("gemini", sources)
		}
	})
	h := readYAMLHead(&tree.Store{}, "SKILL.md", typicalMarkdown, p.rules.Limits)
	p.readHead = func(*tree.Store, string, []byte, Limits) head { return h }
	b.Run("afterhead", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Parse("gemini", sources)
		}
	})
	b.Run("digest", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			contentSum(typicalMarkdown)
		}
	})
}

func BenchmarkSkillTOML(b *testing.B) {
	sources := files("SKILL.toml", fuzzTOML[5])
	p := newParser(b)
	b.ReportAllocs()
	for b.Loop() {
		p.Parse("folder", sources)
	}
}
