package route

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	toml "github.com/pelletier/go-toml/v2"

	"github.com/knackhq/knack/skill"
)

// routingCase is a message, and what the program answered whose cases they are.
type routingCase struct {
	ID        string   `json:"id"`
	Prompt    string   `json:"prompt"`
	Relevant  []string `json:"relevant"`
	Forbidden []string `json:"forbidden"`
	None      bool     `json:"expect_no_match"`
	Selected  []string `json:"baseline_selected"`
}

const goldens = "../../testdata/goldens"

func routingCases(t testing.TB) []routingCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldens, "ironclaw-routing.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []routingCase `json:"cases"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Cases) != 17 {
		t.Fatalf("there are %d cases, not 17", len(doc.Cases))
	}
	return doc.Cases
}

func routingSkills(t testing.TB) []*skill.Skill {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldens, "ironclaw-routing-skills.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*skill.Skill
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var row struct {
			Name, Description           string
			Keywords, Patterns, Exclude []string
			Tags                        []string `json:"act_tags"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		out = append(out, &skill.Skill{
			Name: row.Name, Description: skill.NewText(row.Description),
			Activation: skill.Activation{
				Keywords: row.Keywords, ExcludeKeywords: row.Exclude, Patterns: row.Patterns, Tags: row.Tags, MaxContextTokens: 2000,
			},
		})
	}
	if err := lines.Err(); err != nil || len(out) != 15 {
		t.Fatalf("there are %d skills, not 15; %v", len(out), err)
	}
	return out
}

// shipped are the numbers of the program's code, seeded those of its document.
func shipped() Rules {
	return Rules{
		Scorer:  "words",
		Weights: map[string]float64{"exact": 10, "substring": 5, "tag": 3, "pattern": 20},
		Caps:    map[string]float64{"keyword": 30, "tag": 15, "pattern": 40},
		Max:     5, Tokens: 100_000,
	}
}

func seeded() Rules {
	return Rules{
		Scorer:  "weights",
		Weights: map[string]float64{"exact": 10, "substring": 5, "tag": 2, "pattern": 15},
		Max:     3, Tokens: 4000,
	}
}

// figures are how well answers fit what people found relevant.
type figures struct {
	Found, Relevant, Selected, Top, WithRelevant, Forbidden, Cases, Activated, Negative int
}

func (f *figures) count(c *routingCase, got []string) {
	f.Cases++
	f.Selected += len(got)
	f.Relevant += len(c.Relevant)
	for _, name := range c.Relevant {
		if slices.Contains(got, name) {
			f.Found++
		}
	}
	if slices.ContainsFunc(c.Forbidden, func(name string) bool { return slices.Contains(got, name) }) {
		f.Forbidden++
	}
	if c.None {
		f.Negative++
		f.Activated += min(len(got), 1)
		return
	}
	f.WithRelevant++
	if len(got) > 0 && slices.Contains(c.Relevant, got[0]) {
		f.Top++
	}
}

func (f figures) String() string {
	return fmt.Sprintf("recall %d/%d, precision %d/%d, top-1 %d/%d, forbidden %d/%d, false activation %d/%d",
		f.Found, f.Relevant, f.Found, f.Selected, f.Top, f.WithRelevant, f.Forbidden, f.Cases, f.Activated, f.Negative)
}

func names(skills []*skill.Skill, picks []Pick) []string {
	out := []string{}
	for _, p := range picks {
		out = append(out, skills[p.Skill].Name)
	}
	return out
}

func TestRoutingGoldens(t *testing.T) {
	skills, known := routingSkills(t), routingDeviations(t)
	chooser, err := newWords(shipped(), skills)
	if err != nil {
		t.Fatal(err)
	}
	var f figures
	agree, away := 0, 0
	for _, c := range routingCases(t) {
		got := names(skills, chooser.Select(c.Prompt).Activate)
		f.count(&c, got)
		answer, deviates := known[c.ID]
		switch diff := cmp.Diff(c.Selected, got); {
		case diff == "" && deviates:
			t.Errorf("%s: it agrees, so it is no deviation", c.ID)
		case diff == "":
			agree++
		case deviates:
			away++
			if diff := cmp.Diff(answer, got); diff != "" {
				t.Errorf("%s: the answer of the deviation differs:\n%s", c.ID, diff)
			}
		default:
			t.Errorf("%s:\n%s", c.ID, diff)
		}
	}
	if away != len(known) || away > 2 {
		t.Errorf("%d deviations of %d that are listed; two are allowed", away, len(known))
	}
	fmt.Printf("ironclaw-routing: %d cases, %d agree, %d deviate on purpose; %v\n", f.Cases, agree, away, f)
	if want := "recall 16/16, precision 16/33, top-1 13/15, forbidden 1/17, false activation 1/2"; f.String() != want {
		t.Errorf("got  %v\nwant %s", f, want)
	}
}

// routingDeviations are the answers that differ on purpose, by case.
func routingDeviations(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/hosts/ironclaw/deviations.toml")
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Deviation []struct{ File, Case, What, Rule, Answer string }
	}
	if err := toml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, d := range doc.Deviation {
		if d.File != "ironclaw-routing" {
			continue
		}
		var answer []string
		if err := json.Unmarshal([]byte(d.Answer), &answer); err != nil || d.What == "" || d.Rule == "" {
			t.Errorf("%s: a deviation needs what, rule and answer; %v", d.Case, err)
		}
		out[d.Case] = answer
	}
	return out
}

// The document's numbers find the same skills in the same order, with the same
// room. With the room that it gives, the tail is cut.
func TestRoutingByDocument(t *testing.T) {
	skills := routingSkills(t)
	wide := seeded()
	wide.Max, wide.Tokens = 5, 100_000
	for _, test := range []struct {
		rules Rules
		same  int
		want  string
	}{
		{wide, 17, "recall 16/16, precision 16/33, top-1 13/15, forbidden 1/17, false activation 1/2"},
		{seeded(), 12, "recall 16/16, precision 16/23, top-1 13/15, forbidden 1/17, false activation 1/2"},
	} {
		chooser, err := newWeights(test.rules, skills)
		if err != nil {
			t.Fatal(err)
		}
		var f figures
		same := 0
		for _, c := range routingCases(t) {
			got := names(skills, chooser.Select(c.Prompt).Activate)
			f.count(&c, got)
			switch {
			case slices.Equal(got, c.Selected):
				same++
			case test.rules.Max < 5 && slices.Equal(got, c.Selected[:min(len(got), len(c.Selected))]):
			default:
				t.Logf("%s: %v, not %v", c.ID, got, c.Selected)
			}
		}
		fmt.Printf("ironclaw-routing by document, %d slots: %v\n", test.rules.Max, f)
		if same != test.same || f.String() != test.want {
			t.Errorf("%d are the same, not %d\ngot  %v\nwant %s", same, test.same, f, test.want)
		}
	}
}
