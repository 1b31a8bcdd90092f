package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/skill"
)

// Reason says why a skill is active.
type Reason string

// The reasons.
const (
	Always  Reason = "always"  // its author says so
	Matched Reason = "matched" // the message asked for it
	Model   Reason = "model"   // the model asked for it
	Slash   Reason = "slash"   // the user called it by name
	Pinned  Reason = "pinned"  // the configuration or the embedder keeps it
)

// Member is an active skill.
type Member struct {
	Entry  *skill.Entry // whole: with instructions
	Reason Reason
	// Args is what the user wrote behind the slash command, if Called.
	Args   string
	Called bool
	// From names the skill that brought it along as a companion.
	From string
}

// Active is the set of active skills, in order of activation. It is a value:
// whoever changes it gets a changed copy.
type Active struct{ members []Member }

// Members are the active skills, in order of activation.
func (a Active) Members() []Member { return slices.Clone(a.members) }

// Has reports whether a skill of that name is active.
func (a Active) Has(name string) bool { return a.find(name) >= 0 }

func (a Active) find(name string) int {
	return slices.IndexFunc(a.members, func(m Member) bool { return m.Entry.Name == name })
}

// Tokens is what the instructions of all members cost a model.
func (a Active) Tokens() int {
	sum := 0
	for _, m := range a.members {
		sum += m.Entry.Tokens
	}
	return sum
}

// ActiveRules are the knobs of activation, as a host profile sets them under
// [activate].
type ActiveRules struct {
	// Says is how the host words an outcome, by its code; {skill}, {reason} and
	// {max} are filled in. Failed, if not empty, is put around
	// what says why an activation failed, FailedOff around a deactivation.
	Says      map[string]string `toml:"says"`
	Failed    string            `toml:"failed"`
	FailedOff string            `toml:"failed_off"`
	// Companions is how many skills one may bring along.
	Companions int `toml:"companions"`
	// All makes every usable skill active from the start.
	All bool `toml:"all"`
}

// World is what activation depends on. All functions must be set.
type World struct {
	Off bool // skills are switched off altogether
	// Find looks a skill of the session up by its exact name; nil if there is
	// none.
	Find func(name string) *skill.Entry
	// Load reads it whole.
	Load func(ctx context.Context, e *skill.Entry) (*skill.Entry, error)
	// Missing says which permission of a skill no tool satisfies.
	Missing func(s *skill.Skill) (why string, missing bool)
	// MaxActive and MaxTokens bound the set; zero is no bound.
	MaxActive, MaxTokens int
}

// Request asks for a skill.
type Request struct {
	Name   string
	Reason Reason
	// Args is what stands behind a slash command; Called tells such a one from
	// a mention.
	Args   string
	Called bool
}

// Outcome is what became of a request.
type Outcome struct {
	OK      bool   `json:"ok"`
	Code    string `json:"code"`
	Skill   string `json:"skill"`
	Message string `json:"message"`
}

// The codes of outcomes.
const (
	Activated     = "activated"
	AlreadyActive = "already-active"
	Deactivated   = "deactivated"
	NotActive     = "not-active"
	SkillsOff     = "skills-off"
	NotUsable     = "not-usable" // disabled, gated, shadowed or invalid
	NotFound      = "not-found"
	NotForModel   = "not-for-model"
	NotLoaded     = "not-loaded"
	NoPermission  = "no-permission"
	TooMany       = "too-many"
	TooLarge      = "too-large"
)

// words are Knack's own, where a host has none.
var words = map[string]string{
	Activated:     "skill {skill} is active: follow its instructions in the system prompt",
	AlreadyActive: "skill {skill} is active already: its instructions are in the system prompt",
	Deactivated:   "skill {skill} is no longer active",
	NotActive:     "skill {skill} is not active",
	SkillsOff:     "skills are switched off; skills.enabled in the configuration switches them on",
	NotUsable:     "skill {skill} cannot be used: {reason}",
	NotFound:      "there is no skill named {skill}",
	NotForModel:   "skill {skill} can only be started by the user, with its slash command",
	NotLoaded:     "skill {skill} could not be read: {reason}",
	NoPermission:  "{reason}",
	TooMany:       "{max} skills are active, which is the limit; deactivate one first",
	TooLarge:      "skill {skill} does not fit: the active skills may cost {max} tokens in all",
}

// Activator changes active sets under one set of rules.
type Activator struct{ rules ActiveRules }

// NewActivator checks the rules.
func NewActivator(rules ActiveRules) (*Activator, error) {
	for _, code := range slices.Sorted(maps.Keys(rules.Says)) {
		if _, known := words[code]; !known {
			return nil, fmt.Errorf("activate.says words %q, which is no outcome", code)
		}
	}
	return &Activator{rules}, nil
}

