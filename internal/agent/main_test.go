package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

func TestMain(m *testing.M) {
	if code, stage := knack.SandboxChild(os.Args); stage {
		syscall.Exit(code) // os.Exit waits a second for the race detector
	}
	os.Exit(m.Run())
}

// canary is what the configuration keeps secret, secretly a part of several things.
const canary = `canary-"7f3<9>`

// machine is a home and a workspace of a test's own.
type machine struct {
	t        testing.TB
	home, ws string
	more     []tool.Tool
	consent  knack.Consent
	models   agent.TaskOptions // who does tasks, if anybody
	host     string
}

func newMachine(t testing.TB) *machine {
	dir := t.TempDir()
	m := &machine{t: t, home: filepath.Join(dir, "home"), ws: filepath.Join(dir, "ws"), consent: knack.Once}
	m.write("README.md", "read me\n")
	m.write("other.txt", "other\n")
	m.skill(".knack/skills/mine", "mine", "About mine.", "Instructions of mine.")
	m.skill(".knack/installed/hub", "hub", "About hub.", "Instructions of hub.")
	m.write(filepath.Join(m.home, ".knack/skills/own/SKILL.toml"),
		"name='own'\ndescription='Brings a tool.'\n[[prompts]]\ncontent='Instructions of own.'\n[[tools]]\nname='go'\ndescription='Goes.'\nkind='shell'\ncommand='echo went'\n")
	return m
}

func (m *machine) skill(dir, name, description, body string) {
	m.t.Helper()
	m.write(filepath.Join(m.home, dir, "SKILL.md"), "---\nname: "+name+"\ndescription: "+description+"\n---\n"+body+"\n")
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.ws, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) engine(change ...func(*knack.Options)) *knack.Engine {
	m.t.Helper()
	opt := knack.Options{
		Home: filepath.Join(m.home, ".knack"), UserHome: m.home, Workspace: m.ws,
		Environ: []string{"PATH=/usr/bin:/bin", "CANARY_API_KEY=" + canary}, NoBundled: true, Build: "test", Host: m.host,
	}
	for _, f := range change {
		f(&opt)
	}
	e, err := knack.Open(m.t.Context(), opt)
	if err != nil {
		m.t.Fatal(err)
	}
	return e
}

// session is one with the usual tools and those of the test.
func (m *machine) session(pinned ...string) *knack.Session {
	m.t.Helper()
	e := m.engine()
	var box *knack.Toolbox
	spawn := func(ctx context.Context, pinned []string) (*knack.Session, error) {
		return e.NewSession(ctx, knack.SessionOptions{Toolbox: box, Pinned: pinned})
	}
	box = e.NewToolbox(knack.ToolboxOptions{
		Ask: func(context.Context, knack.Question) (knack.Consent, error) { return m.consent, nil },
		More: func(s *knack.Session) []tool.Tool {
			tasks := m.models
			tasks.Parent = func() *knack.Session { return s }
			if tasks.Spawn == nil {
				tasks.Spawn = spawn
			}
			return slices.Concat([]tool.Tool{s.ShowTool()}, m.more, agent.Tools(tasks))
		},
	})
	s, err := e.NewSession(m.t.Context(), knack.SessionOptions{Toolbox: box, Pinned: pinned})
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

func (m *machine) store() agent.Store {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	var mu sync.Mutex
	return agent.Store{Dir: filepath.Join(m.home, ".knack/conversations"), Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}}
}

// testTool is a tool that does what a test says.
type testTool struct {
	name    string
	effects tool.Effects
	run     func(ctx context.Context, arguments string) (tool.Result, error)
}

func (t testTool) Spec() tool.Spec {
	return tool.Spec{Name: t.name, Description: "Test tool " + t.name + ".", Effects: t.effects, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (t testTool) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	return t.run(ctx, string(arguments))
}

func returning(name, text string) tool.Tool {
	return testTool{name: name, run: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: text}, nil }}
}

// step is one answer of a scripted model: text in pieces, calls, and an error
// behind them.
type step struct {
	text  []string
	calls []llm.Call
	stop  llm.Stop
	err   error
	usage llm.Usage
	check func(llm.Request) // of the request
	hang  bool              // until somebody gives up
}

func call(id, name, arguments string) llm.Call {
	return llm.Call{ID: id, Tool: name, Arguments: json.RawMessage(arguments)}
}

