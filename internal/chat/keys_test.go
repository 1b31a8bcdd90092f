package chat

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/tool"
)

func TestApprovalKeys(t *testing.T) {
	all := []knack.Consent{knack.Once, knack.ForSession, knack.ByGrant}
	for _, c := range []struct {
		key     string
		choices []knack.Consent
		want    knack.Consent // empty: no answer
	}{
		{"o", all, knack.Once}, {"s", all, knack.ForSession}, {"g", all, knack.ByGrant},
		{"n", all, knack.Refuse}, {"esc", all, knack.Refuse}, {"ctrl+c", all, knack.Refuse},
		{"x", all, ""}, {"enter", all, ""}, {"O", all, ""}, {"space", all, ""}, {"y", all, ""},
		{"g", []knack.Consent{knack.Once}, ""}, {"o", []knack.Consent{knack.ByGrant}, ""}, {"n", nil, knack.Refuse},
	} {
		b := newBench(t, 80, 24, Options{})
		q := question()
		q.Choices = c.choices
		p := &pending{question: q, answer: make(chan knack.Consent, 1)}
		b.send(p)
		b.keys(c.key)
		if len(p.answer) != 0 && c.key != "ctrl+c" {
			t.Errorf("%s answered while it was on its way", c.key)
		}
		b.clock.now = b.clock.now.Add(time.Second)
		if len(p.answer) == 0 {
			b.keys(c.key)
		}
		var got knack.Consent
		select {
		case got = <-p.answer:
		default:
		}
		if got != c.want {
			t.Errorf("%s with %v: %q, want %q", c.key, c.choices, got, c.want)
		}
		if (len(b.questions) == 0) != (c.want != "") {
			t.Errorf("%s: %d questions left", c.key, len(b.questions))
		}
	}
}

// Who types is not answering: what is typed on goes to the input, and only a key
// after a pause is an answer.
func TestQuestionsDoNotEatTheInput(t *testing.T) {
	b := newBench(t, 80, 24, Options{})
	b.typed("half a sent")
	first, second := &pending{question: question(), answer: make(chan knack.Consent, 1)}, &pending{question: question(), answer: make(chan knack.Consent, 1)}
	b.send(first, second)
	b.shows("1 more after this")
	b.typed("encos") // o and s are answers, and here they are letters
	if len(first.answer) != 0 {
		t.Fatal("typing answered")
	}
	b.clock.now = b.clock.now.Add(time.Second)
	b.typed("o") // the second has just appeared
	b.typed("o")
	b.send(tea.PasteMsg{Content: "g"})
	if len(first.answer) != 1 || len(second.answer) != 0 {
		t.Errorf("answers: %d, %d", len(first.answer), len(second.answer))
	}
	b.send(withdrawn{second})
	b.shows("> half a sentencoso")
}

// Whatever is in a command is seen before it is approved.
func TestQuestionShowsEverything(t *testing.T) {
	q := question()
	q.Plan.Command = "echo a   b\x1b]52;c;aGk=\a\x1b[2K\u009b2J\u202e\u200bend\xff\rrm -rf ~\n" + strings.Repeat("x", 500) + "\nlast"
	b := newBench(t, 40, 12, Options{})
	b.send(&pending{question: q, answer: make(chan knack.Consent, 1)})
	b.shows(`echo a   b\x1b]52;c;aGk=\x07`[:28], "[o]nce  [s]ession  [g]rant  [n]o")
	seen := ""
	for range 60 {
		seen += b.text()
		b.keys("down")
	}
	all := strings.Join(strings.Fields(seen), "")
	for _, want := range []string{`\x1b]52;c;aGk=`, `\u{9b}2J`, `\u{202e}`, `\u{200b}end\xff`, `\x0drm-rf~`, "last", "WEATHER_KEY", "nomemorylimit", "knackgrant"} {
		if !strings.Contains(strings.ReplaceAll(all, "\n", ""), want) {
			t.Errorf("%q was never on the screen:\n%s", want, seen[:min(len(seen), 1500)])
		}
	}
	b.keys("pgup", "up")
	b.shows("more lines, down")
}

