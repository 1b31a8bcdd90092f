package format

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// fuzzMarkdown, fuzzTOML and fuzzManifest start the fuzzers off.
var (
	fuzzMarkdown = []string{
		"", "Do it.", "---\nname: x\n---\n", "---\nname: [x\n---\nBody",
		"---\nname: x\ndescription: d\nmetadata: {\"openclaw\":{\"requires\":{\"bins\":[\"a\"],\"anyBins\":[\"b\",\"c\"],\"env\":\"E\"},\"os\":[\"linux\"],\"install\":[{\"kind\":\"brew\",\"formula\":\"f\"}]}}\n---\nBody",
		"---\nmetadata: |\n  openclaw: {requires: [git], always: true}\nos: darwin\nRequires: {bins: a}\n---\n# Title\n\n[Link](x) text\n",
		"---\nactivation: {keywords: [a, bb], patterns: ['(?i)x{1,9}', '('], max_context_tokens: 5}\nallowed-tools: Bash(a b), Read\ndisable-model-invocation: perhaps\n---\n",
		"\ufeff---\r\nname: x\r\n---\r\n<!-- a --> ![b](c)\r\n===\r\n",
	}
	fuzzTOML = []string{
		"", "name = 'x'", "name =", "requires = [", "[skill]\nname='x'\n[[tools]]\nname='a'\nkind='http'\nurl='https://e.com'\nargs={a='b'}\n",
		"prompts=['a']\nos=['macos']\nalways=true\n[requires]\nbins=['a']\nany_bins=['c','d']\n[[install_recipes]]\nkind='npm'\npackage='@a/b'\n",
		"[[prompts]]\ncontent='x'\n[metadata.clawdis]\nrequires={env=[{name='A',required=false}]}\n[[match]]\na=1\n",
	}
	fuzzManifest = []string{"", "[package]\nname='x'", "[skill]\nname='x'\npermissions=['git']\n[[tools]]\nname='a'\n", "[skill]\nrequires={bins=['z']}\nos='linux'"}
)

func FuzzParse(f *testing.F) {
	for _, md := range fuzzMarkdown {
		for _, toml := range fuzzTOML {
			f.Add(md, toml, fuzzManifest[len(md)%len(fuzzManifest)])
		}
	}
	p := newParser(f)
	f.Fuzz(func(t *testing.T, md, toml, manifest string) {
		var sources []Source
		var before *Result
		for _, source := range files("SKILL.md", md, "manifest.toml", manifest, "SKILL.toml", toml) {
			sources = append(sources, source)
			result := checkedParse(t, p, sources)
			if before != nil {
				checkStricter(t, before, &result)
			}
			before = &result
		}
	})
}

func FuzzSkillTOML(f *testing.F) {
	for _, toml := range fuzzTOML {
		f.Add(toml)
	}
	for _, c := range malformedTOML {
		f.Add(c.text)
	}
	p := newParser(f)
	f.Fuzz(func(t *testing.T, toml string) {
		checkedParse(t, p, files("SKILL.toml", toml))
	})
}

func FuzzManifestTOML(f *testing.F) {
	for _, toml := range slices.Concat(fuzzManifest, fuzzTOML) {
		f.Add(toml)
	}
	p := newParser(f)
	f.Fuzz(func(t *testing.T, toml string) {
		result := checkedParse(t, p, files("manifest.toml", toml))
		if len(result.Skill.Tools)+len(result.Skill.Prompts)+len(result.Skill.Recipes) > 0 {
			t.Errorf("manifest.toml brings tools, prompts or recipes: %+v", result.Skill)
		}
	})
}

// Mending a file must not change what it says.
func FuzzFix(f *testing.F) {
	for _, md := range fuzzMarkdown {
		f.Add(md)
	}
	f.Add("---\nname:x\ndescription: Use when: asked\n  author: a: b\ntags: [a, b\n---\nBody.")
	p := newParser(f)
	f.Fuzz(func(t *testing.T, md string) {
		before := p.readAlone("SKILL.md", []byte(md))
		fixed, err := p.Fix("SKILL.md", []byte(md), before.Repairs)
		if err != nil {
			return
		}
		after := p.readAlone("SKILL.md", fixed)
		if diff := cmp.Diff(withoutPlaces(before.Skill), withoutPlaces(after.Skill)); diff != "" {
			t.Errorf("the skill changed: %s", diff)
		}
		if len(before.Repairs) > 0 && len(after.Repairs) >= len(before.Repairs) || len(before.Repairs) == 0 && string(fixed) != md {
			t.Errorf("nothing was mended: %q", fixed)
		}
	})
}

