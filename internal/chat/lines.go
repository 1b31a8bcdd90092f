package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
)

// Lines is the chat without a screen: each line of the input is a turn, and what
// becomes of it is printed as plain text. What has to be asked is asked on
// [Options.Questions], else refused. It ends with the input, or with ctx, whose
// error it returns then.
func (c *Chat) Lines(ctx context.Context) error { return c.lines(ctx, false) }

// lines is [Chat.Lines]; on a terminal what is typed can be seen, and everything
// else is there too.
func (c *Chat) lines(ctx context.Context, terminal bool) error {
	w := &lineWriter{w: c.opt.Output, lingering: c.opt.Lingering}
	in := readLines(c.opt.Input)
	defer close(in.stop)
	questions := c.opt.Questions
	if terminal {
		questions = w
	}
	ask := func(_ context.Context, q knack.Question) knack.Consent {
		w.flush()
		w.line("! " + refusal(q) + c.opt.Unasked)
		return knack.Refuse
	}
	if questions != nil {
		asker := &LineAsker{in: in, w: questions} // there is one reader
		ask = func(ctx context.Context, q knack.Question) knack.Consent {
			w.flush()
			answer, _ := asker.Ask(ctx, q) // which never fails
			return answer
		}
	}
	defer c.attach(nil, ask)()
	if n := c.opt.Turns; n > 0 {
		w.line("! a conversation is taken up, of " + turns(n))
	}
	for _, text := range c.opt.Notices {
		w.line("! " + term.Clean(text))
	}
	for {
		if terminal {
			w.write(prompt)
		}
		text, ok := in.next(ctx)
		if !ok {
			if terminal {
				w.line("")
			}
			return errors.Join(ctx.Err(), in.err())
		}
		if text = strings.TrimSpace(term.CleanLines(text)); text == "" {
			continue
		}
		if c.opt.SaveHistory != nil {
			c.opt.SaveHistory(text)
		}
		if ends(text) {
			return nil
		}
		if !terminal { // nobody saw it being typed
			w.line(prompt + text)
		}
		c.lineTurn(ctx, text, w)
		w.line("")
	}
}

func turns(n int) string {
	if n == 1 {
		return "1 turn"
	}
	return fmt.Sprintf("%d turns", n)
}

// lineTurn is one line of the input and what becomes of it.
func (c *Chat) lineTurn(ctx context.Context, text string, w *lineWriter) {
	if name, args, ok := slash(text); ok && c.opt.Run != nil {
		answer, handled, err := c.opt.Run(ctx, name, args)
		if err != nil {
			w.failed(err)
			return
		}
		if handled {
			w.text(answer)
			w.flush()
			return
		}
	}
	w.begin()
	turn, err := c.opt.Agent.Send(ctx, text, w.event)
	if !w.hasAnswer() {
		w.text(turn.Text)
	}
	w.flush()
	switch {
	case turn.End == agent.EndInterrupted || errors.Is(err, context.Canceled):
		w.line("! interrupted")
	case err != nil:
		w.failed(err)
	case turn.End == agent.EndIterations:
		w.line(fmt.Sprintf("! stopped after asking the model %d times; say go on to go on", turn.Iterations))
	}
}

// refusal says what was refused because nobody could be asked, and, up to what
// the caller knows, what can be done about it.
func refusal(q knack.Question) string {
	about := q.Plan.Subject
	for _, more := range []string{q.Plan.Request, q.Plan.Command} {
		if more != "" {
			about = more
		}
	}
	text := Asker(q) + ", " + shorten(term.Exact(about)) + ": refused, for nobody can be asked; "
	for _, name := range slices.Sorted(maps.Keys(q.Grants)) {
		text += term.Exact(grantCommand(name, q.Grants[name])) + " allows it, or "
	}
	return text
}

// lineWidth is that of what is laid out where nothing tells a width.
const lineWidth = 100

// mostShown is how many lines of a tool's answer are printed.
const mostShown = 12

// lineWriter prints what happens. Many goroutines may.
type lineWriter struct {
	mu       sync.Mutex
	w        io.Writer
	partial  []byte // the start of a line of the answer, as it came
	answered bool
	calls    map[string]*call
	skills   string

	lingering func() []knack.ActiveSkill
}

// Write is for what is no part of an answer.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

func (w *lineWriter) write(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprint(w.w, text)
}

func (w *lineWriter) line(text string) { w.write(term.CleanLines(text) + "\n") }

func (w *lineWriter) failed(err error) { w.line("✗ " + err.Error()) }

// text prints whole lines of the answer; the rest waits for its end.
func (w *lineWriter) text(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = true
	for {
		line, rest, ended := strings.Cut(text, "\n")
		w.partial = append(w.partial, line...)
		if !ended {
			return
		}
		fmt.Fprintln(w.w, term.CleanLines(strings.TrimSuffix(string(w.partial), "\r")))
		w.partial, text = w.partial[:0], rest
	}
}

func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.partial) > 0 {
		fmt.Fprintln(w.w, term.CleanLines(string(w.partial)))
		w.partial = w.partial[:0]
	}
}

func (w *lineWriter) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = false
}

func (w *lineWriter) hasAnswer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered
}

func (w *lineWriter) event(e agent.Event) {
	switch {
	case e.Text != "":
		w.text(e.Text)
	case e.Call != nil:
		w.mu.Lock()
		if w.calls == nil {
			w.calls = map[string]*call{}
		}
		w.calls[e.Call.ID] = newCall(*e.Call)
		w.mu.Unlock()
	case e.Result != nil:
		w.flush()
		w.result(e.Result)
	case e.Notice != "":
		w.flush()
		w.line("! " + term.Clean(e.Notice))
	case e.Skills != nil:
		w.flush()
		w.showSkills(e.Skills)
	}
}

func (w *lineWriter) result(r *agent.ResultEvent) {
	w.mu.Lock()
	c := w.calls[r.ID]
	delete(w.calls, r.ID)
	w.mu.Unlock()
	if c == nil {
		c = newCall(agent.CallEvent{ID: r.ID, Tool: r.Tool})
	}
	c.answered(r)
	lines := []markdown.Line{c.head(2 * lineWidth)}
	shown := strings.Split(strings.TrimRight(term.CleanLines(head(r.Result.Text)), "\n"), "\n")
	for i, l := range shown {
		if i == mostShown {
			lines = append(lines, styled(0, fmt.Sprintf("  … %d more lines", len(shown)-mostShown)))
			break
		}
		lines = append(lines, styled(0, strings.TrimRight("  "+l, " ")))
	}
	w.line(painter{}.lines(lines))
}

func (w *lineWriter) showSkills(skills []knack.ActiveSkill) {
	text := "skills none"
	if left := w.lingering(); len(skills)+len(left) > 0 {
		text = skillLine(skills, left).Text()
	}
	w.mu.Lock()
	known := w.skills == text
	w.skills = text
	w.mu.Unlock()
	if !known {
		w.line(text)
	}
}
