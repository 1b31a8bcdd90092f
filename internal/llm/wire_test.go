package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicsse "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	openaisse "github.com/openai/openai-go/v3/packages/ssestream"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/llm/llmtest"
	"github.com/knackhq/knack/tool"
)

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 02 Jan 2006 15:04:05 GMT"
	for _, c := range []struct {
		header map[string]string
		want   time.Duration
		ok     bool
	}{
		{map[string]string{"Retry-After": "2"}, 2 * time.Second, true},
		{map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond, true},
		{map[string]string{"Retry-After": "9", "Retry-After-Ms": "20"}, 20 * time.Millisecond, true},
		{map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:35 GMT", "Date": date}, 30 * time.Second, true},
		{map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:00:00 GMT", "Date": date}, 0, true},
		{map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:35 GMT"}, 0, false},
		{map[string]string{"Retry-After": "1e300"}, 24 * time.Hour, true},
		{map[string]string{"Retry-After": "Inf"}, 24 * time.Hour, true},
		{map[string]string{"Retry-After": "-1"}, 0, false},
		{map[string]string{"Retry-After": "NaN"}, 0, false},
		{map[string]string{"Retry-After": "soon"}, 0, false},
		{nil, 0, false},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got, ok := retryAfter(h); got != c.want || ok != c.ok {
			t.Errorf("%v: %v %v", c.header, got, ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("3", "Mon, 02 Jan 2006 15:04:05 GMT", "")
	f.Add("Mon, 02 Jan 2006 15:04:05 GMT", "Mon, 02 Jan 2006 15:04:05 GMT", "1e9")
	f.Fuzz(func(t *testing.T, after, date, ms string) {
		if d, ok := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}, "Retry-After-Ms": {ms}}); d < 0 || !ok && d != 0 {
			t.Errorf("%v %v", d, ok)
		}
	})
}

func TestBackoffGrowsAndEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, j := rapid.IntRange(1, 100).Draw(t, "n"), rapid.Float64Range(0, 1).Draw(t, "j")
		if d := backoff(n, j); d < firstWait*3/4 || d > longestWait || backoff(n+1, 0) < backoff(n, 0) {
			t.Fatal(d)
		}
	})
}

// Whatever habit a server has, the calls are those that the model made.
func TestCallsAreAssembledFromAnyHabit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "calls")
		index := rapid.SampledFrom([]string{"own", "zero", "none"}).Draw(t, "index")
		id := rapid.SampledFrom([]string{"first", "each", "none"}).Draw(t, "id")
		name := rapid.SampledFrom([]string{"first", "each"}).Draw(t, "name")
		whole := rapid.Bool().Draw(t, "whole")
		if name == "each" && id == "none" && index != "own" && !whole {
			return // nothing tells one call's arguments from the next one's
		}
		var a assembly
		var want []Call
		for i := range n {
			c := Call{
				ID: fmt.Sprintf("id_%d", i), Tool: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "tool"),
				Arguments: json.RawMessage(fmt.Sprintf(`{"n": %d, "s": %q}`, i, rapid.StringMatching(`[{}a" ]{0,6}`).Draw(t, "s"))),
			}
			pieces := []string{string(c.Arguments)}
			if !whole {
				cut := rapid.IntRange(1, len(c.Arguments)-1).Draw(t, "cut")
				pieces = []string{string(c.Arguments[:cut]), string(c.Arguments[cut:])}
			}
			for j, text := range pieces {
				p := piece{index: map[string]int{"own": i, "none": -1}[index], arguments: text}
				if id == "each" || id == "first" && j == 0 {
					p.id = c.ID
				}
				if name == "each" || j == 0 {
					p.name = c.Tool
				}
				a.add(p)
			}
			if id == "none" {
				c.ID = fmt.Sprintf("call_%d", 7+i+1)
			}
			want = append(want, c)
		}
		if diff := cmp.Diff(want, a.finish(names{}, 7)); diff != "" {
			t.Fatalf("index %s, id %s, name %s, whole %v: %s", index, id, name, whole, diff)
		}
	})
}

