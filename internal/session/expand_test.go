package session

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// answer is an expansion as the golden cases write it.
type answer struct {
	Body   string   `json:"body"`
	Error  string   `json:"error"`
	Skills []string `json:"skills"`
}

func answered(e Expansion) answer {
	out := answer{Body: e.Body, Error: e.Problem, Skills: []string{}}
	for _, c := range e.Commands {
		out.Skills = append(out.Skills, c.Name)
	}
	return out
}

func TestReferenceGoldens(t *testing.T) {
	var golden struct {
		Commands []struct {
			Name, SkillName, PromptTemplate, SkillFile string
			ModelVisible                               bool
		}
		Cases []struct {
			Text   string
			Expand answer
			Slash  *struct{ Command, Args string }
		}
		HiddenByAllowlist answer
	}
	readGolden(t, "openclaw/reference-cases.json", &golden)
	if len(golden.Cases) == 0 {
		t.Fatal("no cases")
	}
	var entries []*skill.Entry
	var templates []Template
	for _, c := range golden.Commands {
		if c.PromptTemplate != "" {
			templates = append(templates, Template{Name: c.SkillName, Text: c.PromptTemplate})
			continue
		}
		e := entry(c.SkillName, skill.Ready)
		e.Path, e.Manifests = filepath.Dir(c.SkillFile), []skill.Manifest{{File: filepath.Base(c.SkillFile)}}
		e.Invocation.ModelDisabled = !c.ModelVisible
		entries = append(entries, e)
	}
	set := newCommands(t, listing(t).Command).With(entries, templates...)
	for _, c := range golden.Cases {
		if diff := cmp.Diff(c.Expand, answered(set.Expand(c.Text))); diff != "" {
			t.Errorf("%q: %s", c.Text, diff)
		}
		inv, ok := set.Parse(c.Text)
		switch {
		case ok != (c.Slash != nil):
			t.Errorf("%q is parsed: %v", c.Text, ok)
		case ok && (inv.Command.Name != c.Slash.Command || inv.Args != c.Slash.Args):
			t.Errorf("%q calls %s with %q, want %+v", c.Text, inv.Command.Name, inv.Args, c.Slash)
		}
	}
	for _, e := range entries {
		if e.Name == "s0" {
			filteredOut(e)
		}
	}
	hidden := newCommands(t, listing(t).Command).With(entries, templates...).Expand(golden.HiddenByAllowlist.Body)
	if diff := cmp.Diff(golden.HiddenByAllowlist, answered(hidden)); diff != "" {
		t.Error(diff)
	}
}

func TestNativeExpansion(t *testing.T) {
	entries := append(catalogue(), filteredOut(entry("barred", skill.Ready)), entry("old", skill.Shadowed))
	set := newCommands(t, native(t).Command).With(entries, Template{Name: "hi", Text: " Greet them. "})
	asked := func(body string, requests ...Request) Expansion { return Expansion{Body: body, Activate: requests} }
	for text, want := range map[string]Expansion{
		"/release_notes for v2":           asked("for v2", Request{"Release Notes", Slash, "for v2", true}),
		" /release-notes":                 asked(" /release-notes", Request{"release-notes", Slash, "", true}),
		"/skill release_notes $deploy it": asked("$deploy it", Request{"Release Notes", Slash, "$deploy it", true}),
		"use $deploy, then $release-notes and $deploy": asked("use $deploy, then $release-notes and $deploy",
			Request{"deploy", Slash, "", false}, Request{"release-notes", Slash, "", false}),
		`keep \$deploy`:    {Body: `keep \$deploy`},
		"/hi":              {Body: "Greet them."},
		"/hi Ann {text} $": {Body: "Greet them.\n\nAnn {text} $"},
		"$hi":              {Body: "$hi"},
		"/nothing $deploy": {Body: "/nothing $deploy"},
		"/gone now":        {Body: "/gone now", Problem: "skill gone cannot be used: jq is not on the PATH"},
		"/skill GONE":      {Body: "/skill GONE", Problem: "skill gone cannot be used: jq is not on the PATH"},
		"$deploy $gone":    {Body: "$deploy $gone", Problem: "skill gone cannot be used: jq is not on the PATH"},
		"/barred":          {Body: "/barred", Problem: "skill barred cannot be used: it is not on the list"},
		"/old":             {Body: "/old"},
		"/quiet":           {Body: "/quiet"},
		"/help":            {Body: "/help"},
	} {
		got := set.Expand(text)
		got.Commands = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestOnlyFilteredSkillsAreKnown(t *testing.T) {
	both := filteredOut(entry("both", skill.Ready))
	both.Reasons = append(both.Reasons, skill.Reason{Code: skill.ReasonDisabled})
	set := newCommands(t, listing(t).Command).With([]*skill.Entry{filteredOut(entry("barred", skill.Ready)), both, entry("gone", skill.Gated)})
	for text, problem := range map[string]bool{"/barred": true, "$barred": true, "/both": false, "/gone": false, "$gone": false} {
		if got := set.Expand(text); (got.Problem != "") != problem || got.Body != text {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A name that only the numbering of skills that cannot be used gives to one
// that can is nobody's.
func TestNumbersOfBarredSkills(t *testing.T) {
	entries := []*skill.Entry{filteredOut(entry("a b", skill.Ready)), entry("a_b", skill.Ready), entry("a.b", skill.Ready)}
	set := newCommands(t, native(t).Command).With(entries, Template{Name: "a?b", Text: "t"})
	for text, want := range map[string]string{"/a_b": "a_b", "/a_b_2": "a.b", "/a_b_3": "a?b"} {
		if inv, ok := set.Parse(text); !ok || inv.Command.Skill != want {
			t.Errorf("%s calls %+v, want %s", text, inv.Command, want)
		}
	}
	if got := set.Expand("/a_b_4"); got.Problem != "" || len(got.Commands) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestListIsBounded(t *testing.T) {
	wide := strings.Repeat("ß", 300)
	hidden := entry("far", skill.Ready)
	hidden.Invocation.ModelDisabled, hidden.Path, hidden.Manifests = true, "/"+strings.Repeat("d", 500), []skill.Manifest{{File: "SKILL.md"}}
	set := newCommands(t, listing(t).Command).With([]*skill.Entry{
		entry("x "+wide, skill.Ready), entry("y "+wide, skill.Ready), entry("z "+wide, skill.Ready), hidden, entry("l\n- evil", skill.Ready),
	})
	if got := set.Expand("/skill far"); !strings.Contains(got.Problem, "512") || got.Body != "/skill far" || len(got.Activate) != 0 {
		t.Errorf("%+v", got)
	}
	// 300 letters of two bytes are 300 units: two fit, three do not.
	if got := set.Expand("$x $y"); got.Problem != "" || len(got.Activate) != 2 || !got.OnRead {
		t.Errorf("%+v", got)
	}
	if got := set.Expand("$x $y $z"); !strings.Contains(got.Problem, "1000") || len(got.Activate) != 0 {
		t.Errorf("%+v", got)
	}
	if got := set.Expand("/l_evil"); strings.Contains(got.Body, "\n- evil") {
		t.Errorf("a name became a line: %q", got.Body)
	}
}

func TestManifest(t *testing.T) {
	e := entry("x", skill.Ready)
	e.Path = filepath.FromSlash("/s/x")
	for want, files := range map[string][]string{
		"/s/x/SKILL.md": {"SKILL.toml", "SKILL.md"}, "/s/x/SKILL.toml": {"SKILL.toml", "manifest.toml"}, "/s/x": nil, "/s/x/skill.MD": {"skill.MD", "manifest.toml"},
	} {
		e.Manifests = nil
		for _, f := range files {
			e.Manifests = append(e.Manifests, skill.Manifest{File: f})
		}
		if got := Manifest(e); got != filepath.FromSlash(want) {
			t.Errorf("%v: %s, want %s", files, got, want)
		}
	}
}

// checkExpansion holds what is true of every text.
func checkExpansion(t interface{ Fatalf(string, ...any) }, set *CommandSet, text string) {
	got := set.Expand(text)
	if diff := cmp.Diff(got, set.Expand(text), cmp.Comparer(func(a, b *Command) bool { return a == b })); diff != "" {
		t.Fatalf("%q differs the second time: %s", text, diff)
	}
	if len(got.Commands) > max(set.rules.MaxMentions, 1) {
		t.Fatalf("%q calls %d skills", text, len(got.Commands))
	}
	if len(got.Commands) == 0 && got.Body != text {
		t.Fatalf("%q calls nothing and became %q", text, got.Body)
	}
	if got.Problem != "" && (len(got.Commands)+len(got.Activate) != 0 || got.Dispatch != nil) {
		t.Fatalf("%q is refused and done: %+v", text, got)
	}
	for _, r := range got.Activate {
		if r.Reason != Slash {
			t.Fatalf("%q activates for %q", text, r.Reason)
		}
	}
	// The slash part agrees with Parse.
	inv, ok := set.Parse(text)
	slash := strings.HasPrefix(strings.TrimLeftFunc(text, blank), "/")
	switch {
	case ok && got.Problem == "" && (len(got.Commands) != 1 || got.Commands[0] != inv.Command):
		t.Fatalf("%q calls %s and expands to %+v", text, inv.Command.Name, got)
	case slash && !ok && len(got.Commands) != 0:
		t.Fatalf("%q calls nothing and expands to %+v", text, got)
	}
}

func expanders(t testing.TB) []*CommandSet {
	var out []*CommandSet
	for _, rules := range []CommandRules{native(t).Command, listing(t).Command} {
		out = append(out, newCommands(t, rules).With(catalogue(), Template{Name: "tmpl", Text: "Do $ARGUMENTS now"}))
	}
	return out
}

func TestExpansionsHold(t *testing.T) {
	sets := expanders(t)
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"/", "$", `\`, " ", "\n", "skill", "deploy", "release_notes", "Release-Notes", "tmpl", "gone", "$deploy", "$foo_bar_baz", "/tmpl ", "/skill ", "{text}", "$ARGUMENTS",
	}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "")
		for _, set := range sets {
			checkExpansion(t, set, text)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, text := range []string{"Use $deploy and $release_notes", `\$deploy \\$deploy`, "/tmpl a b", "/skill gone x", "$gone", "$a:b:: $HOME", "\ufeff/deploy"} {
		f.Add(text)
	}
	sets := expanders(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, set := range sets {
			checkExpansion(t, set, text)
		}
	})
}
