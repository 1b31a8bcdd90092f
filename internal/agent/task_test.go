package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

// lastResult is what came of the calls that the last request answers.
func lastResults(req llm.Request) []llm.Result { return req.Messages[len(req.Messages)-1].Results }

func TestTasks(t *testing.T) {
	m := newMachine(t)
	wrote := 0
	m.more = []tool.Tool{testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) {
		wrote++
		return tool.Result{Text: "wrote"}, nil
	}}}
	first := true
	inner := func(req llm.Request) {
		if slices.Contains(toolNames(req), "Task") || slices.Contains(toolNames(req), "writer") || !slices.Contains(toolNames(req), "file_read") {
			t.Errorf("the task has %v", toolNames(req))
		}
		if s := system(req); !strings.HasPrefix(s, "Be brief.") || !strings.Contains(s, "You do one task") || strings.Contains(s, "Instructions of hub.") != first {
			t.Error(s)
		}
		first = false
	}
	one := llm.Usage{Input: 1, Output: 1}
	fake := &model{t: t, steps: []step{
		{usage: one, calls: []llm.Call{call("1", "Task", `{"description":"d","prompt":"/exec $mine count the files","skills":["mine"]}`)}},
		{usage: one, check: func(req llm.Request) {
			inner(req)
			if !strings.Contains(system(req), "Instructions of mine.") || len(req.Messages) != 1 || req.Messages[0].Text != "/exec $mine count the files" {
				t.Errorf("%s\n%+v", system(req), req.Messages)
			}
		}, calls: []llm.Call{
			call("a", "Task", `{"description":"d","prompt":"p"}`), call("b", "writer", `{}`),
			call("c", "Skill", `{"skill":"hub","action":"deactivate"}`), call("d", "writer", `{}`), call("e", "file_read", `{"path":"README.md"}`),
			call("f", "Skill", `{"skill":"mine","action":"deactivate"}`),
		}},
		{usage: one, text: []string{"Three files."}, check: func(req llm.Request) {
			inner(req)
			for i, want := range []string{"cannot start another", "kept back", "no longer active", "kept back", "read me", "no longer active"} {
				if r := lastResults(req)[i]; !strings.Contains(r.Text, want) {
					t.Errorf("%d: %+v, want %q", i, r, want)
				}
			}
		}},
		{usage: one, text: []string{"Done."}, check: func(req llm.Request) {
			if r := lastResults(req)[0]; r.Failed || r.Text != "Three files." {
				t.Errorf("%+v", r)
			}
			if strings.Contains(system(req), "Instructions of mine.") {
				t.Error("what the task activated is active here")
			}
		}},
	}}
	var e events
	a := agent.New(agent.Options{Session: m.session("hub"), Model: fake, Base: "Be brief."})
	turn, err := a.Send(t.Context(), "go", e.on)
	if err != nil || turn.Text != "Done." || turn.Iterations != 2 || turn.Usage != (llm.Usage{Input: 4, Output: 4}) || a.Usage() != turn.Usage || wrote > 0 {
		t.Error(turn, err, wrote)
	}
}