func TestCallsWithOneID(t *testing.T) {
	var a assembly
	for i := range 2 {
		a.add(piece{index: i, id: "same", name: "a", arguments: fmt.Sprintf(`{"n":%d}`, i)})
	}
	want := []Call{{ID: "same", Tool: "a", Arguments: json.RawMessage(`{"n":0}`)}, {ID: "call_2", Tool: "a", Arguments: json.RawMessage(`{"n":1}`)}}
	if diff := cmp.Diff(want, a.finish(names{}, 0)); diff != "" {
		t.Error(diff)
	}
}

// Nothing that a model wrote as arguments is lost, and no two calls have one id.
func FuzzAssembly(f *testing.F) {
	f.Add([]byte("0,a,read,{\"x\":\n0,,,1}\n1,b,now,\n"))
	f.Add([]byte("-1,,read,{}\n-1,,read,{}\n0,x,,y\n0,x,read,z"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a assembly
		wrote := 0
		for _, line := range bytes.Split(data, []byte("\n")) {
			parts := strings.SplitN(string(line)+",,,", ",", 4)
			p := piece{index: -1, id: parts[1], name: parts[2], arguments: parts[3]}
			if _, err := fmt.Sscan(parts[0], &p.index); err != nil || p.index < 0 {
				p.index = -1
			}
			wrote += len(p.arguments)
			a.add(p)
		}
		got := 0
		for _, c := range a.calls {
			got += c.arguments.Len()
		}
		if got != wrote {
			t.Errorf("%d bytes of %d", got, wrote)
		}
		seen := map[string]bool{}
		for _, c := range a.finish(names{}, 0) {
			if c.ID == "" || seen[c.ID] || len(c.Arguments) == 0 {
				t.Errorf("%+v", c)
			}
			seen[c.ID] = true
		}
	})
}

