package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// watched is a test that is expected to fail.
type watched struct {
	testing.TB
	failed []string
}

func (w *watched) Errorf(format string, args ...any) {
	w.failed = append(w.failed, fmt.Sprintf(format, args...))
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "k")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func TestBothProtocolsOfOneAnswer(t *testing.T) {
	script := `
-- 1.request --
{"b": [1, "x"], "a": "two\nlines"}
-- 1.request.contains --
"a":"two\nlines"
two
-- 1.request.lacks --
three
-- 1.request.headers --
X-Api-Key: k
Authorization:
-- 1.answer --
reasoning: hm
text: "Hello\n"
call: weather {"city":"Bern"}
usage: 12 7 2
`
	for path, want := range map[string][]string{
		"/v1/messages":         {"event: message_start", `"thinking":"hm"`, `"text":"Hello\n"`, `toolu_1_1`, `"stop_reason":"tool_use"`, `"cache_read_input_tokens":2`},
		"/v1/chat/completions": {`"reasoning_content":"hm"`, `"content":"Hello\n"`, `call_1_1`, `"finish_reason":"tool_calls"`, `"cached_tokens":2`, "data: [DONE]"},
	} {
		status, body := post(t, Serve(t, script)+path, `{"a":"two\nlines","b":[1,"x"]}`)
		for _, w := range want {
			if status != 200 || !strings.Contains(body, w) {
				t.Errorf("%s: %d, no %s in\n%s", path, status, w, body)
			}
		}
	}
}

func TestWhatIsNotAsExpectedFails(t *testing.T) {
	for name, c := range map[string]struct{ expect, want string }{
		"request":          {`{"a":2}`, "another one"},
		"request.contains": {"nowhere", "nowhere is not in"},
		"request.lacks":    {"one", "one is in"},
		"request.headers":  {"X-Api-Key:", `the header X-Api-Key is "k", not ""`},
	} {
		w := &watched{TB: t}
		post(t, Serve(w, "-- 1."+name+" --\n"+c.expect+"\n-- 1.answer --\ntext: x\n")+"/messages", `{"a":"one"}`)
		if len(w.failed) != 1 || !strings.Contains(w.failed[0], c.want) {
			t.Errorf("%s: %q", name, w.failed)
		}
	}
	w := &watched{TB: t}
	url := Serve(w, "-- 1.answer --\ntext: x\n") + "/messages"
	post(t, url, `{}`)
	if status, _ := post(t, url, `{}`); status != 400 || len(w.failed) != 1 || !strings.Contains(w.failed[0], "not in the script") {
		t.Errorf("a request too many: %d %q", status, w.failed)
	}
}

func TestRequestsThatAreNotMadeFail(t *testing.T) {
	w := &watched{}
	t.Run("inner", func(t *testing.T) {
		w.TB = t
		Serve(w, "-- 1.answer --\ntext: x\n")
	})
	if len(w.failed) != 1 || !strings.Contains(w.failed[0], "0 were made") {
		t.Errorf("%q", w.failed)
	}
}

func TestScriptsThatMakeNoSense(t *testing.T) {
	for script, want := range map[string]string{
		"-- x.answer --\n":                     "number of a request",
		"-- 0.answer --\n":                     "number of a request",
		"-- 1.reply --\n":                      "must end in one of",
		"-- 1.request --\n":                    "needs an answer or a response",
		"-- 1.answer --\n-- 1.response --\n":   "and not both",
		"-- 1.answer --\n-- 3.answer --\n":     "number of a request",
		"-- 1.answer --\n-- 1.request.body --": "must end in one of",
	} {
		if _, err := parse(txtar.Parse([]byte(script))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", script, err)
		}
	}
	for _, line := range []string{"say: x", `text: "x`, "usage: many"} {
		if _, err := write(1, line, messages); err == nil {
			t.Errorf("%s is taken", line)
		}
	}
}

func TestHeads(t *testing.T) {
	status, body := post(t, Serve(t, "-- 1.response.head --\n429\nRetry-After: 2\n-- 1.response --\n{}\n")+"/messages", `{}`)
	if status != 429 || body != "{}\n" {
		t.Errorf("%d %q", status, body)
	}
}
