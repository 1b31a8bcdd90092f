package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func some(n int, description string, trust skill.Trust) []Item {
	var out []Item
	for i := range n {
		out = append(out, Item{Path: fmt.Sprintf("/s/%c/SKILL.md", 'a'+i), Skill: &skill.Skill{
			Name: fmt.Sprintf("%s-%c", trust, 'a'+i), Description: text(description), Trust: trust,
		}})
	}
	return out
}

func TestListKeepsItsBudget(t *testing.T) {
	r, err := New(Rules{
		Default: "list", Body: "none", Escape: "tags", Location: "absolute", MinDescription: 5, MaxDescription: 30,
		Text: map[string]string{"list": "Skills:\n", "more": "{left} more."},
	})
	if err != nil {
		t.Fatal(err)
	}
	index := append(some(2, "It does one thing\nvery well.", skill.Installed), some(2, "Short.", skill.Trusted)...)
	none := []string{}
	for _, c := range []struct {
		chars           int // zero is as many as that has
		want            string
		left, shortened []string
	}{
		{1000, "Skills:\n- installed-a: It does one thing very well.\n- installed-b: It does one thing very well.\n- trusted-a: Short.\n- trusted-b: Short.", none, none},
		{0, "Skills:\n- installed-a: It does...\n- installed-b: It does...\n- trusted-a: Short.\n- trusted-b: Short.", none, []string{"installed-a", "installed-b"}},
		{0, "Skills:\n- installed-a: It does...\n- trusted-a: Short.\n- trusted-b: Short.\n1 more.", []string{"installed-b"}, []string{"installed-a"}},
		{0, "Skills:\n- trusted-a: Short.\n- trusted-b: Short.\n2 more.", []string{"installed-a", "installed-b"}, none},
		{0, "Skills:\n- trusted-a: Sh...\n3 more.", []string{"installed-a", "installed-b", "trusted-b"}, []string{"trusted-a"}},
		{20, "Skills:\n4 more.", []string{"installed-a", "installed-b", "trusted-a", "trusted-b"}, none},
		{10, "", []string{"installed-a", "installed-b", "trusted-a", "trusted-b"}, none},
	} {
		if c.chars == 0 {
			c.chars = len(c.want)
		}
		got := r.Render(Input{Index: index, MaxChars: &c.chars})
		if diff := cmp.Diff([]any{c.want, c.left, c.shortened}, []any{got.Index, got.Left, got.Shortened}); diff != "" {
			t.Errorf("%d: -want +got:\n%s", c.chars, diff)
		}
	}
}

// What a host says of missing skills goes before a skill does.
func TestLocationsInTightPlaces(t *testing.T) {
	r := rendererOf(t, "openclaw")
	texts := rulesOf(t, "openclaw").Text
	catalog := func(heading, description string) string {
		if description != "" {
			description = "    <description>" + description + "</description>\n"
		}
		return texts[heading] + "<available_skills>\n  <skill>\n    <name>trusted-a</name>\n" + description +
			"    <location>/s/a/SKILL.md</location>\n  </skill>\n</available_skills>"
	}
	long := strings.Repeat("word ", 30) + "end"
	one := some(1, long, skill.Trusted)
	full := catalog("locations", long)
	names := catalog("locations_names", "")
	for _, c := range []struct {
		name  string
		index []Item
		chars int
		note  string
		want  string
	}{
		{"all of it", one, len(full), "", full},
		{"and the note", one, len(full) + 5, "note", "note\n" + full},
		{"no room for the note", one, len(full) + 4, "note", full},
		{"the first whole, without a word", some(2, "d", skill.Trusted), len(catalog("locations", "d")), "", catalog("locations", "d")},
		{"names without a word", one, len(names), "", names},
		{"names and a letter", one, len(catalog("locations_short", "w...")), "", catalog("locations_short", "w...")},
		{"not one", one, len(names) - 1, "", filled(texts["cut_names"], "0", "1")},
		{"nothing", one, 10, "", ""},
	} {
		one := 1
		got := r.Render(Input{Index: c.index, MaxChars: &c.chars, MaxSkills: &one, Note: c.note})
		if diff := cmp.Diff(c.want, got.Index); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
	chars := 100_000
	got := r.Render(Input{Index: some(26, "d", skill.Trusted), MaxChars: &chars, MaxSkills: new(int)})
	if len(got.Left) != 26 || got.Index != filled(texts["cut"], "0", "26") {
		t.Errorf("none allowed: %q, left %v", got.Index, got.Left)
	}
}

func filled(text, included, total string) string {
	return strings.NewReplacer("{included}", included, "{total}", total).Replace(text)
}

func TestFit(t *testing.T) {
	r := rendererOf(t, "openclaw")
	index := r.Render(Input{Index: some(3, "<b> & "+strings.Repeat("漢 ", 200), skill.Trusted)}).Index
	for _, tokens := range []int{0, -5, 100_000} {
		if got := r.Fit(index, tokens); got != index {
			t.Errorf("%d tokens: changed", tokens)
		}
	}
	for _, goal := range []int{1, 950, 1000, 1100, 1200} {
		got := r.Fit(index, goal*tokensPerChar)
		most := goal
		if goal == 1 {
			most = units(index) - 3*(400-64)
		}
		if units(got) > most || strings.Count(got, "/SKILL.md</location>") != 3 {
			t.Errorf("%d: %d units:\n%s", goal, units(got), got)
		}
		if goal > 1 && units(got) < goal-3*2 {
			t.Errorf("%d: %d units, there is room for more", goal, units(got))
		}
		if !strings.Contains(got, "<description>&lt;b&gt; &amp; 漢") {
			t.Errorf("%d: entities were cut:\n%s", goal, got)
		}
	}
	for _, other := range []string{"", strings.Repeat("no list at all ", 50), "<available_skills>" + strings.Repeat("x", 500)} {
		if got := r.Fit(other, 10); got != other {
			t.Errorf("%q became %q", other, got)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("x<available_skills>\n<description>a&lt;b "+strings.Repeat("y", 100)+"</description>\n</available_skills>", 10)
	f.Add("<available_skills><description><description></available_skills>", 1)
	r := rendererOf(f, "openclaw")
	f.Fuzz(func(t *testing.T, index string, tokens int) {
		got := r.Fit(index, tokens)
		if units(got) > units(index) {
			t.Fatalf("%q became longer: %q", index, got)
		}
		if again := r.Fit(got, tokens); units(again) > units(got) {
			t.Fatalf("a second time: %q", again)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	var index []Item
	for i := range 2000 {
		index = append(index, Item{Path: fmt.Sprintf("/home/u/.skills/skill-%d/SKILL.md", i), Skill: &skill.Skill{
			Name: fmt.Sprintf("skill-%d", i), Description: text(strings.Repeat("Does what it says. ", 12)), Trust: skill.Trusted,
			Body: text(strings.Repeat("Do this & that with <tools>. ", 150)),
		}})
	}
	for _, host := range []string{"knack", "openclaw", "rantaiclaw", "agents"} {
		for _, mode := range []string{"index", "full"} {
			b.Run(host+"/"+mode, func(b *testing.B) {
				r := rendererOf(b, host)
				for b.Loop() {
					r.Render(Input{Index: index, Mode: mode})
				}
			})
		}
	}
	b.Run("all locations", func(b *testing.B) {
		r, limit := rendererOf(b, "openclaw"), 2000
		chars := 300_000
		for b.Loop() {
			r.Render(Input{Index: index, MaxSkills: &limit, MaxChars: &chars})
		}
	})
}
