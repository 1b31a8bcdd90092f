package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
)

// usualIterations is enough for work of many steps, and ends a model that goes
// round in circles.
const usualIterations = 25

// turn is one turn while it lasts.
type turn struct {
	*Agent
	telling sync.Mutex
	on      func(Event)
	out     Turn
	compact bool // the conversation was compacted for the request that is being made
	held    held
}

// Send is one turn: it takes what the user says and returns when there is an
// answer, or none can be had. on, if not nil, is told what happens, from one
// goroutine at a time. An empty text goes on where the last turn ended without an
// answer: after an error, an interrupt, or too many iterations.
//
// An error comes with [EndFailed] alone. A slash command that makes no sense
// fails without one: a notice says why.
func (a *Agent) Send(ctx context.Context, text string, on func(Event)) (Turn, error) {
	if !a.sending.TryLock() {
		return Turn{End: EndFailed}, ErrBusy
	}
	defer a.sending.Unlock()
	t := &turn{Agent: a, on: on}
	err := t.run(ctx, text)
	switch {
	case err != nil && ctx.Err() != nil:
		t.out.End, err = EndInterrupted, nil
	case err != nil:
		t.out.End = EndFailed
		t.takeBack(err)
	}
	t.keep(entry{End: t.out.End})
	t.sync()
	return t.out, err
}

func (t *turn) run(ctx context.Context, text string) error {
	asks, err := t.begin(ctx, text)
	if err != nil || !asks {
		return err
	}
	most := t.opt.MaxIterations
	if most <= 0 {
		most = usualIterations
	}
	for t.out.Iterations < most {
		answer, err := t.ask(ctx)
		if err != nil {
			return err
		}
		if len(answer.Message.Calls) == 0 {
			t.out.End = EndDone
			t.explain(answer.Stop)
			return nil
		}
		if err := t.call(ctx, answer.Message.Calls); err != nil {
			return err
		}
	}
	t.out.End = EndIterations
	t.notice(fmt.Sprintf("stopped: the model was asked %d times in this turn, which is the limit; say \"go on\" to continue, or raise max_iterations", most))
	return nil
}

// begin takes what the user says up and reports whether a model is to be asked.
func (t *turn) begin(ctx context.Context, text string) (asks bool, err error) {
	if t.inner { // what another model writes is no command of a user
		t.say(text, text)
		return true, nil
	}
	if err := t.refresh(ctx); err != nil {
		return false, err
	}
	defer t.tellSkills()
	if strings.TrimSpace(text) == "" {
		if !t.unanswered() {
			return false, ErrNothingToSay
		}
		return true, nil
	}
	in := t.opt.Session.Read(ctx, text)
	t.notices(in.Answers)
	switch {
	case in.Problem != "":
		t.out.End = EndFailed
		t.notice(in.Problem)
		return false, nil
	case in.Dispatch != nil:
		return false, t.dispatch(ctx, in.Dispatch, text)
	case in.Text == "":
		t.out.End = EndDone
		return false, nil
	}
	t.say(in.Text, text)
	_, answers, err := t.opt.Session.Match(ctx, in.Text)
	t.notices(answers)
	if err != nil && ctx.Err() == nil { // the model can still choose
		t.notice("no skill was chosen before the model was asked: " + err.Error())
		err = nil
	}
	return true, err
}

// refresh takes up what changed on disk, where that is wanted.
func (t *turn) refresh(ctx context.Context) error {
	_, lost, err := t.opt.Session.Turn(ctx)
	t.notices(lost)
	t.tellSkills()
	if err != nil && ctx.Err() == nil {
		t.notice("skills stay as they are, for they could not be read again: " + err.Error())
		return nil
	}
	return err
}

// unanswered reports whether it is the model's turn.
func (a *Agent) unanswered() bool {
	messages := a.Messages()
	return len(messages) > 0 && messages[len(messages)-1].Role == llm.User
}

// say adds what the user says. What is sent again after a failure is there
// already.
func (t *turn) say(text, typed string) {
	m := llm.Message{Role: llm.User, Text: t.redact(text)}
	if messages := t.Messages(); t.unanswered() {
		last := messages[len(messages)-1].Text
		if last == m.Text || strings.HasSuffix(last, "\n\n"+m.Text) {
			return
		}
	}
	t.keep(entry{User: &m, Typed: t.redact(typed)})
	t.append(m)
}

