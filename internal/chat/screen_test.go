package chat

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

var weather = []knack.ActiveSkill{
	{Name: "weather", Why: knack.ByMatch, Trust: "installed", Tokens: 420},
	{Name: "maps", Why: knack.ByModel, Trust: "trusted", Tokens: 12345, From: "weather"},
}

const sampleAnswer = "## Zürich\n\nIt is **sunny**, `21 °C`, says [it](https://a.example). 天气很好。\n\n- go\n  - out\n\n```go\nx := 1\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\nAnd th"

// scenes are what golden screens show.
var scenes = map[string]func(*bench){
	"empty": func(*bench) {},
	"completion": func(b *bench) {
		b.typed("/w")
		b.keys("down")
	},
	"streaming": func(b *bench) { stream(b) },
	"unfolded": func(b *bench) {
		stream(b)
		b.keys("ctrl+o")
	},
	"question": func(b *bench) {
		stream(b)
		b.send(&pending{question: question(), answer: make(chan knack.Consent, 1)})
	},
	"input": func(b *bench) {
		b.typed("first line, which is long enough to be wrapped on small screens")
		b.keys("ctrl+j")
		b.typed("second 天气")
	},
}

func stream(b *bench) {
	b.typed("what is the weather?")
	b.keys("enter")
	box := &tool.Sandbox{Layer: "namespaces", Files: "its own folder", Network: "none", Processes: "its own", Weak: []string{"no memory limit"}}
	b.events(
		agent.Event{Skills: weather},
		agent.Event{Reasoning: "The user wants the weather."},
		agent.Event{Usage: &llm.Usage{Input: 900, Output: 120}},
		agent.Event{Call: &agent.CallEvent{ID: "1", Tool: "skill_weather_now", Arguments: `{"city":"Zürich"}`}},
		agent.Event{Call: &agent.CallEvent{ID: "2", Tool: "file_read", Arguments: `{"path":"a.txt","limit":10}`}},
		agent.Event{Call: &agent.CallEvent{ID: "3", Tool: "shell", Arguments: `{"command":"sleep 10"}`}},
		agent.Event{Result: &agent.ResultEvent{ID: "2", Tool: "file_read", Result: tool.Result{Text: "there is no a.txt\nlook for it with glob", Failed: true}, Duration: 3 * time.Millisecond}},
		agent.Event{Result: &agent.ResultEvent{ID: "1", Tool: "skill_weather_now", Result: tool.Result{Text: "21 degrees\n", Sandbox: box}, Duration: 1234 * time.Millisecond}},
		agent.Event{Notice: "the conversation was compacted"},
		agent.Event{Text: sampleAnswer},
	)
	b.clock.now = b.clock.now.Add(3 * time.Second)
}

func sceneOptions(noColor bool) Options {
	return Options{
		Title: "Knack", Hint: "Try: what is the weather in Zürich?", NoColor: noColor,
		Commands: []Command{{"skills", "list skills"}, {"why", "why a skill is or is not there"}, {"/weather", "the weather of a place"}, {"password", "matches inside"}},
	}
}

func TestGoldenScreens(t *testing.T) {
	for name, play := range scenes {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
			b := newBench(t, size[0], size[1], sceneOptions(true))
			play(b)
			got := b.text()
			if raw := b.View().Content; strings.Contains(raw, "\x1b") {
				t.Errorf("%s: colour without colour", name)
			}
			if c := b.View().Cursor; c != nil {
				got += fmt.Sprintf("cursor %d,%d\n", c.X, c.Y)
			}
			golden(t, fmt.Sprintf("screens/%s-%dx%d.txt", name, size[0], size[1]), got)
		}
		b := newBench(t, 80, 24, sceneOptions(false))
		play(b)
		golden(t, "screens/"+name+"-colour.txt", strings.ReplaceAll(b.View().Content, "\x1b", "␛")+"\n")
		opt := sceneOptions(true)
		opt.Plain = true
		b = newBench(t, 80, 24, opt)
		play(b)
		golden(t, "screens/"+name+"-plain.txt", b.text())
		if v := b.View(); v.AltScreen || v.MouseMode != tea.MouseModeNone {
			t.Errorf("%s: plain mode takes the screen or the mouse", name)
		}
	}
}