func TestCompletion(t *testing.T) {
	b := newBench(t, 80, 24, sceneOptions(true))
	b.typed("/w")
	b.shows("› /weather", "  /why", "  /password")
	b.hides("/skills")
	b.keys("down", "tab")
	if b.input.text != "/why " {
		t.Errorf("completed %q", b.input.text)
	}
	b.hides("›")
	b.input.set("")
	b.typed("/we")
	b.keys("enter")
	if b.input.text != "/weather " || b.turn != nil {
		t.Errorf("enter left %q, sent: %v", b.input.text, b.turn != nil)
	}
	b.keys("enter")
	if b.turn == nil {
		t.Error("the second enter did not send")
	}
	b.input.set("")
	b.typed("/why")
	b.keys("esc")
	b.hides("›")
	b.typed("x")
	b.keys("backspace", "up", "enter") // a whole command is sent as it is
	if len(b.waiting) != 1 {
		t.Errorf("waiting: %q", b.waiting)
	}
	b.typed("/usr/bin")
	b.hides("›")
}

func TestSlashCommands(t *testing.T) {
	h := newHeld()
	var ran []string
	b := newBench(t, 80, 24, Options{Agent: h, Run: func(_ context.Context, name, args string) (string, bool, error) {
		ran = append(ran, name+"|"+args)
		switch name {
		case "skills":
			return "weather  ready\nmaps     gated\x1b[31m", true, nil
		case "bad":
			return "", true, errors.New("no such thing")
		}
		return "", false, nil
	}})
	for _, text := range []string{"/skills", "/bad  a  b ", "/weather in\nZürich", "/ not a command", "no command"} {
		b.send(tea.PasteMsg{Content: text})
		b.keys("enter")
		if !strings.HasPrefix(text, "/skills") && !strings.HasPrefix(text, "/bad") {
			h.end <- agent.Turn{}
		}
		b.idle()
	}
	b.shows("weather  ready\nmaps     gated\n", "✗ no such thing")
	if diff := cmp.Diff([]string{"skills|", "bad|a  b", "weather|in\nZürich"}, ran); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/weather in\nZürich", "/ not a command", "no command"}, h.heard()); diff != "" {
		t.Error(diff)
	}
}

func TestHistory(t *testing.T) {
	var saved []string
	b := newBench(t, 80, 24, Options{History: []string{"old", "older\x1b[2J"}, SaveHistory: func(s string) { saved = append(saved, s) }})
	b.typed("new")
	b.keys("enter")
	b.typed("dra")
	b.keys("up", "up", "up", "up", "up")
	if b.input.text != "old" {
		t.Errorf("got %q", b.input.text)
	}
	b.keys("down")
	if b.input.text != "older" {
		t.Errorf("got %q", b.input.text)
	}
	b.keys("down", "down", "down")
	if b.input.text != "dra" {
		t.Errorf("the draft became %q", b.input.text)
	}
	if diff := cmp.Diff([]string{"new"}, saved); diff != "" {
		t.Error(diff)
	}
}

