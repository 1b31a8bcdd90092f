package knack

import (
	"context"
	"slices"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/skill"
)

// Deactivate takes a skill out of the active set, for the user. One that was no
// longer active and still took tools away does so no more.
func (s *Session) Deactivate(name string) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.lingering)
	s.lingering = slices.DeleteFunc(s.lingering, func(m session.Member) bool { return m.Entry.Name == name })
	out := s.deactivate(name)
	if !out.OK && len(s.lingering) < before {
		return Answer{OK: true, Code: out.Code, Skill: name, Message: "skill " + name + " takes no tools away any more"}
	}
	return out
}

// deactivateByModel does the same for a model. What it read of a skill that is not
// trusted it still knows, and that skill may have told it to do so.
func (s *Session) deactivateByModel(name string) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.active.Members()
	out := s.deactivate(name)
	s.linger(before)
	return out
}

func (s *Session) deactivate(name string) Answer {
	set, out := s.engine.activator.Deactivate(s.active, name)
	s.active = set
	return Answer(out)
}

// linger keeps those of former members that are not trusted and not active any
// more: their instructions have been read.
func (s *Session) linger(former []session.Member) {
	for _, m := range former {
		known := slices.ContainsFunc(s.lingering, func(l session.Member) bool { return l.Entry.Name == m.Entry.Name })
		if m.Entry.Trust.Below(skill.Trusted) && !s.active.Has(m.Entry.Name) && !known {
			s.lingering = append(s.lingering, m)
		}
	}
}

// Lingering are the skills that a model deactivated, or that are gone, and that go
// on taking tools away: it has read them. Whoever carries a conversation over to
// another session carries them over with [Session.Linger]; [Session.Deactivate]
// ends it, for the user.
func (s *Session) Lingering() []ActiveSkill {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []ActiveSkill
	for _, m := range s.lingering {
		out = append(out, ActiveSkill{Name: m.Entry.Name, Why: Why(m.Reason), Trust: m.Entry.Trust, Tokens: m.Entry.Tokens, From: m.From})
	}
	return out
}

// Linger lets skills take tools away as if they were active and not trusted,
// whether or not they are still there: what they say is known in a conversation
// that is carried over.
func (s *Session) Linger(ctx context.Context, names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var former []session.Member
	for _, name := range names {
		entry := &skill.Entry{Skill: skill.Skill{Name: name}}
		if listed := s.listed(name); listed != nil {
			if whole, err := s.loader()(ctx, listed); err == nil {
				found := *whole
				entry = &found
			}
		}
		entry.Trust = skill.Installed
		former = append(former, session.Member{Entry: entry, Reason: session.Model})
	}
	s.linger(former)
}
