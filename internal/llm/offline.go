package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/tool"
)

// OfflineOptions are what the offline model works with.
type OfflineOptions struct {
	// Choose says which skills fit a message: those that do beyond doubt, and
	// those that may, best first. A single one that may is taken. With nil, none
	// fits.
	Choose func(ctx context.Context, message string) (activate, suggest []string, err error)
}

// NewOffline makes a model that is none: a planner that drives the same loop as
// any model, composes nothing, and says so in every answer.
//
// It looks at what the user said last and at what was called since then. A tool
// that the message begins with, as "calculator expression=2^10", is called. Else
// skills that fit are activated, one tool that they brought is called if its
// arguments stand in the message, and so is the calculator for a sum and
// file_read for a file to be read. Then it answers with what it did and what came
// of it. Neither the system prompt nor what tools answered ever leads to a call.
//
// The same request gets the same answer, after six calls at most.
func NewOffline(opt OfflineOptions) Model { return offline{opt} }

type offline struct{ opt OfflineOptions }

// The tools that the planner calls of its own accord.
const (
	skillTool      = "Skill"
	calculatorTool = "calculator"
	readTool       = "file_read"
)

const (
	// mostPlanned calls are made for one message: three skills, and what a message
	// can ask for besides.
	mostPlanned = 6
	// mostChosen skills are activated for one message; more are not meant by one.
	mostChosen = 3
)

func (offline) Info() Info { return Info{Provider: "offline", Model: "offline"} }

func (m offline) Ask(ctx context.Context, req Request, on func(Event)) (Answer, error) {
	if on == nil {
		on = func(Event) {}
	}
	broken := Answer{Message: Message{Role: Assistant}, Stop: Broken}
	if err := ctx.Err(); err != nil {
		return broken, err
	}
	t := readTurn(req)
	p, err := m.plan(ctx, t)
	if err != nil {
		return broken, err
	}
	for _, s := range p.steps {
		if len(t.done) >= mostPlanned || t.did(s) {
			continue
		}
		// The place in the conversation makes it unique there.
		call := Call{ID: fmt.Sprintf("offline_%d", len(req.Messages)), Tool: s.tool, Arguments: s.arguments}
		on(Event{Call: &call})
		return Answer{Message: Message{Role: Assistant, Calls: []Call{call}}, Stop: WantCalls}, nil
	}
	answer := Answer{Message: Message{Role: Assistant}, Stop: Done}
	for piece := range strings.SplitAfterSeq(t.say(p), "\n") {
		if err := ctx.Err(); err != nil {
			answer.Stop = Broken
			return answer, err
		}
		answer.Message.Text += piece
		on(Event{Text: piece})
	}
	return answer, nil
}

// offlinePlan is what a message asks for, as far as can be told with the tools there are.
type offlinePlan struct {
	steps   []plannedCall
	chosen  []string // skills that fit
	suggest []string // skills that may
}

// plannedCall is a call to be made, unless it was.
type plannedCall struct {
	tool      string
	arguments json.RawMessage
}

func (m offline) plan(ctx context.Context, t *lastTurn) (offlinePlan, error) {
	if s, ok := namedCall(t.message, t.tools); ok {
		return offlinePlan{steps: []plannedCall{s}}, nil
	}
	var p offlinePlan
	if m.opt.Choose != nil && strings.TrimSpace(t.message) != "" {
		activate, suggest, err := m.opt.Choose(ctx, t.message)
		switch {
		case ctx.Err() != nil:
			return p, ctx.Err()
		case err != nil:
			return p, fmt.Errorf("offline: choosing skills: %w", err)
		case len(activate) == 0 && len(suggest) == 1:
			activate, suggest = suggest, nil
		}
		p.chosen, p.suggest = activate[:min(len(activate), mostChosen)], suggest
	}
	if _, ok := t.spec(skillTool); ok {
		for _, name := range p.chosen {
			if !t.inForce[name] {
				p.steps = append(p.steps, plannedCall{skillTool, jsonObject(map[string]json.RawMessage{"skill": jsonText(name)})})
			}
		}
	}
	if s, ok := t.ownTool(p.chosen); ok {
		p.steps = append(p.steps, s)
	}
	if spec, ok := t.spec(calculatorTool); ok {
		p.steps = append(p.steps, withOnly(spec, sumIn(t.message))...)
	}
	if spec, ok := t.spec(readTool); ok {
		p.steps = append(p.steps, withOnly(spec, fileToRead(t.message))...)
	}
	return p, nil
}