// Any bytes in a stream end in an answer or an error.
func FuzzStreams(f *testing.F) {
	f.Add([]byte("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"b\",\"input\":{}}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"))
	f.Add([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\",\"reasoning\":\"y\",\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"n\",\"arguments\":\"{\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	f.Add([]byte("event: error\ndata: {\"error\":{\"code\":\"429\"}}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &http.Response{Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(data))}
		o := &http.Response{Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(data))}
		c := &client{info: Info{BaseURL: "http://x"}}
		for _, read := range []func(*incoming) error{
			func(in *incoming) error {
				return readAnthropic(anthropicsse.NewStream[anthropic.MessageStreamEventUnion](anthropicsse.NewDecoder(a), nil), names{}, in)
			},
			func(in *incoming) error {
				return readOpenAI(openaisse.NewStream[openai.ChatCompletionChunk](openaisse.NewDecoder(o), nil), names{}, 0, in)
			},
		} {
			in := &incoming{on: func(Event) {}}
			if err := read(in); err != nil {
				if e := c.explain(err); e.Kind == "" || e.Message == "" || e.Hint == "" {
					t.Errorf("%v: %+v", err, e)
				}
			}
			if _, err := json.Marshal(in.Message); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzErrorBodies(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"x"}}`, `[{"error":"x"}]`, `{"detail":[1]}`, `<html>`, `{"error":{"error":{"message":7}}}`, ``} {
		f.Add(400, []byte(s))
	}
	key := "sk-secret-key"
	c := &client{key: &key, info: Info{BaseURL: "http://x"}}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := c.explain(&failure{status: status, body: append(body, key...)})
		if e.Kind == "" || e.Message == "" || !utf8.ValidString(e.Message) || utf8.RuneCountInString(e.Message) > longestMessage+1 || strings.Contains(e.Message, key) {
			t.Errorf("%+v", e)
		}
	})
}

func TestSilenceEnds(t *testing.T) {
	url := llmtest.Serve(t, "-- 1.answer --\n!hang\n-- 2.answer --\ntext: Half\n!hang\n")
	c, err := Choose(Settings{Provider: "openai", BaseURL: url}, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	by, _ := providerNamed(c.by)
	out := newDoor(nil)
	out.silence = 30 * time.Millisecond
	m := &client{info: Info{BaseURL: url}, by: by, opt: Options{Attempts: 4, Sleep: sleep}, attempt: newOpenAI(c, by, out)}
	for _, want := range []Kind{Unreachable, CutOff} {
		_, err = m.Ask(t.Context(), Request{}, func(Event) {})
		var e *Error
		if !errors.As(err, &e) || e.Kind != want || !strings.Contains(e.Message, errSilent.Error()) {
			t.Errorf("%+v", err)
		}
	}
}

func TestSleepWakes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := sleep(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
}

// drawMessages are conversations in any disorder.
func drawMessages(t *rapid.T) []Message {
	ids := rapid.SampledFrom([]string{"a", "b", "", "not safe", "call_1", "call_2"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Message {
		m := Message{Role: rapid.SampledFrom([]Role{User, Assistant, "system"}).Draw(t, "role"), Text: rapid.SampledFrom([]string{"", " ", "x"}).Draw(t, "text")}
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			m.Calls = append(m.Calls, Call{ID: ids.Draw(t, "id"), Tool: "t"})
		}
		for range rapid.IntRange(0, 3).Draw(t, "results") {
			m.Results = append(m.Results, Result{ID: ids.Draw(t, "id"), Tool: "t", Text: "r"})
		}
		return m
	}), 0, 8).Draw(t, "messages")
}

func TestTidyConversations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawMessages(t)
		given := fmt.Sprintf("%+v", in)
		tidy, out := Tidy(in), ready(in)
		if fmt.Sprintf("%+v", in) != given {
			t.Fatal("what it was given changed")
		}
		if diff := cmp.Diff(tidy, Tidy(tidy)); diff != "" {
			t.Fatalf("twice changes more: %s", diff)
		}
		if len(out) > len(tidy)+1 || len(tidy) > 0 && !cmp.Equal(tidy, out[:len(tidy)]) {
			t.Fatal(cmp.Diff(tidy, out))
		}
		said := func(messages []Message) (all string) {
			for _, m := range messages {
				all += strings.Join(strings.Fields(strings.ReplaceAll(m.Text, textOfStart, "")), "")
			}
			return all
		}
		if said(in) != said(tidy) {
			t.Fatalf("%q became %q", said(in), said(tidy))
		}
		seen := map[string]bool{}
		for i, m := range out {
			if want := []Role{User, Assistant}[i%2]; m.Role != want {
				t.Fatalf("%d is of %s", i, m.Role)
			}
			if blank(m.Text) && len(m.Calls)+len(m.Results) == 0 {
				t.Fatalf("%d is empty", i)
			}
			for j, c := range m.Calls {
				if seen[c.ID] || !safeName(c.ID) {
					t.Fatalf("the id %q", c.ID)
				}
				seen[c.ID] = true
				if r := out[i+1].Results; len(r) != len(m.Calls) || r[j].ID != c.ID {
					t.Fatalf("%+v of %+v", r, m.Calls)
				}
			}
			if len(m.Results) > 0 && (i == 0 || len(out[i-1].Calls) != len(m.Results)) {
				t.Fatal("results without calls")
			}
		}
		if out[len(out)-1].Role != User {
			t.Fatal("the last word is not the user's")
		}
		// What a server cached of the beginning is there again.
		if whole := ready(append(out[:len(out):len(out)], Message{Role: Assistant, Text: "new"}, Message{Role: User, Text: "next"})); !cmp.Equal(out, whole[:len(out)]) {
			t.Fatal(cmp.Diff(out, whole[:len(out)]))
		}
	})
}

func TestTidyResults(t *testing.T) {
	user := func(text string, results ...Result) Message { return Message{Role: User, Text: text, Results: results} }
	calls := func(ids ...string) (m Message) {
		m.Role = Assistant
		for _, id := range ids {
			m.Calls = append(m.Calls, Call{ID: id, Tool: "t"})
		}
		return m
	}
	result := func(id, text string) Result { return Result{ID: id, Tool: "t", Text: text} }
	cut := func(id string) Result { return Result{ID: id, Tool: "t", Text: textOfNoResult, Failed: true} }
	for name, c := range map[string]struct{ in, want []Message }{
		"results one by one": {
			[]Message{user("x"), calls("1", "2", "3"), user("", result("2", "two")), user("", result("1", "one"))},
			[]Message{user("x"), calls("1", "2", "3"), user("", result("1", "one"), result("2", "two"), cut("3"))},
		},
		"none, and no more": {[]Message{user("x"), calls("1")}, []Message{user("x"), calls("1"), user("", cut("1"))}},
		"no call": {
			[]Message{user("", result("0", "stray")), user("x"), {Role: Assistant, Text: "y"}, user("", result("1", "stray")), calls("2"), user("", result("2", "two"))},
			[]Message{user("x"), {Role: Assistant, Text: "y", Calls: calls("2").Calls}, user("", result("2", "two"))},
		},
		"none": {[]Message{user("x"), calls("1"), user("y")}, []Message{user("x"), calls("1"), user("y", cut("1"))}},
		"one id for all": {
			[]Message{user("x"), calls("1", "1"), user("", result("1", "one"), result("1", "two")), calls("1"), user("", result("1", "three"))},
			[]Message{user("x"), calls("1", "call_2"), user("", result("1", "one"), result("call_2", "two")), calls("call_3"), user("", result("call_3", "three"))},
		},
	} {
		if diff := cmp.Diff(c.want, Tidy(c.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNamesGoThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tools []tool.Spec
		all := map[string]bool{}
		for _, name := range rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab._/]{1,3}`), rapid.StringMatching(`[a.]{60,70}`))).Draw(t, "names") {
			tools = append(tools, tool.Spec{Name: name})
			all[name] = true
		}
		n := namesOf(tools, nil)
		theirs := map[string]bool{}
		for name := range all {
			if !safeName(n.there[name]) || n.ours(n.there[name]) != name {
				t.Fatalf("%q is %q is %q", name, n.there[name], n.ours(n.there[name]))
			}
			if safeName(name) && n.there[name] != name {
				t.Fatalf("%q was fine", name)
			}
			theirs[n.there[name]] = true
		}
		if len(theirs) != len(all) {
			t.Fatal("two became one")
		}
		if n.ours("unheard of!") != "unheard of!" {
			t.Fatal("a name of the model's own is lost")
		}
	})
}

func TestCallsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Call{ID: "a", Tool: "b", Arguments: json.RawMessage(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`{"a":1}`, `null`, `{"a":`, `"x"`, ``})).Draw(t, "arguments"))}
		text, err := json.Marshal(Message{Calls: []Call{c}})
		if err != nil {
			t.Fatal(err)
		}
		var back Message
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		want := c.Arguments
		if json.Valid(want) {
			var compact bytes.Buffer
			if json.Compact(&compact, want) == nil {
				want = compact.Bytes()
			}
		}
		if got := back.Calls[0]; got.ID != "a" || got.Tool != "b" || !bytes.Equal(got.Arguments, want) {
			t.Fatalf("%s became %s", want, got.Arguments)
		}
		if !json.Valid(object(c.Arguments)) || object(c.Arguments)[0] != '{' {
			t.Fatalf("%s", object(c.Arguments))
		}
	})
}

// endless is a server that never stops.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// The client libraries would gather events of any number of lines.
func TestStreamsAreBounded(t *testing.T) {
	for text, most := range map[endless]int64{"x": largestLine, "data: x\n": largestStream} {
		s := &stream{body: io.NopCloser(text), ctx: t.Context(), stop: func() {}, heard: func() {}}
		if n, err := io.Copy(io.Discard, io.LimitReader(s, 2*largestStream)); !errors.Is(err, errTooMuch) || n > most {
			t.Errorf("%q: %d bytes, %v", text, n, err)
		}
	}
}
