package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/term"
)

// transcript prints a turn as text: the answer to stdout, everything else to
// stderr, so that a pipe gets the answer alone.
type transcript struct {
	f      *factory
	inLine bool // the answer has not ended its line
}

func (t *transcript) event(e agent.Event) {
	switch {
	case e.Text != "":
		text := term.CleanLines(e.Text)
		fmt.Fprint(t.f.env.Stdout, text)
		t.inLine = !strings.HasSuffix(text, "\n")
	case e.Call != nil:
		t.say("→ %s %s", e.Call.Tool, term.Truncate(term.Clean(e.Call.Arguments), 100))
	case e.Result != nil:
		t.result(e.Result)
	case e.Skills != nil:
		var names []string
		for _, s := range e.Skills {
			names = append(names, fmt.Sprintf("%s (%s, %d tokens)", s.Name, s.Why, s.Tokens))
		}
		t.say("active: %s", strings.Join(names, ", "))
	case e.Notice != "":
		t.say("%s", e.Notice)
	}
}

// shownLines of a result are enough to see what came back; the model has all.
const shownLines = 6

func (t *transcript) result(r *agent.ResultEvent) {
	mark := "✓"
	if r.Result.Failed {
		mark = "✗"
	}
	head := fmt.Sprintf("%s %s %s", mark, r.Tool, r.Duration.Round(time.Millisecond))
	if r.Result.Sandbox != nil {
		head += ", contained by " + r.Result.Sandbox.Layer
	}
	t.say("%s", head)
	lines := strings.Split(strings.TrimRight(term.CleanLines(r.Result.Text), "\n"), "\n")
	for i, line := range lines {
		if i == shownLines {
			t.say("  … %d more lines", len(lines)-shownLines)
			break
		}
		t.say("  %s", term.Truncate(line, 160))
	}
}

// say prints a line about what happens.
func (t *transcript) say(format string, args ...any) {
	if t.inLine {
		fmt.Fprintln(t.f.env.Stdout)
		t.inLine = false
	}
	fmt.Fprintln(t.f.env.Stderr, t.f.stderr().Dim(term.Clean(fmt.Sprintf(format, args...))))
}

func (t *transcript) end(_ *conversing, turn agent.Turn, _ error) {
	if t.inLine {
		fmt.Fprintln(t.f.env.Stdout)
	}
	if turn.End == agent.EndIterations {
		t.say("stopped after %d requests; knack run --resume last \"go on\" takes it up", turn.Iterations)
	}
}
