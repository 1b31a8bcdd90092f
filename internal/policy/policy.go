// Package policy decides which tools a model may call while skills are active.
//
// The decision is a pure function of the tools there are and of the active
// skills: what their authors declare, how far they are trusted, and what the
// user granted them. It is made anew before every step, for either may change.
// [Policy.Decide] answers for each tool, [Decision.May] for one call of it.
//
// Authority only shrinks:
//
//   - Activating a skill adds that skill's own tools at most. Tools of a skill
//     that is not active cannot be called.
//   - While no installed skill is active, all other tools can be called. With
//     one, only those remain that read and tell nobody ([tool.Effects.ReadOnly]),
//     or those that the rules list. It is an allow list: a tool that is not
//     known to be harmless is out.
//   - The user can grant an installed skill more. A grant for a tool that is not
//     the skill's own counts only while every active installed skill has one,
//     and the hosts it may reach are those that all of them grant. The own tools
//     of an installed skill need a grant of that skill alone, and none if they
//     only read.
//   - Permissions that a skill declares are the most its own tools may do. None
//     declared is no ceiling. Programs that a tool runs can be cut off from the
//     network, so such a tool is confined and not refused where only the
//     network is beyond the ceiling.
//   - disallowed-tools of any active skill take tools away, or calls of them:
//     Bash(rm:*) forbids arguments.
//   - allowed-tools are no restriction and give no tool. Those of a trusted
//     skill say that nobody need be asked before a call; those of an installed
//     skill say nothing. While an installed skill is active, they hold for tools
//     that only read, since its text could steer a call that another skill had
//     approved.
//
// A trust that is neither trusted nor installed counts as installed.
//
// # Names
//
// Tools have other names in other dialects; [Canonical] has the table. A rule
// may limit arguments, as in Bash(git:*). What arguments are is up to the
// caller, and always the same for one tool: the command of a shell, the cleaned
// path of a file, relative to the workspace if it lies there, the address of a
// fetch, the JSON of anything else. [Matches] reads a pattern that lets a call
// through, [Forbids] one that stops it: what is not understood never does the
// one and always does the other.
//
// A prohibition reads the words of a call. It is no sandbox: it does not know
// what the programs do that the words name.
//
// # Permissions as requirements
//
// [Policy.Missing] finds the first permission of a skill that no tool provides,
// for hosts that refuse activation then; [Policy.MissingReason] words that.
package policy

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// Policy decides by the rules of a host. It is made by [New], keeps no state
// between calls, and may be used by many goroutines.
type Policy struct {
	keeps       func(p *Policy, t subject) bool // Rules.Installed
	permissions permissionUse                   // Rules.Permissions
	listed      []string                        // Rules.ReadOnly, canonical
	says        map[string]string               // Rules.Says
}

// permissionUse is what declared permissions are good for.
type permissionUse struct{ required, ceiling bool }

var permissionStrategies = [...]strategy.Named[permissionUse]{
	{Name: "both", Do: permissionUse{required: true, ceiling: true}},
	{Name: "ceiling", Do: permissionUse{ceiling: true}},
	{Name: "require", Do: permissionUse{required: true}},
}

// installedStrategies tell which tools need no grant while an installed skill
// is active. A skill chooses the names of its own tools, so these are never
// found on a list.
var installedStrategies = [...]strategy.Named[func(p *Policy, t subject) bool]{
	{Name: "listed", Do: func(p *Policy, t subject) bool {
		return t.Skill == "" && slices.Contains(p.listed, t.canonical)
	}},
	{Name: "read-only", Do: func(_ *Policy, t subject) bool { return t.Effects.ReadOnly() }},
}

// New checks the rules' strategy names, and what they have words for.
func New(rules Rules) (*Policy, error) {
	p := &Policy{says: maps.Clone(rules.Says)}
	var err error
	if p.permissions, err = strategy.Pick("policy.permissions", rules.Permissions, permissionStrategies[:]); err != nil {
		return nil, err
	}
	if p.keeps, err = strategy.Pick("policy.installed", rules.Installed, installedStrategies[:]); err != nil {
		return nil, err
	}
	if err := checkSays(rules.Says); err != nil {
		return nil, err
	}
	for _, name := range rules.ReadOnly {
		p.listed = append(p.listed, canonicalName(name))
	}
	return p, nil
}

// Decide returns one decision for each tool, in their order. The order of the
// active skills does not matter.
func (p *Policy) Decide(all []tool.Spec, active []Active) []Decision {
	members := make([]member, len(active))
	for i := range active {
		members[i] = newMember(&active[i])
	}
	// What is said about several skills is said in the order of their names.
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.Name, b.Name) })
	decisions := make([]Decision, len(all))
	for i := range all {
		q := question{Policy: p, tool: subject{&all[i], canonicalName(all[i].Name)}, all: all, active: members}
		decisions[i] = q.decide()
	}
	return decisions
}

