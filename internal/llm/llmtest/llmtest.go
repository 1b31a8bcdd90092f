// Package llmtest plays language models from scripts: a real HTTP server that
// holds every request against what was expected and streams what was written
// down, in either protocol. Tests of anything that asks a model use it.
//
//	url := llmtest.Serve(t, `
//	-- 1.request.contains --
//	What is the weather in Bern?
//	-- 1.answer --
//	text: Let me look.
//	call: weather {"city":"Bern"}
//	-- 2.request.contains --
//	12 degrees
//	-- 2.answer --
//	text: It is 12 degrees.
//	`)
//
// # Scripts
//
// A script is a txtar archive. Its files are named for the number of the request,
// counted from 1 in the order of arrival, and what they say about it. What comes
// before the first file is a comment. A request that the script has nothing for,
// and one that was never made, fail the test.
//
// What is expected of a request; each is optional:
//
//	N.request            the whole body as JSON; spaces and the order of keys do not matter
//	N.request.contains   lines that must be in the body
//	N.request.lacks      lines that must not be in it
//	N.request.headers    "Name: value" must be one of the headers, "Name:" must not
//
// A line is in a body if it is part of it as compact JSON with sorted keys, or
// part of one of its strings, as those read without escapes. A string that has
// several lines is looked at as a whole.
//
// What is answered; one of:
//
//	N.answer             in few words, in the protocol of the request
//	N.response           the body as it is sent, by default as server-sent events
//
// and for either
//
//	N.response.head      status and headers: a line "429", then lines "Retry-After: 2"
//
// # Answers
//
// The lines of an answer are sent in their order. A value that begins with a
// quotation mark is a Go string.
//
//	text: some text             one piece of text; the next text line follows it directly
//	reasoning: some thought
//	call: NAME ARGUMENTS        a tool call, its arguments cut in pieces; the M-th of answer N
//	                            has the id toolu_N_M or call_N_M
//	stop: length | declined     why it ends; not needed otherwise
//	usage: INPUT OUTPUT [CACHED]
//
// # Responses
//
// A response is sent event by event, each as soon as it is written. Lines that
// begin with an exclamation mark are not sent, they happen:
//
//	!cut             the connection breaks
//	!hang            nothing comes any more until the client leaves
//	!sleep 5ms       a slow server
//	!endless TEXT    TEXT again and again, without a line end, until the client leaves
//
// They may stand in an answer too.
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Serve plays a script until the end of the test. The address it returns is the
// base URL of either protocol.
func Serve(t testing.TB, script string) (baseURL string) {
	t.Helper()
	return Start(t, script).URL
}

// Start is Serve for tests that look at the requests themselves.
func Start(t testing.TB, script string) *Server {
	t.Helper()
	turns, err := parse(txtar.Parse([]byte(script)))
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, turns: turns}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if n := len(s.Requests()); n < len(turns) {
			t.Errorf("the script has %d requests, %d were made", len(turns), n)
		}
	})
	return s
}

// Server is a model that plays a script.
type Server struct {
	URL string

	t     testing.TB
	turns []turn

	mu       sync.Mutex
	requests [][]byte
}

// Requests are the bodies that have come so far.
func (s *Server) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.requests...)
}

// turn is one request and its answer, the files of one number.
type turn struct {
	number int
	files  map[string]string // by the name behind the number
}

// known are the names of files, behind the number.
var known = []string{
	"request", "request.contains", "request.lacks", "request.headers", "answer", "response", "response.head",
}

func parse(a *txtar.Archive) ([]turn, error) {
	var turns []turn
	for _, f := range a.Files {
		number, name, _ := strings.Cut(f.Name, ".")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(a.Files) {
			return nil, fmt.Errorf("%s: the name must begin with the number of a request", f.Name)
		}
		for len(turns) < n {
			turns = append(turns, turn{number: len(turns) + 1, files: map[string]string{}})
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s: the name must end in one of %s", f.Name, strings.Join(known, ", "))
		}
		turns[n-1].files[name] = string(f.Data)
	}
	for _, t := range turns {
		_, answer := t.files["answer"]
		_, response := t.files["response"]
		if answer == response {
			return nil, fmt.Errorf("request %d needs an answer or a response, and not both", t.number)
		}
	}
	return turns, nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Enough for any conversation of a test.
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		s.t.Errorf("request: %v", err)
		return
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, body)
	s.mu.Unlock()

	if n >= len(s.turns) {
		s.t.Errorf("request %d is not in the script:\n%s", n+1, body)
		http.Error(w, `{"error":{"message":"this request is not in the script"}}`, http.StatusBadRequest)
		return
	}
	speak, ok := protocolOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		s.t.Errorf("request %d is %s %s, of neither protocol", n+1, r.Method, r.URL.Path)
		http.NotFound(w, r)
		return
	}
	t := s.turns[n]
	for _, problem := range t.check(r.Header, body) {
		s.t.Errorf("request %d: %s", t.number, problem)
	}
	text := t.files["response"]
	if script, ok := t.files["answer"]; ok {
		if text, err = write(t.number, script, speak); err != nil {
			s.t.Errorf("answer %d: %v", t.number, err)
		}
	}
	play(w, r, t.files["response.head"], text)
}

// check returns what is wrong with a request.
func (t turn) check(header http.Header, body []byte) []string {
	var problems []string
	plain, all, err := canonical(body)
	if err != nil {
		return []string{fmt.Sprintf("the body is not JSON: %v\n%s", err, body)}
	}
	if want, ok := t.files["request"]; ok {
		wantPlain, _, err := canonical([]byte(want))
		if err != nil {
			return []string{fmt.Sprintf("what is expected is not JSON: %v", err)}
		}
		if diff := cmp.Diff(indented(wantPlain), indented(plain)); diff != "" {
			problems = append(problems, "the body is another one (-want +got):\n"+diff)
		}
	}
	in := func(line string) bool {
		for _, s := range all {
			if strings.Contains(s, line) {
				return true
			}
		}
		return strings.Contains(plain, line)
	}
	for _, line := range lines(t.files["request.contains"]) {
		if !in(line) {
			problems = append(problems, fmt.Sprintf("%s is not in\n%s", line, indented(plain)))
		}
	}
	for _, line := range lines(t.files["request.lacks"]) {
		if in(line) {
			problems = append(problems, fmt.Sprintf("%s is in\n%s", line, indented(plain)))
		}
	}
	for _, line := range lines(t.files["request.headers"]) {
		name, value, _ := strings.Cut(line, ":")
		if got, want := header.Get(name), strings.TrimSpace(value); got != want {
			problems = append(problems, fmt.Sprintf("the header %s is %q, not %q", name, got, want))
		}
	}
	return problems
}

// canonical returns a body as compact JSON with sorted keys, and all its strings.
func canonical(body []byte) (plain string, all []string, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", nil, err
	}
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			for _, e := range v {
				collect(e)
			}
		}
	}
	collect(v)
	return strings.TrimSpace(out.String()), all, nil
}

func indented(plain string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(plain), "", "  ") != nil {
		return plain
	}
	return out.String()
}

// lines are those that say something.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