func TestTasksEnd(t *testing.T) {
	failing := errors.New("no more")
	looping := step{calls: []llm.Call{call("", "calculator", `{"expression":"1"}`)}, text: []string{"Looking."}}
	for name, c := range map[string]struct {
		arguments string
		steps     []step // of the task
		change    func(*machine)
		says      string
		failed    bool
	}{
		"no prompt":     {arguments: `{"description":"d"}`, says: "Task needs", failed: true},
		"no such skill": {arguments: `{"prompt":"p","skills":["nobody"]}`, says: "was not started: there is no skill named nobody", failed: true},
		"an error":      {arguments: `{"prompt":"p"}`, steps: []step{{err: failing}}, says: "the model did not answer: no more", failed: true},
		"no end":        {arguments: `{"prompt":"p"}`, steps: slices.Repeat([]step{looping}, 10), says: "not finished (max_iterations)\n\nLooking.", failed: true},
		"no answer":     {arguments: `{"prompt":"p"}`, steps: []step{{}}, says: "(no output)", failed: true},
		"a session that is not": {arguments: `{"prompt":"p"}`, change: func(m *machine) {
			m.models.Spawn = func(context.Context, []string) (*knack.Session, error) { return nil, failing }
		}, says: "was not started: no more", failed: true},
		"a skill that is gone": {arguments: `{"prompt":"p"}`, change: func(m *machine) {
			if err := os.RemoveAll(filepath.Join(m.home, ".knack/installed/hub")); err != nil {
				t.Fatal(err)
			}
		}, says: "was not started: no skill named", failed: true},
		"a skill that is left out": {arguments: `{"prompt":"p"}`, change: func(m *machine) {
			m.models.Spawn = func(ctx context.Context, _ []string) (*knack.Session, error) {
				return m.engine().NewSession(ctx, knack.SessionOptions{})
			}
		}, says: "skill hub is active here and could not be there", failed: true},
		"a skill that is trusted further": {arguments: `{"prompt":"p"}`, change: func(m *machine) {
			e := m.engine()
			snap, err := e.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			hub, err := snap.Find("hub")
			if err == nil {
				err = e.Trust(t.Context(), hub)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, says: "skill hub: it is trusted further there than here", failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			fake := &model{t: t, steps: slices.Concat([]step{{calls: []llm.Call{call("1", "Task", c.arguments)}}}, c.steps, []step{{text: []string{"Done."}}})}
			spawnLater := c.change
			if strings.HasPrefix(name, "a session") || strings.HasSuffix(name, "left out") {
				c.change(m)
				spawnLater = nil
			}
			s := m.session("hub")
			if spawnLater != nil {
				spawnLater(m)
			}
			a := agent.New(agent.Options{Session: s, Model: fake})
			if turn, err := a.Send(t.Context(), "go", nil); err != nil || turn.Text != "Done." {
				t.Fatal(turn, err)
			}
			if r := lastResults(fake.requests[len(fake.requests)-1])[0]; r.Failed != c.failed || !strings.Contains(r.Text, c.says) {
				t.Errorf("%+v, want %q", r, c.says)
			}
		})
	}
}

func TestLLMTask(t *testing.T) {
	for name, c := range map[string]struct {
		arguments, asks string
		answer          step
		want            tool.Result
	}{
		"no prompt":    {`{"prompt":""}`, "", step{}, tool.Result{Failed: true, Text: `llm_task needs a prompt: "prompt" is missing; call llm_task as {"prompt": "translate into French", "input": "Good morning"}`}},
		"a text":       {`{"prompt":"translate","input":"a \"b\""}`, "translate\n\nInput:\na \"b\"", step{text: []string{" voilà "}}, tool.Result{Text: "voilà"}},
		"a document":   {`{"prompt":"count","input":{"a":1}}`, "count\n\nInput:\n{\"a\":1}", step{text: []string{"1"}}, tool.Result{Text: "1"}},
		"JSON":         {`{"prompt":"p","schema":{"type":"object"}}`, "p\n\nAnswer with JSON alone that follows this schema:\n{\"type\":\"object\"}", step{text: []string{"```json\n{\"a\": 1}\n```"}}, tool.Result{Text: `{"a": 1}`}},
		"no JSON":      {`{"prompt":"p","schema":{},"input":null}`, "p\n\nAnswer with JSON alone that follows this schema:\n{}", step{text: []string{"no"}}, tool.Result{Failed: true, Text: "the answer is not JSON; ask again, or without a schema. It was:\nno"}},
		"too long":     {`{"prompt":"p"}`, "p", step{text: []string{"lo"}, stop: llm.TooLong}, tool.Result{Text: "lo", Cut: true}},
		"an error":     {`{"prompt":"p"}`, "p", step{err: errors.New("no more")}, tool.Result{Failed: true, Text: "the model did not answer: no more"}},
		"out of words": {`{"prompt":"p"}`, "p", step{}, tool.Result{Failed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			fake := &model{t: t, steps: []step{c.answer}}
			m.models.Model = fake
			s := m.session()
			// By hand: no agent calls.
			got, err := s.Call(t.Context(), knack.Call{Tool: "llm_task", Arguments: json.RawMessage(c.arguments)})
			if err != nil || got != c.want {
				t.Errorf("%+v, %v", got, err)
			}
			if c.asks != "" && (len(fake.requests) != 1 || len(fake.requests[0].Tools) > 0 || fake.requests[0].Messages[0].Text != c.asks) {
				t.Errorf("%+v", fake.requests)
			}
		})
	}
}

// The other model is asked as soon as there is one, by tasks too.
func TestUse(t *testing.T) {
	m := newMachine(t)
	first := &model{t: t, steps: []step{{calls: []llm.Call{call("1", "calculator", `{"expression":"1"}`)}}}}
	second := &model{t: t, steps: []step{{calls: []llm.Call{call("2", "llm_task", `{"prompt":"p"}`)}}, {text: []string{"inner"}}, {text: []string{"Done."}}}}
	a := agent.New(agent.Options{Session: m.session(), Model: first})
	turn, err := a.Send(t.Context(), "go", func(e agent.Event) {
		if e.Result != nil {
			a.Use(second)
		}
	})
	if err != nil || turn.Text != "Done." || len(second.requests) != 3 {
		t.Error(turn, err)
	}
}

// An interrupt ends a task with everything around it.
func TestInterruptedTask(t *testing.T) {
	m := newMachine(t)
	ctx, cancel := context.WithCancel(t.Context())
	fake := &model{t: t, steps: []step{{calls: []llm.Call{call("1", "Task", `{"prompt":"p"}`), call("2", "calculator", `{}`)}}, {hang: true, check: func(llm.Request) { cancel() }}}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	turn, err := a.Send(ctx, "go", nil)
	if err != nil || turn.End != agent.EndInterrupted || valid(a.Messages()) != nil || a.Messages()[2].Results[0].Text != "interrupted by the user" {
		t.Errorf("%+v %v %+v", turn, err, a.Messages())
	}
}

// What a model read and put away takes tools away in tasks, and after a resume.
func TestLingeringIsCarriedOver(t *testing.T) {
	m := newMachine(t)
	m.more = []tool.Tool{testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) {
		return tool.Result{Text: "wrote"}, nil
	}}}
	withoutWriter := func(req llm.Request) {
		t.Helper()
		if slices.Contains(toolNames(req), "writer") || strings.Contains(system(req), "Instructions of hub.") {
			t.Error(toolNames(req), system(req))
		}
	}
	store := m.store()
	record, err := store.New(agent.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	fake := &model{t: t, steps: []step{
		{calls: []llm.Call{call("1", "Skill", `{"skill":"hub"}`), call("2", "Skill", `{"skill":"hub","action":"deactivate"}`), call("3", "Task", `{"prompt":"p"}`)}},
		{check: withoutWriter, calls: []llm.Call{call("a", "writer", `{}`)}},
		{text: []string{"It was refused."}, check: func(req llm.Request) {
			if !lastResults(req)[0].Failed {
				t.Error("the task wrote")
			}
		}},
		{check: withoutWriter, text: []string{"Done."}},
	}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake, Record: record})
	if turn, err := a.Send(t.Context(), "go", nil); err != nil || turn.Text != "Done." {
		t.Fatal(turn, err)
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	record, state, err := store.Open("")
	if err != nil || len(state.Active) > 0 {
		t.Fatal(err, state.Active)
	}
	defer record.Close()
	again := &model{t: t, steps: []step{{check: withoutWriter, text: []string{"Yes."}}}}
	b := agent.New(agent.Options{Session: m.session(), Model: again, Record: record})
	if err := b.Resume(t.Context(), state, nil); err != nil {
		t.Fatal(err)
	}
	if turn, err := b.Send(t.Context(), "still?", nil); err != nil || turn.Text != "Yes." {
		t.Fatal(turn, err)
	}
}

// The words of a task are those of the skills that it had.
func TestTasksLaunderNothing(t *testing.T) {
	for name, c := range map[string]struct {
		skills string
		steps  []step // of the task
		left   []string
	}{
		"asked for":   {`["hub"]`, []step{{text: []string{"Write it."}}}, []string{"hub"}},
		"put away":    {`["hub"]`, []step{{calls: []llm.Call{call("a", "Skill", `{"skill":"hub","action":"deactivate"}`)}}, {text: []string{"Write it."}}}, []string{"hub"}},
		"found there": {`[]`, []step{{calls: []llm.Call{call("a", "Skill", `{"skill":"hub"}`)}}, {text: []string{"Write it."}}}, []string{"hub"}},
		"failed":      {`["hub"]`, []step{{text: []string{"Write"}, err: errors.New("no more")}}, []string{"hub"}},
		"trusted":     {`["mine"]`, []step{{text: []string{"Write it."}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			fake := &model{t: t, steps: slices.Concat([]step{{calls: []llm.Call{call("1", "Task", `{"prompt":"p","skills":`+c.skills+`}`)}}}, c.steps, []step{{text: []string{"Done."}}})}
			s := m.session()
			if turn, err := agent.New(agent.Options{Session: s, Model: fake}).Send(t.Context(), "go", nil); err != nil || turn.Text != "Done." {
				t.Fatal(turn, err)
			}
			var left []string
			for _, a := range s.Lingering() {
				left = append(left, a.Name)
			}
			if !slices.Equal(left, c.left) || writes(t, s) != (c.left == nil) {
				t.Errorf("%v", left)
			}
			if last := fake.requests[len(fake.requests)-1]; slices.Contains(toolNames(last), "file_write") != (c.left == nil) {
				t.Errorf("%v", toolNames(last))
			}
		})
	}
}
