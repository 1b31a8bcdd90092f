package agent

import (
	"context"
	"slices"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/wording"
)

// Resume goes on with a kept conversation, before anything is sent. Skills that
// were active are again, for the same reason; notices tell of those that cannot
// be. What was typed behind a slash command is not known to them any more.
func (a *Agent) Resume(ctx context.Context, s State, on func(Event)) error {
	if !a.sending.TryLock() {
		return ErrBusy
	}
	defer a.sending.Unlock()
	t := &turn{Agent: a, on: on}
	a.mu.Lock()
	a.messages, a.usage = mended(s.Messages), s.Usage
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
		isActive := func(n string) bool {
			return slices.ContainsFunc(a.opt.Session.Active(), func(x knack.ActiveSkill) bool { return x.Name == n })
		}
		if isActive(k.Name) || k.From != "" && isActive(k.From) {
			continue // companions come with the one that brought them
		}
		if answer := a.opt.Session.Activate(ctx, k.Name, k.Why)[0]; !answer.OK {
			t.notice("skill " + wording.Name(k.Name) + " is not active any more: " + answer.Message)
		}
	}
	t.tellSkills()
	return ctx.Err()
}
