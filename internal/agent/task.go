package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// TaskOptions are what a model that asks a model works with.
type TaskOptions struct {
	// Model answers where no agent calls: an agent's tasks are done by its own.
	Model llm.Model
	// Spawn starts a session of the same engine and toolbox with these skills
	// pinned.
	Spawn func(ctx context.Context, pinned []string) (*knack.Session, error)
	// Parent is the session that the tools belong to.
	Parent func() *knack.Session
}

const (
	taskName, llmTaskName = "Task", "llm_task"
	// taskIterations are enough for one thing.
	taskIterations = 10

	taskBase = "You do one task for another agent, which sees nothing but your last answer: put all that it needs there. Nobody can answer questions."
	// llmTaskBase is all that one answer is given.
	llmTaskBase = "Do what the prompt says with the input, and answer with the result alone."
)

// What a model writes.
var (
	taskForm = arguments.Form{
		Fields: []arguments.Field{
			{Name: "description", Help: "the task in a few words"},
			{Name: "prompt", Required: true, Filled: true, Help: "the whole task, with all that is needed to do it"},
			{Name: "skills", Kind: arguments.Texts, Help: "names of skills to activate for it"},
		},
		Example: `{"description": "find the tests", "prompt": "List the test files below src and what each is about."}`,
	}
	llmTaskForm = arguments.Form{
		Fields: []arguments.Field{
			{Name: "prompt", Required: true, Filled: true, Help: "what to do"},
			{Name: "input", Kind: arguments.Any, Help: "what to do it with"},
			{Name: "schema", Kind: arguments.Any, Help: "a JSON schema: the answer is JSON then"},
		},
		Example: `{"prompt": "translate into French", "input": "Good morning"}`,
	}
)

// Tools are llm_task, one answer of a model without tools, and Task, a sub-agent
// under the same policy. They touch nothing themselves: what a sub-agent calls is
// decided as if the agent called it, with the same skills active.
func Tools(opt TaskOptions) []tool.Tool { return []tool.Tool{llmTask{opt}, task{opt}} }

type callerKey struct{}

// callerOf is the turn that calls a tool; nil if no agent does.
func callerOf(ctx context.Context) *turn {
	t, _ := ctx.Value(callerKey{}).(*turn)
	return t
}

// model is the one that answers, and what is told of its cost.
func (o TaskOptions) model(ctx context.Context) (llm.Model, func(llm.Usage)) {
	if t := callerOf(ctx); t != nil {
		return t.currentModel(), t.spend
	}
	return o.Model, func(llm.Usage) {}
}

type llmTask struct{ opt TaskOptions }

func (llmTask) Spec() tool.Spec {
	return tool.Spec{
		Name: llmTaskName, Schema: llmTaskForm.Schema(),
		Description: "Ask a language model one thing, without tools and without this conversation: summarise, translate, classify, extract.",
	}
}

func (t llmTask) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := llmTaskForm.Read(llmTaskName, raw)
	var more struct{ Input, Schema json.RawMessage }
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &more)
	}
	if err != nil {
		return tool.Result{Failed: true, Text: llmTaskName + " needs a prompt: " + err.Error()}, nil
	}
	text := given.Text("prompt")
	if given.Has("input") {
		text += "\n\nInput:\n" + plain(more.Input)
	}
	wantsJSON := given.Has("schema")
	if wantsJSON {
		text += "\n\nAnswer with JSON alone that follows this schema:\n" + plain(more.Schema)
	}
	model, spend := t.opt.model(ctx)
	answer, err := model.Ask(ctx, llm.Request{
		System:   []string{llmTaskBase},
		Messages: []llm.Message{{Role: llm.User, Text: t.opt.Parent().Redact(text)}},
	}, nil)
	spend(answer.Usage)
	if err != nil {
		return refused(ctx, err)
	}
	out := strings.TrimSpace(answer.Message.Text)
	if wantsJSON {
		if out = unfenced(out); !json.Valid([]byte(out)) {
			return tool.Result{Failed: true, Text: "the answer is not JSON; ask again, or without a schema. It was:\n" + out}, nil
		}
	}
	return tool.Result{Text: out, Failed: out == "", Cut: answer.Stop == llm.TooLong}, nil
}

