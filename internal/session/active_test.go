package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// world has the given skills; what fails to load is named broken.
func world(entries ...*skill.Entry) *World {
	return &World{
		Find: func(name string) *skill.Entry {
			i := slices.IndexFunc(entries, func(e *skill.Entry) bool { return e.Name == name })
			if i < 0 {
				return nil
			}
			return entries[i]
		},
		Load: func(_ context.Context, e *skill.Entry) (*skill.Entry, error) {
			if e.Name == "broken" {
				return nil, errors.New("it vanished")
			}
			return e, nil
		},
		Missing: func(s *skill.Skill) (string, bool) {
			if slices.Contains(s.Permissions, "web_search") {
				return "Skill '" + s.Name + "' requires permission 'web_search' but no matching tool is available.", true
			}
			return "", false
		},
	}
}

func withTokens(e *skill.Entry, n int) *skill.Entry { e.Tokens = n; return e }

// The words and the order of the questions of the host that documents them.
var documented = ActiveRules{
	Failed: "Failed to activate skill '{skill}': {reason}", FailedOff: "Failed to deactivate skill '{skill}': {reason}",
	Says: map[string]string{
		Activated: "Skill '{skill}' activated.", AlreadyActive: "Skill '{skill}' is already active. Its instructions are in your system prompt.",
		Deactivated: "Skill '{skill}' deactivated.", NotActive: "Skill '{skill}' is not active.",
		SkillsOff: "Skill system is disabled. Enable it in config to use skills.",
		NotUsable: "Skill '{skill}' is disabled and cannot be activated.", NotFound: "Skill '{skill}' not found in available skills.",
		NotLoaded: "Failed to load skill '{skill}': {reason}",
		TooMany:   "Maximum number of active skills ({max}) reached. Deactivate a skill first.",
	},
}

func TestOutcomesInOrderAndWords(t *testing.T) {
	a, err := NewActivator(documented)
	if err != nil {
		t.Fatal(err)
	}
	off, needy, manual := entry("off", skill.Disabled), entry("needy", skill.Ready), entry("manual", skill.Ready)
	needy.Permissions = []string{"file_read", "web_search"}
	manual.Invocation.ModelDisabled = true
	w := world(off, needy, manual, entry("auto-coder", skill.Ready), entry("broken", skill.Ready), entry("second", skill.Ready))
	w.MaxActive = 1
	one, _ := a.Activate(t.Context(), Active{}, w, Request{Name: "auto-coder", Reason: Model})
	for _, c := range []struct {
		set     Active
		name    string
		reason  Reason
		code    string
		message string
	}{
		{Active{}, "auto-coder", Model, Activated, "Skill 'auto-coder' activated."},
		{Active{}, "off", Model, NotUsable, "Failed to activate skill 'off': Skill 'off' is disabled and cannot be activated."},
		{Active{}, "nope", Model, NotFound, "Failed to activate skill 'nope': Skill 'nope' not found in available skills."},
		{Active{}, "Auto-Coder", Model, NotFound, "Failed to activate skill 'Auto-Coder': Skill 'Auto-Coder' not found in available skills."},
		// An active skill is never refused, though the set is full.
		{one, "auto-coder", Model, AlreadyActive, "Skill 'auto-coder' is already active. Its instructions are in your system prompt."},
		{one, "broken", Model, NotLoaded, "Failed to activate skill 'broken': Failed to load skill 'broken': it vanished"},
		// Permissions come before the limit.
		{one, "needy", Model, NoPermission, "Failed to activate skill 'needy': Skill 'needy' requires permission 'web_search' but no matching tool is available."},
		{one, "second", Model, TooMany, "Failed to activate skill 'second': Maximum number of active skills (1) reached. Deactivate a skill first."},
		{Active{}, "manual", Model, NotForModel, "Failed to activate skill 'manual': skill manual can only be started by the user, with its slash command"},
		{Active{}, "manual", Slash, Activated, "Skill 'manual' activated."},
	} {
		before := len(c.set.Members())
		set, out := a.Activate(t.Context(), c.set, w, Request{Name: c.name, Reason: c.reason})
		want := Outcome{OK: c.code == Activated || c.code == AlreadyActive, Code: c.code, Skill: c.name, Message: c.message}
		if diff := cmp.Diff([]Outcome{want}, out); diff != "" {
			t.Error(diff)
		}
		if grew := len(set.Members()) - before; grew != map[bool]int{true: 1}[c.code == Activated] {
			t.Errorf("%s: the set grew by %d", c.name, grew)
		}
	}
	w.Off = true
	if _, out := a.Activate(t.Context(), one, w, Request{Name: "nope", Reason: Model}); out[0].Message != "Failed to activate skill 'nope': Skill system is disabled. Enable it in config to use skills." {
		t.Error(out)
	}
	none, out := a.Deactivate(one, "auto-coder")
	if out.Message != "Skill 'auto-coder' deactivated." || none.Has("auto-coder") || !one.Has("auto-coder") {
		t.Error(out, none, one)
	}
	if _, out = a.Deactivate(none, "auto-coder"); out.OK || out.Message != "Failed to deactivate skill 'auto-coder': Skill 'auto-coder' is not active." {
		t.Error(out)
	}
}