// member is an active skill with its rules read.
type member struct {
	*Active
	low                 bool // it is not trusted
	allowed, disallowed []rule
	grants              []ruledGrant
}

type ruledGrant struct {
	rule
	grant Grant
}

func newMember(a *Active) member {
	m := member{
		Active:     a,
		low:        a.Trust.Below(skill.Trusted),
		allowed:    parseRules(a.Allowed),
		disallowed: parseRules(a.Disallowed),
	}
	for _, g := range a.Grants {
		m.grants = append(m.grants, ruledGrant{parseRule(g.Tool), g})
	}
	return m
}

// question is one tool before the active skills.
type question struct {
	*Policy
	tool   subject
	all    []tool.Spec
	active []member
}

func (q *question) decide() Decision {
	d := Decision{Tool: *q.tool.Spec}
	for _, step := range [...]func(*question, *Decision) (skill.Reason, bool){
		(*question).owned, (*question).disallowed, (*question).belowCeiling, (*question).attenuated,
	} {
		if reason, refused := step(q, &d); refused {
			return Decision{Tool: *q.tool.Spec, Reason: reason, Lacking: d.Lacking}
		}
	}
	d.Allowed = true
	q.approve(&d)
	return d
}

// owned refuses the tool of a skill that is not active.
func (q *question) owned(*Decision) (skill.Reason, bool) {
	if q.tool.Skill == "" || slices.ContainsFunc(q.active, q.isOwner) {
		return skill.Reason{}, false
	}
	return q.ownerInactive(), true
}

func (q *question) isOwner(m member) bool { return q.tool.Skill != "" && m.Name == q.tool.Skill }

// disallowed refuses what an active skill forbids, and notes the arguments
// where it forbids only those.
func (q *question) disallowed(d *Decision) (skill.Reason, bool) {
	for _, m := range q.active {
		for _, r := range m.disallowed {
			switch {
			case !r.forbids(q.tool):
			case r.arguments == "" || !understood(r.arguments):
				return q.takenAway(m.Name, r), true
			default:
				d.Forbidden = append(d.Forbidden, r.arguments)
			}
		}
	}
	d.Forbidden = sortedSet(d.Forbidden)
	return skill.Reason{}, false
}

// belowCeiling refuses a skill's own tool that does what the skill's
// permissions do not name.
func (q *question) belowCeiling(d *Decision) (skill.Reason, bool) {
	if !q.permissions.ceiling {
		return skill.Reason{}, false
	}
	for _, m := range q.active {
		if !q.isOwner(m) || len(m.Permissions) == 0 {
			continue
		}
		beyond := without(q.tool.Effects, named(m.Permissions, q.all))
		if beyond.Network && q.tool.Effects.Run {
			beyond.Network, d.Confined = false, true
		}
		if beyond != (tool.Effects{}) {
			return q.aboveCeiling(m.Active, beyond), true
		}
	}
	return skill.Reason{}, false
}

// attenuated refuses what skills that are not trusted have no grant for.
func (q *question) attenuated(d *Decision) (skill.Reason, bool) {
	if q.keeps(q.Policy, q.tool) {
		return skill.Reason{}, false
	}
	var lacking []string
	for _, m := range q.active {
		if !m.low || q.tool.Skill != "" && !q.isOwner(m) {
			continue
		}
		var grants []Grant
		for _, g := range m.grants {
			if g.grants(q.tool) {
				grants = append(grants, g.grant)
			}
		}
		if len(grants) == 0 {
			lacking = append(lacking, m.Name)
		}
		d.Within = append(d.Within, grants)
	}
	if d.Lacking = sortedSet(lacking); len(lacking) > 0 {
		return q.keptBack(d.Lacking), true
	}
	d.confine()
	return skill.Reason{}, false
}

// approve notes whether trusted skills' allowed-tools cover the tool.
func (q *question) approve(d *Decision) {
	if !q.tool.Effects.ReadOnly() && slices.ContainsFunc(q.active, func(m member) bool { return m.low }) {
		return
	}
	whole := false
	for _, m := range q.active {
		for _, r := range m.allowed {
			if !m.low && r.approves(q.tool) {
				d.Approved = true
				whole = whole || r.arguments == ""
				d.Only = append(d.Only, r.arguments)
			}
		}
	}
	if d.Only = sortedSet(d.Only); whole {
		d.Only = nil
	}
}

// sortedSet orders texts and drops what is there twice; nothing stays nil.
func sortedSet(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// joined lists names as a sentence does.
func joined(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}