// withOnly calls a tool with the one argument it needs, if there is a value.
func withOnly(spec tool.Spec, value string) []plannedCall {
	args := argumentsOf(spec)
	if value == "" || len(args) == 0 {
		return nil
	}
	return []plannedCall{{spec.Name, jsonObject(map[string]json.RawMessage{args[0].name: jsonText(value)})}}
}

// lastTurn is what was said last, and what was done since.
type lastTurn struct {
	message string
	tools   []tool.Spec
	done    []doneCall
	inForce map[string]bool // skills that were activated before
	told    bool            // how to configure a model
}

// doneCall is a call and its result, nil if none came.
type doneCall struct {
	Call
	result *Result
}

func readTurn(req Request) *lastTurn {
	t := &lastTurn{tools: req.Tools, inForce: map[string]bool{}}
	var calls []doneCall // that wait for their results
	for _, m := range req.Messages {
		if m.Role == Assistant {
			t.told = t.told || strings.Contains(m.Text, howToConfigure)
			calls = nil
			for _, c := range m.Calls {
				calls = append(calls, doneCall{Call: c})
			}
			t.done = append(t.done, calls...)
			continue
		}
		for _, r := range m.Results {
			if i := slices.IndexFunc(calls, func(c doneCall) bool { return c.ID == r.ID }); i >= 0 {
				at := len(t.done) - len(calls) + i
				t.done[at].result = &r
			}
		}
		if strings.TrimSpace(m.Text) != "" {
			t.settle()
			t.message, t.done, calls = m.Text, nil, nil
		}
	}
	return t
}

// settle takes up what the calls of an earlier message activated.
func (t *lastTurn) settle() {
	for _, c := range t.done {
		if name, active, ok := c.activation(); ok && !c.result.Failed {
			t.inForce[name] = active
		}
	}
}

// activation tells of an answered call of Skill which skill it was about.
func (c doneCall) activation() (name string, active, ok bool) {
	var args struct{ Skill, Action string }
	if c.Tool != skillTool || c.result == nil || json.Unmarshal(c.Arguments, &args) != nil {
		return "", false, false
	}
	return args.Skill, args.Action != "deactivate", args.Skill != ""
}

func (t *lastTurn) spec(name string) (tool.Spec, bool) {
	i := slices.IndexFunc(t.tools, func(s tool.Spec) bool { return s.Name == name })
	if i < 0 {
		return tool.Spec{}, false
	}
	return t.tools[i], true
}

// did reports whether the same call was made.
func (t *lastTurn) did(s plannedCall) bool {
	return slices.ContainsFunc(t.done, func(c doneCall) bool {
		return c.Tool == s.tool && canonicalJSON(c.Arguments) == canonicalJSON(s.arguments)
	})
}

// canonicalJSON is JSON without what makes no difference; what is none stays as it is.
func canonicalJSON(data json.RawMessage) string {
	var value any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return string(data)
	}
	out, err := json.Marshal(value)
	if err != nil {
		return string(data)
	}
	return string(out)
}

// jsonObject writes arguments, in the order of their names.
func jsonObject(values map[string]json.RawMessage) json.RawMessage {
	out, err := json.Marshal(values)
	if err != nil {
		panic(errors.Join(errors.New("llm: a value that is no JSON"), err)) // jsonText and readJSON make none
	}
	return out
}

// jsonText writes a text as JSON.
func jsonText(s string) json.RawMessage {
	out, _ := json.Marshal(s) // texts always can be
	return out
}
