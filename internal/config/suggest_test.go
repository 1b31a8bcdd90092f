package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/tree"
)

func TestCheckKey(t *testing.T) {
	for key, want := range map[string]string{
		"host":                            "",
		"skills.entries.x.env.A":          "",
		"skills.entries.x.config.a.b.c":   "",
		"skills.load.extraDirs":           "",
		"browser.enabled":                 "",
		"tag":                             "",
		"hots":                            "hots is no key of knack; did you mean host?",
		"skill.entries.x.enabled":         "skill.entries.x.enabled is no key of knack; did you mean skills.entries.x.enabled?",
		"skills.entrys.a b.enabled":       `skills.entrys."a b".enabled is no key of knack; did you mean skills.entries."a b".enabled?`,
		"skills.entries.x.apikey":         "skills.entries.x.apikey is no key of knack; did you mean skills.entries.x.api_key?",
		"skills.extradirs":                "skills.extradirs is no key of knack; did you mean skills.extra_roots?",
		"skills.frobnicate":               "skills.frobnicate is no key of knack; knack config list shows the keys there are",
		"skills.enabled.x":                "skills.enabled.x is no key of knack; knack config list shows the keys there are",
		"log.level":                       "log.level is no key of knack; knack config list shows the keys there are",
		"skills.entries.x":                "skills.entries.x is a table; set one of the keys below it: api_key, config, enabled, env",
		"skills.entries.x.env":            "skills.entries.x.env is a table; set one of the keys below it: <NAME>",
		"skills":                          "skills is a table; set one of the keys below it: allow_bundled, dir, enabled, entries, excluded, extra_roots, install, installed_dir, limits, load, max_active, max_context_tokens, max_scan_depth, mode, open_skills_dir, open_skills_enabled, open_skills_ref, open_skills_url, regex_activation, skillforge_enabled, skillforge_min_score, skillforge_scan_interval_hours, tool_output_bytes, tool_timeout_seconds",
		strings.Repeat("skills", 100_000): "",
	} {
		path, err := ParseKey(key)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := checkKey(path); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.40s: (-want +got)\n%s", key, diff)
		}
	}
}

func TestUnlikeness(t *testing.T) {
	for _, c := range []struct {
		word, known string
		want        int
	}{
		{"host", "host", 0}, {"HOST", "host", 0}, {"api-key", "api_key", 0}, {"hots", "host", 1}, {"hosts", "host", 1},
		{"hst", "host", 1}, {"hats", "host", 1000}, {"dog", "log", 1}, {"tag", "log", 1000},
		{"exclude", "excluded", 1}, {"exlcudde", "excluded", 2}, {"", "log", 1000}, {"entry", "entries", 1000},
		{"entrys", "entries", 2},
	} {
		if got := unlikeness(c.word, c.known); got != c.want {
			t.Errorf("unlikeness(%q, %q) = %d, want %d", c.word, c.known, got, c.want)
		}
	}
}

// The table must be sound: sorted, each key found under each of its spellings,
// and each default of its type.
func TestTable(t *testing.T) {
	all := Keys()
	if !slices.IsSortedFunc(all, func(a, b KeyInfo) int { return strings.Compare(a.Key, b.Key) }) {
		t.Error("not sorted")
	}
	for i, k := range all {
		for spelling := range k.spellings() {
			path := strings.Split(spelling, ".")
			for j := range path {
				path[j] = strings.Trim(path[j], "<>")
			}
			found, canonical, how := lookup(path)
			want := strings.NewReplacer("<", "", ">", "").Replace(k.Key)
			if how != leaf || found != &keys[i] || FormatKey(canonical) != want {
				t.Errorf("%s: found %v as %v", spelling, found, canonical)
			}
		}
		if k.Means == "" || k.variable != "" && !k.single() {
			t.Errorf("%s: %+v", k.Key, k)
		}
		if k.Default == "" {
			continue
		}
		doc, err := tree.TOML([]byte("x = "+k.Default), limits)
		if err != nil {
			t.Errorf("%s: default: %v", k.Key, err)
			continue
		}
		written, problems := k.accept(doc.Get("x"))
		if problems != nil || format(written) != k.Default || format(k.defaultNode()) != k.Default {
			t.Errorf("%s: default %s is read as %s: %v", k.Key, k.Default, format(k.defaultNode()), problems)
		}
	}
}