// plain is a text as it reads, and any other value as JSON.
func plain(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

// unfenced takes the fence off that models like to put around code.
func unfenced(text string) string {
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	_, inner, _ = strings.Cut(inner, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
}

// refused is what a model is told of one that did not answer.
func refused(ctx context.Context, err error) (tool.Result, error) {
	if ctx.Err() != nil {
		return tool.Result{}, err
	}
	return tool.Result{Failed: true, Text: "the model did not answer: " + err.Error()}, nil
}

type task struct{ opt TaskOptions }

func (task) Spec() tool.Spec {
	return tool.Spec{
		Name: taskName, Schema: taskForm.Schema(),
		Description: "Give one task to an agent of its own, which has the same tools and skills and none of this conversation. Its last answer is the result.",
	}
}

func (t task) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := taskForm.Read(taskName, raw)
	if err != nil {
		return tool.Result{Failed: true, Text: taskName + " needs a prompt: " + err.Error()}, nil
	}
	caller := callerOf(ctx)
	if caller != nil && caller.inner {
		return tool.Result{Failed: true, Text: "a task cannot start another; do it yourself"}, nil
	}
	session, err := t.opt.spawn(ctx, given.Texts("skills"))
	if err != nil {
		if ctx.Err() != nil {
			return tool.Result{}, err
		}
		return tool.Result{Failed: true, Text: "the task was not started: " + err.Error()}, nil
	}
	model, spend := t.opt.model(ctx)
	opt := Options{Session: session, Model: model, Base: taskBase, MaxIterations: taskIterations}
	if caller != nil {
		opt.Now, opt.Context = caller.opt.Now, caller.opt.Context
		opt.Base = strings.TrimSpace(caller.opt.Base + "\n\n" + taskBase)
	}
	child := New(opt)
	child.inner = true
	done, err := child.Send(ctx, given.Text("prompt"), nil)
	spend(done.Usage)
	// Whatever comes of it, its words may be those of skills that are not trusted.
	for _, a := range slices.Concat(session.Active(), session.Lingering()) {
		if a.Trust.Below(skill.Trusted) {
			t.opt.Parent().Linger(ctx, a.Name)
		}
	}
	switch {
	case err != nil:
		return refused(ctx, err)
	case done.End == EndInterrupted:
		return tool.Result{}, ctx.Err()
	case done.End != EndDone:
		return tool.Result{Failed: true, Text: strings.TrimSpace(fmt.Sprintf("the task was not finished (%s)\n\n%s", done.End, done.Text))}, nil
	}
	return tool.Result{Text: done.Text, Failed: done.Text == ""}, nil
}

var errMoreAuthority = errors.New("it is trusted further there than here; start a new conversation")

// spawn starts a session that may do no more than its parent: the same skills are
// active, trusted as far and no further, and what took tools away there does here.
func (o TaskOptions) spawn(ctx context.Context, more []string) (*knack.Session, error) {
	parent := o.Parent()
	var pinned []string
	for _, a := range parent.Active() {
		pinned = append(pinned, a.Name)
	}
	session, err := o.Spawn(ctx, pinned)
	if err != nil {
		return nil, err
	}
	for _, a := range parent.Lingering() {
		session.Linger(ctx, a.Name)
	}
	for _, name := range more {
		if answer := session.Activate(ctx, name, knack.ByModel)[0]; !answer.OK {
			return nil, errors.New(answer.Message)
		}
	}
	there := slices.Concat(session.Active(), session.Lingering())
	for _, a := range slices.Concat(parent.Active(), parent.Lingering()) {
		i := slices.IndexFunc(there, func(c knack.ActiveSkill) bool { return c.Name == a.Name })
		if i < 0 {
			return nil, fmt.Errorf("skill %s is active here and could not be there", wording.Name(a.Name))
		}
		if a.Trust.Below(there[i].Trust) {
			return nil, fmt.Errorf("skill %s: %w", wording.Name(a.Name), errMoreAuthority)
		}
	}
	return session, nil
}
