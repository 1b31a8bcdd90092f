package route

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// plainScore is the definition of a score, without what makes it fast.
func plainScore(rules *Rules, s *skill.Skill, message string) float64 {
	low, a := lower(message), &s.Activation
	has := func(word string) bool {
		return strings.TrimSpace(word) != "" && strings.Contains(low, lower(word))
	}
	if slices.ContainsFunc(a.ExcludeKeywords, has) {
		return 0
	}
	capped := func(sum float64, kind string) float64 {
		if most, there := rules.Caps[kind]; there {
			return min(sum, most)
		}
		return sum
	}
	notAlnum := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.Other_Alphabetic) }
	var keyword, tag, pattern float64
	for _, word := range a.Keywords {
		whole := low == lower(word)
		if rules.Scorer == "words" {
			whole = slices.ContainsFunc(strings.Fields(low), func(w string) bool { return strings.TrimFunc(w, notAlnum) == lower(word) })
		}
		switch {
		case !has(word):
		case whole:
			keyword += rules.Weights["exact"]
		default:
			keyword += rules.Weights["substring"]
		}
	}
	for _, word := range a.Tags {
		if has(word) {
			tag += rules.Weights["tag"]
		}
	}
	for _, text := range a.Patterns {
		if re, err := regexp.Compile(text); err == nil && len(message) <= 65_536 && re.MatchString(message) {
			pattern += rules.Weights["pattern"]
		}
	}
	total := capped(keyword, "keyword") + capped(tag, "tag") + capped(pattern, "pattern")
	if total > 0 || rules.Scorer != "words" {
		return total
	}
	common := strings.Fields("the and for with from this that use using when into your you are was not but all any its how why via")
	words := strings.FieldsFunc(low, notAlnum)
	count := func(text string) (n float64) {
		for _, token := range strings.FieldsFunc(lower(text), notAlnum) {
			if len(token) > 2 && !slices.Contains(common, token) && slices.Contains(words, token) {
				n++
			}
		}
		return n
	}
	return capped(rules.Weights["name"]*count(s.Name)+rules.Weights["description"]*count(s.Description.Raw()), "fallback")
}

// checkDeclared holds an answer to everything that is true of every answer.
func checkDeclared(t *testing.T, rules Rules, skills []*skill.Skill, message string) Selection {
	t.Helper()
	got := choose(t, rules, skills, message)
	again, err := json.Marshal(choose(t, rules, skills, message))
	if err != nil {
		t.Fatal(err)
	}
	if first, err := json.Marshal(got); err != nil || string(first) != string(again) {
		t.Fatalf("the same message gives %s, then %s; %v", first, again, err)
	}
	if len(got.Activate) > rules.Max || len(got.Suggest) > rules.Suggest || got.Considered > len(skills) {
		t.Fatalf("%d are activated and %d offered of %d", len(got.Activate), len(got.Suggest), got.Considered)
	}
	tokens := 0
	for _, p := range slices.Concat(got.Activate, got.Suggest) {
		s := skills[p.Skill]
		if want := plainScore(&rules, s, message); p.Score != want {
			t.Fatalf("%q: the score of %+v is %v, not %v", message, s.Activation, p.Score, want)
		}
		companion := slices.ContainsFunc(p.Reasons, func(m Match) bool { return m.Kind == "companion" })
		if p.Score <= 0 && !companion {
			t.Fatalf("%q: %+v was chosen for nothing", message, s.Activation)
		}
		if !slices.IsSortedFunc(p.Reasons, func(a, b Match) int { return int(b.Weight - a.Weight) }) {
			t.Fatalf("the weightiest reason is not first: %+v", p.Reasons)
		}
		sum := 0.0
		for _, m := range p.Reasons {
			sum += m.Weight
		}
		if sum < p.Score {
			t.Fatalf("the reasons %+v do not explain %v", p.Reasons, p.Score)
		}
	}
	for _, p := range got.Activate {
		tokens += cost(skills[p.Skill])
	}
	if rules.Tokens > 0 && tokens > rules.Tokens {
		t.Fatalf("%d tokens were given of %d", tokens, rules.Tokens)
	}
	return got
}

var vocabulary = strings.Fields(`write Write e-mail deploy staging commit git hack hacker ſtatus STATUS ΟΔΟΣ οδος İstanbul
	the using pdf pdfs (write) "commit". naïve 日本語 20K \xff report re port`)

func anyWords(r *rand.Rand, most int) []string {
	var out []string
	for range r.IntN(most + 1) {
		word := vocabulary[r.IntN(len(vocabulary))]
		if r.IntN(6) == 0 {
			word += " " + vocabulary[r.IntN(len(vocabulary))]
		}
		out = append(out, word)
	}
	return out
}

func anySkill(r *rand.Rand, name string) *skill.Skill {
	forms := []string{"%s", "(?i)%s", `\b%s\b`, "(?i)(%s|commit)+ .*", "(?:%s)?x*", "[%s]{2}", "(", "^%s", "(?i)(?:%s|) git"}
	s := &skill.Skill{Name: name, Description: skill.NewText(strings.Join(anyWords(r, 6), " ")), Tokens: r.IntN(5000)}
	s.Activation = skill.Activation{Keywords: anyWords(r, 4), Tags: anyWords(r, 3), MaxContextTokens: r.IntN(3000)}
	if r.IntN(3) == 0 {
		s.Activation.ExcludeKeywords = anyWords(r, 2)
	}
	for _, word := range anyWords(r, 4) {
		s.Activation.Patterns = append(s.Activation.Patterns, fmt.Sprintf(forms[r.IntN(len(forms))], word))
	}
	if r.IntN(4) == 0 {
		s.Companions = []string{"write-0", "commit-1"}
	}
	return s
}

func TestDeclaredProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	chosen := 0
	for range 800 {
		skills := make([]*skill.Skill, 1+r.IntN(8))
		for i := range skills {
			skills[i] = anySkill(r, fmt.Sprintf("%s-%d", vocabulary[r.IntN(8)], i))
		}
		message := strings.Join(anyWords(r, 8), " ")
		for _, rules := range []Rules{shipped(), seeded(), withFallback()} {
			rules.Max, rules.Tokens, rules.Suggest = 1+r.IntN(5), r.IntN(8000), r.IntN(4)
			got := checkDeclared(t, rules, skills, message)
			chosen += len(got.Activate)
			for _, p := range got.Activate {
				if excluded(skills[p.Skill], message) && p.Score != 0 {
					t.Fatalf("%q: %+v was chosen against its will", message, skills[p.Skill].Activation)
				}
				if sum := rules.Caps["keyword"] + rules.Caps["tag"] + rules.Caps["pattern"]; len(rules.Caps) > 0 && p.Score > sum {
					t.Fatalf("the score %v is above all caps, %v", p.Score, sum)
				}
			}
		}
	}
	if chosen < 800 {
		t.Errorf("only %d skills were chosen; the messages do not test much", chosen)
	}
}

func excluded(s *skill.Skill, message string) bool {
	return slices.ContainsFunc(s.Activation.ExcludeKeywords, func(word string) bool {
		return strings.Contains(lower(message), lower(word))
	})
}

// Where no two scores are equal, the order of the skills does not matter; where
// some are, only their order among each other does.
func TestDeclaredOrderBreaksTies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		skills := make([]*skill.Skill, 6)
		for i := range skills {
			skills[i] = anySkill(r, fmt.Sprintf("s-%d", i))
			skills[i].Companions = nil
		}
		shuffled := slices.Clone(skills)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		message := strings.Join(anyWords(r, 8), " ")
		for _, rules := range []Rules{shipped(), seeded(), withFallback()} {
			rules.Max, rules.Tokens = 6, 0
			a, b := choose(t, rules, skills, message).Activate, choose(t, rules, shuffled, message).Activate
			if diff := cmp.Diff(scores(skills, a), scores(shuffled, b)); diff != "" {
				t.Fatalf("%q: the order changes what is chosen:\n%s", message, diff)
			}
			for _, picks := range [][]Pick{a, b} {
				for i := 1; i < len(picks); i++ {
					p, q := picks[i-1], picks[i]
					if p.Score < q.Score || p.Score == q.Score && p.Skill > q.Skill {
						t.Fatalf("%q: %v comes before %v", message, p, q)
					}
				}
			}
		}
	}
}

func FuzzWeights(f *testing.F) {
	f.Add("write an e-mail", "write", "(?i)(write|draft).*mail", "mail", "never", "mailer", "Writes mail", 100, 10)
	f.Add("ſtatus \xff İ Σ", "Σ", "(?i)status|\xff", "İ", "", "ς", "status status", 0, 0)
	f.Add("", "", "", "", "", "", "", -1, -1)
	f.Fuzz(func(t *testing.T, message, keyword, pattern, tag, exclude, name, text string, declared, tokens int) {
		if len(message) > 1<<12 || len(pattern) > 1<<6 {
			t.Skip("matching is linear, but not free")
		}
		s := &skill.Skill{Name: name, Description: skill.NewText(text), Tokens: tokens, Activation: skill.Activation{
			Keywords: []string{keyword, tag, keyword}, Patterns: []string{pattern, pattern}, Tags: []string{tag}, MaxContextTokens: declared,
		}}
		other := &skill.Skill{Name: keyword, Companions: []string{name}, Activation: skill.Activation{Keywords: []string{keyword, text}}}
		barred := &skill.Skill{Name: tag, Activation: skill.Activation{
			Keywords: []string{keyword}, Patterns: []string{""}, ExcludeKeywords: []string{exclude},
		}}
		for _, rules := range []Rules{shipped(), seeded(), withFallback()} {
			rules.Suggest = 1
			checkDeclared(t, rules, []*skill.Skill{s, other, barred}, message)
		}
	})
}

// The fifteen skills have some sixty patterns, and a message what a few of them
// need.
func BenchmarkDeclared(b *testing.B) {
	skills, cases := routingSkills(b), routingCases(b)
	chooser, err := newWords(shipped(), skills)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		chooser.Select(cases[i%len(cases)].Prompt)
	}
}

func BenchmarkDeclaredMany(b *testing.B) {
	base := routingSkills(b)
	var skills []*skill.Skill
	for i := range 2250 {
		s := *base[i%len(base)]
		s.Name = fmt.Sprintf("%s-%d", s.Name, i)
		s.Activation.Patterns = nil
		skills = append(skills, &s)
	}
	chooser, err := newWords(withFallback(), skills)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		chooser.Select("Summarise the weather of last month in a table, please")
	}
}

// Patterns compile themselves when they are first tried, by whoever is first.
func TestDeclaredTogether(t *testing.T) {
	skills, cases := routingSkills(t), routingCases(t)
	chooser, err := newWords(shipped(), skills)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, c := range cases {
				if diff := cmp.Diff(c.Selected, names(skills, chooser.Select(c.Prompt).Activate)); diff != "" {
					t.Errorf("%s:\n%s", c.ID, diff)
				}
			}
		})
	}
	all.Wait()
}
