package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

// long is about 1,000 tokens that begin so.
func long(begin string) string { return begin + " " + strings.Repeat("word ", 800) }

func isSummary(req llm.Request) bool {
	return len(req.Tools) == 0 && len(req.Messages) == 1 && strings.Contains(system(req), "your summary takes its place")
}

// A conversation that grows stays within what the model reads, with the active
// skill as it is, and can be taken up from the record as it is then.
func TestCompaction(t *testing.T) {
	for name, c := range map[string]struct {
		summary step
		info    llm.Info
		notice  string
		has     string // the messages after it
	}{
		"by a summary":  {step{text: []string{"They spoke of things."}, usage: llm.Usage{Input: 7, Output: 3}}, llm.Info{}, "replaced by a summary", "They spoke of things."},
		"by dropping":   {step{err: errors.New("overloaded")}, llm.Info{}, "no summary (overloaded)", "left out"},
		"with no words": {step{}, llm.Info{}, "no summary (the model wrote none)", "left out"},
		"offline":       {step{}, llm.Info{Provider: "offline"}, "no language model", "left out"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.more = []tool.Tool{returning("lookup", long("found"))}
			fake := &model{t: t, info: c.info}
			fake.info.Context = 12_000
			compacted := 0
			play := func(req llm.Request) step {
				switch {
				case isSummary(req):
					compacted++
					if req.MaxTokens != 2000 || !strings.Contains(req.Messages[0].Text, "lookup returned") || strings.Contains(system(req), "Instructions of mine.") {
						t.Errorf("%d %.300s", req.MaxTokens, req.Messages[0].Text)
					}
					return c.summary
				case len(req.Messages[len(req.Messages)-1].Results) == 0:
					return step{calls: []llm.Call{call("", "lookup", `{}`)}}
				}
				return step{text: []string{long("so it is")}}
			}
			store := m.store()
			record, err := store.New(agent.Conversation{})
			if err != nil {
				t.Fatal(err)
			}
			var e events
			a := agent.New(agent.Options{Session: m.session("mine"), Model: &playing{model: fake, play: play}, Record: record})
			for i := range 12 {
				text := fmt.Sprintf("question %d", i)
				if turn, err := a.Send(t.Context(), text, e.on); err != nil || turn.End != agent.EndDone {
					t.Fatal(i, turn, err)
				}
				last := fake.requests[len(fake.requests)-1]
				if all := system(last) + fmt.Sprintf("%+v", last.Messages); len(all) > 4*12_000 || !strings.Contains(all, "Instructions of mine.") || !strings.Contains(all, text) {
					t.Fatalf("question %d: %d bytes", i, len(all))
				}
			}
			if told := strings.Join(e.told(), "\n"); !strings.Contains(told, c.notice) {
				t.Errorf("%q is not in\n%.2000s", c.notice, told)
			}
			if all := fmt.Sprintf("%+v", a.Messages()); !strings.Contains(all, c.has) || !strings.Contains(all, "question 11") {
				t.Errorf("%q is not in %.3000s", c.has, all)
			}
			if err := record.Close(); err != nil {
				t.Fatal(err)
			}
			_, state, err := store.Open("")
			if err != nil || fmt.Sprintf("%+v", state.Messages) != fmt.Sprintf("%+v", a.Messages()) || state.Turns != 12 || state.Usage != a.Usage() {
				t.Errorf("%v %+v", err, state)
			}
			if offline := c.info.Provider != ""; offline != (compacted == 0) {
				t.Errorf("asked for %d summaries", compacted)
			}
		})
	}
}

// playing decides by the request.
type playing struct {
	*model
	play func(llm.Request) step
}

func (p *playing) Ask(ctx context.Context, req llm.Request, on func(llm.Event)) (llm.Answer, error) {
	p.mu.Lock()
	p.steps = append(p.steps, p.play(req))
	p.mu.Unlock()
	return p.model.Ask(ctx, req, on)
}

// A long turn is compacted in its middle, and what was asked for stays.
func TestCompactionWithinATurn(t *testing.T) {
	m := newMachine(t)
	m.more = []tool.Tool{returning("lookup", long("found"))}
	fake := &model{t: t, info: llm.Info{Context: 12_000}}
	summaries := 0
	play := func(req llm.Request) step {
		if isSummary(req) {
			summaries++
			return step{text: []string{"It was looked up."}}
		}
		if !strings.Contains(fmt.Sprintf("%+v", req.Messages), "the very thing") {
			t.Error("what was asked for is gone")
		}
		if len(fake.requests) > 20 {
			return step{text: []string{"Done."}}
		}
		return step{text: []string{long("I look")}, calls: []llm.Call{call("", "lookup", `{}`), call("", "lookup", `{}`)}}
	}
	a := agent.New(agent.Options{Session: m.session(), Model: &playing{model: fake, play: play}})
	if turn, err := a.Send(t.Context(), "find the very thing", nil); err != nil || turn.End != agent.EndDone || summaries < 3 {
		t.Error(turn.End, err, summaries)
	}
}

// A server that refuses a request for its size is believed, once.
func TestServersThatReadLess(t *testing.T) {
	tooMuch := &llm.Error{Kind: llm.PromptSize, Status: 400, Message: "prompt is too long"}
	for _, refusals := range []int{1, 2} {
		m := newMachine(t)
		fake := &model{t: t}
		play := func(req llm.Request) step {
			switch n := len(fake.requests); {
			case isSummary(req):
				return step{text: []string{"Short."}}
			case n < 4:
				return step{text: []string{long("so it is")}}
			case n >= 4 && refusals > 0:
				refusals--
				return step{err: tooMuch}
			}
			if n := len(req.Messages); n > 3 {
				t.Errorf("%d messages are left", n)
			}
			return step{text: []string{"Yes."}}
		}
		twice := refusals == 2
		a := agent.New(agent.Options{Session: m.session(), Model: &playing{model: fake, play: play}})
		for i := range 5 {
			turn, err := a.Send(t.Context(), long("question"), nil)
			if failed := i == 4 && twice; failed != errors.Is(err, tooMuch) || !failed && turn.End != agent.EndDone {
				t.Error(i, turn.End, err)
			}
		}
	}
}
