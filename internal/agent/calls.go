package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

const (
	// mostCalls of one answer are made: a model that wants more has lost its way.
	mostCalls = 64
	// mostAtOnce run side by side: what one machine reads at once without harm.
	mostAtOnce = 8
	// skillName is the tool that changes what all others may do.
	skillName = "Skill"
)

// call makes the calls of one answer and adds what came of them, in their order.
// Those that only read run side by side as long as they follow each other; all
// others wait for what stands before them.
func (t *turn) call(ctx context.Context, calls []llm.Call) error {
	results := make([]llm.Result, len(calls))
	ctx = context.WithValue(ctx, callerKey{}, t)
	for at := 0; at < len(calls); {
		group := t.group(ctx, calls[at:])
		for i := at; i < at+group; i++ {
			t.tell(Event{Call: &CallEvent{ID: calls[i].ID, Tool: calls[i].Tool, Arguments: string(t.redactJSON(calls[i].Arguments))}})
		}
		var all sync.WaitGroup
		for i := at; i < at+group; i++ {
			all.Go(func() { results[i] = t.callOne(ctx, calls[i], i) })
		}
		all.Wait()
		at += group
		t.tellSkills()
	}
	t.append(llm.Message{Role: llm.User, Results: fitted(results, int(float64(t.window())/t.scale/4))})
	t.out.Calls += len(calls)
	return ctx.Err()
}

// group is how many calls from here on run side by side.
func (t *turn) group(ctx context.Context, calls []llm.Call) int {
	reads := map[string]bool{}
	for _, d := range t.opt.Session.Tools(ctx) {
		reads[d.Tool.Name] = d.Tool.Effects.ReadOnly() && d.Tool.Name != skillName && d.Tool.Name != taskName
	}
	n := 0
	for n < min(len(calls), mostAtOnce) && reads[calls[n].Tool] {
		n++
	}
	return max(1, n)
}

// callOne makes one call, whatever it is, and keeps what came of it.
func (t *turn) callOne(ctx context.Context, c llm.Call, at int) llm.Result {
	began := t.now()
	result := t.result(ctx, c, at)
	result.Text = t.redact(result.Text)
	took := t.now().Sub(began)
	out := llm.Result{ID: c.ID, Tool: c.Tool, Text: shortened(result.Text, mostResult), Failed: result.Failed}
	if out.Text == "" { // which some servers refuse
		out.Text = "(no output)"
	}
	t.keep(entry{Result: &out})
	t.tell(Event{Result: &ResultEvent{ID: c.ID, Tool: c.Tool, Result: result, Duration: took}})
	return out
}

// result is what comes of a call. All that goes wrong is said so that the model
// can do better.
func (t *turn) result(ctx context.Context, c llm.Call, at int) (result tool.Result) {
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	failed := func(text string) tool.Result { return tool.Result{Failed: true, Text: text} }
	switch {
	case ctx.Err() != nil:
		return failed(interrupted)
	case at >= mostCalls:
		return failed(fmt.Sprintf("not called: at most %d calls are made in one answer; call it again in the next one", mostCalls))
	case t.inner && c.Tool == taskName:
		return failed("not called: a task cannot start another; do it yourself")
	}
	if err := json.Unmarshal(c.Arguments, new(any)); err != nil {
		return failed("not called: the arguments of " + wording.Name(c.Tool) + " are not JSON (" + err.Error() + "); call it again with one JSON object as its schema says")
	}
	defer func() { // one tool that breaks must not take the conversation with it
		if broken := recover(); broken != nil {
			result = failed(fmt.Sprintf("%s broke: %v", wording.Name(c.Tool), broken))
		}
	}()
	result, err := t.opt.Session.Call(ctx, knack.Call{Tool: c.Tool, Arguments: c.Arguments, Caller: knack.CalledByModel})
	switch {
	case err != nil && made(result): // and only its record is not whole
		t.notice(wording.Name(c.Tool) + ": " + err.Error())
	case err != nil && ctx.Err() != nil:
		return failed(interrupted)
	case err != nil:
		t.notice(wording.Name(c.Tool) + ": " + err.Error())
		return failed("the call failed: " + err.Error())
	}
	return result
}

// made tells that there is a result, whatever error comes with it.
func made(r tool.Result) bool { return r != (tool.Result{}) }
