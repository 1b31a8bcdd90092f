package chat

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// fakeAgent answers with what its function does.
type fakeAgent func(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error)

func (f fakeAgent) Send(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error) {
	return f(ctx, text, on)
}

// held is an agent that answers when the test lets it.
type held struct {
	mu   sync.Mutex
	sent []string
	end  chan agent.Turn
	err  error
}

func newHeld() *held { return &held{end: make(chan agent.Turn, 10)} }

func (h *held) Send(ctx context.Context, text string, _ func(agent.Event)) (agent.Turn, error) {
	h.mu.Lock()
	h.sent = append(h.sent, text)
	h.mu.Unlock()
	select {
	case turn := <-h.end:
		return turn, h.err
	case <-ctx.Done():
		return agent.Turn{End: agent.EndInterrupted}, ctx.Err()
	}
}

func (h *held) heard() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.sent...)
}

// clock is one that the test moves.
type clock struct{ now time.Time }

// failer is a test, of this kind or the other.
type failer interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// bench is a screen without a terminal.
type bench struct {
	t failer
	*screen
	clock *clock
	msgs  chan tea.Msg
	quit  bool
	print []string
}

func newBench(t failer, width, height int, opt Options) *bench {
	t.Helper()
	b := &bench{t: t, clock: &clock{time.Unix(1e9, 0)}, msgs: make(chan tea.Msg, 1000)}
	opt.Now = func() time.Time { return b.clock.now }
	if opt.Agent == nil {
		opt.Agent = newHeld()
	}
	if opt.Model == "" {
		opt.Model, opt.Workspace = "offline", "~/work"
	}
	b.screen = newScreen(context.Background(), New(opt).opt)
	b.send(tea.WindowSizeMsg{Width: width, Height: height})
	return b
}

// send gives the screen a message and starts what it wants done.
func (b *bench) send(msgs ...tea.Msg) {
	b.t.Helper()
	for _, msg := range msgs {
		_, cmd := b.Update(msg)
		b.start(cmd)
	}
}

func (b *bench) start(cmd tea.Cmd) {
	if cmd != nil {
		go func() { b.deliver(cmd()) }()
	}
}

func (b *bench) deliver(msg tea.Msg) {
	// Sequences have no exported type.
	if v := reflect.ValueOf(msg); msg != nil && v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		_, batch := msg.(tea.BatchMsg)
		for i := range v.Len() {
			cmd, _ := v.Index(i).Interface().(tea.Cmd)
			switch {
			case cmd == nil:
			case batch:
				b.start(cmd)
			default:
				b.deliver(cmd())
			}
		}
		return
	}
	b.msgs <- msg
}

// until lets messages come until something is so.
func (b *bench) until(what string, so func() bool) {
	b.t.Helper()
	timeout := time.After(10 * time.Second)
	for !so() {
		select {
		case msg := <-b.msgs:
			if _, ok := msg.(tea.QuitMsg); ok {
				b.quit = true
				continue
			}
			if v := reflect.ValueOf(msg); msg != nil && v.Kind() == reflect.Struct && v.NumField() == 1 && v.Type().Field(0).Name == "messageBody" {
				b.print = append(b.print, v.Field(0).String())
			}
			b.send(msg)
		case <-timeout:
			b.t.Fatalf("never happened: %s\n%s", what, b.text())
		}
	}
}

func (b *bench) idle() { b.t.Helper(); b.until("idle", func() bool { return b.turn == nil }) }

func (b *bench) events(events ...agent.Event) {
	for _, e := range events {
		b.feed.add(e)
	}
	b.send(eventsMsg{})
}

// keys presses keys: names, or text to type.
func (b *bench) keys(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.send(key(k))
	}
}

// typed types text, one character at a time.
func (b *bench) typed(text string) {
	for _, r := range text {
		b.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var named = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "space": {Code: ' ', Text: " "},
	"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
}

func key(name string) tea.KeyPressMsg {
	if k, ok := named[name]; ok {
		return k
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// text is the screen without its colours, checked for what must never be on it.
func (b *bench) text() string {
	b.t.Helper()
	plain := sgr.ReplaceAllString(b.View().Content, "")
	safe(b.t, plain)
	lines := strings.Split(plain, "\n")
	if len(lines) > max(b.height, 1) {
		b.t.Errorf("%d lines on a screen of %d", len(lines), b.height)
	}
	for i, l := range lines {
		if w := term.Width(l); w > b.width {
			b.t.Errorf("line %d is %d wide, the screen %d: %q", i, w, b.width, l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func safe(t failer, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("%U is on the screen: %q", r, text)
			return
		}
	}
}

func (b *bench) shows(texts ...string) {
	b.t.Helper()
	screen := b.text()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			b.t.Errorf("%q is not on the screen:\n%s", text, screen)
		}
	}
}

func (b *bench) hides(texts ...string) {
	b.t.Helper()
	screen := b.text()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			b.t.Errorf("%q is on the screen:\n%s", text, screen)
		}
	}
}

func question() knack.Question {
	return knack.Question{
		Tool: tool.Spec{Name: "skill_weather_now"}, Caller: knack.CalledByModel, Skill: "weather", Active: []string{"weather"},
		Plan: tool.Plan{
			Command: "curl -s https://weather.example.com/now | jq .temperature", Dir: "/home/me/skills/weather", Write: []string{"/tmp/private"}, Env: []string{"WEATHER_KEY"},
			Sandbox: &tool.Sandbox{Layer: "namespaces", Files: "its own folder", Network: "weather.example.com", Processes: "its own", Weak: []string{"no memory limit"}},
		},
		Hosts: []string{"weather.example.com"}, Why: "the skill holds no grant for it",
		Choices: []knack.Consent{knack.Once, knack.ForSession, knack.ByGrant},
		Grants:  map[string]knack.Grant{"weather": {Tool: "skill_weather_now", Net: []string{"weather.example.com"}}},
	}
}
