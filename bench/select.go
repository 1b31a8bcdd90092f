package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/skill"
)

// evalSkill, evalQuery and evalNegative are the lines of an evaluation set.
type evalSkill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Keywords    []string `json:"keywords"`
	Patterns    []string `json:"patterns"`
	Body        string   `json:"body"`
}

type evalMessage struct {
	Text string `json:"text"`
	// Split is the kind of a request, Kind that of a message which must
	// activate nothing.
	Split string `json:"split"`
	Kind  string `json:"kind"`
	// Gold are the skills that serve the request, Strict those it was written for.
	Gold   []string `json:"gold"`
	Strict []string `json:"strict"`
}

// evalSet is a library and the messages that it is asked.
type evalSet struct {
	name      string
	ids       []string
	skills    []*skill.Skill
	queries   []evalMessage
	negatives []evalMessage
}

func readEvalSet(folder, name string) (*evalSet, error) {
	set := &evalSet{name: name}
	rows, err := readLines[evalSkill](filepath.Join(folder, name, "skills.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		set.ids = append(set.ids, r.ID)
		set.skills = append(set.skills, &skill.Skill{
			Name: r.Name, Slug: r.Name, Description: skill.NewText(r.Description), Tags: r.Tags,
			Activation: skill.Activation{Keywords: r.Keywords, Patterns: r.Patterns}, Body: skill.NewText(r.Body),
		})
	}
	if set.queries, err = readLines[evalMessage](filepath.Join(folder, name, "queries.jsonl")); err != nil {
		return nil, err
	}
	set.negatives, err = readLines[evalMessage](filepath.Join(folder, name, "negatives.jsonl"))
	return set, err
}

func readLines[T any](file string) ([]T, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20) // a line holds a whole skill
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, v)
	}
	return out, lines.Err()
}

// native are the rules of the ranked index as it ships.
func native() route.Rules { return route.Rules{Scorer: "ranked", Least: 0.5, Max: 3, Suggest: 10} }

// system is one way to choose.
type system struct {
	name string
	make func(skills []*skill.Skill) (route.Chooser, error)
}

func systems() []system {
	by := func(rules route.Rules) func([]*skill.Skill) (route.Chooser, error) {
		return func(skills []*skill.Skill) (route.Chooser, error) { return route.New(rules, skills) }
	}
	return []system{
		{"weights", by(route.Rules{
			Scorer: "weights", Max: 3, Suggest: 10, Tokens: 1 << 30,
			Weights: map[string]float64{"exact": 10, "substring": 5, "tag": 2, "pattern": 15},
		})},
		{"words", by(route.Rules{
			Scorer: "words", Max: 3, Suggest: 10, Tokens: 1 << 30,
			Weights: map[string]float64{"exact": 10, "substring": 5, "tag": 3, "pattern": 20, "name": 8, "description": 2},
			Caps:    map[string]float64{"keyword": 30, "tag": 15, "pattern": 40, "fallback": 20},
		})},
		{"bm25", func(skills []*skill.Skill) (route.Chooser, error) { return newPlain(skills), nil }},
		{"ranked", by(native())},
	}
}

// ranks are the places of which it is told how often one to there is right.
var ranks = [...]int{1, 3, 5, 10}

// outcome is how one system did on one kind of message.
type outcome struct {
	messages  int
	hits      [len(ranks)]int
	activated int // of requests: rightly; of others: at all
	suggested int
	spent     time.Duration
}

func (o *outcome) share(n int) float64 { return 100 * float64(n) / float64(max(o.messages, 1)) }

// outcomes are those of one system on one set, by kind of message.
func (set *evalSet) outcomes(c route.Chooser) map[string]*outcome {
	out := map[string]*outcome{}
	of := func(kind string) *outcome {
		if out[kind] == nil {
			out[kind] = &outcome{}
		}
		return out[kind]
	}
	for _, q := range set.queries {
		kind := q.Split
		if kind == "" {
			kind = "all"
		}
		o := of(kind)
		start := time.Now()
		s := c.Select(q.Text)
		o.spent += time.Since(start)
		o.messages++
		right := func(p route.Pick) bool { return slices.Contains(q.Gold, set.ids[p.Skill]) }
		if slices.ContainsFunc(s.Activate, right) {
			o.activated++
		}
		at := slices.IndexFunc(append(s.Activate, s.Suggest...), right)
		for i, most := range ranks {
			if at >= 0 && at < most {
				o.hits[i]++
			}
		}
	}
	for _, n := range set.negatives {
		o := of(n.Kind)
		start := time.Now()
		s := c.Select(n.Text)
		o.spent += time.Since(start)
		o.messages++
		if len(s.Activate) > 0 {
			o.activated++
		}
		if len(s.Suggest) > 0 {
			o.suggested++
		}
	}
	return out
}

