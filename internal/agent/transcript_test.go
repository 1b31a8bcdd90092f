package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/llm/llmtest"
	"github.com/knackhq/knack/tool"
)

// Whole conversations over HTTP, in both protocols. What the server expects and
// answers is in the files, as llmtest has it; what stands before them is what the
// user does and sees:
//
//	context: N       what the model can read
//	say: TEXT        one turn; "say:" alone goes on
//	interrupt: TEXT  the next turn ends at the first event that begins so
//	end: WORD        how the last turn ended
//	fails: TEXT      its error says so
//	told: TEXT       an event of it that begins so, after the ones before
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, protocol := range []string{"anthropic", "openai"} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+protocol, func(t *testing.T) { playTranscript(t, string(data), protocol) })
		}
	}
}

func playTranscript(t *testing.T, script, protocol string) {
	server := llmtest.Start(t, script)
	none := func(string) (string, bool) { return "", false }
	choice, err := llm.Choose(llm.Settings{Provider: protocol, Model: "scripted", BaseURL: server.URL, Key: "the-key-of-the-server"}, none)
	if err != nil {
		t.Fatal(err)
	}
	m, err := llm.New(choice, llm.Options{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Jitter: func() float64 { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, machine: newMachine(t), ctx: t.Context()}
	p.machine.more = transcriptTools()
	store := p.machine.store()
	if p.record, err = store.New(agent.Conversation{}); err != nil {
		t.Fatal(err)
	}
	p.opt = agent.Options{Session: p.machine.session(), Model: m, Base: "You are tested.", Record: p.record}
	for line := range strings.Lines(string(txtar.Parse([]byte(script)).Comment)) {
		verb, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && !strings.HasPrefix(line, "#") {
			p.do(verb, strings.TrimSpace(value))
		}
	}
	// What the record has is what the model was told.
	if err := errors.Join(valid(p.agent.Messages()), p.record.Close()); err != nil {
		t.Error(err)
	}
	_, state, err := store.Open("")
	if err != nil || fmt.Sprintf("%+v", state.Messages) != fmt.Sprintf("%+v", p.agent.Messages()) {
		t.Errorf("%v\n%+v\n%+v", err, state.Messages, p.agent.Messages())
	}
}

// transcriptTools are what the scripts call: three calls of barrier answer once all
// of them are there.
func transcriptTools() []tool.Tool {
	var mu sync.Mutex
	inside, met := 0, make(chan struct{})
	barrier := func(ctx context.Context, arguments string) (tool.Result, error) {
		mu.Lock()
		if inside++; inside == 3 {
			close(met)
		}
		mu.Unlock()
		select {
		case <-met:
			return tool.Result{Text: "met at " + arguments}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	}
	return []tool.Tool{
		testTool{name: "barrier", effects: tool.Effects{Read: true}, run: barrier}, returning("lookup", long("found")),
		testTool{name: "writer", effects: tool.Effects{Write: true}, run: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: "wrote"}, nil }},
	}
}

// player does what a transcript says.
type player struct {
	t       *testing.T
	machine *machine
	ctx     context.Context
	opt     agent.Options
	record  *agent.Record
	agent   *agent.Agent

	interrupt string
	turn      agent.Turn
	err       error
	told      []string
}

func (p *player) do(verb, value string) {
	p.t.Helper()
	switch verb {
	case "context":
		n, err := strconv.Atoi(value)
		if err != nil {
			p.t.Fatal(err)
		}
		p.opt.Context = n
	case "interrupt":
		p.interrupt = value
	case "say":
		p.say(value)
	case "end":
		if p.turn.End != value {
			p.t.Errorf("the turn ended %s, %v, want %s", p.turn.End, p.err, value)
		}
		if value != agent.EndFailed && p.err != nil {
			p.t.Error(p.err)
		}
	case "fails":
		if p.err == nil || !strings.Contains(p.err.Error(), value) {
			p.t.Errorf("error %v, want %q", p.err, value)
		}
	case "told":
		for i, s := range p.told {
			if strings.HasPrefix(s, value) {
				p.told = p.told[i+1:]
				return
			}
		}
		p.t.Errorf("%q is not in %.200q", value, p.told)
	default:
		p.t.Fatalf("there is no %q", verb)
	}
}

func (p *player) say(text string) {
	if p.agent == nil {
		p.agent = agent.New(p.opt)
	}
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute) // if the server never ends
	defer cancel()
	var e events
	p.turn, p.err = p.agent.Send(ctx, text, func(x agent.Event) {
		e.on(x)
		if told := e.told(); p.interrupt != "" && len(told) > 0 && strings.HasPrefix(told[len(told)-1], p.interrupt) {
			cancel()
		}
	})
	p.told, p.interrupt = e.told(), ""
}