func TestEditing(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string // | is the position
	}{
		{[]string{"a", "b", "left", "x"}, "ax|b"},
		{[]string{"a", " ", "b", "c", "ctrl+w", "d"}, "a d|"},
		{[]string{"a", "alt+enter", "b", "home", "c", "up", "d"}, "ad|\ncb"},
		{[]string{"a", "b", "ctrl+a", "delete"}, "|b"},
		{[]string{"a", "b", "ctrl+a", "ctrl+k", "c"}, "c|"},
		{[]string{"a", "b", "ctrl+u"}, "|"},
		{[]string{"👩‍💻", "é", "backspace", "backspace"}, "|"},
		{[]string{"👩‍💻", "x", "left", "left", "y"}, "y|👩‍💻x"},
		{[]string{"a", "ctrl+j", "backspace", "backspace"}, "|"},
		{[]string{"a", "\x1b[2J\a", "\u202e"}, "a\ufffd|"},
	} {
		b := newBench(t, 80, 24, Options{})
		b.keys(c.keys...)
		if got := b.input.text[:b.input.pos] + "|" + b.input.text[b.input.pos:]; got != c.want {
			t.Errorf("%q: %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestPaste(t *testing.T) {
	b := newBench(t, 80, 24, Options{})
	b.send(tea.PasteMsg{Content: "one\r\ntwo\x1b]52;c;x\a\n"})
	if b.input.text != "one\ntwo\n" || b.turn != nil {
		t.Errorf("pasted %q, sent: %v", b.input.text, b.turn != nil)
	}
}

func TestScrolling(t *testing.T) {
	b := newBench(t, 80, 24, Options{})
	for i := range 100 {
		b.events(agent.Event{Notice: strings.Repeat("n", i+1) + "."})
	}
	b.shows("\n  " + strings.Repeat("n", 22) + ".")
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	b.shows("more below")
	before := b.text()
	b.events(agent.Event{Notice: "something new"})
	if diff := cmp.Diff(before, b.text()); diff != "" {
		t.Errorf("it moved while reading:\n%s", diff)
	}
	b.keys("ctrl+home")
	b.shows("! n.\n")
	b.keys("ctrl+end")
	b.shows("something new")
	b.keys("pgup", "pgup", "pgdown", "pgdown")
	b.hides("more below")
	b.shows("something new")
}

// hostile is what a stranger would put where text is taken.
const hostile = "a\x1b]52;c;aGk=\a\x1b[31;1mb\x1b[2J\u009b2J\u009d0;t\u009c\u202e\x00\r\nc\x1bPq\x1b\\\x1b[?1049l\x9b1m\x07"

func TestHostileTextStaysText(t *testing.T) {
	skills := []knack.ActiveSkill{{Name: hostile, Why: hostile, Trust: hostile, Tokens: 1, From: hostile}}
	for _, plain := range []bool{false, true} {
		for _, width := range []int{40, 120} {
			b := newBench(t, width, 40, Options{
				Title: hostile, Model: hostile, Workspace: hostile, Hint: hostile, Plain: plain, Commands: []Command{{hostile, hostile}},
				Messages: []Shown{{llm.User, hostile}, {llm.Assistant, hostile}}, History: []string{hostile},
				Run: func(context.Context, string, string) (string, bool, error) { return hostile, true, nil },
			})
			check := func() {
				t.Helper()
				safe(t, sgr.ReplaceAllString(b.View().Content, ""))
				safe(t, b.View().WindowTitle)
				for _, p := range b.print {
					safe(t, sgr.ReplaceAllString(p, ""))
				}
			}
			check()
			b.typed("/")
			check()
			b.keys("tab", "enter")
			b.idle()
			check()
			b.typed("x")
			b.keys("enter")
			box := &tool.Sandbox{Layer: hostile, Files: hostile, Network: hostile, Processes: hostile, Weak: []string{hostile}}
			for _, failed := range []bool{false, true} {
				b.events(agent.Event{Skills: skills}, agent.Event{Reasoning: hostile}, agent.Event{Text: hostile}, agent.Event{Text: "&#27;[31m `" + hostile + "`"},
					agent.Event{Notice: hostile}, agent.Event{Call: &agent.CallEvent{ID: "1", Tool: hostile, Arguments: hostile}},
					agent.Event{Result: &agent.ResultEvent{ID: "1", Tool: hostile, Result: tool.Result{Text: hostile, Failed: failed, Sandbox: box}}},
					agent.Event{Call: &agent.CallEvent{ID: "2", Tool: hostile, Arguments: `{"` + hostile + `": "\u001b[2J\u009b"}`}})
				check()
				b.keys("ctrl+o")
				check()
			}
			q := knack.Question{
				Tool: tool.Spec{Name: hostile}, Skill: hostile, Active: []string{hostile}, Hosts: []string{hostile}, Why: hostile, Choices: []knack.Consent{knack.ByGrant},
				Plan:   tool.Plan{Subject: hostile, Command: hostile, Dir: hostile, Write: []string{hostile}, Request: hostile, Env: []string{hostile}, Sandbox: box},
				Grants: map[string]knack.Grant{hostile: {Tool: hostile, Net: []string{hostile}}},
			}
			b.send(&pending{question: q, answer: make(chan knack.Consent, 1)})
			check()
			b.keys("ctrl+c")
			b.idle()
			check()
		}
	}
}

// Whatever happens, in whatever order and size, the screen fits its terminal.
func TestScreenAlwaysFits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newBench(r, 80, 24, Options{Plain: rapid.Bool().Draw(r, "plain"), Commands: []Command{{"weather", "w"}, {"why", "y"}}, History: []string{"a", "b\nc"}})
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{
			"size", "text", "think", "call", "result", "notice", "skills", "ask", "type", "enter", "up", "down", "left", "ctrl+o", "pgup", "pgdown", "/", "tab", "ctrl+j", "ctrl+c", "o", "esc", "backspace", "ctrl+home",
		}), 1, 60).Draw(r, "steps")
		for i, step := range steps {
			b.clock.now = b.clock.now.Add(time.Second)
			id := string(rune('a' + i/4))
			switch step {
			case "size":
				b.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 130).Draw(r, "w"), Height: rapid.IntRange(1, 40).Draw(r, "h")})
			case "text":
				b.events(agent.Event{Text: rapid.SampledFrom([]string{"word ", "\n\n", "- item\n", "```\ncode\n", "天气预报", "| a | b |\n|--|--|\n", hostile}).Draw(r, "text")})
			case "think":
				b.events(agent.Event{Reasoning: "hm\n天气 "})
			case "call":
				b.events(agent.Event{Call: &agent.CallEvent{ID: id, Tool: "shell", Arguments: `{"command":"` + strings.Repeat("天", i) + `"}`}})
			case "result":
				b.events(agent.Event{Result: &agent.ResultEvent{ID: id, Tool: "shell", Result: tool.Result{Text: "a\tb\n" + strings.Repeat("x", 5*i), Failed: i%2 == 0}}})
			case "notice":
				b.events(agent.Event{Notice: strings.Repeat("note ", i)})
			case "skills":
				b.events(agent.Event{Skills: weather})
			case "ask":
				b.send(&pending{question: question(), answer: make(chan knack.Consent, 1)})
			case "type":
				b.typed("some 天气 words")
			default:
				b.keys(step)
			}
			b.text()
			if c := b.View().Cursor; c != nil && (c.X > b.width+4 || c.Y >= b.height) {
				r.Errorf("cursor at %d,%d of %dx%d", c.X, c.Y, b.width, b.height)
			}
		}
		if b.turn != nil {
			b.turn.cancel()
		}
	})
}