// checkedParse parses and checks what holds for every result.
func checkedParse(t *testing.T, p *Parser, sources []Source) Result {
	t.Helper()
	result := p.Parse("folder", sources)
	if diff := cmp.Diff(result, p.Parse("folder", slices.Clone(sources))); diff != "" {
		t.Fatalf("the same files give another skill: %s", diff)
	}
	reversed := slices.Clone(sources)
	slices.Reverse(reversed)
	if diff := cmp.Diff(result, p.Parse("folder", reversed)); diff != "" {
		t.Fatalf("the order of files matters: %s", diff)
	}
	s := &result.Skill
	if s.Name == "" || s.Slug != "folder" || strings.ContainsFunc(s.Name, unicode.IsControl) {
		t.Errorf("name %q, slug %q", s.Name, s.Slug)
	}
	isError := func(d skill.Diagnostic) bool { return d.Severity == skill.Error }
	if !result.Usable && !slices.ContainsFunc(result.Diagnostics, isError) {
		t.Errorf("unusable without an error: %v", result.Diagnostics)
	}
	if s.Requires.Unreadable && !slices.ContainsFunc(result.Diagnostics, isError) {
		t.Errorf("gated without an error: %v", result.Diagnostics)
	}
	for _, d := range result.Diagnostics {
		text := d.File + d.Message + d.Hint
		obeyed := func(c rune) bool { return unicode.IsControl(c) && c != '\t' }
		if strings.ContainsFunc(text, obeyed) || !utf8.ValidString(text) {
			t.Errorf("a message with control characters: %q", text)
		}
		raised := d.Severity == skill.Error && !result.Usable && p.full != nil // what a host drops a skill for
		if d.Message == "" || d.Line < 0 || d.Severity != d.Code.Severity() && !raised {
			t.Errorf("a diagnostic without sense: %+v", d)
		}
	}
	for _, spec := range slices.Concat(s.Installers, s.Recipes) {
		if spec.Kind == "" || spec.ID == "" || strings.HasPrefix(spec.Package, "-") || strings.Contains(spec.Package, "..") ||
			strings.ContainsFunc(spec.Package+spec.Kind, unicode.IsSpace) || spec.URL != "" && !isWebAddress(spec.URL) {
			t.Errorf("an install entry that is not safe: %+v", spec)
		}
	}
	for _, tool := range s.Tools {
		if tool.Name == "" || tool.Kind == "" || tool.Kind == toolHTTP && !isWebAddress(tool.URL) {
			t.Errorf("a tool that cannot be called: %+v", tool)
		}
	}
	return result
}

// checkStricter checks that a further manifest has opened no gate.
func checkStricter(t *testing.T, before, after *Result) {
	t.Helper()
	if before.Skill.Invocation.ModelDisabled && !after.Skill.Invocation.ModelDisabled {
		t.Error("a further manifest lets the model call the skill")
	}
	was, is := &before.Skill.Requires, &after.Skill.Requires
	if is.Unreadable {
		return
	}
	if was.Unreadable {
		t.Error("a further manifest makes requirements readable")
	}
	for _, lists := range [][2][]string{{was.Bins, is.Bins}, {was.Env, is.Env}, {was.Config, is.Config}} {
		if len(lists[0]) > 0 && !within(lists[0], lists[1]) {
			t.Errorf("%v became %v", lists[0], lists[1])
		}
	}
	if len(was.OS) > 0 && !slices.ContainsFunc(is.OS, func(system string) bool {
		return slices.ContainsFunc(was.OS, func(other string) bool { return systemKey(other) == systemKey(system) })
	}) {
		t.Errorf("os %v became %v", was.OS, is.OS)
	}
	inBefore := func(bin string) bool { return slices.Contains(was.AnyBins, bin) }
	if len(was.AnyBins) > 0 && !within(is.AnyBins, was.AnyBins) && !slices.ContainsFunc(is.Bins, inBefore) {
		t.Errorf("anyBins %v became %v", was.AnyBins, is.AnyBins)
	}
	if is.Always && demands(was) && !was.Always {
		t.Error("always of a further manifest passes the requirements of another")
	}
}
