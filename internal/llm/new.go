package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Options are what a model works with. The zero value is for everyday use.
type Options struct {
	// HTTP makes the requests; nil is a client without a proxy. Redirects are never
	// followed.
	HTTP *http.Client
	// Sleep waits between attempts; nil waits for real.
	Sleep func(ctx context.Context, d time.Duration) error
	// Attempts is how often a request is made at most; 0 is 4.
	Attempts int
	// Jitter, from 0 to 1, is how much less is waited; nil is random.
	Jitter func() float64
	// Offline is what the offline model works with.
	Offline OfflineOptions
}

// New returns the model of a choice. It makes no request.
func New(c Choice, opt Options) (Model, error) {
	if c.Provider == offlineProtocol {
		return NewOffline(opt.Offline), nil
	}
	by, ok := providerNamed(c.by)
	if !ok {
		return nil, unknownProvider(c.Provider)
	}
	if opt.Sleep == nil {
		opt.Sleep = sleep
	}
	if opt.Attempts <= 0 {
		opt.Attempts = usualAttempts
	}
	if opt.Jitter == nil {
		opt.Jitter = rand.Float64
	}
	window, _ := windowOf(c.Model)
	m := &client{
		info: Info{Provider: c.Provider, Model: c.Model, BaseURL: c.BaseURL, Context: window},
		by:   by, key: c.key, opt: opt,
	}
	out := newDoor(opt.HTTP)
	if c.Provider == anthropicProtocol {
		m.attempt = newAnthropic(c, out)
	} else {
		m.attempt = newOpenAI(c, by, out)
	}
	return m, nil
}

// Check asks a model for as little as there is, to see that it answers.
func Check(ctx context.Context, m Model) error {
	_, err := m.Ask(ctx, Request{Messages: []Message{{Role: User, Text: "ping"}}, MaxTokens: 1}, nil)
	var e *Error
	if errors.As(err, &e) && e.Kind == BadRequest && strings.Contains(e.Message, "model output limit was reached") {
		return nil // it thought for longer than it may answer, so it is there
	}
	return err
}

// attempt makes one request. What comes goes to the answer as it comes; an error
// leaves there what came before. The request is tidy.
type attempt func(ctx context.Context, req Request, n names, a *incoming) error

// incoming is an answer that is coming in.
type incoming struct {
	Answer
	on    func(Event)
	shown bool // the user has seen something of it
	said  strings.Builder
}

func (in *incoming) text(s string) {
	if s != "" {
		in.said.WriteString(s)
		in.show(Event{Text: s})
	}
}

// reasoning shows a thought; what is kept of it is for the protocol to say.
func (in *incoming) reasoning(s string) {
	if s != "" {
		in.show(Event{Reasoning: s})
	}
}

func (in *incoming) call(c Call) {
	in.Message.Calls = append(in.Message.Calls, c)
	in.show(Event{Call: &c})
}

func (in *incoming) show(e Event) {
	if in.on != nil {
		in.shown = true
		in.on(e)
	}
}

// client is a model at the other end of a network.
type client struct {
	info    Info
	by      provider
	key     *string
	opt     Options
	attempt attempt
}

func (c *client) Info() Info { return c.info }

// Ask tries until there is an answer, the user has seen a part of one, or trying
// again cannot help.
func (c *client) Ask(ctx context.Context, req Request, on func(Event)) (Answer, error) {
	req.Messages = ready(req.Messages)
	n := namesOf(req.Tools, req.Messages)
	for try := 1; ; try++ {
		in := &incoming{on: on}
		in.Message.Role = Assistant
		err := c.attempt(ctx, req, n, in)
		in.Message.Text = in.said.String()
		if err == nil {
			if len(in.Message.Calls) > 0 && in.Stop == Done {
				in.Stop = WantCalls // not every server says so
			}
			return in.Answer, nil
		}
		in.Stop = Broken
		if ctx.Err() != nil {
			return in.Answer, ctx.Err()
		}
		t := c.explain(err)
		if in.shown {
			t.Kind, t.Message, t.Hint = CutOff, "the answer was cut off: "+t.Message, c.hint(CutOff)
			return in.Answer, &t.Error
		}
		wait, asked := retryAfter(t.head)
		if asked && wait > longestAsked {
			t.again = false
			t.Hint = "the server asks to wait for " + wait.Round(time.Second).String() + "; " + t.Hint
		}
		if !t.again || try >= c.opt.Attempts {
			return in.Answer, &t.Error
		}
		if !asked {
			wait = backoff(try, c.opt.Jitter())
		}
		if on != nil {
			on(Event{Retry: &Retry{Attempt: try + 1, After: wait, Why: t.Message}})
		}
		if err := c.opt.Sleep(ctx, wait); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return in.Answer, err
		}
	}
}
