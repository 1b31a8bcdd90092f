package format

import (
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/tree"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestRequirements(t *testing.T) {
	type want struct {
		skill.Requirements
		codes []skill.Code
	}
	requires := func(bins ...string) skill.Requirements { return skill.Requirements{Bins: bins} }
	for lines, want := range map[string]want{
		// Namespaces.
		"metadata: {openclaw: {requires: {bins: [a]}}}":                                   {requires("a"), nil},
		"metadata: {clawdbot: {requires: {bins: [a]}}}":                                   {requires("a"), nil},
		"metadata: {moltbot: {requires: {bins: [a]}}}":                                    {requires("a"), nil},
		"metadata: {clawdis: {requires: {bins: [a]}}}":                                    {requires("a"), nil},
		"metadata: {openclaw: false, clawdbot: {requires: {bins: [a]}}}":                  {requires("a"), []skill.Code{skill.ValueInvalid}},
		"metadata: {openclaw: null, clawdbot: {requires: {bins: [a]}}}":                   {requires("a"), nil},
		"metadata: {OpenClaw: {requires: {bins: [a]}}}":                                   {requires("a"), nil},
		"metadata: {other: {requires: {bins: [a]}}}":                                      {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable, skill.KeyIgnored}},
		"metadata: {clawdis: {requires: {bins: [a]}}, openclaw: {requires: {bins: [a]}}}": {requires("a"), nil},
		"metadata: {clawdis: {requires: {bins: [a]}}, openclaw: {requires: {bins: [b]}}}": {
			requires("b", "a"), []skill.Code{skill.ManifestConflict}},
		"metadata: {clawdis: {os: [linux]}, openclaw: {os: [darwin, linux]}}": {
			skill.Requirements{OS: []string{"linux"}}, []skill.Code{skill.ManifestConflict}},
		"metadata: {clawdis: {os: [macos]}, openclaw: {os: [darwin]}}": {skill.Requirements{OS: []string{"darwin"}}, nil},
		"metadata: {clawdis: {os: [linux]}, openclaw: {os: [darwin]}}": {
			skill.Requirements{OS: []string{"darwin"}, Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {clawdis: {primaryEnv: B, skillKey: b}, openclaw: {primaryEnv: A}}": {skill.Requirements{PrimaryEnv: "A"}, nil},

		// The keys of a namespace.
		"metadata: {openclaw: {always: true, requires: {bins: [a]}}}": {skill.Requirements{Always: true, Bins: []string{"a"}}, nil},
		"metadata: {openclaw: {always: 'true'}}":                      {skill.Requirements{}, []skill.Code{skill.ValueInvalid}},
		"metadata: {openclaw: {always: 1}}":                           {skill.Requirements{}, []skill.Code{skill.ValueInvalid}},
		"metadata: {openclaw: {skillKey: ' '}}":                       {skill.Requirements{}, nil},
		"metadata: {openclaw: {skill_key: k, primary_env: E}}":        {skill.Requirements{SkillKey: "k", PrimaryEnv: "E"}, nil},
		"metadata: {openclaw: {primaryEnv: [E]}}":                     {skill.Requirements{}, []skill.Code{skill.ValueInvalid}},
		"metadata: {openclaw: {os: 'darwin, Linux'}}":                 {skill.Requirements{OS: []string{"darwin", "Linux"}}, nil},
		"metadata: {openclaw: {os: {darwin: true}}}":                  {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {os: true}}":                            {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {require: {bins: [a]}}}":                {requires("a"), []skill.Code{skill.KeySpelling}},
		"metadata: {openclaw: {Requires: {bins: [a]}}}":               {requires("a"), []skill.Code{skill.KeySpelling}},
		"metadata: {openclaw: {cron: x}}":                             {skill.Requirements{}, []skill.Code{skill.KeyIgnored}},

		// The lists.
		"metadata: {openclaw: {requires: {bins: 'a, b'}}}":     {requires("a", "b"), nil},
		"metadata: {openclaw: {requires: {bins: a}}}":          {requires("a"), nil},
		"metadata: {openclaw: {requires: {bins: [7z, 7, ~]}}}": {requires("7z", "7"), nil},
		"metadata: {openclaw: {requires: {bins: []}}}":         {skill.Requirements{}, nil},
		"metadata: {openclaw: {requires: {bins: ''}}}":         {skill.Requirements{}, nil},
		"metadata: {openclaw: {requires: {}}}":                 {skill.Requirements{}, nil},
		"metadata: {openclaw: {requires: ~}}":                  {skill.Requirements{}, nil},
		"metadata: {openclaw: {requires: {any_bins: [a], anyBins: [a, b]}}}": {
			skill.Requirements{AnyBins: []string{"a"}}, nil},
		"metadata: {openclaw: {requires: {anyBins: [a, b], anybins: [c, d]}}}": {
			skill.Requirements{AnyBins: []string{"a", "b"}, Unreadable: true}, []skill.Code{skill.MetadataUnreadable, skill.KeySpelling}},
		"metadata: {openclaw: {requires: {env: [A, {name: B}, {name: C, required: false}, {name: D, optional: true}, {name: E, required: perhaps}]}}}": {
			skill.Requirements{Env: []string{"A", "B", "E"}}, nil},
		"metadata: {openclaw: {requires: {env: A, config: browser.enabled}}}": {
			skill.Requirements{Env: []string{"A"}, Config: []string{"browser.enabled"}}, nil},
		"metadata: {openclaw: {requires: {bin: a}}}":              {requires("a"), []skill.Code{skill.KeySpelling}},
		"metadata: {openclaw: {requires: {Bins: [a]}}}":           {requires("a"), []skill.Code{skill.KeySpelling}},
		"metadata: {openclaw: {requires: {os: linux}}}":           {skill.Requirements{OS: []string{"linux"}}, nil},
		"metadata: {openclaw: {requires: {pip: [x], skills: y}}}": {skill.Requirements{}, []skill.Code{skill.KeyIgnored}},
		"metadata: {openclaw: {requires: {bins: {a: b}}}}":        {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: {bins: [a, [b]]}}}":      {skill.Requirements{Bins: []string{"a"}, Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: {env: [{key: A}]}}}":     {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: {env: false}}}":          {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: [git, jq]}}":             {requires("git", "jq"), []skill.Code{skill.ValueInvalid}},
		"metadata: {openclaw: {requires: git}}":                   {requires("git"), []skill.Code{skill.ValueInvalid}},
		"metadata: {openclaw: {requires: [API_KEY]}}":             {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: [Python 3.8 or newer]}}": {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: true}}":                  {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: {requires: '{\"bins\": [\"a\"]}'}}": {requires("a"), nil},

		// Metadata as a text.
		`metadata: '{"openclaw":{"requires":{"bins":["a"]}}}'`:                  {requires("a"), nil},
		`metadata: "{openclaw: {requires: {bins: ['a',],},},}"`:                 {requires("a"), nil},
		"metadata: |\n  {\"openclaw\": {\"requires\": {\"bins\": [\"a\"]}}}":    {requires("a"), nil},
		"metadata: >\n  {\"openclaw\":\n  {\"requires\": {\"bins\": [\"a\"]}}}": {requires("a"), nil},
		"metadata: |\n  openclaw:\n    requires:\n      bins: [a]":              {requires("a"), nil},
		"metadata: see below":       {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: '{\"openclaw'":   {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: [a]":             {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: true":            {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: []":              {skill.Requirements{}, nil},
		"metadata:":                 {skill.Requirements{}, nil},
		"metadata: ''":              {skill.Requirements{}, nil},
		"metadata: {openclaw: [a]}": {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: 'requires: [unclosed'}": {skill.Requirements{Unreadable: true}, []skill.Code{skill.MetadataUnreadable}},
		"metadata: {openclaw: '1.0'}":                 {skill.Requirements{}, []skill.Code{skill.ValueInvalid}},

		// Gates where other hosts do not look.
		"requires: {bins: [a]}":                                                {requires("a"), []skill.Code{skill.KeyMisplaced}},
		"os: [linux]":                                                          {skill.Requirements{OS: []string{"linux"}}, []skill.Code{skill.KeyMisplaced}},
		"requires: [git]":                                                      {requires("git"), []skill.Code{skill.ValueInvalid, skill.KeyMisplaced}},
		"openclaw: {requires: {bins: [a]}}":                                    {requires("a"), []skill.Code{skill.KeyMisplaced}},
		"clawdis: {requires: {bins: [a]}}":                                     {requires("a"), []skill.Code{skill.KeyMisplaced}},
		"primaryEnv: A\nskillKey: b":                                           {skill.Requirements{PrimaryEnv: "A", SkillKey: "b"}, []skill.Code{skill.KeyMisplaced, skill.KeyMisplaced}},
		"metadata: {requires: {bins: [a]}, os: linux}":                         {skill.Requirements{Bins: []string{"a"}, OS: []string{"linux"}}, []skill.Code{skill.KeyMisplaced, skill.KeyMisplaced}},
		"env:\n  - name: A\n  - name: B\n    required: false":                  {skill.Requirements{Env: []string{"A"}}, []skill.Code{skill.KeyMisplaced}},
		"Requires: {bins: [a]}":                                                {requires("a"), []skill.Code{skill.KeySpelling, skill.KeyMisplaced}},
		"Metadata: {openclaw: {requires: {bins: [a]}}}":                        {requires("a"), []skill.Code{skill.KeySpelling}},
		"metdata: {openclaw: {requires: {bins: [a]}}}":                         {requires("a"), []skill.Code{skill.KeySpelling}},
		"requries: {bins: [a]}":                                                {requires("a"), []skill.Code{skill.KeySpelling, skill.KeyMisplaced}},
		"requires: {bins: [b]}\nRequires: {bins: [a]}":                         {requires("b", "a"), []skill.Code{skill.KeyMisplaced, skill.KeySpelling, skill.KeyMisplaced}},
		"metadata: {openclaw: {requires: {bins: [a]}}}\nrequires: {bins: [b]}": {requires("a", "b"), []skill.Code{skill.KeyMisplaced}},

		// always passes what is stated beside it, nothing else.
		"always: true\nrequires: {bins: [a]}": {
			skill.Requirements{Always: true, Bins: []string{"a"}}, []skill.Code{skill.KeyMisplaced, skill.KeyMisplaced}},
		"always: true\nmetadata: {openclaw: {requires: {bins: [a]}}}": {requires("a"), []skill.Code{skill.ValueInvalid, skill.KeyMisplaced}},
		"metadata: {openclaw: {always: true}, clawdis: {requires: {bins: [a]}}}": {
			requires("a"), []skill.Code{skill.ValueInvalid, skill.ManifestConflict}},
	} {
		t.Run(lines, func(t *testing.T) {
			res := parseMarkdown(t, strings.Split(lines, "\n")...)
			if diff := cmp.Diff(want.Requirements, res.Skill.Requires); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			wantCodes(t, res, want.codes...)
		})
	}
}

