package format

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// The count must be the compiler's, or a pattern within the limit could be
// refused and one beyond it let through.
func TestProgramSizeIsTheCompilers(t *testing.T) {
	for _, pattern := range []string{
		``, `a`, `abc`, `(?i)abc`, `[a-z]`, `.`, `^a$`, `\bdeploy\b.*\b(production|staging)\b`, `a|b|c`, `ab|cd|e`, `(a)(b)`,
		`(?:a)`, `a*`, `a+`, `a?`, `a*?`, `(a*)*`, `(?:ab)+`, `a{3}`, `a{2,5}`, `a{2,}`, `a{0}`, `a{0,3}`, `a{0,}`, `a{1,}`, `(a{2}){3}`,
		`((a{10}){10}){10}`, `\pL{50}`, `[\pL\pN]{1,100}`, `(?i)\brelease\b.*\bv?\d+`, `x{1000}`, `(x|y){500}`, `(?s).{0,1000}`,
		`\d{3}-\d{4}`, `()`, `(){3}`, `(|a)*`, `(|a)+`, `(?:)`, `(?:a?){3}`, `[^\x00-\x{10FFFF}]`, `(?:a{0,1}){0,1}`,
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		size := programSize(re, 1<<30)
		prog, err := syntax.Compile(re.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		// The compiler leaves out some of what matches the empty text only.
		if real := len(prog.Inst); size < real || size > real+real/2+4 {
			t.Errorf("%s: counted %d, compiled %d", pattern, size, real)
		}
	}
}

func TestPatterns(t *testing.T) {
	for pattern, want := range map[string]struct {
		code skill.Code // empty if it is kept
		says []string
	}{
		`(?i)\bdeploy\b`:             {},
		`\pL{50}`:                    {},
		`x{1000}`:                    {},
		`((a{10}){10}){9}`:           {},
		`(?:abcdefghij){499}`:        {},
		`(?:abcdefghij){600}`:        {skill.PatternTooLarge, []string{"6002 instructions", "the limit is 5000"}},
		`(\pL\pN){1000}(ab|cd){900}`: {skill.PatternTooLarge, []string{"the limit is 5000"}},
		`(?:(?:abc|de){30}){30}`:     {skill.PatternTooLarge, []string{"the limit is 5000"}},
		strings.Repeat("a", 5001):    {skill.PatternTooLarge, []string{"5001 bytes", "5000"}},
		strings.Repeat(`\pL`, 33):    {skill.PatternTooLarge, []string{"33 Unicode classes", "32"}},
		`((a{100}){100}){100}`:       {skill.PatternInvalid, []string{"invalid repeat count", "1,000 times"}},
		`(`:                          {skill.PatternInvalid, []string{"missing closing )"}},
		`(?=x)`:                      {skill.PatternInvalid, []string{"no look-around"}},
		`(?<!x)y`:                    {skill.PatternInvalid, []string{"no look-around"}},
		`(?x) a`:                     {skill.PatternInvalid, []string{"(?x)"}},
		`(a)\1`:                      {skill.PatternInvalid, []string{"no back-references"}},
		`\u{1F600}`:                  {skill.PatternInvalid, []string{`\x{263A}`}},
		`a++`:                        {skill.PatternInvalid, []string{"possessive"}},
		`[z-a]`:                      {skill.PatternInvalid, []string{"RE2"}},
		strings.Repeat("(", 1001) + strings.Repeat(")", 1001): {skill.PatternInvalid, []string{"repeat less"}},
	} {
		t.Run(pattern[:min(len(pattern), 30)], func(t *testing.T) {
			res := parseMarkdown(t, fmt.Sprintf("activation: {patterns: [%q, good]}", pattern))
			kept := []string{"good"}
			if want.code == "" {
				kept = []string{pattern, "good"}
				wantCodes(t, res)
			} else {
				wantCodes(t, res, want.code)
				wantDiagnostic(t, res, want.code, append(want.says, "activation.patterns")...)
			}
			if diff := cmp.Diff(kept, res.Skill.Activation.Patterns); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	p := newParser(t, func(r *Rules) {
		r.Limits.Keywords, r.Limits.Patterns, r.Limits.Tags, r.Limits.MinChars = 3, 2, 1, 3
		r.Limits.BudgetFactor, r.Limits.DescriptionChars = 2, 10
	})
	res := p.Parse("folder", files("SKILL.md", markdown("name: folder", "description: ééééééééééé",
		"activation:", "  keywords: [aa, one, two, three, four]", "  exclude_keywords: [x, 天气预报]",
		"  patterns: [a, b, c, d]", "  tags: [t1, tag, tags]", "  max_context_tokens: 1")+strings.Repeat("word ", 100)))
	want := skill.Activation{Keywords: []string{"one", "two", "three"}, ExcludeKeywords: []string{"天气预报"},
		Patterns: []string{"a", "b"}, Tags: []string{"tag"}, MaxContextTokens: 1}
	if diff := cmp.Diff(want, res.Skill.Activation); diff != "" {
		t.Error(diff)
	}
	for _, says := range [][]string{
		{"SKILL.md:5", "activation.keywords has 1 shorter than 3 characters"},
		{"SKILL.md:5", "activation.keywords has 4; the limit is 3, so the last 1 have no effect"},
		{"SKILL.md:6", "activation.exclude_keywords has 1 shorter than 3"},
		{"SKILL.md:7", "activation.patterns has 4; the limit is 2, so the last 2 have no effect"},
		{"SKILL.md:8", "activation.tags has 1 shorter"},
		{"SKILL.md:8", "activation.tags has 2; the limit is 1"},
		{"SKILL.md:9", "about 127 tokens; the limit is 2, 2 times max_context_tokens"},
	} {
		wantDiagnostic(t, res, skill.LimitExceeded, says...)
	}
	wantDiagnostic(t, res, skill.DescriptionLong, "SKILL.md:3", "11 characters; the standard allows 10")
	if res.Skill.Description.Len() != 22 {
		t.Error("a long description is cut")
	}
	if n := len(res.Diagnostics); n != 8 {
		t.Errorf("%d diagnostics: %v", n, res.Diagnostics)
	}

	none := newParser(t, func(r *Rules) {
		r.Limits = Limits{FileBytes: 1 << 20, FrontmatterBytes: 1 << 16, Depth: 9, Nodes: 9999}
	})
	res = none.Parse("folder", files("SKILL.md", markdown("name: no limits!", "description: "+strings.Repeat("x", 2000),
		"keywords: ["+strings.Repeat("x,", 500)+"]", "activation: {patterns: ['(?:abcdefghij){600}']}")))
	if len(res.Skill.Activation.Keywords) != 500 || len(res.Skill.Activation.Patterns) != 1 {
		t.Errorf("activation = %+v", res.Skill.Activation)
	}
	wantCodes(t, res)
}
