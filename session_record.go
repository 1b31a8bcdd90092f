package knack

import (
	"context"

	"github.com/knackhq/knack/skill"
)

// Record is a session's view of skills as other programs keep it: the prompt,
// and of each skill in it what its tools need.
type Record struct {
	Prompt  string        `json:"prompt"`
	Skills  []RecordSkill `json:"skills"`
	Filter  []string      `json:"skillFilter,omitempty"`
	Version string        `json:"version"`
}

// RecordSkill is one skill of a [Record].
type RecordSkill struct {
	Name        string   `json:"name"`
	PrimaryEnv  string   `json:"primaryEnv,omitempty"`
	RequiredEnv []string `json:"requiredEnv,omitempty"`
}

// Record returns the session's view as it is now.
func (s *Session) Record(ctx context.Context) (Record, error) {
	p, err := s.Prompt(ctx)
	if err != nil {
		return Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Record{Prompt: p.Text, Version: s.snap.Version(), Filter: s.engine.settings.Skills.Only, Skills: []RecordSkill{}}
	for _, e := range s.snap.Entries() {
		if e.Status == skill.Ready {
			r.Skills = append(r.Skills, RecordSkill{e.Name, e.Requires.PrimaryEnv, e.Requires.Env})
		}
	}
	return r, nil
}