// A key written twice loses its first value, but not the gates in it.
func TestRepeatedGatesCount(t *testing.T) {
	for _, lines := range []string{
		"metadata: {openclaw: {requires: {bins: [a]}}}\nmetadata: {openclaw: {requires: {bins: [b]}}}",
		"metadata: {openclaw: {requires: {bins: [a]}, requires: {bins: [b]}}}",
		"metadata: {openclaw: {requires: {bins: [a], bins: [b]}}}",
		"metadata: {openclaw: {requires: {bins: [a]}}, openclaw: {requires: {bins: [b]}}}",
		"requires: {bins: [a]}\nrequires: {bins: [b]}",
	} {
		res := parseMarkdown(t, strings.Split(lines, "\n")...)
		if bins := strings.Join(res.Skill.Requires.Bins, " "); bins != "b a" && bins != "a b" && !res.Skill.Requires.Unreadable {
			t.Errorf("%s: bins = %s", lines, bins)
		}
	}
}

func TestMetadataOutranksTopLevel(t *testing.T) {
	res := parseMarkdown(t, "homepage: top", "emoji: t",
		"install: [{kind: brew, formula: top}]",
		"metadata: {openclaw: {homepage: inner, emoji: i, install: [{kind: brew, formula: inner}]}, emoji: flat}")
	s := res.Skill
	if s.Homepage != "inner" || s.Emoji != "i" || len(s.Installers) != 1 || s.Installers[0].Package != "inner" {
		t.Errorf("homepage %q, emoji %q, installers %v", s.Homepage, s.Emoji, s.Installers)
	}
}

