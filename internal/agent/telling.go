package agent

import (
	"slices"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
)

// tell passes an event on.
func (t *turn) tell(e Event) {
	if t.on == nil {
		return
	}
	t.telling.Lock()
	defer t.telling.Unlock()
	t.on(e)
}

func (t *turn) notice(text string) { t.tell(Event{Notice: t.redact(text)}) }

// notices tells of skills that did not become active.
func (t *turn) notices(answers []knack.Answer) {
	for _, a := range answers {
		if !a.OK {
			t.notice(a.Message)
		}
	}
}

// tellSkills tells of the active skills if they changed.
func (t *turn) tellSkills() {
	now, lingering := append([]knack.ActiveSkill{}, t.opt.Session.Active()...), t.opt.Session.Lingering()
	if slices.Equal(now, t.active) && slices.Equal(lingering, t.lingering) {
		return
	}
	t.keep(entry{Active: keptSkills(now, lingering)})
	if !slices.Equal(now, t.active) {
		t.tell(Event{Skills: now})
	}
	t.active, t.lingering = now, lingering
}

// spend adds up what requests cost, those of sub-agents among them.
func (t *turn) spend(u llm.Usage) {
	if u == (llm.Usage{}) {
		return
	}
	t.mu.Lock()
	t.usage, t.out.Usage = t.usage.Add(u), t.out.Usage.Add(u)
	t.mu.Unlock()
	t.keep(entry{Usage: &u})
	t.tell(Event{Usage: &u})
}

// keep writes down what happens. That it cannot is told once: the conversation
// goes on, for the user is in the middle of it.
func (t *turn) keep(e entry) {
	err := t.opt.Record.add(e)
	if err == nil {
		return
	}
	t.mu.Lock()
	first := !t.unkept
	t.unkept = true
	t.mu.Unlock()
	if first {
		t.notice("this conversation is not kept any more: " + err.Error())
	}
}
