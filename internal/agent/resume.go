package agent

import (
	"context"
	"slices"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/wording"
)

// Resume goes on with a kept conversation, before anything is sent. Skills that
// were active are again, for the same reason; notices tell of those that cannot be
// had. What took tools away still does, whether it can be had or not: the model has
// read it. What was typed behind a slash command is not known to skills any more.
func (a *Agent) Resume(ctx context.Context, s State, on func(Event)) error {
	if !a.sending.TryLock() {
		return ErrBusy
	}
	defer a.sending.Unlock()
	t := &turn{Agent: a, on: on}
	a.mu.Lock()
	a.messages, a.usage = llm.Tidy(s.Messages), s.Usage
	a.mu.Unlock()
	for _, p := range s.Problems {
		t.notice(p.Error())
	}
	was := s.active
	if was == nil { // put together by hand
		for _, name := range s.Active {
			was = append(was, keptSkill{Name: name, Why: knack.ByModel})
		}
	}
	for _, k := range was {
		if answer := restored(ctx, a.opt.Session, k); !answer.OK {
			t.notice("skill " + wording.Name(k.Name) + " is not active any more: " + answer.Message)
		}
	}
	t.tellSkills()
	return ctx.Err()
}

// restored has a skill as it was in another session.
func restored(ctx context.Context, s *knack.Session, k keptSkill) knack.Answer {
	isActive := func(name string) bool {
		return slices.ContainsFunc(s.Active(), func(a knack.ActiveSkill) bool { return a.Name == name })
	}
	answer := knack.Answer{OK: true}
	switch {
	case isActive(k.Name):
		return answer
	case k.Lingering:
	case k.From != "" && isActive(k.From): // companions come with the one that brought them
	default:
		answer = s.Activate(ctx, k.Name, k.Why)[0]
	}
	if k.restricts() && !isActive(k.Name) {
		s.Linger(ctx, k.Name)
	}
	return answer
}