// measureSelection prints how well and how fast each system chooses, and fails
// where the ranked index misses what is asked of it.
func measureSelection(w io.Writer, folder string) error {
	targets := &targets{w: w}
	var corpus *evalSet
	for _, name := range []string{"corpus", "metatool", "bfcl"} {
		set, err := readEvalSet(folder, name)
		if err != nil {
			return err
		}
		if name == "corpus" {
			corpus = set
		}
		fmt.Fprintf(w, "%s: %d skills\n%-9s %-9s %5s  %6s %6s %6s %6s  %9s %9s %7s\n", name, len(set.skills),
			"", "", "n", "hit@1", "hit@3", "hit@5", "hit@10", "activated", "suggested", "µs")
		results := map[string]map[string]*outcome{}
		for _, sys := range systems() {
			c, err := sys.make(set.skills)
			if err != nil {
				return err
			}
			set.outcomes(c) // once before it counts, so that all are warm
			results[sys.name] = set.outcomes(c)
		}
		for _, kind := range []string{"all", "normal", "hard", "multi", "chitchat", "question"} {
			for _, sys := range systems() {
				if o := results[sys.name][kind]; o != nil {
					o.print(w, kind, sys.name)
				}
			}
		}
		fmt.Fprintln(w)
		targets.check(name, results)
	}
	if err := measureLibraries(w, corpus, targets); err != nil {
		return err
	}
	if err := measureLarge(w, corpus, targets); err != nil {
		return err
	}
	if len(targets.missed) > 0 {
		return errors.New("missed: " + strings.Join(targets.missed, "; "))
	}
	fmt.Fprintln(w, "every target is met")
	return nil
}

func (o *outcome) print(w io.Writer, kind, name string) {
	fmt.Fprintf(w, "%-9s %-9s %5d ", kind, name, o.messages)
	for _, h := range o.hits {
		if kind == "chitchat" || kind == "question" {
			fmt.Fprintf(w, " %6s", "-")
		} else {
			fmt.Fprintf(w, " %6.1f", o.share(h))
		}
	}
	fmt.Fprintf(w, "  %9.1f %9.1f %7.1f\n", o.share(o.activated), o.share(o.suggested),
		float64(o.spent.Nanoseconds())/1000/float64(o.messages))
}

// targets gathers what was missed.
type targets struct {
	w      io.Writer
	missed []string
}

func (t *targets) least(what string, got, want float64) {
	if got < want {
		t.missed = append(t.missed, fmt.Sprintf("%s is %.1f, want %.1f at least", what, got, want))
	}
}

func (t *targets) most(what string, got, want float64) {
	if got > want {
		t.missed = append(t.missed, fmt.Sprintf("%s is %.1f, want %.1f at most", what, got, want))
	}
}

// check holds a set to the targets: those of the corpus, and on every set not
// to be worse than plain BM25.
func (t *targets) check(set string, results map[string]map[string]*outcome) {
	ranked, plain := results["ranked"], results["bm25"]
	for kind, o := range ranked {
		if kind != "chitchat" && kind != "question" {
			for i, most := range ranks {
				t.least(fmt.Sprintf("%s %s hit@%d", set, kind, most), o.share(o.hits[i]), plain[kind].share(plain[kind].hits[i]))
			}
		}
	}
	if set != "corpus" {
		return
	}
	of := func(kind string) *outcome {
		if o := ranked[kind]; o != nil {
			return o
		}
		return &outcome{}
	}
	normal, hard := of("normal"), of("hard")
	t.least("normal hit@1", normal.share(normal.hits[0]), 93)
	t.least("normal hit@3", normal.share(normal.hits[1]), 97)
	t.least("normal activated", normal.share(normal.activated), 80)
	t.least("hard hit@5", hard.share(hard.hits[2]), 53)
	t.least("hard hit@10", hard.share(hard.hits[3]), 60)
	t.most("chitchat activating", of("chitchat").share(of("chitchat").activated), 1)
	t.most("questions activating", of("question").share(of("question").activated), 4)
}
