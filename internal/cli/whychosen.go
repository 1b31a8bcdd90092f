package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// chosen is `why NAME MESSAGE --json`.
type chosen struct {
	Name string `json:"name"`
	// Outcome is activated, suggested or none.
	Outcome string        `json:"outcome"`
	Place   int           `json:"place"` // among those that fit, from 1; 0 is none
	Choice  *knack.Choice `json:"choice,omitempty"`
	// Ahead are the skills that fit better.
	Ahead []string `json:"ahead"`
	// Missing are words of the message that the skill says nothing of.
	Missing []string `json:"missing"`
	Summary string   `json:"summary"`
	Hint    string   `json:"hint,omitempty"`
}

// whyChosen explains whether a message chooses a skill.
func (f *factory) whyChosen(ctx context.Context, engine *knack.Engine, e *skill.Entry, message string, asJSON bool) error {
	s, err := engine.NewSession(ctx, knack.SessionOptions{})
	if err != nil {
		return err
	}
	found, err := s.Select(ctx, message)
	if err != nil {
		return err
	}
	c := explainChoice(e, found, message)
	if asJSON {
		return f.printJSON(c)
	}
	out := f.stdout()
	fmt.Fprintln(f.env.Stdout, wrap(out, c.Summary, 0))
	if c.Choice != nil {
		f.printChoice(*c.Choice, true)
	}
	if c.Hint != "" {
		fmt.Fprintln(f.env.Stdout, wrap(out, c.Hint, 0))
	}
	return nil
}

func explainChoice(e *skill.Entry, found knack.Selection, message string) chosen {
	name := term.Clean(e.Name)
	c := chosen{Name: e.Name, Outcome: "none", Ahead: []string{}, Missing: missingWords(e, message)}
	all := append(slices.Clone(found.Activate), found.Suggest...)
	place := slices.IndexFunc(all, func(other knack.Choice) bool { return other.Name == e.Name })
	for _, other := range all[:max(place, 0)] {
		c.Ahead = append(c.Ahead, other.Name)
	}
	switch {
	case e.Status != skill.Ready:
		c.Summary = name + " is not considered: " + messages(e.Reasons) + "."
		return c
	case e.Invocation.ModelDisabled:
		c.Summary = name + " is not considered: its author leaves it to users to call it."
		return c
	case place < 0:
		c.Summary = fmt.Sprintf("%s does not fit the message better than chance.", name)
	default:
		c.Choice, c.Place, c.Outcome = &all[place], place+1, "suggested"
		c.Summary = fmt.Sprintf("%s is suggested to the model, at place %d of %d.", name, place+1, len(all))
		if place < len(found.Activate) {
			c.Outcome = "activated"
			c.Summary = fmt.Sprintf("%s fits: it is chosen before a model is asked.", name)
		}
	}
	if c.Outcome != "activated" && len(c.Missing) > 0 {
		c.Hint = "What its description and triggers do not mention: " + term.Clean(strings.Join(c.Missing, ", ")) +
			". If people ask for it in these words, its author could write them there."
	}
	return c
}

// mostMissing is how many words are shown.
const mostMissing = 8

// missingWords are the longer words of a message that the skill does not say.
func missingWords(e *skill.Entry, message string) []string {
	said := strings.ToLower(strings.Join(slices.Concat([]string{e.Name, term.Text(e.Description)}, e.Triggers, e.Tags, e.Activation.Keywords), " "))
	missing := []string{}
	for _, word := range strings.FieldsFunc(strings.ToLower(message), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if len(word) > 3 && !strings.Contains(said, word) && !slices.Contains(missing, word) && len(missing) < mostMissing {
			missing = append(missing, word)
		}
	}
	return missing
}
