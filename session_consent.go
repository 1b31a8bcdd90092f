package knack

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/toolbox"
	"github.com/knackhq/knack/tool"
)

// Consent is what a user answers to a [Question].
type Consent string

// The answers. What is granted is kept, bound to the content of the skills, until
// it is revoked.
const (
	Refuse     Consent = "no"
	Once       Consent = "once"
	ForSession Consent = "session"
	ByGrant    Consent = "grant"
)

// Question is what a user has to answer before a call is made.
type Question struct {
	Tool   tool.Spec `json:"tool"`
	Caller Caller    `json:"caller"`
	// Skill is the one that brings the tool, or that made a command of a slash
	// command.
	Skill string `json:"skill,omitempty"`
	// Active are the names of active skills.
	Active []string `json:"active"`
	// Plan is what the call would do, exactly; Hosts may be reached by it, and
	// every public one if Anywhere.
	Plan     tool.Plan `json:"plan"`
	Hosts    []string  `json:"hosts"`
	Anywhere bool      `json:"anywhere,omitempty"`
	// Why says why it is asked.
	Why string `json:"why"`
	// Choices are the answers that make sense besides Refuse, and Grants what
	// ByGrant records, by the names of skills. GrantEnv are the variables that the
	// program gets with it, besides those of the plan.
	Choices  []Consent        `json:"choices"`
	Grants   map[string]Grant `json:"grants,omitempty"`
	GrantEnv []string         `json:"grantEnv,omitempty"`
}

// consent asks the user about a call that may not simply be made. What policy
// keeps back for lack of a grant can be granted; any other denial stands.
func (s *Session) consent(ctx context.Context, a *assessment) (*assessment, error) {
	q := Question{
		Tool: a.decision.Tool, Caller: a.call.Caller, Skill: cmp.Or(a.call.Skill, a.decision.Tool.Skill), Active: a.active,
		Plan: a.plan, Hosts: slices.Clone(a.terms.Hosts), Anywhere: a.terms.Anywhere, Why: a.why, Grants: a.grantable(),
	}
	if a.verdict == toolbox.Ask {
		q.Choices = []Consent{Once, ForSession}
		if a.call.Caller == CalledBySlash && a.decision.low && a.decision.Tool.Effects.Run {
			q.Choices = []Consent{Once} // it is always asked
		}
	}
	if len(q.Grants) > 0 {
		q.Choices = append(q.Choices, ByGrant)
		q.GrantEnv = s.variables(ctx, a)
	}
	if len(q.Choices) == 0 || s.box.opt.Ask == nil {
		return a.unasked(s.box.opt.Unasked), nil
	}
	answer, err := s.box.opt.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(q.Choices, answer) {
		answer = Refuse
	}
	if answer == Refuse {
		if a.answer = answer; a.verdict == toolbox.Ask { // what policy denied keeps its reason
			a.verdict, a.why = toolbox.Denied, "the user refused"
		}
		return a, nil
	}
	if answer == ByGrant {
		if err := s.grant(ctx, q.Grants, a.members); err != nil {
			return nil, err
		}
	}
	return s.answered(ctx, a, answer)
}

// answered decides anew, for a question may stand for long: the user agreed to
// what was shown, and to nothing that took its place meanwhile.
func (s *Session) answered(ctx context.Context, asked *assessment, answer Consent) (*assessment, error) {
	a, err := s.assess(ctx, asked.call)
	if err != nil {
		return nil, err
	}
	a.answer = answer
	if !asked.plan.Same(a.plan) {
		a.verdict, a.why, a.hint = toolbox.Denied, "what it would do changed while the user was asked", ""
	}
	if a.verdict == toolbox.Denied {
		return a, nil
	}
	if a.verdict = toolbox.Allowed; answer == ForSession {
		s.mu.Lock()
		s.allowed[a.scope()] = true
		s.mu.Unlock()
	}
	return a, nil
}

// unasked denies what nobody can be asked about.
func (a *assessment) unasked(hint string) *assessment {
	if a.verdict == toolbox.Ask {
		a.verdict, a.why, a.hint = toolbox.Denied, a.why+", and nobody can be asked", hint
	}
	return a
}

// grantable is what would let the call be made: grants to the skills that lack
// one, or to the skill that brings the tool.
func (a *assessment) grantable() map[string]Grant {
	d := a.decision
	g := Grant{Tool: d.Tool.Name, Net: slices.Clone(a.terms.Hosts)}
	if _, address, ok := strings.Cut(a.plan.Request, " "); ok { // the host of this very request
		g.Net = append(g.Net, hostOf(address)...)
	}
	grants := map[string]Grant{}
	for _, name := range d.decision.Lacking {
		grants[name] = g
	}
	if d.own != nil && d.Allowed && a.verdict == toolbox.Ask {
		grants[d.owner.Name] = g
	}
	return grants
}

// grant records what the user granted.
func (s *Session) grant(ctx context.Context, grants map[string]Grant, members []session.Member) error {
	for _, m := range members {
		if g, ok := grants[m.Entry.Name]; ok {
			if err := s.engine.Grant(ctx, m.Entry, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// variables are the names of those that a grant would give, besides what the plan
// shows.
func (s *Session) variables(ctx context.Context, a *assessment) []string {
	var names []string
	for _, m := range a.members {
		if a.decision.own != nil && m.Entry.Name == a.decision.owner.Name {
			for name := range s.childEnv(ctx, m.Entry, true) {
				if !slices.Contains(a.plan.Env, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
