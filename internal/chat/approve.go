package chat

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/knackhq/knack"
)

// pending is a question that waits for its answer.
type pending struct {
	question knack.Question
	answer   chan knack.Consent // holds one
	since    time.Time          // it is on the screen
	top      int                // the first line that is shown of it
}

// withdrawn tells that nobody waits for the answer any more.
type withdrawn struct{ *pending }

// typeahead is how long keys answer nothing after a question appeared, or after a
// key that was meant for the input. It is longer than the time between two keys of someone who
// types, and shorter than it takes to read the question.
const typeahead = 400 * time.Millisecond

// asking is how questions come to a screen from other goroutines.
func asking(send func(tea.Msg), ended <-chan struct{}) func(context.Context, knack.Question) knack.Consent {
	return func(ctx context.Context, q knack.Question) knack.Consent {
		p := &pending{question: q, answer: make(chan knack.Consent, 1)}
		send(p)
		select {
		case a := <-p.answer:
			return a
		case <-ended:
		case <-ctx.Done():
			send(withdrawn{p})
		}
		return knack.Refuse
	}
}

// answerKey takes a key while a question is on the screen.
func (s *screen) answerKey(msg tea.KeyPressMsg) {
	p := s.questions[0]
	key := msg.String()
	if by, ok := pages[key]; ok {
		p.top = max(0, p.top+by*max(s.height/2, 1))
		return
	}
	switch key {
	case "up":
		p.top = max(0, p.top-1)
		return
	case "down":
		p.top++
		return
	case "ctrl+c":
		if s.turn != nil {
			s.interrupt()
		} else {
			s.refuseAll()
		}
		return
	}
	answer, ok := consent(p.question, key)
	if now := s.opt.Now(); !ok || !now.IsZero() && now.Sub(p.since) < typeahead {
		p.since = now // whoever goes on typing does not answer by that
		if msg.Text != "" {
			s.input.insert(msg.Text)
		}
		return
	}
	s.answer(answer)
}

// answer gives the first question its answer, and shows the next.
func (s *screen) answer(a knack.Consent) {
	s.questions[0].answer <- a
	if s.questions = s.questions[1:]; len(s.questions) > 0 {
		s.questions[0].since = s.opt.Now()
	}
}

func (s *screen) refuseAll() {
	for len(s.questions) > 0 {
		s.answer(knack.Refuse)
	}
}

func (s *screen) withdraw(p *pending) {
	s.questions = slices.DeleteFunc(s.questions, func(q *pending) bool { return q == p })
}
