package route

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// with makes a skill of its name and changes.
func with(name string, change func(*skill.Skill)) *skill.Skill {
	s := &skill.Skill{Name: name, Activation: skill.Activation{MaxContextTokens: 1000}}
	change(s)
	return s
}

func keywords(name string, words ...string) *skill.Skill {
	return with(name, func(s *skill.Skill) { s.Activation.Keywords = words })
}

func choose(t testing.TB, rules Rules, skills []*skill.Skill, message string) Selection {
	t.Helper()
	maker := newWeights
	if rules.Scorer == "words" {
		maker = newWords
	}
	chooser, err := maker(rules, skills)
	if err != nil {
		t.Fatal(err)
	}
	return chooser.Select(message)
}

// withFallback are the shipped numbers with names and descriptions.
func withFallback() Rules {
	r := shipped()
	r.Weights["name"], r.Weights["description"], r.Caps["fallback"] = 8, 2, 20
	return r
}

func scores(skills []*skill.Skill, picks []Pick) map[string]float64 {
	out := map[string]float64{}
	for _, p := range picks {
		out[skills[p.Skill].Name] = p.Score
	}
	return out
}

func TestDeclaredScores(t *testing.T) {
	spam := func(n int, word string) []string {
		return strings.Split(strings.Repeat(word+" ", n)[:n*(len(word)+1)-1], " ")
	}
	tagged := func(tags ...string) *skill.Skill {
		return with("s", func(s *skill.Skill) { s.Activation.Tags = tags })
	}
	patterned := func(patterns ...string) *skill.Skill {
		return with("s", func(s *skill.Skill) { s.Activation.Patterns = patterns })
	}
	described := func(name, text string) *skill.Skill {
		return with(name, func(s *skill.Skill) { s.Description = skill.NewText(text) })
	}
	for _, test := range []struct {
		name    string
		rules   Rules
		skill   *skill.Skill
		message string
		want    float64 // 0 is not chosen
	}{
		{"empty message", shipped(), patterned("x*"), "", 0},
		{"empty message by document", seeded(), patterned("x*"), "", 0},
		{"a whole word", shipped(), keywords("s", "write"), "Please WRITE, now", 10},
		{"part of a keyword", shipped(), keywords("s", "writer"), "write", 0},
		{"inside a word", shipped(), keywords("s", "hack"), "search Hacker News", 5},
		{"punctuation around a word", shipped(), keywords("s", "write"), "“(write!)”", 10},
		{"punctuation inside a word", shipped(), keywords("s", "write"), "write/edit", 5},
		{"two words are never exact", shipped(), keywords("s", "git commit"), "git commit", 5},
		{"a keyword in capitals", shipped(), keywords("s", "OWASP"), "the owasp list", 10},
		{"a repeated keyword counts again", shipped(), keywords("s", "write", "write"), "write", 20},
		{"keywords are capped", shipped(), keywords("s", spam(20, "write")...), "write", 30},
		{"a blank keyword is none", shipped(), keywords("s", " ", ""), "a  b", 0},
		{"tags", shipped(), tagged("git", "Writing"), "digits and writings", 6},
		{"tags are capped", shipped(), tagged(spam(10, "git")...), "git", 15},
		{"patterns", shipped(), patterned(`(?i)\bdeploy\b.*\bstaging\b`, "deploy"), "Deploy to STAGING", 20},
		{"patterns are capped", shipped(), patterned("a", "b", "c", "d", "e"), "abcde", 40},
		{"what is no pattern is left out", shipped(), patterned("(", "[", "b"), "abc", 20},
		{"an empty pattern matches", shipped(), patterned(""), "abc", 20},
		{"everything at once", shipped(), with("s", func(s *skill.Skill) {
			s.Activation.Keywords, s.Activation.Tags, s.Activation.Patterns = spam(9, "abc"), spam(9, "abc"), []string{"a", "b", "c"}
		}), "abc", 85},
		{"patterns at their longest message", shipped(), patterned("b$"), strings.Repeat("a", 65_535) + "b", 20},
		{"patterns beyond it", shipped(), patterned("b$"), strings.Repeat("a", 65_536) + "b", 0},
		{"keywords have no such limit", shipped(), keywords("s", "needle"), strings.Repeat("a ", 40_000) + "needle", 10},
		{"lower case of the end of a word", shipped(), keywords("s", "ΟΔΟΣ"), "η οδος", 10},
		{"the long s is an s to patterns", shipped(), patterned("(?i)status"), "ſtatuſ", 20},
		{"the kelvin sign is a k to patterns", shipped(), patterned("(?i)kelvin"), "20 \u212aELVIN", 20},

		{"the whole message", seeded(), keywords("s", "write"), "Write", 10},
		{"a word is not the whole message", seeded(), keywords("s", "write"), "write it", 5},
		{"nor is the message with a full stop", seeded(), keywords("s", "write"), "write.", 5},
		{"two words can be", seeded(), keywords("s", "git commit"), "Git commit", 10},
		{"by document a pattern is 15", seeded(), patterned("a"), "a", 15},
		{"by document a tag is 2", seeded(), tagged("git"), "digit", 2},
		{"by document nothing is capped", seeded(), keywords("s", spam(20, "write")...), "write on", 100},
		{"by document names do not count", seeded(), described("pdf", "pdf"), "pdf", 0},

		{"a name", withFallback(), described("pdf-tools", ""), "make a pdf", 8},
		{"a name and a description", withFallback(), described("pdf-tools", "Split PDF files"), "split a pdf", 12},
		{"irrelevant", withFallback(), described("pdf-tools", "Split files"), "weather in Oslo", 0},
		{"whole words only", withFallback(), described("pdf", ""), "pdfs", 0},
		{"common words do not count", withFallback(), described("for", "use this when you are not using the"), "use this for when you are not using the", 0},
		{"two bytes do not count", withFallback(), described("go", "go"), "go", 0},
		{"repeats in a description count", withFallback(), described("x", "data, data, data"), "data", 6},
		{"repeats in a message do not", withFallback(), described("x", "data"), "data data", 2},
		{"the fallback is capped", withFallback(), described("one-two-three", ""), "one two three", 20},
		{"there is none beside a match", withFallback(), with("pdf", func(s *skill.Skill) { s.Activation.Tags = []string{"pdf"} }), "pdf", 3},
		{"without its weights there is none", shipped(), described("pdf", ""), "pdf", 0},
	} {
		skills := []*skill.Skill{test.skill}
		want := map[string]float64{}
		if test.want > 0 {
			want[test.skill.Name] = test.want
		}
		if diff := cmp.Diff(want, scores(skills, choose(t, test.rules, skills, test.message).Activate)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

func TestDeclaredExclusion(t *testing.T) {
	for _, test := range []struct {
		name, exclude, message string
		chosen                 bool
	}{
		{"a word", "memory", "write to Memory", false},
		{"part of a word", "route", "write the routes", false},
		{"in capitals", "MEMORY", "write memory", false},
		{"two words", "set up", "write how to set up", false},
		{"not there", "memory", "write", true},
	} {
		for _, rules := range []Rules{shipped(), seeded(), withFallback()} {
			s := with("write", func(s *skill.Skill) {
				s.Activation = skill.Activation{Keywords: []string{"write"}, Patterns: []string{"w"}, Tags: []string{"write"}, ExcludeKeywords: []string{test.exclude}}
			})
			if got := choose(t, rules, []*skill.Skill{s}, test.message); len(got.Activate) == 1 != test.chosen {
				t.Errorf("%s, %s: chosen %v", rules.Scorer, test.name, got.Activate)
			}
		}
	}
}

func TestDeclaredSelection(t *testing.T) {
	sized := func(name string, declared, tokens int, words ...string) *skill.Skill {
		return with(name, func(s *skill.Skill) {
			s.Activation.Keywords, s.Activation.MaxContextTokens, s.Tokens = words, declared, tokens
		})
	}
	bounded := func(r Rules, most, tokens, suggest int) Rules {
		r.Max, r.Tokens, r.Suggest = most, tokens, suggest
		return r
	}
	both := []*skill.Skill{sized("a", 3000, 10, "one", "two"), sized("b", 3000, 10, "one"), sized("c", 500, 10, "one")}
	type answer struct {
		Activate, Suggest []string
		Skipped           []Skip
	}
	for _, test := range []struct {
		name   string
		rules  Rules
		skills []*skill.Skill
		want   answer
	}{
		{"the best come first", bounded(shipped(), 2, 0, 0),
			[]*skill.Skill{keywords("a", "on"), keywords("b", "one"), keywords("c", "one", "two")}, answer{[]string{"c", "b"}, []string{}, nil}},
		{"order among equals", bounded(shipped(), 2, 0, 0),
			[]*skill.Skill{keywords("b", "one"), keywords("a", "two"), keywords("c", "one")}, answer{[]string{"b", "a"}, []string{}, nil}},
		{"three are the default", bounded(seeded(), 0, 0, 0),
			[]*skill.Skill{keywords("a", "one"), keywords("b", "one"), keywords("c", "one"), keywords("d", "one")}, answer{[]string{"a", "b", "c"}, []string{}, nil}},
		{"the next takes the room", bounded(shipped(), 2, 4000, 0), both, answer{[]string{"a", "c"}, []string{}, []Skip{{1, -1, "tokens"}}}},
		{"by document it does not", bounded(seeded(), 2, 4000, 0), both, answer{[]string{"a"}, []string{}, []Skip{{1, -1, "tokens"}}}},
		{"without a budget", bounded(seeded(), 2, 0, 0), both, answer{[]string{"a", "b"}, []string{}, nil}},
		{"what is not taken is offered", bounded(shipped(), 1, 0, 1), both, answer{[]string{"a"}, []string{"b"}, nil}},
		{"nothing is free", bounded(shipped(), 5, 2, 0),
			[]*skill.Skill{sized("a", 0, 0, "one"), sized("b", 0, 0, "one"), sized("c", 0, 0, "one")}, answer{[]string{"a", "b"}, []string{}, []Skip{{2, -1, "tokens"}}}},
		{"twice what is declared is believed", bounded(shipped(), 5, 100, 0),
			[]*skill.Skill{sized("a", 100, 200, "one")}, answer{[]string{"a"}, []string{}, nil}},
		{"more is not", bounded(shipped(), 5, 200, 0),
			[]*skill.Skill{sized("a", 100, 201, "one")}, answer{[]string{}, []string{}, []Skip{{0, -1, "tokens"}}}},
		{"one of a name", bounded(shipped(), 5, 0, 5),
			[]*skill.Skill{keywords("a", "one"), keywords("a", "one", "two")}, answer{[]string{"a"}, []string{}, nil}},
		{"what only people may start", bounded(shipped(), 5, 0, 5),
			[]*skill.Skill{with("a", func(s *skill.Skill) {
				s.Activation.Keywords, s.Invocation.ModelDisabled = []string{"one"}, true
			})}, answer{[]string{}, []string{}, nil}},
	} {
		got := choose(t, test.rules, test.skills, "one two")
		if diff := cmp.Diff(test.want, answer{names(test.skills, got.Activate), names(test.skills, got.Suggest), got.Skipped}); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
	least := shipped()
	least.Least = 10
	if got := choose(t, least, []*skill.Skill{keywords("a", "two wo"), keywords("b", "one")}, "one two word"); len(got.Activate) != 1 || got.Activate[0].Skill != 1 {
		t.Errorf("the least score does not hold: %v", got.Activate)
	}
}

func TestDeclaredCompanions(t *testing.T) {
	wants := func(name string, companions ...string) *skill.Skill {
		return with(name, func(s *skill.Skill) { s.Companions = companions })
	}
	parent := wants("p", "x", "missing", "y", "x")
	parent.Activation.Keywords = []string{"one"}
	skills := []*skill.Skill{parent, wants("x", "z"), wants("y"), wants("z")}
	skills[1].Trust = "installed"
	rules := shipped()
	for _, test := range []struct {
		name          string
		scorer        string
		slots, tokens int
		want          []string
		skipped       []Skip
	}{
		{"in order, once, and not theirs", "words", 5, 0, []string{"p", "x", "y"}, nil},
		{"within the budget", "words", 5, 2500, []string{"p", "x"}, []Skip{{2, 0, "tokens"}}},
		{"within the slots", "words", 2, 0, []string{"p", "x"}, []Skip{{2, 0, "max"}, {1, 0, "max"}}},
		{"not with one that does not fit", "words", 5, 999, []string{}, []Skip{{0, -1, "tokens"}}},
		{"by document there are none", "weights", 5, 0, []string{"p"}, nil},
	} {
		rules.Scorer, rules.Max, rules.Tokens = test.scorer, test.slots, test.tokens
		got := choose(t, rules, skills, "one")
		if diff := cmp.Diff(test.want, names(skills, got.Activate)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
		if diff := cmp.Diff(test.skipped, got.Skipped); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
	rules.Scorer, rules.Max, rules.Tokens = "words", 5, 0
	want := []Match{{Kind: "companion", Field: "requires.skills", Text: "p"}}
	if diff := cmp.Diff(want, choose(t, rules, skills, "one").Activate[1].Reasons); diff != "" {
		t.Error(diff)
	}
	again := append(skills, wants("x"))
	if got := choose(t, rules, again, "one").Activate[1].Skill; got != 4 {
		t.Errorf("of two companions of a name the last counts; got %d", got)
	}
}

func TestDeclaredReasons(t *testing.T) {
	s := with("s", func(s *skill.Skill) {
		s.Activation = skill.Activation{Keywords: []string{"Write", "mail"}, Patterns: []string{"e-.ail"}, Tags: []string{"ail"}}
	})
	want := []Match{
		{Kind: "pattern", Field: "activation.patterns", Text: "e-.ail", Weight: 20},
		{Kind: "keyword", Field: "activation.keywords", Text: "Write", Weight: 10},
		{Kind: "keyword", Field: "activation.keywords", Text: "mail", Weight: 5},
		{Kind: "tag", Field: "activation.tags", Text: "ail", Weight: 3},
	}
	got := choose(t, shipped(), []*skill.Skill{s}, "write an e-mail")
	if diff := cmp.Diff(want, got.Activate[0].Reasons); diff != "" || got.Activate[0].Score != 38 || got.Considered != 1 {
		t.Errorf("%+v\n%s", got, diff)
	}
	named := with("pdf-tools", func(s *skill.Skill) { s.Description = skill.NewText("The PDF tools") })
	want = []Match{
		{Kind: "word", Field: "name", Text: "pdf", Weight: 8},
		{Kind: "word", Field: "description", Text: "pdf", Weight: 2},
	}
	if diff := cmp.Diff(want, choose(t, withFallback(), []*skill.Skill{named}, "a PDF").Activate[0].Reasons); diff != "" {
		t.Error(diff)
	}
}

func TestDeclaredRulesRefused(t *testing.T) {
	for _, test := range []struct {
		change func(*Rules)
		want   string
	}{
		{func(r *Rules) { r.Weights = nil }, `route.weights is empty; "weights" needs exact, substring, pattern, tag`},
		{func(r *Rules) { r.Weights["tags"] = 1 }, `route.weights has "tags"; it can have exact, substring, pattern, tag`},
		{func(r *Rules) { r.Weights["tag"] = -1 }, `route.weights.tag is -1; it can be 0 to 1e+06`},
		{func(r *Rules) { r.Weights["tag"] = math.NaN() }, `route.weights.tag is NaN; it can be 0 to 1e+06`},
		{func(r *Rules) { r.Caps = map[string]float64{"tag": math.Inf(1)} }, `route.caps.tag is +Inf; it can be 0 to 1e+06`},
		{func(r *Rules) { r.Caps = map[string]float64{"exact": 1} }, `route.caps has "exact"; it can have keyword, pattern, tag`},
		{func(r *Rules) { r.Least = math.NaN() }, `route.least is no number`},
	} {
		rules := seeded()
		test.change(&rules)
		if _, err := newWeights(rules, nil); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A pattern is tried only on messages that have what it needs.
func TestNeeded(t *testing.T) {
	for pattern, want := range map[string][]string{
		"deploy":                      {"deploy"},
		"(?i)Deploy.*(now|today)":     {"deploy"},
		`\b(?:write|draft)\b.*email+`: {"write", "draft"},
		"(abc)+":                      {"abc"},
		"(?:abc){2,}":                 {"abc"},
		"(?:abc)*":                    nil,
		"(?:abc)?":                    nil,
		"abc|":                        nil,
		"[ab]c":                       {"c"},
		".*":                          nil,
		"":                            nil,
		"(?i)ſk":                      {"sk"},
	} {
		list := patterns([]string{pattern})
		var got []string
		for _, need := range list[0].needs {
			got = append(got, need.text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", pattern, diff)
		}
		regexp.MustCompile(pattern)
	}
}
