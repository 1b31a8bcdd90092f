package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

// An interrupt at any event leaves a record that can be taken up, and what was
// told until then is in it.
func TestInterruptsLoseNothing(t *testing.T) {
	for n := 1; ; n++ {
		m := newMachine(t)
		m.more = []tool.Tool{
			returning("one", "answer of one"), returning("two", "answer of two"),
			testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(ctx context.Context, _ string) (tool.Result, error) {
				return tool.Result{Text: "wrote"}, ctx.Err()
			}},
		}
		fake := &model{t: t, steps: []step{
			{text: []string{"First ", "I look."}, usage: llm.Usage{Input: 1}, calls: []llm.Call{call("1", "one", `{}`), call("2", "two", `{`), call("3", "writer", `{}`)}},
			{calls: []llm.Call{call("4", "Skill", `{"skill":"hub"}`), call("5", "one", `{}`)}, usage: llm.Usage{Input: 1}},
			{text: []string{"It is ", "done."}, usage: llm.Usage{Input: 1}},
		}}
		store := m.store()
		record, err := store.New(agent.Conversation{Workspace: m.ws})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var e events
		seen := 0
		a := agent.New(agent.Options{Session: m.session(), Model: fake, Record: record})
		turn, err := a.Send(ctx, "go", func(x agent.Event) {
			if seen++; seen == n {
				cancel()
			}
			e.on(x)
		})
		cancel()
		if err != nil {
			t.Fatal(n, err)
		}
		messages := a.Messages()
		if err := errors.Join(valid(messages), record.Close()); err != nil {
			t.Fatal(n, err)
		}
		var streamed, kept strings.Builder
		for _, x := range e.all {
			streamed.WriteString(x.Text)
		}
		for _, x := range messages {
			if x.Role == llm.Assistant {
				kept.WriteString(x.Text)
			}
		}
		if streamed.String() != kept.String() {
			t.Errorf("event %d: told %q, kept %q", n, streamed.String(), kept.String())
		}
		again, state, err := store.Open("")
		if err != nil || len(state.Problems) > 0 || state.Title != "go" || state.Turns != 1 {
			t.Fatal(n, err, state)
		}
		if diff := cmp.Diff(messages, state.Messages); diff != "" {
			t.Fatalf("event %d (-want +got):\n%s", n, diff)
		}
		if state.Usage != a.Usage() {
			t.Errorf("event %d: %+v, %+v", n, state.Usage, a.Usage())
		}
		// And it goes on from there.
		next := &model{t: t, steps: []step{{text: []string{"I am back."}}}}
		session := m.session()
		b := agent.New(agent.Options{Session: session, Model: next, Record: again})
		if err := b.Resume(t.Context(), state, nil); err != nil {
			t.Fatal(err)
		}
		if got := len(session.Active()); got != len(state.Active) {
			t.Errorf("event %d: %d skills active of %v", n, got, state.Active)
		}
		if turn, err := b.Send(t.Context(), "and now?", nil); err != nil || turn.Text != "I am back." {
			t.Fatal(n, turn, err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if turn.End == agent.EndDone {
			if n < 15 {
				t.Errorf("only %d events", n)
			}
			return
		}
		if turn.End != agent.EndInterrupted {
			t.Fatal(n, turn)
		}
	}
}

func TestStore(t *testing.T) {
	m := newMachine(t)
	store := m.store()
	if all, problems := store.List(); len(all)+len(problems) > 0 {
		t.Fatal(all, problems)
	}
	for _, id := range []string{"", "2026"} {
		if _, _, err := store.Open(id); !errors.Is(err, agent.ErrNoConversation) {
			t.Error(err)
		}
	}
	var made []string
	for i, ws := range []string{"/a", "/b", "/a"} {
		record, err := store.New(agent.Conversation{Workspace: ws, Host: "h", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(record.Path()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a file before anything was said: %v", err)
		}
		made = append(made, record.ID())
		fake := &model{t: t, steps: []step{{text: []string{"Yes."}}, {text: []string{"Yes."}}}}
		a := agent.New(agent.Options{Session: m.session(), Model: fake, Record: record})
		for j := range i%2 + 1 {
			if _, err := a.Send(t.Context(), fmt.Sprintf("\n  question\x1b[1m %d of %d\nmore\n", j, i), nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := store.Open(record.ID()); !errors.Is(err, agent.ErrInUse) || !strings.Contains(err.Error(), "start a new one") {
			t.Errorf("a second one has it too: %v", err)
		}
		if err := store.Remove(record.ID()); !errors.Is(err, agent.ErrInUse) {
			t.Errorf("it was removed under its writer: %v", err)
		}
		if runtime.GOOS != "windows" {
			for path, want := range map[string]fs.FileMode{record.Path(): 0o600, store.Dir: 0o700} {
				if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
					t.Errorf("%s: %v, %v", path, st.Mode(), err)
				}
			}
		}
		if err := errors.Join(record.Close(), record.Close()); err != nil {
			t.Error(err)
		}
	}
	all, problems := store.List()
	if len(problems) > 0 || len(all) != 3 {
		t.Fatal(all, problems)
	}
	var got []string
	for _, c := range all {
		if !strings.HasPrefix(c.ID, "20260304-0506") || c.Began.IsZero() || !c.Changed.After(c.Began) || c.Host != "h" || c.Model != "m" {
			t.Errorf("%+v", c)
		}
		got = append(got, fmt.Sprint(c.ID, c.Workspace, c.Title, c.Turns))
	}
	want := []string{made[2] + "/aquestion[1m 0 of 21", made[1] + "/bquestion[1m 0 of 12", made[0] + "/aquestion[1m 0 of 01"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if id, err := store.Last("/b"); id != made[1] || err != nil {
		t.Error(id, err)
	}
	if id, err := store.Last("/c"); !errors.Is(err, agent.ErrNoConversation) {
		t.Error(id, err)
	}
	if _, _, err := store.Open("2026"); !errors.Is(err, agent.ErrAmbiguous) {
		t.Error(err)
	}
	for _, id := range []string{"../conversations/" + made[0], "*", made[0] + ".jsonl", "/etc/passwd"} {
		if _, _, err := store.Open(id); !errors.Is(err, agent.ErrNoConversation) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := store.Remove(made[1][:len(made[1])-1]); err != nil {
		t.Error(err)
	}
	if err := store.Remove(""); !errors.Is(err, agent.ErrNoConversation) {
		t.Error(err)
	}
	if all, _ := store.List(); len(all) != 2 {
		t.Error(all)
	}
	left, err := filepath.Glob(filepath.Join(store.Dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// What a crash or a stranger left in a file costs those lines alone.
func TestTornAndForeignLines(t *testing.T) {
	m := newMachine(t)
	store := m.store()
	say := func(record *agent.Record, state agent.State, text string) {
		t.Helper()
		a := agent.New(agent.Options{Session: m.session(), Model: &model{t: t, steps: []step{{text: []string{"To " + text + "."}}}}, Record: record})
		if err := a.Resume(t.Context(), state, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Send(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
		if err := record.Close(); err != nil {
			t.Fatal(err)
		}
	}
	record, err := store.New(agent.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	say(record, agent.State{}, "one")
	for _, junk := range []string{`{"user":{"role":"user","te`, "no JSON at all\n", `{"result":{"id":"nobody","text":"x"}}` + "\n", `{"user":[]}` + "\n", "\n\n"} {
		f, err := os.OpenFile(record.Path(), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(junk); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		again, state, err := store.Open("")
		if err != nil {
			t.Fatal(err)
		}
		say(again, state, "more")
	}
	again, state, err := store.Open("")
	if err != nil || len(state.Problems) != 2 || state.Turns != 6 || len(state.Messages) != 12 || valid(state.Messages) != nil {
		t.Fatalf("%v %d turns, %d messages, %v", err, state.Turns, len(state.Messages), state.Problems)
	}
	var e events
	if err := agent.New(agent.Options{Session: m.session(), Model: &model{t: t}}).Resume(t.Context(), state, e.on); err != nil || len(e.told()) != 2 || !strings.Contains(e.told()[0], "cannot be read and is left out") {
		t.Error(err, e.told())
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"empty": "", "foreign": "hello\n", "newer": `{"conversation":{},"format":99}` + "\n"} {
		path := filepath.Join(store.Dir, name+".jsonl")
		m.write(path, text)
		if _, _, err := store.Open(name); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, problems := store.List(); len(all) != 1 || len(problems) != 5 {
		t.Error(all, problems)
	}
}

// A disk that is full is told once and ends nothing.
func TestARecordThatCannotBeWritten(t *testing.T) {
	m := newMachine(t)
	store := m.store()
	record, err := store.New(agent.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(record.Path(), 0o700); err != nil { // something stands in its place
		t.Fatal(err)
	}
	var e events
	a := agent.New(agent.Options{Session: m.session(), Model: &model{t: t, steps: []step{{text: []string{"Yes."}}}}, Record: record})
	if turn, err := a.Send(t.Context(), "go", e.on); err != nil || turn.Text != "Yes." {
		t.Fatal(turn, err)
	}
	if told := e.told(); len(told) != 2 || !strings.HasPrefix(told[0], "notice this conversation is not kept any more: ") {
		t.Error(told)
	}
	if err := record.Close(); err != nil {
		t.Error(err)
	}
}

func TestResumeActivatesWhatIsLeft(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/config.toml"), "[skills]\nmax_active = 5\n")
	m.skill(".knack/skills/quiet", "quiet", "Quiet.\ndisable-model-invocation: true", "Instructions of quiet.")
	m.skill(".knack/skills/with", "with", "With.\nrequires:\n  skills: [mine]", "Instructions of with.")
	store := m.store()
	record, err := store.New(agent.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New(agent.Options{Session: m.session(), Record: record, Model: &model{t: t, steps: []step{
		{calls: []llm.Call{call("1", "Skill", `{"skill":"hub"}`), call("2", "Skill", `{"skill":"with"}`)}}, {text: []string{"Done."}},
	}}})
	if _, err := a.Send(t.Context(), "/quiet please", nil); err != nil {
		t.Fatal(err)
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(m.home, ".knack/installed/hub")); err != nil {
		t.Fatal(err)
	}
	record, state, err := store.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	if diff := cmp.Diff([]string{"quiet", "hub", "with", "mine"}, state.Active); diff != "" {
		t.Error(diff)
	}
	var e events
	s := m.session()
	if err := agent.New(agent.Options{Session: s, Model: &model{t: t}, Record: record}).Resume(t.Context(), state, e.on); err != nil {
		t.Fatal(err)
	}
	want := []string{"notice skill hub is not active any more: there is no skill named hub", "skills quiet/slash with/model mine/model"}
	if diff := cmp.Diff(want, e.told()); diff != "" {
		t.Error(diff)
	}
	if s.Active()[2].From != "with" {
		t.Errorf("%+v", s.Active())
	}
	// What is gone has been read, and goes on taking tools away.
	if l := s.Lingering(); len(l) != 1 || l[0].Name != "hub" || writes(t, s) {
		t.Errorf("%+v", l)
	}
}

// writes reports whether files may be written.
func writes(t *testing.T, s *knack.Session) bool {
	t.Helper()
	for _, d := range s.Tools(t.Context()) {
		if d.Tool.Name == "file_write" {
			return d.Allowed
		}
	}
	t.Fatal("there is no file_write")
	return false
}

// A skill that cannot be had any more took tools away only if it was not trusted.
func TestResumeRestrictsNoMoreThanBefore(t *testing.T) {
	for name, c := range map[string]struct {
		skill, dir string
		writes     bool
	}{
		"not trusted": {"hub", ".knack/installed/hub", false},
		"trusted":     {"mine", ".knack/skills/mine", true},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			record, err := m.store().New(agent.Conversation{})
			if err != nil {
				t.Fatal(err)
			}
			a := agent.New(agent.Options{Session: m.session(c.skill), Record: record, Model: &model{t: t, steps: []step{{text: []string{"Yes."}}}}})
			if _, err := a.Send(t.Context(), "go", nil); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(record.Close(), os.RemoveAll(filepath.Join(m.home, c.dir))); err != nil {
				t.Fatal(err)
			}
			record, state, err := m.store().Open("")
			if err != nil {
				t.Fatal(err)
			}
			defer record.Close()
			s := m.session()
			if err := agent.New(agent.Options{Session: s, Model: &model{t: t}, Record: record}).Resume(t.Context(), state, nil); err != nil {
				t.Fatal(err)
			}
			if writes(t, s) != c.writes {
				t.Errorf("%+v", s.Lingering())
			}
		})
	}
}

// What the configuration and the environment keep secret is in no request, no
// record and no event, whoever says it.
func TestSecretsStay(t *testing.T) {
	m := newMachine(t)
	m.write("leak.txt", "it is "+canary+" here\n")
	m.skill(".knack/skills/leaky", "leaky", "Says '"+`canary-"7f3<9>`+"'.", "Instructions with "+canary+" in them.")
	quoted, err := json.Marshal(map[string]string{canary: canary, "expression": "1"})
	if err != nil {
		t.Fatal(err)
	}
	m.more = []tool.Tool{
		testTool{name: "leak", effects: tool.Effects{Write: true}, run: func(_ context.Context, arguments string) (tool.Result, error) {
			if arguments != string(quoted) { // a tool does what the model asked for
				t.Errorf("a tool gets %s", arguments)
			}
			return tool.Result{Text: "result " + canary}, nil
		}},
		testTool{name: "fail", run: func(context.Context, string) (tool.Result, error) { return tool.Result{}, errors.New("bad " + canary) }},
		testTool{name: "panic", run: func(context.Context, string) (tool.Result, error) { panic(canary) }},
	}
	fake := &model{t: t, steps: []step{
		{text: []string{"I say ", canary[:3], canary[3:9], canary[9:]}, calls: []llm.Call{
			call("1", "leak", string(quoted)), call("2", "file_read", `{"path":"leak.txt"}`), call("3", "fail", `{}`), call("4", "panic", `{}`),
			call("5", "leak", `{"broken": `+canary), call("6", "llm_task", `{"prompt":"canary-\"7f3<9>"}`), call("7", "Task", `{"description":"d","prompt":"canary-\"7f3<9>"}`),
			call("8", "Skill", `{"skill":"leaky"}`),
		}},
		{text: []string{canary}}, {text: []string{canary}},
		{text: []string{"Done " + canary}, err: &llm.Error{Kind: llm.Unreachable, Message: "no network"}},
	}}
	record, err := m.store().New(agent.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	var e events
	a := agent.New(agent.Options{Session: m.session(), Model: fake, Record: record, Base: "Base " + canary})
	turn, err := a.Send(t.Context(), "/leaky "+canary, e.on)
	if err == nil || turn.Calls != 8 || len(fake.requests) != 4 {
		t.Fatal(turn, err, len(fake.requests))
	}
	if !strings.Contains(system(fake.requests[3]), "Instructions with [redacted] in them") {
		t.Error(system(fake.requests[3]))
	}
	file, err := os.ReadFile(record.Path())
	if err != nil {
		t.Fatal(err)
	}
	for name, what := range map[string]any{"requests": fake.requests, "events": e.all, "turn": turn, "record": string(file), "messages": a.Messages()} {
		var all strings.Builder
		if enc := json.NewEncoder(&all); true {
			enc.SetEscapeHTML(false)
			if err := enc.Encode(what); err != nil {
				t.Fatal(err)
			}
		}
		if at := strings.Index(all.String(), "7f3"); at >= 0 {
			t.Errorf("%s have it: %s", name, all.String()[max(0, at-200):at+20])
		}
		if !strings.Contains(all.String(), "[redacted]") {
			t.Errorf("%s do not have what was to be redacted", name)
		}
	}
	if bytes.Contains(file, []byte("7f3")) {
		t.Error("the file has it")
	}
}
