package knack

import (
	"context"

	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/skill"
)

// Embedder turns texts into vectors of one length, near each other where the
// texts mean much the same. Knack has none of its own.
type Embedder interface {
	// Embed returns one vector for each text, in the same order.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Selection is which skills fit a message.
type Selection struct {
	// Activate are those that fit beyond doubt, best first; Suggest those that
	// may. Both are empty where nothing fits.
	Activate []Choice `json:"activate"`
	Suggest  []Choice `json:"suggest"`
	// Considered is how many skills were compared.
	Considered int `json:"considered"`
}

// Choice is a skill that fits a message, and why.
type Choice struct {
	Name    string         `json:"name"`
	Score   float64        `json:"score"`
	Reasons []ChoiceReason `json:"reasons"`
}

// ChoiceReason is one thing that the message and the skill have in common.
type ChoiceReason struct {
	// Kind is word, keyword, pattern, tag, name or trigger.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Field is where the skill has it.
	Field  string  `json:"field"`
	Weight float64 `json:"weight"`
}

// chooser is made of a session's skills when it is first asked for.
type chooser struct {
	entries []*skill.Entry
	route.Chooser
}

// Select chooses the skills that fit a message, of those that a model may use.
// Nothing is activated. The same skills and message give the same answer.
func (s *Session) Select(ctx context.Context, message string) (Selection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.choosing(ctx)
	if err != nil {
		return Selection{}, err
	}
	found := c.Select(message)
	if e := s.engine.opt.Embedder; e != nil {
		headers := make([]*skill.Skill, len(c.entries))
		for i, entry := range c.entries {
			headers[i] = &entry.Skill
		}
		if found.Suggest, err = route.Rerank(ctx, e, message, headers, found.Suggest); err != nil {
			return Selection{}, err
		}
	}
	return Selection{Activate: c.choices(found.Activate), Suggest: c.choices(found.Suggest), Considered: found.Considered}, nil
}

// Rank chooses skills by Knack's own ranking, whatever the host does: it stands in
// for a model where there is none. What skills say of themselves is compared, not
// their instructions.
func (s *Session) Rank(ctx context.Context, message string) (Selection, error) {
	if s.engine.profile == s.engine.native {
		return s.Select(ctx, message)
	}
	c := &chooser{}
	var headers []*skill.Skill
	for _, e := range s.Skills().Entries() {
		if e.Status == skill.Ready && !e.Invocation.ModelDisabled {
			c.entries, headers = append(c.entries, e), append(headers, &e.Skill)
		}
	}
	var err error
	if c.Chooser, err = route.New(s.engine.native.Route, headers); err != nil {
		return Selection{}, err
	}
	found := c.Select(message)
	return Selection{Activate: c.choices(found.Activate), Suggest: c.choices(found.Suggest), Considered: found.Considered}, ctx.Err()
}

// Match activates what fits a message beyond doubt, as far as the budget of
// active skills goes. What has no room is suggested, and the answers say so.
// Skills of installed trust are left to the model or the user: text from
// elsewhere must not choose itself.
func (s *Session) Match(ctx context.Context, message string) (Selection, []Answer, error) {
	found, err := s.Select(ctx, message)
	if err != nil {
		return Selection{}, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var answers []Answer
	var fit, left []Choice
	for _, c := range found.Activate {
		e := s.listed(c.Name)
		if e == nil || e.Trust != skill.Trusted {
			left = append(left, c)
			continue
		}
		done := s.activate(ctx, session.Request{Name: c.Name, Reason: session.Matched})
		answers = append(answers, done...)
		if done[0].OK {
			fit = append(fit, c)
		} else { // it has no room: the model may still ask for it
			left = append(left, c)
		}
	}
	found.Activate, found.Suggest = nonNil(fit), append(nonNil(left), found.Suggest...)
	return found, answers, nil
}

// choosing makes the session's chooser, once for each snapshot.
func (s *Session) choosing(ctx context.Context) (*chooser, error) {
	if s.chooser != nil {
		return s.chooser, nil
	}
	c := &chooser{}
	for _, e := range s.snap.Entries() {
		if e.Status == skill.Ready && !e.Invocation.ModelDisabled {
			c.entries = append(c.entries, e)
		}
	}
	var err error
	if c.Chooser, err = s.newChooser(ctx, c.entries); err != nil {
		return nil, err
	}
	s.chooser = c
	return c, nil
}

func (c *chooser) choices(picks []route.Pick) []Choice {
	out := []Choice{}
	for _, p := range picks {
		choice := Choice{Name: c.entries[p.Skill].Name, Score: p.Score, Reasons: []ChoiceReason{}}
		for _, m := range p.Reasons {
			choice.Reasons = append(choice.Reasons, ChoiceReason(m))
		}
		out = append(out, choice)
	}
	return out
}