func TestColourIsOff(t *testing.T) {
	for _, env := range [][]string{{"NO_COLOR=1"}, {"TERM=dumb"}} {
		if newPainter(&Options{Environ: env}).color {
			t.Errorf("%v: colour", env)
		}
	}
	if !newPainter(&Options{Environ: []string{"TERM=xterm", "NO_COLOR="}}).color {
		t.Error("no colour on a terminal")
	}
}

func TestTurnEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		turn agent.Turn
		err  error
		want string
	}{
		{"done", agent.Turn{Text: "hello **you**", End: agent.EndDone}, nil, "hello you"},
		{"failed", agent.Turn{End: agent.EndFailed}, errors.New("no key; set one"), "✗ no key; set one"},
		{"iterations", agent.Turn{End: agent.EndIterations, Iterations: 25}, nil, "! stopped after asking the model 25 times"},
		{"interrupted elsewhere", agent.Turn{End: agent.EndInterrupted}, nil, "! interrupted"},
		{"usage", agent.Turn{End: agent.EndDone, Iterations: 2, Usage: llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}}, nil, "offline · 10 tokens · step 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHeld()
			h.err = c.err
			b := newBench(t, 80, 24, Options{Agent: h})
			b.typed("hi")
			b.keys("enter")
			h.end <- c.turn
			b.idle()
			b.shows("> hi", c.want)
			b.hides("working")
		})
	}
}

func TestStreamedTextIsNotRepeated(t *testing.T) {
	h := newHeld()
	b := newBench(t, 80, 24, Options{Agent: h})
	b.typed("hi")
	b.keys("enter")
	b.feed.add(agent.Event{Text: "hello"}) // told of, but not taken before the end
	h.end <- agent.Turn{Text: "hello", End: agent.EndDone}
	b.idle()
	if n := strings.Count(b.text(), "hello"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, b.text())
	}
}

func TestTypedMeanwhileIsSentAfter(t *testing.T) {
	h := newHeld()
	b := newBench(t, 80, 24, Options{Agent: h})
	for _, text := range []string{"one", "two", "three"} {
		b.typed(text)
		b.keys("enter")
	}
	b.shows("then: two", "then: three")
	h.end <- agent.Turn{}
	h.end <- agent.Turn{}
	b.until("three is sent", func() bool { return len(h.heard()) == 3 })
	if diff := cmp.Diff([]string{"one", "two", "three"}, h.heard()); diff != "" {
		t.Error(diff)
	}
}

func TestInterrupt(t *testing.T) {
	h := newHeld()
	b := newBench(t, 80, 24, Options{Agent: h})
	b.typed("one")
	b.keys("enter")
	b.events(agent.Event{Call: &agent.CallEvent{ID: "1", Tool: "shell", Arguments: "{}"}})
	b.typed("two")
	b.keys("enter")
	p := &pending{question: question(), answer: make(chan knack.Consent, 1)}
	b.send(p)
	b.keys("ctrl+c")
	if got := <-p.answer; got != knack.Refuse {
		t.Errorf("an interrupt answered %q", got)
	}
	b.shows("interrupting", "> two")
	b.idle()
	b.shows("! interrupted", "✗ shell · no answer", "> two")
	if len(h.heard()) != 1 {
		t.Errorf("sent %q", h.heard())
	}
	b.keys("ctrl+c") // clears
	b.hides("> two")
	b.keys("ctrl+c")
	b.shows("ctrl+c again quits")
	b.keys("x", "backspace", "ctrl+c")
	b.shows("ctrl+c again quits")
	b.keys("ctrl+c")
	b.until("quit", func() bool { return b.quit })
}

func TestQuit(t *testing.T) {
	for _, text := range []string{"/quit", "/exit", "/quit now"} {
		b := newBench(t, 80, 24, Options{})
		b.typed(text)
		b.keys("esc", "enter")
		b.until(text+" quits", func() bool { return b.quit })
	}
	b := newBench(t, 80, 24, Options{})
	b.typed("ab")
	b.keys("left", "ctrl+d")
	if b.input.text != "a" {
		t.Errorf("ctrl+d left %q", b.input.text)
	}
	b.keys("backspace", "ctrl+d")
	b.until("ctrl+d quits", func() bool { return b.quit })
}