func TestBudgetAndCompanions(t *testing.T) {
	a, err := NewActivator(ActiveRules{Companions: 10})
	if err != nil {
		t.Fatal(err)
	}
	lead := withTokens(entry("lead", skill.Ready), 100)
	lead.Companions = []string{"small", "large", "lost", "lead"}
	w := world(lead, withTokens(entry("small", skill.Ready), 50), withTokens(entry("large", skill.Ready), 500))
	w.MaxTokens = 200
	set, out := a.Activate(t.Context(), Active{}, w, Request{Name: "lead", Reason: Pinned})
	var codes []string
	for _, o := range out {
		codes = append(codes, o.Skill+" "+o.Code)
	}
	if diff := cmp.Diff([]string{"lead activated", "small activated", "large too-large", "lost not-found"}, codes); diff != "" {
		t.Error(diff)
	}
	if set.Tokens() != 150 || set.Members()[1].From != "lead" || set.Members()[1].Reason != Pinned {
		t.Errorf("%+v", set.Members())
	}
	if set, _ = a.Deactivate(set, "lead"); len(set.Members()) != 0 {
		t.Errorf("companions stay behind: %+v", set.Members())
	}
}

func TestUnknownWordingIsRefused(t *testing.T) {
	if _, err := NewActivator(ActiveRules{Says: map[string]string{"activted": "x"}}); err == nil {
		t.Error("a typing error in activate.says is not told")
	}
}

// Whatever happens, a set never passes its limits, has no skill twice, and a
// failure leaves it as it was.
func TestSetsKeepTheirLimits(t *testing.T) {
	a, err := NewActivator(ActiveRules{Companions: 3})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var entries []*skill.Entry
		for i := range rapid.IntRange(1, 8).Draw(rt, "skills") {
			e := withTokens(entry(fmt.Sprint("s", i), skill.Ready), rapid.IntRange(0, 50).Draw(rt, "tokens"))
			e.Companions = rapid.SliceOfN(rapid.SampledFrom([]string{"s0", "s1", "s2", "nope"}), 0, 4).Draw(rt, "companions")
			entries = append(entries, e)
		}
		w := world(entries...)
		w.MaxActive, w.MaxTokens = rapid.IntRange(0, 4).Draw(rt, "max"), rapid.IntRange(0, 100).Draw(rt, "budget")
		set := Active{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			name := fmt.Sprint("s", rapid.IntRange(0, 9).Draw(rt, "which"))
			before := set
			if rapid.Bool().Draw(rt, "off") {
				set, _ = a.Deactivate(set, name)
			} else {
				var out []Outcome
				set, out = a.Activate(t.Context(), set, w, Request{Name: name, Reason: Model})
				if !out[0].OK && len(set.Members()) != len(before.Members()) {
					rt.Fatalf("%v changed the set", out)
				}
			}
			seen := map[string]bool{}
			for _, m := range set.Members() {
				if seen[m.Entry.Name] {
					rt.Fatalf("%s is active twice", m.Entry.Name)
				}
				seen[m.Entry.Name] = true
			}
			if w.MaxActive > 0 && len(seen) > w.MaxActive || w.MaxTokens > 0 && set.Tokens() > w.MaxTokens {
				rt.Fatalf("%d skills, %d tokens", len(seen), set.Tokens())
			}
		}
	})
}

// A skill is judged by what is read of it, not by what it was when it was found.
func TestChangedFilesAreJudgedAnew(t *testing.T) {
	a, err := NewActivator(ActiveRules{})
	if err != nil {
		t.Fatal(err)
	}
	for code, change := range map[string]func(e *skill.Entry){
		Activated: func(*skill.Entry) {},
		NotUsable: func(e *skill.Entry) {
			e.Status, e.Reasons = skill.Gated, []skill.Reason{{Code: skill.ReasonBin, Message: "jq is missing"}}
		},
		NotForModel:     func(e *skill.Entry) { e.Invocation.ModelDisabled = true },
		NotUsable + " ": func(e *skill.Entry) { e.Name = "other" },
	} {
		w := world(entry("one", skill.Ready))
		w.Load = func(_ context.Context, e *skill.Entry) (*skill.Entry, error) {
			whole := *e
			change(&whole)
			return &whole, nil
		}
		set, out := a.Activate(t.Context(), Active{}, w, Request{Name: "one", Reason: Model})
		if want := strings.TrimSpace(code); out[0].Code != want || len(set.Members()) > 0 != (want == Activated) {
			t.Errorf("%+v, want %s", out[0], want)
		}
	}
}

// The arguments that count are those of the last slash command.
func TestCallingAnActiveSkillAgain(t *testing.T) {
	a, err := NewActivator(ActiveRules{Companions: 1})
	if err != nil {
		t.Fatal(err)
	}
	lead, helper := entry("lead", skill.Ready), entry("helper", skill.Ready)
	lead.Companions = []string{"helper"}
	w := world(lead, helper)
	set := Active{}
	for _, req := range []Request{
		{Name: "lead", Reason: Model},
		{Name: "helper", Reason: Slash, Args: "first"}, {Name: "helper", Reason: Slash, Args: "second"}, {Name: "helper", Reason: Model},
	} {
		var out []Outcome
		if set, out = a.Activate(t.Context(), set, w, req); !out[0].OK {
			t.Fatal(out)
		}
	}
	if set, _ = a.Deactivate(set, "lead"); len(set.Members()) != 1 {
		t.Fatal("what the user called went with another")
	}
	if set, _ = a.Activate(t.Context(), set, w, Request{Name: "lead", Reason: Slash, Args: "of the lead"}); len(set.Members()) != 2 {
		t.Fatal(set)
	}
	if m := set.Members()[0]; m.Reason != Slash || m.Args != "second" || m.From != "" {
		t.Errorf("%+v", m)
	}
}
