package knack

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/toolbox"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// assessment is all that is known of a call before it is made.
type assessment struct {
	call     Call
	tool     tool.Tool
	decision *ToolDecision
	members  []session.Member
	active   []string
	terms    tool.Terms
	plan     tool.Plan

	verdict   toolbox.Verdict
	why, hint string
	answer    Consent // if the user was asked
}

// callError is a call that makes no sense, in words for whoever made it.
type callError struct{ text string }

func (e *callError) Error() string { return e.text }

// assess decides about a call, as things are now.
func (s *Session) assess(ctx context.Context, call Call) (*assessment, error) {
	if s.box == nil {
		return nil, ErrNoToolbox
	}
	members, err := s.membersOf(ctx, call)
	if err != nil {
		return nil, &callError{err.Error()}
	}
	a := &assessment{call: call, members: members}
	if a.call.Caller == "" {
		a.call.Caller = CalledByModel
	}
	for _, m := range members {
		a.active = append(a.active, m.Entry.Name)
	}
	s.mu.Lock()
	decisions := s.decide(ctx, members)
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.find(a, decisions); err != nil {
		return nil, err
	}
	if call.Caller == CalledBySlash && call.Arguments == nil {
		a.call.Arguments = asTyped(a.decision.Tool, call.Typed)
	}
	if len(a.call.Arguments) == 0 {
		a.call.Arguments = json.RawMessage("{}")
	}
	if !json.Valid(a.call.Arguments) {
		return nil, &callError{"the arguments of " + wording.Name(a.decision.Tool.Name) + " are not JSON"}
	}
	// What it may reach depends on what it does, and what it does is told best
	// knowing what it may reach.
	for range 2 {
		if err := a.planned(ctx); err != nil {
			a.verdict, a.why = toolbox.Denied, err.Error()
			return a, err
		}
		a.terms = s.terms(ctx, a.decision, a.plan.Subject, members)
	}
	s.judge(a)
	return a, nil
}

