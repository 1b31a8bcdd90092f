package format

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/knackhq/knack/skill"
)

func TestFirstProse(t *testing.T) {
	for body, want := range map[string]string{
		"":                                  "",
		"Plain.":                            "Plain.",
		"\n\n  Plain.  \nMore.":             "Plain.",
		"# Title\n\nProse.":                 "Prose.",
		"#Not a heading":                    "#Not a heading",
		"Title\n=====\n\nProse.":            "Prose.",
		"Title\n-----\nProse.":              "Prose.",
		"---\n\nProse.":                     "Prose.",
		"***\nProse.":                       "Prose.",
		"<!-- note -->\nProse.":             "Prose.",
		"<!-- a\nb\nc --> Prose.":           "Prose.",
		"<!-- never closed\nProse.":         "",
		"```sh\nls\n```\nProse.":            "Prose.",
		"~~~\nls\n```\n~~~\nProse.":         "Prose.",
		"````\n```\nx\n```\n````\nProse.":   "Prose.",
		"```inline``` is prose":             "```inline``` is prose",
		"![logo](a.png)\nProse.":            "Prose.",
		"[![build](b.svg)](https://ci)\nP.": "P.",
		"[![a](b)](c) [![d](e)](f)\nProse.": "Prose.",
		"![a](b) Prose.":                    "Prose.",
		"<p align=\"center\">\n<b>Bold</b>": "Bold",
		"<img src=x>\nProse.":               "Prose.",
		"- item":                            "item",
		"* item":                            "item",
		"1. first":                          "first",
		"12) first":                         "first",
		"> quoted":                          "quoted",
		"> - [ ] nested task":               "nested task",
		"| a | b |\n|---|---|\nProse.":      "Prose.",
		"Use [the tool](https://x) now.":    "Use the tool now.",
		"Use [the tool][1] now.":            "Use the tool now.",
		"See [x] and a[0].":                 "See [x] and a[0].",
		"Unclosed [bracket.":                "Unclosed bracket.",
		"At <https://x.example>.":           "At https://x.example.",
		"a < b and c > d":                   "a < b and c > d",
		"**Bold:** words.":                  "Bold: words.",
		"# Only\n\n## Headings":             "Only",
		"# Trailing #":                      "Trailing",
		"Title\n===":                        "Title",
		"# [Linked](x)\n":                   "Linked",
		"!!!\n???\nProse.":                  "Prose.",
		"```\nonly code\n":                  "",
		"a\t b   c":                         "a b c",
	} {
		if got := firstProse(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestLongProseIsCutAtAWord(t *testing.T) {
	got := firstProse(strings.Repeat("wörd ", 200))
	if n := utf8.RuneCountInString(got); n > 300 || n < 290 || !strings.HasSuffix(got, "wörd…") {
		t.Errorf("%d characters: %q", n, got)
	}
	if got := firstProse(strings.Repeat("x", 1<<20)); utf8.RuneCountInString(got) != 300 {
		t.Errorf("%d characters", len(got))
	}
}

// Many comments in one line cost no more than one long one: here, in the
// square of their number, they would take minutes.
func TestManyCommentsInOneLine(t *testing.T) {
	const count = 8 << 20
	lines := markdownLines{rest: strings.Repeat("x<!---->", count)}
	if !lines.next() || len(lines.line) != count {
		t.Errorf("%d characters are left, want %d", len(lines.line), count)
	}
}

func TestAdvise(t *testing.T) {
	p := newParser(t)
	good := p.Parse("folder", files("SKILL.md", markdown("keywords: [a1, a2, a3, a4, a5, a6, a7, a8, a9]")+"\n```\n## Tools\n```\n### Tools\n## Toolsmith\n"))
	if advice := Advise(&good.Skill); len(advice) != 0 {
		t.Errorf("advice %v", advice)
	}
	bad := p.Parse("folder", files("skill.md", markdown("keywords: [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10]")+"\n## Tools:\n"+strings.Repeat("word ", 2000)))
	advice := Advise(&bad.Skill)
	var codes []skill.Code
	for _, d := range advice {
		codes = append(codes, d.Code)
		if d.File != "skill.md" || d.Hint == "" || d.Severity != skill.Info {
			t.Errorf("%+v", d)
		}
	}
	if len(codes) != 3 || codes[0] != skill.AdviceKeywords || codes[1] != skill.AdviceTokens || codes[2] != skill.AdviceSections {
		t.Errorf("advice %v", advice)
	}
	with := p.Parse("folder", files("SKILL.md", "## tools\n", "SKILL.toml", "[[tools]]\nname='x'\nkind='shell'\ncommand='ls'"))
	if advice := Advise(&with.Skill); len(advice) != 0 {
		t.Errorf("advice although tools are declared: %v", advice)
	}
}
