package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/llm/llmtest"
)

var protocols = []string{"anthropic", "openai"}

var hello = llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hello"}}}

func TestErrorsOfEachKind(t *testing.T) {
	for _, c := range []struct {
		provider string
		status   int
		body     string
		kind     llm.Kind
		message  string
		hint     string
	}{
		{"anthropic", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, llm.BadKey, "invalid x-api-key", "ANTHROPIC_API_KEY"},
		{"anthropic", 403, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, llm.BadKey, "no", "knack config set llm.api_key"},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, llm.BadKey, "Your credit balance", "llm.api_key"},
		{"anthropic", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-test"}}`, llm.NoModel, "model: claude-test", "llm.name"},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, llm.PromptSize, "prompt is too long", "new conversation"},
		{"anthropic", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, llm.PromptSize, "Request exceeds", "new conversation"},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages: odd"}}`, llm.BadRequest, "messages: odd", "llm.base_url"},
		{"openai", 401, `{"error":{"message":"Incorrect API key provided: ` + testKey + `.","code":"invalid_api_key"}}`, llm.BadKey, "Incorrect API key provided: [key].", "OPENAI_API_KEY"},
		{"openai", 402, `{"error":{"message":"Insufficient credits","code":402}}`, llm.BadKey, "Insufficient credits", "llm.api_key"},
		{"openai", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llm.BadKey, "API key not valid.", "llm.api_key"},
		{"openai", 404, `{"error":{"message":"The model gpt-test does not exist","code":"model_not_found"}}`, llm.NoModel, "The model gpt-test", "llm.name"},
		{"openai", 404, `{"error":"model 'gpt-test' not found"}`, llm.NoModel, "model 'gpt-test' not found", "knack doctor"},
		{"openai", 404, `404 page not found`, llm.NoModel, "404 page not found", "llm.base_url"},
		{"openai", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`, llm.PromptSize, "This model's maximum", "reads more"},
		{"openai", 400, `{"object":"error","message":"please reduce the length of the messages","code":400}`, llm.PromptSize, "please reduce", "reads more"},
		{"openai", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, llm.RateLimited, "You exceeded", "credit"},
		{"openai", 422, `{"detail":"no"}`, llm.BadRequest, "no", "knack doctor"},
		{"openai", 418, ``, llm.BadRequest, "the server answered i'm a teapot", "knack doctor"},
		{"openai", 302, `moved`, llm.BadRequest, "moved", "llm.base_url"},
		{"openai", 200, `{"error":{"message":"upstream"}}`, llm.BadRequest, "upstream", "llm.base_url"},
		{"anthropic", 200, `<!doctype html><title>Log in</title>`, llm.BadRequest, "a page for browsers", "llm.base_url"},
	} {
		t.Run(fmt.Sprint(c.provider, c.status, c.message), func(t *testing.T) {
			head := fmt.Sprintf("%d\nContent-Type: application/json\nLocation: http://127.0.0.1:1/\n", c.status)
			url := llmtest.Serve(t, "-- 1.response.head --\n"+head+"-- 1.response --\n"+c.body+"\n")
			_, err := modelAt(t, c.provider, url, llm.Options{}).Ask(t.Context(), hello, func(e llm.Event) { t.Errorf("%+v", e) })
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			if e.Kind != c.kind || e.Status != c.status || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%+v", e)
			}
			if strings.Contains(fmt.Sprintf("%+v %v", e, err), testKey) {
				t.Error("the key is shown")
			}
		})
	}
}

// What stays busy is asked as often as allowed, then it is an error of its kind.
func TestAttemptsEnd(t *testing.T) {
	for status, kind := range map[int]llm.Kind{429: llm.RateLimited, 408: llm.Overloaded, 409: llm.Overloaded, 500: llm.Overloaded, 503: llm.Overloaded, 529: llm.Overloaded} {
		var script strings.Builder
		for i := range 3 {
			fmt.Fprintf(&script, "-- %d.response.head --\n%d\n-- %[1]d.response --\n{}\n", i+1, status)
		}
		var slept []time.Duration
		opt := llm.Options{Attempts: 3, Jitter: func() float64 { return 1 }, Sleep: func(_ context.Context, d time.Duration) error {
			slept = append(slept, d)
			return nil
		}}
		_, err := modelAt(t, "openai", llmtest.Serve(t, script.String()), opt).Ask(t.Context(), hello, nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != kind || e.Status != status {
			t.Errorf("%d: %v", status, err)
		}
		if diff := cmp.Diff([]time.Duration{375 * time.Millisecond, 750 * time.Millisecond}, slept); diff != "" {
			t.Errorf("%d: %s", status, diff)
		}
	}
}

// A server may ask for patience, not for a day.
func TestLongWaitsAreTold(t *testing.T) {
	url := llmtest.Serve(t, "-- 1.response.head --\n429\nRetry-After: 3600\n-- 1.response --\n{\"error\":{\"message\":\"slow down\"}}\n")
	_, err := modelAt(t, "anthropic", url, llm.Options{}).Ask(t.Context(), hello, nil)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.RateLimited || !strings.Contains(e.Hint, "1h0m0s") {
		t.Errorf("%+v", err)
	}
}

func TestServersSayWhetherToTryAgain(t *testing.T) {
	url := llmtest.Serve(t, "-- 1.response.head --\n500\nX-Should-Retry: false\n-- 1.response --\n{}\n")
	if _, err := modelAt(t, "anthropic", url, llm.Options{}).Ask(t.Context(), hello, nil); err == nil {
		t.Error("no error")
	}
	url = llmtest.Serve(t, "-- 1.response.head --\n400\nX-Should-Retry: true\n-- 1.response --\n{}\n-- 2.answer --\ntext: x\n")
	if _, err := modelAt(t, "anthropic", url, llm.Options{}).Ask(t.Context(), hello, nil); err != nil {
		t.Error(err)
	}
}

// What comes when a listener is told something is there when it is cancelled.
func TestCancelledInTheMiddle(t *testing.T) {
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.answer --\ntext: Half\n!hang\n")
		ctx, cancel := context.WithCancel(t.Context())
		a, err := modelAt(t, p, url, llm.Options{}).Ask(ctx, hello, func(llm.Event) { cancel() })
		if !errors.Is(err, context.Canceled) || a.Message.Text != "Half" || a.Stop != llm.Broken {
			t.Errorf("%s: %+v %v", p, a, err)
		}
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	for _, opt := range []llm.Options{
		{Sleep: func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return errors.New("woken") }},
		{}, // the real one
	} {
		url := llmtest.Serve(t, "-- 1.response.head --\n429\nRetry-After: 100\n-- 1.response --\n{}\n")
		ctx, cancel := context.WithCancel(t.Context())
		c, err := llm.Choose(llm.Settings{Provider: "openai", BaseURL: url}, func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		m, err := llm.New(c, opt)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Ask(ctx, hello, func(e llm.Event) {
			if e.Retry == nil || e.Retry.After != 100*time.Second {
				t.Errorf("%+v", e)
			}
			cancel()
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestCancelledBeforeTheHead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server hears of the end only then
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	if _, err := modelAt(t, "anthropic", server.URL, llm.Options{}).Ask(ctx, hello, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSlowStreams(t *testing.T) {
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.answer --\ntext: slow\n!sleep 20ms\ntext: ly\n!sleep 20ms\n")
		a, err := modelAt(t, p, url, llm.Options{}).Ask(t.Context(), hello, nil)
		if err != nil || a.Message.Text != "slowly" || a.Stop != llm.Done {
			t.Errorf("%s: %+v %v", p, a, err)
		}
	}
}

// What is no answer is said to be none, and neither fills the memory nor is asked
// for again.
func TestServersThatSendSomethingElse(t *testing.T) {
	for name, response := range map[string]string{
		"an endless line":  "!endless x",
		"an endless event": "event: message_start\n!endless data: {\"a\":1}\n",
		"an endless name":  "data: !endless\n!endless ab",
		"not JSON":         "event: message_start\ndata: {oops\n\n",
		"another JSON":     "event: message_start\ndata: [1,2]\n\n",
	} {
		for _, p := range protocols {
			url := llmtest.Serve(t, "-- 1.response --\n"+response+"\n")
			_, err := modelAt(t, p, url, llm.Options{Attempts: 1}).Ask(t.Context(), hello, func(e llm.Event) { t.Errorf("%+v", e) })
			var e *llm.Error
			if !errors.As(err, &e) || e.Hint == "" || e.Kind != llm.BadRequest && e.Kind != llm.CutOff {
				t.Errorf("%s: %s: %v", p, name, err)
			}
		}
	}
}

func TestGarbageAfterText(t *testing.T) {
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.answer --\ntext: Half\n!endless data: x\n")
		a, err := modelAt(t, p, url, llm.Options{}).Ask(t.Context(), hello, func(llm.Event) {})
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.CutOff || a.Message.Text != "Half" {
			t.Errorf("%s: %+v %v", p, a, err)
		}
	}
}

// Who shows nothing has lost nothing: it is tried again.
func TestCutUnseen(t *testing.T) {
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.answer --\ntext: Half\n!cut\n-- 2.answer --\ntext: Whole\n")
		a, err := modelAt(t, p, url, llm.Options{}).Ask(t.Context(), hello, nil)
		if err != nil || a.Message.Text != "Whole" {
			t.Errorf("%s: %+v %v", p, a, err)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	var retries int
	_, err := modelAt(t, "openai", server.URL, llm.Options{Attempts: 2}).Ask(t.Context(), hello, func(e llm.Event) {
		if e.Retry != nil {
			retries++
		}
	})
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.Unreachable || retries != 1 || !strings.HasPrefix(e.Message, "cannot reach 127.0.0.1:") || !strings.Contains(e.Hint, "llm.base_url") {
		t.Errorf("%+v after %d", err, retries)
	}
}

func TestCertificatesThatNobodyTrusts(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	_, err := modelAt(t, "anthropic", server.URL, llm.Options{}).Ask(t.Context(), hello, func(e llm.Event) { t.Errorf("%+v", e.Retry) })
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.Unreachable || !strings.Contains(e.Message, "certificate") {
		t.Errorf("%v", err)
	}
}

// A redirect would carry the key along.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("followed with %v", r.Header)
	}))
	defer elsewhere.Close()
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.response.head --\n307\nLocation: "+elsewhere.URL+"\n-- 1.response --\nthere\n")
		_, err := modelAt(t, p, url, llm.Options{HTTP: &http.Client{}}).Ask(t.Context(), hello, nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Status != 307 {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// A hostile server can neither steer a terminal nor fill it, nor show the key.
func TestMessagesOfServersAreCleaned(t *testing.T) {
	split := testKey[:5] + `\u200b` + testKey[5:]
	body := `{"error":{"message":"\u001b[31mno\u0007\r\n\u202e ` + split + ` ` + strings.Repeat("é", 1000) + `"}}`
	url := llmtest.Serve(t, "-- 1.response.head --\n400\n-- 1.response --\n"+body+"\n")
	_, err := modelAt(t, "anthropic", url, llm.Options{}).Ask(t.Context(), hello, nil)
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if want := "[31mno [key] " + strings.Repeat("é", 287) + "…"; e.Message != want {
		t.Errorf("%q", e.Message)
	}
}

// The client libraries would take all of these from the environment.
func TestNothingComesFromTheEnvironment(t *testing.T) {
	for k, v := range map[string]string{
		"ANTHROPIC_API_KEY": "wrong", "ANTHROPIC_AUTH_TOKEN": "wrong", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Wrong: 1", "ANTHROPIC_PROFILE": "wrong", "ANTHROPIC_LOG": "debug",
		"OPENAI_API_KEY": "wrong", "OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_ORG_ID": "wrong", "OPENAI_PROJECT_ID": "wrong",
		"OPENAI_CUSTOM_HEADERS": "X-Wrong: 1", "OPENAI_ADMIN_KEY": "wrong", "HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1",
	} {
		t.Setenv(k, v)
	}
	headers := map[string]string{
		"anthropic": "X-Api-Key: " + testKey + "\nAuthorization:\nX-Wrong:\nTraceparent:\n",
		"openai":    "Authorization: Bearer " + testKey + "\nX-Wrong:\nOpenai-Organization:\nOpenai-Project:\n",
	}
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.request.headers --\n"+headers[p]+"-- 1.answer --\ntext: x\n")
		if _, err := modelAt(t, p, url, llm.Options{}).Ask(t.Context(), hello, nil); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestKeysAreSentAsTheyAreMeant(t *testing.T) {
	for _, c := range []struct {
		set     llm.Settings
		env     map[string]string
		headers string
	}{
		{llm.Settings{Provider: "anthropic"}, map[string]string{"ANTHROPIC_AUTH_TOKEN": "token"}, "Authorization: Bearer token\nX-Api-Key:\n"},
		{llm.Settings{Provider: "anthropic"}, map[string]string{"ANTHROPIC_AUTH_TOKEN": "token", "ANTHROPIC_API_KEY": "key"}, "Authorization:\nX-Api-Key: key\n"},
		{llm.Settings{Provider: "openai", Model: "x"}, nil, "Authorization:\n"},
		{llm.Settings{Model: "ollama/x"}, map[string]string{"OPENAI_API_KEY": "not for others"}, "Authorization:\n"},
	} {
		c.set.BaseURL = llmtest.Serve(t, "-- 1.request.headers --\n"+c.headers+"-- 1.answer --\ntext: x\n")
		choice, err := llm.Choose(c.set, func(n string) (string, bool) { v, ok := c.env[n]; return v, ok })
		if err != nil {
			t.Fatal(err)
		}
		m, err := llm.New(choice, llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := llm.Check(t.Context(), m); err != nil {
			t.Error(err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, p := range protocols {
		url := llmtest.Serve(t, "-- 1.request.contains --\nping\n\"max_tokens\":1\n-- 1.answer --\nstop: length\n"+
			"-- 2.response.head --\n400\n-- 2.response --\n{\"error\":{\"message\":\"Could not finish the message because max_tokens or model output limit was reached.\"}}\n"+
			"-- 3.response.head --\n401\n-- 3.response --\n{}\n")
		m := modelAt(t, p, url, llm.Options{})
		for i, ok := range []bool{true, true, false} {
			if err := llm.Check(t.Context(), m); (err == nil) != ok {
				t.Errorf("%s %d: %v", p, i, err)
			}
		}
	}
}

// One model may be asked from several places at once.
func TestAskedSideBySide(t *testing.T) {
	for _, p := range protocols {
		var script strings.Builder
		for i := range 8 {
			fmt.Fprintf(&script, "-- %d.answer --\ntext: yes\ncall: now {}\n", i+1)
		}
		m := modelAt(t, p, llmtest.Serve(t, script.String()), llm.Options{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if a, err := m.Ask(t.Context(), hello, func(llm.Event) {}); err != nil || a.Message.Text != "yes" || a.Stop != llm.WantCalls {
					t.Errorf("%s: %+v %v", p, a, err)
				}
			})
		}
		all.Wait()
	}
}

// A request is not changed by being asked: the caller keeps the conversation.
func TestRequestsStayAsTheyAre(t *testing.T) {
	make := func() llm.Request {
		return llm.Request{Messages: []llm.Message{
			{Role: llm.User, Text: "a"}, {Role: llm.User, Text: "b"},
			{Role: llm.Assistant, Calls: []llm.Call{{ID: "?", Tool: "x y"}, {ID: "?", Tool: "x y"}}},
			{Role: llm.User, Results: []llm.Result{{ID: "?", Text: "1"}, {ID: "lost", Text: "2"}}},
		}}
	}
	for _, p := range protocols {
		req := make()
		url := llmtest.Serve(t, "-- 1.answer --\ntext: x\n")
		if _, err := modelAt(t, p, url, llm.Options{}).Ask(t.Context(), req, nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(make(), req); diff != "" {
			t.Error(diff)
		}
	}
}
