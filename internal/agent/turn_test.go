package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

func TestTurns(t *testing.T) {
	boom := testTool{name: "boom", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) { panic("boom") }}
	sick := testTool{name: "sick", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) { return tool.Result{}, errors.New("no disk") }}
	for name, c := range map[string]struct {
		say   string
		steps []step
		most  int
		turn  agent.Turn
		err   string
		told  []string // each must be there, in this order
	}{
		"an answer": {
			say: "hello", steps: []step{{text: []string{"Hel", "lo."}, usage: llm.Usage{Input: 3, Output: 2}}},
			turn: agent.Turn{Text: "Hello.", End: agent.EndDone, Iterations: 1, Usage: llm.Usage{Input: 3, Output: 2}},
			told: []string{"text Hello.", "usage 3 2"},
		},
		"several steps": {
			say: "what is in it", steps: []step{
				{text: []string{"Let me see."}, calls: []llm.Call{call("1", "file_read", `{"path":"README.md"}`)}, stop: llm.WantCalls, usage: llm.Usage{Input: 1, Output: 1}},
				{calls: []llm.Call{call("2", "calculator", `{"expression":"6*7"}`)}, usage: llm.Usage{Input: 1, Output: 1}},
				{text: []string{"Done."}, usage: llm.Usage{Input: 1, Output: 1, CacheRead: 5}},
			},
			turn: agent.Turn{Text: "Done.", End: agent.EndDone, Iterations: 3, Calls: 2, Usage: llm.Usage{Input: 3, Output: 3, CacheRead: 5}},
			told: []string{"text Let me see.", `call file_read {"path":"README.md"}`, "result file_read false", "call calculator", "result calculator false 42", "text Done."},
		},
		"calls that make no sense": {
			say: "go", steps: []step{
				{calls: []llm.Call{
					call("", "file_raed", `{}`), call("", "file_read", `{"path":`), call("x", "boom", `{}`), call("x", "sick", ``), call("y", "shell", `{"comand":"ls"}`),
				}},
				{text: []string{"Sorry."}},
			},
			turn: agent.Turn{Text: "Sorry.", End: agent.EndDone, Iterations: 2, Calls: 5},
			told: []string{"result file_raed true there is no tool", "result file_read true not called: the arguments of file_read are not JSON (unexpected end",
				"result boom true boom broke: boom", "notice sick: no disk", "result sick true the call failed: no disk", `result shell true`, "text Sorry."},
		},
		"too many iterations": {
			say: "go", most: 2, steps: []step{
				{text: []string{"First."}, calls: []llm.Call{call("1", "calculator", `{"expression":"1"}`)}},
				{calls: []llm.Call{call("2", "calculator", `{"expression":"2"}`)}},
			},
			turn: agent.Turn{Text: "First.", End: agent.EndIterations, Iterations: 2, Calls: 2},
			told: []string{"result calculator false 1", "result calculator false 2", "notice stopped: the model was asked 2 times"},
		},
		"an error": {
			say: "go", steps: []step{{text: []string{"I th"}, calls: []llm.Call{call("1", "calculator", `{}`)}, err: &llm.Error{Kind: llm.CutOff, Message: "the line is dead"}, usage: llm.Usage{Output: 1}}},
			turn: agent.Turn{Text: "I th", End: agent.EndFailed, Iterations: 1, Usage: llm.Usage{Output: 1}},
			err:  "the line is dead", told: []string{"text I th"},
		},
		"an answer that is cut": {
			say: "go", steps: []step{{text: []string{"long"}, stop: llm.TooLong}},
			turn: agent.Turn{Text: "long", End: agent.EndDone, Iterations: 1},
			told: []string{"notice the answer is cut"},
		},
		"an answer that is refused": {
			say: "go", steps: []step{{stop: llm.Declined}},
			turn: agent.Turn{End: agent.EndDone, Iterations: 1}, told: []string{"notice the model declined"},
		},
		"nothing to say": {turn: agent.Turn{End: agent.EndFailed}, err: "nothing to send"},
		"a skill that is called": {
			say: "/hub with care", steps: []step{{text: []string{"Yes."}, check: func(req llm.Request) {
				if !strings.Contains(system(req), "Instructions of hub.") || slices.Contains(toolNames(req), "shell") || req.Messages[0].Text != "with care" {
					t.Errorf("%s\n%v\n%+v", system(req), toolNames(req), req.Messages)
				}
			}}},
			turn: agent.Turn{Text: "Yes.", End: agent.EndDone, Iterations: 1}, told: []string{"skills hub/slash", "text Yes."},
		},
		"what cannot be called": {
			say: "/lost it", turn: agent.Turn{End: agent.EndFailed}, told: []string{"notice there is no tool named no_such_tool"},
		},
		"a command that goes to a tool": {
			say:  "/sum 6*7",
			turn: agent.Turn{Text: "42", End: agent.EndDispatched, Calls: 1},
			told: []string{"call calculator 6*7", "result calculator false 42", "text 42"},
		},
		"a skill that fits": {
			say: "please prune the roses in the garden", steps: []step{{text: []string{"Yes."}, check: func(req llm.Request) {
				if !strings.Contains(system(req), "Instructions of roses.") || strings.Contains(system(req), "Instructions of stranger.") {
					t.Error(system(req))
				}
			}}},
			turn: agent.Turn{Text: "Yes.", End: agent.EndDone, Iterations: 1}, told: []string{"skills roses/matched", "text Yes."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.more = []tool.Tool{boom, sick}
			m.skill(".knack/skills/roses", "roses", "Prune roses in the garden.\ntriggers: [prune the roses]\nactivation:\n  keywords: [prune, roses, garden]", "Instructions of roses.")
			m.skill(".knack/installed/stranger", "stranger", "Prune roses in the garden.\ntriggers: [prune the roses]\nactivation:\n  keywords: [prune, roses, garden]", "Instructions of stranger.")
			m.skill(".knack/skills/sum", "sum", "Sums.\ncommand-dispatch: tool\ncommand-tool: calculator", "Instructions of sum.")
			m.skill(".knack/skills/lost", "lost", "Goes nowhere.\ncommand-dispatch: tool\ncommand-tool: no_such_tool", "Instructions of lost.")
			fake := &model{t: t, steps: c.steps}
			var e events
			a := agent.New(agent.Options{Session: m.session(), Model: fake, Base: "Be brief.", MaxIterations: c.most})
			got, err := a.Send(t.Context(), c.say, e.on)
			if diff := cmp.Diff(c.turn, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v", err)
			}
			told := e.told()
			for _, want := range c.told {
				i := slices.IndexFunc(told, func(s string) bool { return strings.HasPrefix(s, want) })
				if i < 0 {
					t.Fatalf("%q is not in\n%s", want, strings.Join(e.told(), "\n"))
				}
				told = told[i+1:]
			}
			if len(fake.requests) != len(c.steps) {
				t.Errorf("%d requests", len(fake.requests))
			}
			if err := valid(a.Messages()); err != nil {
				t.Error(err)
			}
			if got := a.Usage(); got != c.turn.Usage {
				t.Error(got)
			}
		})
	}
}