// find looks the tool up by which a call goes.
func (s *Session) find(a *assessment, decisions []ToolDecision) error {
	if a.tool = toolbox.Find(s.tools, a.call.Tool); a.tool != nil {
		name := a.tool.Spec().Name
		i := slices.IndexFunc(decisions, func(d ToolDecision) bool { return d.own == nil && d.Tool.Name == name })
		a.decision = &decisions[i] // the names of tools are checked when a session is made
		return nil
	}
	tools := slices.Clone(s.tools)
	for i, d := range decisions {
		if d.own == nil {
			continue
		}
		if tools = append(tools, d.own.tool); d.Tool.Name == a.call.Tool {
			a.tool, a.decision = d.own.tool, &decisions[i]
			return nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for e, names := range s.own {
		if slices.Contains(names, a.call.Tool) {
			return &callError{wording.Name(a.call.Tool) + " belongs to " + wording.Name(e.Name) + ", which is not active; activate it first"}
		}
	}
	return &callError{toolbox.Unknown(tools, a.call.Tool, needs())}
}

// planned asks the tool what it would do; one that cannot tell is known by its
// arguments.
func (a *assessment) planned(ctx context.Context) error {
	p, tells := a.tool.(tool.Planner)
	if !tells {
		a.plan = tool.Plan{Subject: string(a.call.Arguments)}
		return nil
	}
	plan, err := p.Plan(a.terms.With(ctx), a.call.Arguments)
	if err != nil {
		return &callError{err.Error()}
	}
	a.plan = plan
	return nil
}

// terms are what a call may touch.
func (s *Session) terms(ctx context.Context, d *ToolDecision, subject string, members []session.Member) tool.Terms {
	set, effects := &s.engine.settings.Tools, d.Tool.Effects
	t := tool.Terms{Contained: d.low, Env: map[string]string{}}
	if hosts, confined := d.Reach(subject); confined || len(d.decision.Lacking) > 0 {
		t.Hosts = hosts // none, where a grant is lacking
	} else if d.own != nil {
		// Programs reach nothing that was not granted; a request of a trusted skill
		// goes where its author says, to the public internet.
		if t.Hosts, _ = policy.Covers(d.owner.Grants, d.Tool, subject); d.own.decl.Kind == kindHTTP {
			t.Hosts = append(t.Hosts, manifestHost(d.own.decl)...)
		}
	} else if effects.Run {
		t.Hosts = set.ShellHosts
	} else if effects.Network {
		t.Hosts, t.Anywhere = set.PrivateHosts, true
	}
	if !effects.Run {
		return t
	}
	for _, m := range members {
		// A command that a skill which is not trusted has a say in gets nothing of
		// anybody's; a skill's own program gets what is its own.
		if d.own == nil && !d.low || d.own != nil && m.Entry.Name == d.owner.Name {
			maps.Copy(t.Env, s.childEnv(ctx, m.Entry, false))
		}
	}
	return t
}

// childEnv are the variables for the programs of a skill: what it declares, of
// our own process, and what the configuration has for it. granted tells what they
// would be if it were granted something.
func (s *Session) childEnv(ctx context.Context, e *skill.Entry, granted bool) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := e.Trust == skill.Trusted || s.grantedByName(ctx, e) || granted && e.Key() == e.Name
	if !mine {
		return nil
	}
	out := s.engine.env.Declared(&e.Skill, s.engine.variable)
	set, _ := s.configured(e)
	maps.Copy(out, set)
	return out
}

// judge decides whether the call is made, asked about or denied.
func (s *Session) judge(a *assessment) {
	d := a.decision
	c := toolbox.Case{
		Effects: d.Tool.Effects, Caller: toolbox.Caller(a.call.Caller), Allowed: d.May(a.plan.Subject),
		Approved: d.Preapproved(a.plan.Subject), Untrusted: d.low,
	}
	if d.own != nil {
		_, c.Granted = policy.Covers(d.owner.Grants, d.Tool, a.plan.Subject)
	} else {
		c.Granted = d.low && len(d.decision.Within) > 0 // May is within them
	}
	s.mu.Lock()
	c.Remembered = s.allowed[a.scope()]
	s.mu.Unlock()
	a.verdict, a.why = toolbox.Judge(c)
	switch {
	case a.verdict == toolbox.Denied && d.Allowed:
		a.why, a.hint = "it may not be called with these arguments", ""
	case a.verdict == toolbox.Denied:
		a.why, a.hint = d.Reason.Message, d.Reason.Hint
	}
}

// scope is what allowing a call for the session allows: the same command in the
// same folder, the same kind of request to the same host, or the same tool.
func (a *assessment) scope() string {
	name := a.decision.Tool.Name
	switch effects := a.decision.Tool.Effects; {
	case effects.Run:
		return strings.Join([]string{name, a.plan.Dir, a.plan.Subject}, "\x00")
	case effects.Network:
		method, address, _ := strings.Cut(a.plan.Request, " ")
		if host := hostOf(address); host != nil {
			return strings.Join([]string{name, method, host[0]}, "\x00")
		}
		return name + "\x00" + a.plan.Subject
	}
	return name
}

// refusal is what is said of a call that was not made.
func (a *assessment) refusal() string {
	name := wording.Name(a.decision.Tool.Name)
	text := name + " was not called: " + a.why
	if strings.HasPrefix(a.why, name+" ") {
		text = a.why // it begins with that
	}
	if a.hint != "" {
		text += "; " + a.hint
	}
	return text
}

// record is what the audit log keeps of the call.
func (a *assessment) record(id string, now time.Time, r *toolbox.Redactor) tool.Record {
	return tool.Record{
		ID: id, Time: now, Tool: a.decision.Tool.Name, Skill: cmp.Or(a.call.Skill, a.decision.Tool.Skill), Caller: string(a.call.Caller),
		Active: a.active, Subject: r.JSON(a.plan.Subject), Arguments: r.JSON(string(a.call.Arguments)),
		Verdict: string(a.verdict), Why: r.Text(a.why), Answer: string(a.answer), Hosts: a.terms.Hosts, Anywhere: a.terms.Anywhere,
	}
}

// variable looks up what the environment sets.
func (e *Engine) variable(name string) (string, bool) {
	return environ.Lookup(e.opt.Environ, name, runtime.GOOS)
}

// redactor leaves out what is secret: what the configuration keeps, and what the
// environment has under such a name. Programs are given nothing else of that kind.
func (s *Session) redactor() *toolbox.Redactor {
	secrets := []string{s.engine.settings.Tools.WebSearchKey, s.engine.settings.Model.Key}
	for _, entry := range s.engine.settings.Skills.Entries {
		secrets = append(secrets, entry.APIKey)
		secrets = append(secrets, s.secretsOf(entry.Env)...)
	}
	for _, line := range s.engine.opt.Environ {
		if name, value, ok := strings.Cut(line, "="); ok && s.engine.env.Secret(name) {
			secrets = append(secrets, value)
		}
	}
	return toolbox.NewRedactor(secrets...)
}

// secretsOf are the values of variables whose names are those of secrets. Others
// are words that may stand anywhere.
func (s *Session) secretsOf(env map[string]string) []string {
	var out []string
	for name, value := range env {
		if s.engine.env.Secret(name) {
			out = append(out, value)
		}
	}
	return out
}
