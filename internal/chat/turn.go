package chat

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
)

// turn is work that goes on while the screen stays alive.
type turn struct {
	ctx         context.Context
	cancel      func()
	began       time.Time
	interrupted bool
	answered    bool // some text came
	started     atomic.Bool
	done        chan struct{}
}

// run makes a command of work, whose end can be waited for.
func (t *turn) run(work func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		t.started.Store(true)
		defer close(t.done)
		return work(t.ctx)
	}
}

// wait waits until the work is done, as far as it ever began, but not for ever:
// what does not end when told to must not keep the terminal.
func (t *turn) wait(longest time.Duration) {
	if !t.started.Load() {
		return
	}
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
	}
}

func (t *turn) tick() tea.Cmd {
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tickMsg{t} })
}

// feed collects events until the screen has time for them: drawing each piece of
// a fast answer would be slower than the answer.
type feed struct {
	mu     sync.Mutex
	events []agent.Event
	told   bool
	tell   func(tea.Msg) // nil if nobody need be told
}

// add is called from the agent's goroutines.
func (f *feed) add(e agent.Event) {
	f.mu.Lock()
	f.events = append(f.events, e)
	tell := f.tell
	if f.told {
		tell = nil
	}
	f.told = true
	f.mu.Unlock()
	if tell != nil {
		tell(eventsMsg{})
	}
}

func (f *feed) take() []agent.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.events
	f.events, f.told = nil, false
	return events
}

func (s *screen) startWork() *turn {
	ctx, cancel := context.WithCancel(s.ctx)
	s.turn = &turn{ctx: ctx, cancel: cancel, began: s.opt.Now(), done: make(chan struct{})}
	s.requests = 0
	s.leaving = false
	return s.turn
}

func (s *screen) stopWork() {
	s.turn.cancel()
	s.turn = nil
}

// startTurn asks the agent.
func (s *screen) startTurn(text string) tea.Cmd {
	t := s.startWork()
	return tea.Batch(t.tick(), t.run(func(ctx context.Context) tea.Msg {
		result, err := s.opt.Agent.Send(ctx, text, s.feed.add)
		return turnMsg{t, result, err}
	}))
}

// interrupt ends what is running. What was typed meanwhile comes back, for it may
// have been meant for an answer that never comes.
func (s *screen) interrupt() {
	s.turn.interrupted = true
	s.turn.cancel()
	s.refuseAll()
	for _, text := range s.waiting {
		if s.input.text != "" {
			text = "\n" + text
		}
		s.input.pos = len(s.input.text)
		s.input.insert(text)
	}
	s.waiting = nil
}

// take shows the events that came.
func (s *screen) take() tea.Cmd {
	var cmd tea.Cmd
	for _, e := range s.feed.take() {
		switch {
		case e.Text != "":
			s.text(e.Text)
		case e.Reasoning != "":
			s.reasoning(e.Reasoning)
		case e.Call != nil:
			s.closeText()
			s.transcript.add(newCall(*e.Call))
		case e.Result != nil:
			s.result(e.Result)
			cmd = s.lookAtSkills
		case e.Notice != "":
			s.closeText()
			s.transcript.add(notice(e.Notice))
		case e.Usage != nil:
			s.requests++
			s.turnUsage = s.turnUsage.Add(*e.Usage)
		}
		if e.Skills != nil {
			s.skills, cmd = e.Skills, s.lookAtSkills
		}
	}
	return cmd
}

func (s *screen) text(text string) {
	if s.turn != nil {
		s.turn.answered = true
	}
	a, ok := s.transcript.last().(*answer)
	if !ok || a.ended {
		s.closeText()
		a = newAnswer(!s.opt.Plain)
		s.transcript.add(a)
	}
	a.stream.Write(text)
}

func (s *screen) reasoning(text string) {
	t, ok := s.transcript.last().(*thought)
	if !ok || !t.open {
		s.closeText()
		t = newThought(s.opt.Now())
		s.transcript.add(t)
	}
	t.write(text)
}

// result gives a call its answer: calls may be answered in another order.
func (s *screen) result(r *agent.ResultEvent) {
	s.closeText()
	for i := len(s.transcript.entries) - 1; i >= 0; i-- {
		if c, ok := s.transcript.entries[i].(*call); ok && c.open && c.event.ID == r.ID {
			c.answered(r)
			return
		}
	}
	c := newCall(agent.CallEvent{ID: r.ID, Tool: r.Tool}) // nobody told of the call
	c.answered(r)
	s.transcript.add(c)
}

// closeText ends what the model was saying or thinking.
func (s *screen) closeText() {
	switch e := s.transcript.last().(type) {
	case *answer:
		e.end()
	case *thought:
		e.end(s.opt.Now())
	}
}

// closeOpen ends everything that a turn left open.
func (s *screen) closeOpen() {
	s.closeText()
	for i := len(s.transcript.entries) - 1; i >= 0; i-- {
		if c, ok := s.transcript.entries[i].(*call); ok && c.open {
			c.abandon()
		}
	}
}

// tokens is what the conversation cost so far.
func (s *screen) tokens() int {
	u := s.usage.Add(s.turnUsage)
	return total(u)
}

func total(u llm.Usage) int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }
