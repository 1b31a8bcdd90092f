package llm

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/wording"
)

// longestMessage keeps what a server says to a few lines of a terminal.
const longestMessage = 300

// errCut is a stream that ends before the answer does.
var errCut = errors.New("the connection was closed before the end of the answer")

// errGarbage is a stream of something else.
var errGarbage = errors.New("what came is not an answer in this protocol")

// trouble is what one attempt failed with.
type trouble struct {
	Error
	again bool        // trying again can help
	head  http.Header // of the answer; nil if there was none
}

// explain finds out what an error means.
func (c *client) explain(err error) trouble {
	t := trouble{}
	var f *failure
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &f):
		said, words := saidBy(f.body)
		t.Kind, t.again = judge(f.status, words)
		t.Status, t.head = f.status, f.header
		t.Message = c.clean(said)
		if f.status == http.StatusOK || f.status >= 300 && f.status < 400 {
			t.Kind, t.again = BadRequest, false
		}
		if t.Message == "" {
			t.Message = "the server answered " + strings.ToLower(http.StatusText(f.status))
		}
		if retry := f.header.Get("X-Should-Retry"); retry == "true" || retry == "false" {
			t.again = retry == "true"
		}
	case errors.Is(err, errCut):
		t.Kind, t.again, t.Message = CutOff, true, errCut.Error()
	case errors.Is(err, errGarbage), errors.Is(err, errTooMuch):
		t.Kind, t.Message = BadRequest, c.clean(err.Error())
	case errors.Is(err, errSilent):
		t.Kind, t.Message = Unreachable, errSilent.Error()
	case errors.As(err, &cert):
		t.Kind, t.Message = Unreachable, "the certificate of "+c.host()+" is not trusted: "+c.clean(cert.Err.Error())
	default:
		// The address in it may be long, and is known.
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		t.Kind, t.again, t.Message = Unreachable, true, "cannot reach "+c.host()+": "+c.clean(err.Error())
	}
	t.Hint = c.hint(t.Kind)
	return t
}

// judge says what kind of failure a status is, with the words of the server in
// lower case, and whether trying again can help.
func judge(status int, words string) (Kind, bool) {
	for _, r := range rulings {
		if r.status != 0 && r.status != status {
			continue
		}
		if len(r.words) == 0 {
			return r.kind, againStatus[status]
		}
		for _, w := range r.words {
			if strings.Contains(words, w) {
				return r.kind, false
			}
		}
	}
	if status >= 500 {
		return Overloaded, againStatus[status]
	}
	return BadRequest, againStatus[status]
}

// rulings are tried in order. One with words needs one of them, for many servers
// call everything a bad request; no second attempt changes what they complain of.
var rulings = []struct {
	status int
	words  []string
	kind   Kind
}{
	{status: 401, kind: BadKey},
	{status: 402, kind: BadKey},
	{status: 403, kind: BadKey},
	{status: 413, kind: PromptSize},
	{status: 429, words: []string{"insufficient_quota", "exceeded your current quota"}, kind: RateLimited},
	{status: 429, kind: RateLimited},
	{status: 400, words: []string{"api key not valid", "invalid api key", "invalid_api_key", "api_key_invalid", "credit balance"}, kind: BadKey},
	{words: []string{
		"context_length_exceeded", "context length", "context window", "context size", "context limit", "prompt is too long",
		"too many tokens", "input is too long", "input length", "reduce the length", "exceeds the maximum number of tokens",
	}, kind: PromptSize},
	{words: []string{"model_not_found", "not_found_error", "model not found", "no such model", "unknown model", "not a valid model", "invalid model"}, kind: NoModel},
	{status: 404, kind: NoModel},
	{status: 408, kind: Overloaded},
	{status: 409, kind: Overloaded},
}

// saidBy finds the message in what a server answered, and all its words in lower
// case. Servers have their own ideas of how to say it.
func saidBy(body []byte) (message, words string) {
	words = strings.ToLower(string(body))
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var plain string
	for range 3 { // {"error": {"error": {"message": …}}} is the deepest there is
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil {
			break
		}
		body = nil
		for _, key := range []string{"error", "message", "detail"} {
			if v := fields[key]; v != nil && string(v) != "null" {
				body = v
				break
			}
		}
		if json.Unmarshal(body, &plain) == nil {
			return plain, words
		}
	}
	if bytes.HasPrefix(body, []byte("<")) {
		return "the server answered with a page for browsers", words
	}
	return string(body), words
}

// clean makes a stranger's message fit to be shown: one line of what can be seen,
// not endless, and without the key.
func (c *client) clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = c.redact(strings.Join(strings.Fields(s), " "))
	if runes := []rune(s); len(runes) > longestMessage {
		s = string(runes[:longestMessage]) + "…"
	}
	return s
}

// shortestKey is what can be a secret: servers on one's own machine are given
// words such as "none".
const shortestKey = 8

func (c *client) redact(s string) string {
	if c.key == nil || len(*c.key) < shortestKey {
		return s
	}
	for _, form := range []string{*c.key, url.QueryEscape(*c.key)} {
		s = strings.ReplaceAll(s, form, "[key]")
	}
	return s
}

func (c *client) host() string {
	u, err := url.Parse(c.info.BaseURL)
	if err != nil {
		return "the server"
	}
	return wording.Name(u.Host)
}

// hint says what the user can do.
func (c *client) hint(k Kind) string {
	switch k {
	case BadKey:
		return keyHint(c.by, false)
	case NoModel:
		return "choose another with `knack config set llm.name NAME` or --model, or correct llm.base_url; `knack doctor` tests it"
	case RateLimited:
		return "wait a while, or look at the limits and the credit of your account"
	case Overloaded:
		return "try again in a while; `knack doctor` tests whether the server answers"
	case PromptSize:
		return "begin a new conversation, or choose a model that reads more with `knack config set llm.name NAME`"
	case BadRequest:
		return "see that llm.base_url is that of a server which speaks the protocol of " + c.info.Provider + ", and that the model can use tools; `knack doctor` tests it"
	case Unreachable:
		return "see that the server runs and llm.base_url is right (now " + wording.Name(c.info.BaseURL) + "); `knack doctor` tests it"
	case CutOff:
		return "ask again, or tell it to go on"
	}
	return "`knack doctor` tests it"
}
