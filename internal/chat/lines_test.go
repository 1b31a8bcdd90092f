package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
)

// step is what a scripted agent does next.
type step struct {
	agent.Event
	Ask  string `json:"ask"`  // a question about this command; its answer is said
	End  string `json:"end"`  // the end of a turn
	Fail string `json:"fail"` // the same, with an error
	Say  string `json:"say"`  // the text of a turn that was not streamed
}

// scripted plays one line of JSON after the other, each turn up to its end.
func scripted(t *testing.T, script []byte, approve func(context.Context, knack.Question) (knack.Consent, error)) fakeAgent {
	dec := json.NewDecoder(bytes.NewReader(script))
	return func(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error) {
		turn := agent.Turn{Iterations: 3}
		for {
			var s step
			if err := dec.Decode(&s); err != nil {
				t.Errorf("turn %q: the script says nothing more: %v", text, err)
				return turn, err
			}
			switch {
			case s.Ask != "":
				q := question()
				q.Plan.Command = s.Ask
				answer, err := approve(ctx, q)
				if err != nil {
					t.Error(err)
				}
				on(agent.Event{Text: "(" + string(answer) + ")\n"})
			case s.Fail != "":
				return turn, errors.New(s.Fail)
			case s.End != "":
				turn.Text, turn.End = s.Say, s.End
				return turn, nil
			default:
				on(s.Event)
			}
		}
	}
}

func TestLinesTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/lines/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			parts := map[string][]byte{}
			for _, f := range archive.Files {
				parts[f.Name] = f.Data
			}
			var out bytes.Buffer
			var c *Chat
			approve := func(ctx context.Context, q knack.Question) (knack.Consent, error) { return c.Approve(ctx, q) }
			opt := Options{
				Agent: scripted(t, parts["script"], approve), Input: bytes.NewReader(parts["input"]), Output: &out, Environ: []string{"TERM=dumb"},
				Run: func(_ context.Context, name, args string) (string, bool, error) {
					if name == "broken" {
						return "", true, errors.New("broken: " + args)
					}
					return "you have skills\x1b[2J\nand " + args, name == "skills", nil
				},
			}
			c = New(opt)
			run := c.Lines
			if _, ok := parts["terminal"]; ok {
				run = c.Run
			}
			if err := run(t.Context()); err != nil {
				t.Error(err)
			}
			safe(t, strings.ReplaceAll(out.String(), "\t", ""))
			if *update {
				for i, f := range archive.Files {
					if f.Name == "output" {
						archive.Files[i].Data = out.Bytes()
					}
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(parts["output"]), out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLinesEndWithTheirContext(t *testing.T) {
	for name, sent := range map[string]string{"waiting for a line": "", "in a turn": "hi\n"} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		began := make(chan struct{}, 1)
		c := New(Options{Input: r, Output: io.Discard, Agent: fakeAgent(func(ctx context.Context, _ string, _ func(agent.Event)) (agent.Turn, error) {
			began <- struct{}{}
			<-ctx.Done()
			return agent.Turn{End: agent.EndInterrupted}, ctx.Err()
		})})
		done := make(chan error)
		go func() { done <- c.Lines(ctx) }()
		if sent != "" {
			w.Write([]byte(sent))
			<-began
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		w.Close()
	}
}

func TestLinesThatAreTooLong(t *testing.T) {
	c := New(Options{Input: strings.NewReader(strings.Repeat("x", 2*mostInput)), Output: io.Discard, Agent: newHeld()})
	if err := c.Lines(t.Context()); err == nil {
		t.Error("no error")
	}
}

func TestApproveWithNobodyThere(t *testing.T) {
	answer, err := New(Options{Agent: newHeld()}).Approve(t.Context(), question())
	if answer != knack.Refuse || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
}

// window is an output that can be waited for.
type window struct {
	text  chan string
	seen  string
	clean string
}

func (w *window) Write(p []byte) (int, error) {
	w.text <- string(p)
	return len(p), nil
}

func (w *window) until(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for !strings.Contains(w.clean, text) {
		select {
		case more := <-w.text:
			w.seen += more
			w.clean = sgr.ReplaceAllString(w.seen, "")
		case <-timeout:
			t.Fatalf("%q never came:\n%q", text, w.seen)
		}
	}
	w.seen, w.clean = "", ""
}

// The whole program, with what a terminal sends and gets.
func TestRun(t *testing.T) {
	for _, plain := range []bool{false, true} {
		var c *Chat
		ended := make(chan struct{})
		slow := fakeAgent(func(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error) {
			if text == "wait" {
				on(agent.Event{Text: "waiting"})
				<-ctx.Done()
				close(ended)
				return agent.Turn{End: agent.EndInterrupted}, ctx.Err()
			}
			answer, err := c.Approve(ctx, question())
			on(agent.Event{Text: "answered:" + string(answer) + "!"})
			return agent.Turn{End: agent.EndDone}, err
		})
		in, keys := io.Pipe()
		w := &window{text: make(chan string, 10000)}
		c = New(Options{Agent: slow, Plain: plain, Input: in, Output: w, Width: 80, Height: 24, Environ: []string{"TERM=xterm-256color"}, Model: "first", Run: func(_ context.Context, name, _ string) (string, bool, error) {
			c.SetModel("second")
			c.SetCommands([]Command{{"zebra", "new"}})
			return "changed", name == "change", nil
		}})
		done := make(chan error)
		go func() { done <- c.Run(t.Context()) }()
		w.until(t, "first")
		io.WriteString(keys, "hi\r")
		w.until(t, "[o]nce")
		io.WriteString(keys, "s")
		w.until(t, "answered:session!")
		io.WriteString(keys, "/change\r")
		w.until(t, "second")
		io.WriteString(keys, "/z\t")
		w.until(t, "zebra")
		io.WriteString(keys, "\x03wait\r")
		w.until(t, "waiting")
		io.WriteString(keys, "\x04")
		if err := <-done; err != nil {
			t.Errorf("plain %v: %v", plain, err)
		}
		select {
		case <-ended: // it was told, and waited for
		default:
			t.Error("the turn was left alone")
		}
		keys.Close()
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, keys := io.Pipe()
	defer keys.Close()
	w := &window{text: make(chan string, 10000)}
	asked := make(chan knack.Consent, 1)
	var c *Chat
	c = New(Options{Input: in, Output: w, Width: 80, Height: 24, Agent: fakeAgent(func(ctx context.Context, _ string, _ func(agent.Event)) (agent.Turn, error) {
		answer, _ := c.Approve(ctx, question())
		asked <- answer
		return agent.Turn{}, ctx.Err()
	})})
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	io.WriteString(keys, "hi\r")
	w.until(t, "[o]nce")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if answer := <-asked; answer != knack.Refuse {
		t.Errorf("the end answered %q", answer)
	}
}

// Who types the lines answers the questions among them: there is one reader.
func TestLinesAskWhoTypesThem(t *testing.T) {
	var c *Chat
	var heard []string
	var out, questions bytes.Buffer
	c = New(Options{
		Input: strings.NewReader("first\nsession\nsecond\nwhatever\nthird\n"), Output: &out, Questions: &questions,
		Agent: fakeAgent(func(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error) {
			heard = append(heard, text)
			if text == "third" {
				return agent.Turn{End: agent.EndDone}, nil
			}
			on(agent.Event{Text: "half a line"})
			answer, err := c.Approve(ctx, question())
			heard = append(heard, string(answer))
			return agent.Turn{End: agent.EndDone}, err
		}),
	})
	if err := c.Lines(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"first", string(knack.ForSession), "second", string(knack.Refuse), "third"}, heard); diff != "" {
		t.Error(diff)
	}
	if q := questions.String(); strings.Count(q, "[o]nce") != 2 || strings.Contains(q, "half a line") || strings.Contains(out.String(), "[o]nce") {
		t.Errorf("%s\n--\n%s", q, out.String())
	}
}

// Several at once wait for each other.
func TestLineAskerAsksOneAfterTheOther(t *testing.T) {
	in, answers := io.Pipe()
	w := &window{text: make(chan string, 100)}
	asker := NewLineAsker(in, w)
	got := make(chan knack.Consent)
	for range 2 {
		go func() {
			answer, _ := asker.Ask(t.Context(), question())
			got <- answer
		}()
	}
	for _, answer := range []string{"o\n", "n\n"} {
		w.until(t, "[n]o? ")
		if len(w.text) > 0 {
			t.Error("the next question does not wait")
		}
		io.WriteString(answers, answer)
		if want := map[string]knack.Consent{"o\n": knack.Once, "n\n": knack.Refuse}[answer]; <-got != want {
			t.Errorf("%q is not %q", answer, want)
		}
	}
	answers.Close()
}

// What there is to know about a conversation that is taken up is no answer of the
// model.
func TestNoticesOfAConversationThatIsTakenUp(t *testing.T) {
	opt := Options{
		Messages: []Shown{{"user", "What was said"}, {"assistant", "The answer"}}, Turns: 3,
		Notices:   []string{"skill hub is not active any more"},
		Skills:    func() []knack.ActiveSkill { return []knack.ActiveSkill{{Name: "mine", Why: knack.ByModel}} },
		Lingering: func() []knack.ActiveSkill { return []knack.ActiveSkill{{Name: "hub"}} },
	}
	for _, width := range []int{80, 120} {
		b := newBench(t, width, 40, opt)
		b.send(b.lookAtSkills())
		b.shows("The answer", "! skill hub is not active any more", "mine", "hub", "still counts:")
	}
	var out bytes.Buffer
	opt.Input, opt.Output = strings.NewReader("go\n"), &out
	opt.Agent = fakeAgent(func(_ context.Context, _ string, on func(agent.Event)) (agent.Turn, error) {
		on(agent.Event{Skills: []knack.ActiveSkill{}})
		return agent.Turn{Text: "Done.", End: agent.EndDone}, nil
	})
	if err := New(opt).Lines(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "! a conversation is taken up, of 3 turns\n! skill hub is not active any more\n> go\nskills hub still counts: the model has read it\nDone.\n\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// What would be sent or written is part of the question, with nothing hidden.
func TestRowsShowContent(t *testing.T) {
	q := question()
	q.Plan.Content = "first\u202e\nsecond"
	for _, row := range Rows(q) {
		if row[0] == "content" {
			if !strings.Contains(row[1], "first") || !strings.Contains(row[1], "second") || strings.Contains(row[1], "\u202e") {
				t.Errorf("%q", row[1])
			}
			return
		}
	}
	t.Error("it is not shown")
}