func TestTabsAreCounted(t *testing.T) {
	for _, lines := range [][]markdown.Line{folded(0, "a\tb\tc", 4), wrapped(0, "a\tb\tc", 4)} {
		for _, l := range lines {
			if drawn := term.Width(painter{}.line(l)); drawn > 4 {
				t.Errorf("%q is %d wide", l.Text(), drawn)
			}
		}
	}
	c := newCall(agent.CallEvent{ID: "1", Tool: "t"})
	c.answered(&agent.ResultEvent{ID: "1", Tool: "t", Result: tool.Result{Text: "a\tb", Failed: true}})
	for _, l := range c.draw(4, false) {
		if drawn, counted := term.Width(painter{}.line(l)), l.Width(); drawn != counted {
			t.Errorf("%q is %d wide, not %d", l.Text(), drawn, counted)
		}
	}
}

// A long answer in small bites, and a long conversation, stay whole.
func TestBigTranscript(t *testing.T) {
	b := newBench(t, 100, 30, Options{})
	for i := range 200 {
		b.events(agent.Event{Notice: strings.Repeat("old ", i%30)})
	}
	bite := "Some words of a long answer, 天气 included. "
	for i := range (1 << 20) / len(bite) {
		text := bite
		if i%20 == 19 {
			text += "\n\n"
		}
		b.feed.add(agent.Event{Text: text})
		if i%50 == 0 {
			b.send(eventsMsg{})
			b.View()
		}
	}
	b.events(agent.Event{Text: "The end."})
	b.shows("The end.")
	b.keys("ctrl+home")
	b.shows("! old")
	b.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	b.keys("ctrl+end")
	b.shows("The end.")
}

func FuzzShortArguments(f *testing.F) {
	for _, s := range []string{`{"command":"ls"}`, `{"a":1,"b":[1,{"c":"d"}],"e":null}`, `{`, ``, `[1]`, `{"a":`, hostile, `{"a":"` + strings.Repeat("x", 500) + `"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := shortArguments(s)
		safe(t, got)
		if w := term.Width(got); w > mostArguments*(2*longestArgument+2) || strings.Contains(got, "\n") {
			t.Errorf("%q: %d columns: %q", s, w, got)
		}
	})
}

func FuzzExact(f *testing.F) {
	f.Add(hostile)
	f.Add("plain 天气 👩‍💻")
	f.Fuzz(func(t *testing.T, s string) {
		got := term.Exact(s)
		if clean := term.CleanLines(got); clean != got {
			t.Errorf("exact(%q) = %q, of which %q is seen", s, got, clean)
		}
		if strings.Count(got, "") < strings.Count(s, "") {
			t.Errorf("exact(%q) = %q is shorter", s, got)
		}
	})
}
