// Package web has the tools that make requests: web_fetch reads pages as text,
// http_request makes any request, web_search asks a search engine that the user
// configured, and [Skill] makes the tools of kind http that skills bring along.
//
// All of them go out through internal/egress and keep to the terms of their call:
// only hosts that the terms name, or any public one where these say so. A host
// that is refused is named together with the command that grants it. The search
// engine is the user's own choice and is reached whatever the terms say.
//
// # Tools of skills
//
// Scheme, host, port and method are the author's. Declared arguments fill the
// {{name}}s of the address, each staying within its part of the path or its value
// of the query, whatever is in it. Those that the address does not mention become
// query values, or a JSON object where the method has a body; instead of that
// object, a body can be given, which is sent as it is. What comes back with a
// status of 400 or above is a failure.
//
// # Answers
//
// Answers are text without control characters, cut to a limit with head and tail
// kept. What is not text is only told of: its type and its size.
package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// Options are what all tools of this package share.
type Options struct {
	// Timeout is for one call; zero is [egress.DefaultTimeout].
	Timeout time.Duration
	// MaxBytes is what one call takes of a body, and answers at most; zero is
	// [egress.DefaultMaxBytes].
	MaxBytes int64
	// Search is the search engine; nil is none.
	Search *SearchOptions
	// Hint is the way out when a host is refused to a built-in tool; nil names the
	// command that grants it to a skill.
	Hint func(toolName, host string) string

	// Resolver and Dial are those of [egress.Guard]; nil is the system's.
	Resolver egress.Resolver
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// Tools are web_fetch, http_request, and web_search where there is a search
// engine.
func Tools(o Options) []tool.Tool {
	tools := []tool.Tool{fetch(o), request(o)}
	if search := search(o); search != nil {
		tools = append(tools, search)
	}
	return tools
}

// requester is a tool that makes one request for a call.
type requester struct {
	Options
	spec tool.Spec
	// prepare makes the call of its arguments; an error says what is wrong with
	// them.
	prepare func(arguments json.RawMessage) (call, error)
	// configured are hosts that are reached whatever the terms say.
	configured []string
	// limit is how much of the text is kept; zero is as much as of the body.
	limit int
}

// call is one request, and what is made of its answer.
type call struct {
	egress.Request
	answer func(r *egress.Response) (text string, failed bool)
	// content is what of the request the caller has a say in, besides its address.
	content string
}

// Spec describes the tool.
func (t *requester) Spec() tool.Spec { return t.spec }

// Plan tells the request.
func (t *requester) Plan(_ context.Context, arguments json.RawMessage) (tool.Plan, error) {
	c, err := t.prepared(arguments)
	if err != nil {
		return tool.Plan{}, err
	}
	return tool.Plan{Subject: c.URL, Request: c.Method + " " + c.URL, Content: c.content}, nil
}

// prepared is the call, with its address in the form in which it is sent.
func (t *requester) prepared(arguments json.RawMessage) (call, error) {
	c, err := t.prepare(arguments)
	if err != nil {
		return c, err
	}
	u, err := egress.ParseURL(c.URL)
	if err != nil {
		return c, err
	}
	c.URL = u.String()
	return c, nil
}

// Run makes the request.
func (t *requester) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	c, err := t.prepared(arguments)
	if err != nil {
		return failure(err), nil
	}
	client := egress.Client{Guard: t.guard(tool.TermsOf(ctx)), Timeout: t.Timeout, MaxBytes: t.MaxBytes}
	answer, err := client.Do(ctx, c.Request)
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case err != nil:
		return failure(err), nil
	}
	notice := ""
	if answer.Cut {
		notice = fmt.Sprintf("\n[… the answer is longer than the %d bytes that are taken …]\n", len(answer.Body))
		answer.Body = wholeRunes(answer.Body)
	}
	text, failed := c.answer(answer)
	text, cut := output.Cut(text, t.textLimit())
	return tool.Result{Text: text + notice, Failed: failed, Cut: cut || answer.Cut}, nil
}

// wholeRunes is a body that was cut, without the beginning of a character.
func wholeRunes(body []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(body); i++ {
		if tail := body[len(body)-i:]; utf8.RuneStart(tail[0]) && !utf8.FullRune(tail) {
			return body[:len(body)-i]
		}
	}
	return body
}

func (t *requester) textLimit() int {
	switch {
	case t.limit > 0:
		return t.limit
	case t.MaxBytes > 0:
		return int(t.MaxBytes)
	}
	return output.DefaultLimit
}

func (t *requester) guard(terms tool.Terms) egress.Guard {
	return egress.Guard{
		Hosts: terms.Hosts, Anywhere: terms.Anywhere, Configured: t.configured, Resolver: t.Resolver, Dial: t.Dial,
		Hint: func(host string) string {
			if t.Hint != nil && t.spec.Skill == "" {
				return t.Hint(t.spec.Name, host)
			}
			skill := "SKILL"
			if t.spec.Skill != "" {
				skill = wording.ShellWord(t.spec.Skill)
			}
			return fmt.Sprintf("to allow it: knack grant %s %s --net %s", skill, wording.ShellWord(t.spec.Name), wording.ShellWord(host))
		},
	}
}

func failure(err error) tool.Result {
	text, cut := output.Cut(err.Error(), output.DefaultLimit)
	return tool.Result{Text: text, Failed: true, Cut: cut}
}