// takeBack leaves out what the server does not take, for it would not take
// anything that is said after it either.
func (t *turn) takeBack(err error) {
	var refused *llm.Error
	messages := t.Messages()
	last := len(messages) - 1
	if !errors.As(err, &refused) || refused.Kind != llm.BadRequest || !t.unanswered() || len(messages[last].Results) > 0 {
		return
	}
	left := append([]llm.Message{}, messages[:last]...)
	t.keep(entry{Compacted: left})
	t.replace(left)
	t.notice("what you said is left out of the conversation, for the server did not take it")
}

// dispatch sends a slash command to its tool; no model is asked.
func (t *turn) dispatch(ctx context.Context, d *knack.Dispatch, typed string) error {
	call := CallEvent{ID: "slash", Tool: d.Tool, Arguments: t.redact(d.Command)}
	t.tell(Event{Call: &call})
	began := t.now()
	result, err := t.opt.Session.Dispatch(ctx, d)
	switch {
	case err != nil && !made(result):
		return err
	case err != nil:
		t.notice(err.Error())
	}
	result.Text = t.redact(result.Text)
	t.out.End, t.out.Calls, t.out.Text = EndDispatched, 1, result.Text
	t.keep(entry{Dispatched: &dispatched{Typed: t.redact(typed), Tool: d.Tool, Text: result.Text, Failed: result.Failed}})
	t.tell(Event{Result: &ResultEvent{ID: call.ID, Tool: call.Tool, Result: result, Duration: t.now().Sub(began)}})
	t.tell(Event{Text: result.Text})
	return nil
}

// ask makes one request and keeps what comes of it, as much as there is. What it
// returns is as the model wrote it: calls are made with what it asked for.
func (t *turn) ask(ctx context.Context) (llm.Answer, error) {
	t.compact = false
	for {
		req, err := t.fittingRequest(ctx)
		if err != nil {
			return llm.Answer{}, err
		}
		answer, err := t.currentModel().Ask(ctx, req, t.stream)
		t.letGo()
		var refused *llm.Error
		if errors.As(err, &refused) && refused.Kind == llm.PromptSize && t.compacted(ctx, req, true) {
			continue
		}
		t.out.Iterations++
		t.spend(answer.Usage)
		t.calibrate(req, answer.Usage)
		answer.Message.Calls = llm.Named(answer.Message.Calls, ids(t.Messages()))
		t.keepAnswer(t.cleanAnswer(answer.Message))
		if err != nil && len(answer.Message.Calls) > 0 {
			t.answer(unmade(ctx, answer.Message.Calls))
		}
		return answer, err
	}
}

// keepAnswer adds an answer to the conversation.
func (t *turn) keepAnswer(m llm.Message) {
	if m.Text == "" && len(m.Calls) == 0 {
		return
	}
	if m.Text != "" {
		t.out.Text = m.Text
	}
	t.keep(entry{Assistant: &m})
	t.append(m)
}

// unmade are the results of calls in an answer that broke off: half a plan is no
// plan.
func unmade(ctx context.Context, calls []llm.Call) []llm.Result {
	why := interrupted
	if ctx.Err() == nil {
		why = "not called, for the answer broke off here"
	}
	var results []llm.Result
	for _, c := range calls {
		results = append(results, llm.Result{ID: c.ID, Tool: c.Tool, Text: why, Failed: true})
	}
	return results
}

// answer adds what came of calls.
func (t *turn) answer(results []llm.Result) {
	for i := range results {
		t.keep(entry{Result: &results[i]})
	}
	t.append(llm.Message{Role: llm.User, Results: results})
}

// explain tells of answers that are not what they could have been.
func (t *turn) explain(stop llm.Stop) {
	switch stop {
	case llm.TooLong:
		t.notice("the answer is cut: it reached the longest that the model may write; say \"go on\" for the rest")
	case llm.Declined:
		t.notice("the model declined to answer")
	case llm.Broken:
		t.notice("the answer ended early; say \"go on\" for the rest")
	}
}
