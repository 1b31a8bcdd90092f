package format

import (
	"errors"
	"slices"

	"github.com/knackhq/knack/skill"
)

// errNoFull is returned to who asks for a host's behaviour alone.
var errNoFull = errors.New("a parser that behaves as another host needs the native one beside it")

// NewAs makes a parser that behaves as another host, whose rules are given. Its
// Parse reads twice: as the host does, which decides what the skill says and
// whether it can be used, and with full, the native parser. What restricts a
// skill is never less than full found: the requirements that a host overlooks
// hold a skill back only where it would not have worked.
func NewAs(rules Rules, full *Parser) (*Parser, error) {
	if full == nil || full.full != nil {
		return nil, errNoFull
	}
	p, err := New(rules)
	if err != nil {
		return nil, err
	}
	// Requirements in a namespace that only this host reads are no strays.
	if names := union(slices.Clone(full.rules.Namespaces), rules.Namespaces); len(names) > len(full.rules.Namespaces) {
		wider := full.rules
		wider.Namespaces = names
		if full, err = New(wider); err != nil {
			return nil, err
		}
	}
	p.full = full
	return p, nil
}

// restrict adds to a host's reading what restricts the skill by the full one.
// Its repairs are those of the full reading too, for a host repairs nothing.
func (result *Result) restrict(full *Result) {
	s, all := &result.Skill, &full.Skill
	s.Requires = joined(&s.Requires, &all.Requires)
	s.Invocation.ModelDisabled = s.Invocation.ModelDisabled || all.Invocation.ModelDisabled
	s.DisallowedTools = union(all.DisallowedTools, s.DisallowedTools)
	result.Repairs = full.Repairs
	result.joinDiagnostics(full.Diagnostics)
}

// joined are the requirements of both readings of the same files. That a host
// cannot read some does not make them unknown: the full reading could, or says
// itself that it could not.
func joined(host, full *skill.Requirements) skill.Requirements {
	q := *full
	q.Always = host.Always && full.Always
	q.SkillKey, q.PrimaryEnv = host.SkillKey, host.PrimaryEnv
	q.Bins = union(slices.Clone(q.Bins), host.Bins)
	q.Env = union(slices.Clone(q.Env), host.Env)
	q.Config = union(slices.Clone(q.Config), host.Config)
	systems, ok := bothSystems(q.OS, host.OS)
	if q.OS = systems; !ok || !bothAlternatives(&q, host.AnyBins) {
		q.Unreadable = true
	}
	return q
}

// joinDiagnostics adds what the full reading could not read of the
// requirements. What only the host cannot read gates nothing.
func (result *Result) joinDiagnostics(full []skill.Diagnostic) {
	gates := func(d skill.Diagnostic) bool { return d.Code == skill.MetadataUnreadable }
	for i, d := range result.Diagnostics {
		if gates(d) {
			result.Diagnostics[i] = skill.ValueInvalid.New(d.File, d.Line,
				"this host cannot read what stands here; requirements in it count all the same", d.Hint)
		}
	}
	for _, d := range full {
		if gates(d) || d.Code == skill.FileTooLarge {
			result.Diagnostics = append(result.Diagnostics, d)
		}
	}
	skill.SortDiagnostics(result.Diagnostics)
	result.Diagnostics = slices.Compact(result.Diagnostics)
}