// Activate adds a skill, and after it the companions it asks for as far as
// they fit. The first outcome is that of the skill itself. A failure leaves the
// set as it was.
func (a *Activator) Activate(ctx context.Context, set Active, w *World, req Request) (Active, []Outcome) {
	set, first := a.add(ctx, set, w, req, "")
	outcomes := []Outcome{first}
	if first.Code != Activated {
		return set, outcomes
	}
	companions := set.members[len(set.members)-1].Entry.Companions
	for _, name := range companions[:min(len(companions), a.rules.Companions)] {
		var out Outcome
		if set, out = a.add(ctx, set, w, Request{Name: name, Reason: req.Reason.forCompanion()}, req.Name); out.Code != AlreadyActive {
			outcomes = append(outcomes, out)
		}
	}
	return set, outcomes
}

// add is one activation. The order of its questions is part of what a model
// sees: what is switched off comes before what is missing, and an active skill
// is never refused.
func (a *Activator) add(ctx context.Context, set Active, w *World, req Request, from string) (Active, Outcome) {
	fail := func(code string, fill ...string) (Active, Outcome) { return set, a.outcome(code, req.Name, fill...) }
	if w.Off {
		return fail(SkillsOff)
	}
	e := w.Find(req.Name)
	switch {
	case e == nil:
		return fail(NotFound)
	case e.Status != skill.Ready:
		return fail(NotUsable, "{reason}", whyNot(e))
	case set.Has(e.Name):
		return set.calledAgain(req, from), a.outcome(AlreadyActive, e.Name)
	case forUsersOnly(e, req.Reason):
		return fail(NotForModel)
	}
	whole, err := w.Load(ctx, e)
	switch { // its files may have changed since the session looked
	case err != nil:
		return fail(NotLoaded, "{reason}", err.Error())
	case whole.Status != skill.Ready:
		return fail(NotUsable, "{reason}", whyNot(whole))
	case whole.Name != e.Name:
		return fail(NotUsable, "{reason}", "its files were changed and have another name now")
	case forUsersOnly(whole, req.Reason):
		return fail(NotForModel)
	}
	if why, missing := w.Missing(&whole.Skill); missing {
		return fail(NoPermission, "{reason}", why)
	}
	if w.MaxActive > 0 && len(set.members) >= w.MaxActive {
		return fail(TooMany, "{max}", strconv.Itoa(w.MaxActive))
	}
	if w.MaxTokens > 0 && set.Tokens()+whole.Tokens > w.MaxTokens {
		return fail(TooLarge, "{max}", strconv.Itoa(w.MaxTokens))
	}
	next := Active{append(slices.Clone(set.members), Member{Entry: whole, Reason: req.Reason, Args: req.Args, Called: req.Called, From: from})}
	return next, a.outcome(Activated, e.Name)
}

// forCompanion is the reason of what a skill brings along. Its text is no user's
// word: it cannot call what only users may.
func (r Reason) forCompanion() Reason {
	if r == Slash {
		return Matched
	}
	return r
}

// forUsersOnly reports whether a skill cannot be had for a reason, because its
// author leaves it to users to call it.
func forUsersOnly(e *skill.Entry, why Reason) bool {
	return e.Invocation.ModelDisabled && (why == Model || why == Matched)
}

// calledAgain gives an active skill the arguments of a new slash command. It is
// the user's from then on, whoever brought it along.
func (a Active) calledAgain(req Request, from string) Active {
	if req.Reason != Slash || from != "" {
		return a
	}
	members := a.Members()
	m := &members[a.find(req.Name)]
	m.Reason, m.Args, m.Called, m.From = req.Reason, req.Args, req.Called, ""
	return Active{members}
}

// whyNot is the reason that decided about a skill that is not ready.
func whyNot(e *skill.Entry) string {
	if len(e.Reasons) == 0 {
		return string(e.Status)
	}
	return e.Reasons[0].Message
}

// Deactivate takes a skill out of the set, with the companions that it brought.
func (a *Activator) Deactivate(set Active, name string) (Active, Outcome) {
	if !set.Has(name) {
		return set, a.outcome(NotActive, name)
	}
	left := slices.DeleteFunc(slices.Clone(set.members), func(m Member) bool {
		return m.Entry.Name == name || m.From == name
	})
	return Active{left}, a.outcome(Deactivated, name)
}

// outcome words what happened.
func (a *Activator) outcome(code, name string, fill ...string) Outcome {
	message := a.rules.Says[code]
	if message == "" {
		message = words[code]
	}
	message = strings.NewReplacer(append([]string{"{skill}", name}, fill...)...).Replace(message)
	ok := code == Activated || code == AlreadyActive || code == Deactivated
	around := a.rules.Failed
	if code == NotActive {
		around = a.rules.FailedOff
	}
	if !ok && around != "" {
		message = strings.NewReplacer("{skill}", name, "{reason}", message).Replace(around)
	}
	return Outcome{OK: ok, Code: code, Skill: name, Message: message}
}