// Prompt and tools are those of the moment of each request.
func TestSkillsComeAndGoMidTurn(t *testing.T) {
	m := newMachine(t)
	m.more = []tool.Tool{testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: "wrote"}, nil }}}
	look := func(has, lacks []string) func(llm.Request) {
		return func(req llm.Request) {
			t.Helper()
			all := system(req) + "\ntools " + strings.Join(toolNames(req), " ") + " "
			if req.System[0] != "Be brief." {
				t.Errorf("the base is not first: %q", req.System)
			}
			for _, text := range has {
				if !strings.Contains(all, text) {
					t.Errorf("%q is not in\n%s", text, all)
				}
			}
			for _, text := range lacks {
				if strings.Contains(all, text) {
					t.Errorf("%q is in\n%s", text, all)
				}
			}
		}
	}
	fake := &model{t: t, steps: []step{
		{check: look([]string{"mine", "shell ", "writer "}, []string{"Instructions of", "skill_own_go"}), calls: []llm.Call{call("1", "Skill", `{"skill":"own"}`)}},
		{check: look([]string{"Instructions of own.", "skill_own_go", "writer "}, nil), calls: []llm.Call{
			call("2", "writer", `{}`), call("3", "Skill", `{"skill":"hub"}`), call("4", "writer", `{}`),
		}},
		{check: look([]string{"Instructions of hub.", "Instructions of own.", "file_read ", "Skill "}, []string{" shell ", " writer "}), calls: []llm.Call{
			call("5", "Skill", `{"skill":"hub","action":"deactivate"}`), call("6", "writer", `{}`),
		}},
		{check: look([]string{"skill_own_go ", "Instructions of own."}, []string{"Instructions of hub.", " writer "}), calls: []llm.Call{call("7", "Skill", `{"skill":"own","action":"deactivate"}`), call("8", "Skill", `{"skill":"nobody"}`)}},
		{check: look([]string{"file_read "}, []string{"Instructions of", "skill_own_go", " writer "}), text: []string{"Done."}},
		{check: look([]string{"writer "}, []string{"Instructions of"}), text: []string{"Done."}},
	}}
	var e events
	s := m.session()
	a := agent.New(agent.Options{Session: s, Model: fake, Base: "Be brief."})
	if turn, err := a.Send(t.Context(), "go", e.on); err != nil || turn.End != agent.EndDone {
		t.Fatal(turn, err)
	}
	s.Deactivate("hub") // only the user gives back what a skill from elsewhere took
	if turn, err := a.Send(t.Context(), "and now?", nil); err != nil || turn.End != agent.EndDone {
		t.Fatal(turn, err)
	}
	want := []string{
		"result Skill false skill own is active: follow its instructions in the system prompt", "skills own/model",
		"result writer false wrote", "result Skill false skill hub is active: follow its instructions in the system prompt", "skills own/model hub/model",
		"result writer true writer is kept back", // attenuated from there on
		"result Skill false skill hub is no longer active", "skills own/model", "result writer true writer is kept back",
		"result Skill false skill own is no longer active", "skills ", "result Skill true there is no skill named nobody",
		"text Done.",
	}
	var got []string
	for _, s := range e.told() {
		if strings.HasPrefix(s, "result writer true") {
			s, _, _ = strings.Cut(s, " while")
		}
		if !strings.HasPrefix(s, "call") {
			got = append(got, s)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What only reads overlaps, the rest waits its turn, and results stay in order.
func TestReadsRunSideBySide(t *testing.T) {
	m := newMachine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // if they never meet
	defer cancel()
	var inside sync.WaitGroup
	inside.Add(3)
	var running, most, order atomic.Int32
	m.more = []tool.Tool{
		testTool{name: "barrier", effects: tool.Effects{Read: true}, run: func(ctx context.Context, arguments string) (tool.Result, error) {
			inside.Done()
			met := make(chan struct{})
			go func() { inside.Wait(); close(met) }()
			select {
			case <-met:
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
			return tool.Result{Text: arguments}, nil
		}},
		testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Millisecond)
			running.Add(-1)
			return tool.Result{Text: fmt.Sprint("writer ", order.Add(1))}, nil
		}},
	}
	fake := &model{t: t, steps: []step{
		{calls: []llm.Call{
			call("w1", "writer", `{}`), call("a", "barrier", `{"n":1}`), call("b", "barrier", `{"n":2}`), call("c", "barrier", `{"n":3}`),
			call("w2", "writer", `{}`), call("w3", "writer", `{}`),
		}},
		{text: []string{"Done."}},
	}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	if turn, err := a.Send(ctx, "go", nil); err != nil || turn.End != agent.EndDone {
		t.Fatal(turn, err)
	}
	var texts []string
	for _, r := range fake.requests[1].Messages[2].Results {
		texts = append(texts, r.ID+" "+r.Text)
	}
	want := []string{"w1 writer 1", `a {"n":1}`, `b {"n":2}`, `c {"n":3}`, "w2 writer 2", "w3 writer 3"}
	if diff := cmp.Diff(want, texts); diff != "" || most.Load() != 1 {
		t.Errorf("%d writers at once: %s", most.Load(), diff)
	}
}

func TestTooManyCallsInOneAnswer(t *testing.T) {
	m := newMachine(t)
	var ran, at, most atomic.Int32
	m.more = []tool.Tool{testTool{name: "count", run: func(context.Context, string) (tool.Result, error) {
		most.Store(max(most.Load(), at.Add(1)))
		defer at.Add(-1)
		ran.Add(1)
		return tool.Result{}, nil
	}}}
	var calls []llm.Call
	for range 70 {
		calls = append(calls, call("same", "count", `{}`))
	}
	fake := &model{t: t, steps: []step{{calls: calls}, {text: []string{"Done."}}}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	turn, err := a.Send(t.Context(), "go", nil)
	if err != nil || turn.Calls != 70 || ran.Load() != 64 || most.Load() > 8 {
		t.Fatal(turn, err, ran.Load(), most.Load())
	}
	results := a.Messages()[2].Results
	if results[63].Failed || results[63].Text != "(no output)" || !results[64].Failed || !strings.Contains(results[69].Text, "at most 64") {
		t.Errorf("%+v", results[63:])
	}
}

// After a failure the same text can be sent again, or nothing at all, and is
// there once.
func TestGoingOnAfterAFailure(t *testing.T) {
	m := newMachine(t)
	broken := step{err: &llm.Error{Kind: llm.Unreachable, Message: "no network"}}
	fake := &model{t: t, steps: []step{broken, broken, broken, {text: []string{"At last."}}}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	for i, text := range []string{"hello", "hello", "and bye", ""} {
		turn, err := a.Send(t.Context(), text, nil)
		if failed := i < 3; failed != (err != nil) || failed != (turn.End == agent.EndFailed) {
			t.Fatal(i, turn, err)
		}
	}
	if diff := cmp.Diff([]llm.Message{{Role: llm.User, Text: "hello\n\nand bye"}, {Role: llm.Assistant, Text: "At last."}}, a.Messages()); diff != "" {
		t.Error(diff)
	}
	if _, err := a.Send(t.Context(), "  ", nil); !errors.Is(err, agent.ErrNothingToSay) {
		t.Error(err)
	}
}

func TestOneTurnAtATime(t *testing.T) {
	m := newMachine(t)
	fake := &model{t: t, steps: []step{{hang: true}}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	ctx, cancel := context.WithCancel(t.Context())
	fake.steps[0].check = func(llm.Request) {
		if _, err := a.Send(ctx, "again", nil); !errors.Is(err, agent.ErrBusy) {
			t.Error(err)
		}
		if err := a.Resume(ctx, agent.State{}, nil); !errors.Is(err, agent.ErrBusy) {
			t.Error(err)
		}
		cancel()
	}
	if turn, err := a.Send(ctx, "go", nil); err != nil || turn.End != agent.EndInterrupted {
		t.Error(turn, err)
	}
}

// A round of results takes no more than a quarter of what the model can read, and
// the short ones stay whole.
func TestResultsAreCut(t *testing.T) {
	m := newMachine(t)
	m.more = []tool.Tool{returning("long", strings.Repeat("häuser ", 60_000)), returning("short", "a word")}
	fake := &model{t: t, info: llm.Info{Context: 8000}, steps: []step{
		{calls: []llm.Call{call("1", "long", `{}`), call("2", "short", `{}`), call("3", "long", `{}`)}}, {text: []string{"Done."}},
	}}
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	if turn, err := a.Send(t.Context(), "go", nil); err != nil || turn.End != agent.EndDone {
		t.Fatal(turn, err)
	}
	results := fake.requests[1].Messages[2].Results
	sum := 0
	for _, r := range results {
		sum += len(r.Text)
	}
	if sum > 8000/4*5 || sum < 8000/4*3 || results[1].Text != "a word" || !strings.Contains(results[0].Text, "bytes left out") || !strings.HasSuffix(results[2].Text, "häuser ") {
		t.Errorf("%d bytes: %.200q", sum, results[0].Text)
	}
}

// The flow that one system's document draws: the model sees the index, asks for the
// skill, and has its instructions in the very next request, until it puts them away.
func TestTheFlowOfTheSeed(t *testing.T) {
	m := newMachine(t)
	m.host = "clawseed"
	m.write(".clawseed/skills/auto-coder/manifest.toml", "[skill]\nname = 'auto-coder'\ndescription = 'Autonomous code generation.'\npermissions = ['file_read', 'file_write', 'shell_exec']\ntriggers = ['write code', 'implement feature']\n")
	m.write(".clawseed/skills/auto-coder/SKILL.md", "# Auto Coder\nYou are an autonomous coding agent.\n")
	const index, body = `<skill name="auto-coder" triggers="write code, implement feature">`, "<active_skill name=\"auto-coder\">\n# Auto Coder\nYou are an autonomous coding agent."
	look := func(active bool) func(llm.Request) {
		return func(req llm.Request) {
			if s := system(req); !strings.Contains(s, index) || strings.Contains(s, body) != active {
				t.Errorf("active %v:\n%s", active, s)
			}
		}
	}
	fake := &model{t: t, steps: []step{
		{check: look(false), calls: []llm.Call{call("1", "Skill", `{"skill":"auto-coder"}`)}},
		{check: look(true), text: []string{"I follow the workflow."}},
		{check: look(true), calls: []llm.Call{call("2", "Skill", `{"skill":"auto-coder","action":"deactivate"}`)}},
		{check: look(false), text: []string{"Done."}},
	}}
	var e events
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	for _, text := range []string{"Help me implement a feature", "That was all"} {
		if turn, err := a.Send(t.Context(), text, e.on); err != nil || turn.End != agent.EndDone {
			t.Fatal(turn, err)
		}
	}
	want := []string{
		`call Skill {"skill":"auto-coder"}`, "result Skill false Skill 'auto-coder' activated.", "skills auto-coder/model", "text I follow the workflow.",
		`call Skill {"skill":"auto-coder","action":"deactivate"}`, "result Skill false Skill 'auto-coder' deactivated.", "skills ", "text Done.",
	}
	if diff := cmp.Diff(want, e.told()); diff != "" {
		t.Error(diff)
	}
}

// Where models read skills, reading one takes away in the next request what it
// takes away.
func TestReadingIsActivatingMidTurn(t *testing.T) {
	m := newMachine(t)
	m.host = "openclaw"
	m.write("skills/near/SKILL.md", "---\nname: near\ndescription: Near.\n---\nInstructions of near.\n")
	fake := &model{t: t, steps: []step{
		{calls: []llm.Call{call("1", "file_read", `{"path":"skills/near/SKILL.md"}`), call("2", "file_read", `{"path":"README.md"}`)}, check: func(req llm.Request) {
			if !slices.Contains(toolNames(req), "shell") || !strings.Contains(system(req), "<name>near</name>") {
				t.Error(toolNames(req), system(req))
			}
		}},
		{text: []string{"Done."}, check: func(req llm.Request) {
			if slices.Contains(toolNames(req), "shell") || !strings.Contains(lastResults(req)[0].Text, "Instructions of near.") {
				t.Error(toolNames(req), lastResults(req))
			}
		}},
	}}
	var e events
	a := agent.New(agent.Options{Session: m.session(), Model: fake})
	if turn, err := a.Send(t.Context(), "go", e.on); err != nil || turn.End != agent.EndDone || !slices.Contains(e.told(), "skills near/model") {
		t.Error(turn, err, e.told())
	}
}

// A call that was made was made, also if the log lacks how it ended.
func TestAResultOutlivesTheAuditLog(t *testing.T) {
	m := newMachine(t)
	log := filepath.Join(m.home, ".knack/audit.jsonl")
	m.more = []tool.Tool{testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) {
		if err := os.Remove(log); err != nil {
			t.Error(err)
		}
		return tool.Result{Text: "wrote"}, os.Mkdir(log, 0o700)
	}}}
	fake := &model{t: t, steps: []step{{calls: []llm.Call{call("1", "writer", `{}`)}}, {text: []string{"Done."}}}}
	var e events
	if turn, err := agent.New(agent.Options{Session: m.session(), Model: fake}).Send(t.Context(), "go", e.on); err != nil || turn.Text != "Done." {
		t.Fatal(turn, err)
	}
	if r := lastResults(fake.requests[1])[0]; r.Failed || r.Text != "wrote" {
		t.Errorf("%+v", r)
	}
	if told := e.told(); !slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, "notice writer: the audit log ") }) {
		t.Error(told)
	}
}
