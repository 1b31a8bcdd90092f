package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/wording"
)

// Resume goes on with a kept conversation, before anything is sent. Skills that
// were active are again, for the same reason, and those that took tools away still
// do; notices tell of those that cannot be had. What was typed behind a slash
// command is not known to them any more.
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
	if was := isActive(k.Name); was || k.From != "" && isActive(k.From) {
		return knack.Answer{OK: true} // companions come with the one that brought them
	}
	answer := s.Activate(ctx, k.Name, k.Why)[0]
	if !answer.OK || !k.Lingering {
		return answer
	}
	arguments, err := json.Marshal(map[string]string{"skill": k.Name, "action": "deactivate"})
	if err == nil {
		_, err = s.SkillTool().Run(ctx, arguments) // as the model did then
	}
	if err != nil {
		return knack.Answer{Message: err.Error()}
	}
	return answer
}