// model plays a script; what it is asked must make sense to every provider.
type model struct {
	t        testing.TB
	info     llm.Info
	mu       sync.Mutex
	steps    []step
	requests []llm.Request
}

func (m *model) Info() llm.Info { return m.info }

func (m *model) Ask(ctx context.Context, req llm.Request, on func(llm.Event)) (llm.Answer, error) {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	n := len(m.requests)
	if err := valid(req.Messages); err != nil {
		m.t.Errorf("request %d: %v", n, err)
	}
	if n > len(m.steps) {
		m.mu.Unlock()
		return llm.Answer{}, fmt.Errorf("request %d is not in the script", n)
	}
	s := m.steps[n-1]
	m.mu.Unlock()
	if s.check != nil {
		s.check(req)
	}
	if on == nil {
		on = func(llm.Event) {}
	}
	a := llm.Answer{Message: llm.Message{Role: llm.Assistant}, Stop: llm.Broken}
	for _, piece := range s.text {
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		a.Message.Text += piece
		on(llm.Event{Text: piece})
	}
	for _, c := range s.calls {
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		a.Message.Calls = append(a.Message.Calls, c)
		on(llm.Event{Call: &c})
	}
	if s.hang {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	if a.Usage = s.usage; s.err != nil {
		return a, s.err
	}
	if a.Stop = s.stop; a.Stop == "" {
		a.Stop = llm.Done
	}
	return a, nil
}

// valid says what a provider would refuse.
func valid(messages []llm.Message) error {
	taken := map[string]bool{"": true}
	for i, m := range messages {
		role := llm.User
		if i%2 == 1 {
			role = llm.Assistant
		}
		switch {
		case m.Role != role:
			return fmt.Errorf("message %d is of the %s: %+v", i, m.Role, messages)
		case m.Text == "" && len(m.Calls) == 0 && len(m.Results) == 0:
			return fmt.Errorf("message %d is empty", i)
		case role == llm.User && len(m.Calls)+len(m.Reasoning) > 0, role == llm.Assistant && len(m.Results) > 0:
			return fmt.Errorf("message %d mixes both sides", i)
		}
		for _, c := range m.Calls {
			if taken[c.ID] {
				return fmt.Errorf("message %d: the id %q is taken", i, c.ID)
			}
			taken[c.ID] = true
		}
		var calls []llm.Call
		if i > 0 {
			calls = messages[i-1].Calls
		}
		if role == llm.User && !slices.EqualFunc(calls, m.Results, func(c llm.Call, r llm.Result) bool { return c.ID == r.ID && c.Tool == r.Tool && r.Text != "" }) {
			return fmt.Errorf("message %d: results %+v do not answer %+v", i, m.Results, calls)
		}
	}
	if n := len(messages); n > 0 && len(messages[n-1].Calls) > 0 {
		return errors.New("the last calls have no results")
	}
	return nil
}

// events keeps what is told.
type events struct {
	mu  sync.Mutex
	all []agent.Event
}

func (e *events) on(x agent.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, x)
}

// told is what happened in short.
func (e *events) told() []string {
	var out []string
	for _, x := range e.all {
		switch {
		case x.Text != "":
			if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "text ") { // in which pieces is nobody's business
				out[n-1] += x.Text
				continue
			}
			out = append(out, "text "+x.Text)
		case x.Call != nil:
			out = append(out, "call "+x.Call.Tool+" "+x.Call.Arguments)
		case x.Result != nil:
			out = append(out, fmt.Sprintf("result %s %v %s", x.Result.Tool, x.Result.Result.Failed, strings.TrimSpace(x.Result.Result.Text)))
		case x.Skills != nil:
			var names []string
			for _, s := range x.Skills {
				names = append(names, s.Name+"/"+string(s.Why))
			}
			out = append(out, "skills "+strings.Join(names, " "))
		case x.Notice != "":
			out = append(out, "notice "+x.Notice)
		case x.Usage != nil:
			out = append(out, fmt.Sprintf("usage %d %d", x.Usage.Input, x.Usage.Output))
		}
	}
	return out
}

func toolNames(req llm.Request) []string {
	var out []string
	for _, t := range req.Tools {
		out = append(out, t.Name)
	}
	return out
}

func system(req llm.Request) string { return strings.Join(req.System, "\n--\n") }
