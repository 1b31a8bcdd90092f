package knack

import (
	"context"

	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Env returns the variables that the child processes of a skill's tools get
// from the configuration: only those that the environment does not set, and none
// that could change which programs run. What is refused is explained; values are
// never in a message. A skill of installed trust gets them only if the user granted
// it something, and only those of its own name: anybody can name a skill's key.
func (s *Session) Env(ctx context.Context, name string) (set map[string]string, refused []skill.Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.listed(name)
	if e == nil {
		return nil, nil
	}
	if entry, ok := s.entryOf(e); !ok || !entry.Enabled {
		return nil, nil
	}
	if e.Trust != skill.Trusted && !s.grantedByName(ctx, e) {
		return nil, []skill.Reason{{Code: skill.EnvUndeclared,
			Message: "it counts as installed, so it gets none of the variables that the configuration has for " + wording.Quote(e.Key()),
			Hint:    "knack trust " + wording.ShellWord(e.Name)}}
	}
	return s.configured(e)
}

// entryOf is what the configuration has for a skill.
func (s *Session) entryOf(e *skill.Entry) (config.Entry, bool) {
	entry, ok := s.engine.settings.Skills.Entries[s.engine.settingsKey(e)]
	return entry, ok
}

// configured are the variables that the configuration has for a skill, whether or
// not it may have them.
func (s *Session) configured(e *skill.Entry) (set map[string]string, refused []skill.Reason) {
	entry, ok := s.entryOf(e)
	if !ok || !entry.Enabled {
		return nil, nil
	}
	key := entry.APIKey
	if entry.Ref.Source == "env" {
		key, _ = s.engine.variable(entry.Ref.ID)
	}
	return s.engine.env.For(&e.Skill, entry.Env, key, s.engine.variable)
}

// grantedByName reports whether the user granted something to this very skill,
// and its variables are kept under its own name.
func (s *Session) grantedByName(ctx context.Context, e *skill.Entry) bool {
	if e.Key() != e.Name {
		return false
	}
	book, _ := trust.Open(s.engine.trustFile())
	return len(judgement(book, e, s.engine.trustContext(s.engine.openDigests().within(ctx))).Grants) > 0
}
