package knack

import (
	"context"
	"slices"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// ToolDecision is what becomes of one tool while the active skills are active.
type ToolDecision struct {
	Tool    tool.Spec `json:"tool"`
	Allowed bool      `json:"allowed"`
	// Approved tells that nobody need be asked before a call.
	Approved bool `json:"approved"`
	// Net are the hosts it may reach, if Confined.
	Confined bool     `json:"confined"`
	Net      []string `json:"net,omitempty"`
	// Reason says why it is not allowed.
	Reason skill.Reason `json:"reason,omitzero"`

	decision policy.Decision
	low      bool           // a skill that is not trusted is active
	own      *own           // the tool, if a skill brings it along
	owner    *policy.Active // and that skill
}

// May reports whether the tool may be called with these arguments: the command
// of a shell, the path of a file, the address of a page, else JSON.
func (d *ToolDecision) May(arguments string) bool { return d.decision.May(arguments) }

// Preapproved reports whether it may be called so without asking anybody.
func (d *ToolDecision) Preapproved(arguments string) bool { return d.decision.Preapproved(arguments) }

// Reach returns the hosts that a call with these arguments may reach, and
// whether it is confined to them.
func (d *ToolDecision) Reach(arguments string) (hosts []string, confined bool) {
	return d.decision.Reach(arguments)
}

// MayReach reports whether a call with these arguments may reach a host, which
// may have a port.
func (d *ToolDecision) MayReach(arguments, host string) bool {
	hosts, confined := d.Reach(arguments)
	return !confined || policy.HostWithin(host, hosts)
}

// Tools decides about every tool: the embedder's, and those that active skills
// bring along. Ask again before each call, for what skills are trusted with is
// bound to their files.
func (s *Session) Tools(ctx context.Context) []ToolDecision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.decide(ctx, s.active.Members())
}

// decide is [Session.Tools] for these skills.
func (s *Session) decide(ctx context.Context, members []session.Member) []ToolDecision {
	specs := slices.Clone(s.opt.Tools)
	var active []policy.Active
	owned, lapsed := map[string]own{}, map[string]bool{}
	book, _ := trust.Open(s.engine.trustFile())
	sums := s.engine.openDigests()
	defer sums.keep()
	for i, m := range slices.Concat(members, s.lingering) {
		var tools []own
		if i < len(members) { // else it is no longer active, and takes away all the same
			tools = s.ownTools(m.Entry)
		}
		for _, o := range tools {
			spec := o.tool.Spec()
			specs, owned[spec.Name] = append(specs, spec), o
		}
		a := policy.Active{
			Name: m.Entry.Name, Trust: m.Entry.Trust,
			Permissions: m.Entry.Permissions, Allowed: m.Entry.AllowedTools, Disallowed: m.Entry.DisallowedTools,
		}
		// The model follows what was read then; tools run what is there now.
		v := s.engine.judgedAnew(book, m.Entry, func(e *skill.Entry) (string, error) {
			sum, err := sums.get(ctx, e)
			if err == nil && sum != e.Digest {
				err = errChangedSince
			}
			return sum, err
		})
		lapsed[a.Name] = len(v.Void) > 0
		if a.Grants = ownGrants(v.Grants, tools, s.called); v.Trust.Below(a.Trust) {
			a.Trust = v.Trust
		}
		active = append(active, a)
	}
	low := slices.ContainsFunc(active, func(a policy.Active) bool { return a.Trust.Below(skill.Trusted) })
	var out []ToolDecision
	for _, d := range s.engine.policy.Decide(specs, active) {
		t := ToolDecision{
			Tool: d.Tool, Allowed: d.Allowed, Approved: d.Approved, Confined: d.Confined, Net: d.Net, Reason: d.Reason,
			decision: d, low: low,
		}
		if slices.ContainsFunc(d.Lacking, func(name string) bool { return lapsed[name] }) {
			t.Reason.Message += "; what it was granted lapsed, for its files changed since"
		}
		if o, ok := owned[d.Tool.Name]; ok {
			i := slices.IndexFunc(active, func(a policy.Active) bool { return a.Name == o.entry.Name })
			t.own, t.owner = &o, &active[i]
		}
		out = append(out, t)
	}
	return out
}