func TestMetadataKeepsWhatItDoesNotKnow(t *testing.T) {
	res := parseMarkdown(t, "metadata: {openclaw: {cron: '* *', requires: {pip: [x]}}, 4claw: {a: 1}, api_base: https://x.example}")
	var keys []string
	for _, f := range res.Skill.Extra {
		keys = append(keys, f.Key+" = "+f.Value.Raw())
	}
	want := []string{`metadata.openclaw.cron = "* *"`, `metadata.openclaw.requires.pip = ["x"]`,
		`metadata.4claw = {"a": 1}`, `metadata.api_base = "https://x.example"`}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	wantCodes(t, res, skill.KeyIgnored, skill.KeyIgnored, skill.KeyIgnored, skill.KeyIgnored)
}

// Metadata in a text is placed in the file, so that its errors can be found.
func TestLinesOfMetadataInText(t *testing.T) {
	res := parseMarkdown(t, "metadata: |", "  {", `    "openclaw": {`, `      "cron": 1`, "    }", "  }")
	if d := res.Diagnostics[0]; d.Line != 7 {
		t.Errorf("%v, want line 7", d)
	}
}

// What the reader of the head could not read gates the skill, if it can gate.
func TestLostKeys(t *testing.T) {
	for key, want := range map[string][2]bool{ // unreadable, model disabled
		"metadata": {true, false}, "requires": {true, false}, "os": {true, false}, "clawdbot": {true, false},
		"Metadata": {true, false}, "permissions": {true, false}, "disallowed-tools": {true, false},
		"disable-model-invocation": {false, true}, "disable_model_invocation": {false, true},
		"description": {false, false}, "tags": {false, false}, "whatever": {false, false},
	} {
		p := newParser(t)
		p.readHead = func(*tree.Store, string, []byte, Limits) head {
			return head{body: "Do it.", unreadable: []lostKey{{key, 3}}}
		}
		res := p.Parse("folder", files("SKILL.md", "x"))
		if got := [2]bool{res.Skill.Requires.Unreadable, res.Skill.Invocation.ModelDisabled}; got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
		if want[0] {
			wantDiagnostic(t, res, skill.MetadataUnreadable, key)
			if at := slices.IndexFunc(res.Diagnostics, func(d skill.Diagnostic) bool { return d.Code == skill.MetadataUnreadable }); res.Diagnostics[at].Line != 3 {
				t.Errorf("%s: reported on line %d, not where it stands", key, res.Diagnostics[at].Line)
			}
		}
	}
}

func TestRequirementListsAreBounded(t *testing.T) {
	res := parseMarkdown(t, "metadata: {openclaw: {requires: {bins: ["+strings.Repeat("a,", maxRequirements+1)+"]}}}")
	if q := res.Skill.Requires; !q.Unreadable || len(q.Bins) != maxRequirements {
		t.Errorf("unreadable %v, %d programs", q.Unreadable, len(q.Bins))
	}
}
