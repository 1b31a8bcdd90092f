package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

// Properties draw the same cases every time, so that a change is judged by what
// it changes; make fuzz draws new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		_ = seed.Value.Set("1")
	}
	os.Exit(m.Run())
}

// public is a resolver for which every name is public, but for those below
// inside.org.
type public struct{}

func (public) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if strings.HasSuffix(host, "inside.org") {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
}

// internet is one server that is everywhere.
func internet(t *testing.T, h http.HandlerFunc) Options {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return Options{Resolver: public{}, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
	}}
}

func nobody(t *testing.T) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was reached", r.Host) }
}

func anywhere(t *testing.T) context.Context {
	t.Helper()
	return tool.Terms{Anywhere: true}.With(t.Context())
}

func named(t *testing.T, o Options, name string) tool.Planner {
	t.Helper()
	for _, candidate := range Tools(o) {
		if candidate.Spec().Name == name {
			return candidate.(tool.Planner)
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func run(t *testing.T, ctx context.Context, it tool.Tool, arguments string) tool.Result {
	t.Helper()
	got, err := it.Run(ctx, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSpecs(t *testing.T) {
	o := Options{Search: &SearchOptions{Engine: "brave", Key: "k"}}
	var names []string
	for _, it := range append(Tools(o), Skill(o, SkillTool{Name: "skill_a_b", URL: "https://a.org/{{x}}", Args: []Arg{{"x", "y"}}})) {
		spec := it.Spec()
		names = append(names, spec.Name)
		if spec.Effects != (tool.Effects{Network: true}) || !json.Valid(spec.Schema) || spec.Name != "skill_a_b" && spec.Description == "" {
			t.Errorf("%+v", spec)
		}
	}
	if diff := cmp.Diff([]string{"web_fetch", "http_request", "web_search", "skill_a_b"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestFetch(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, "<p>unzipped")
	_ = z.Close()
	o := internet(t, func(w http.ResponseWriter, r *http.Request) {
		kind := map[string]string{
			"/page": "text/html; charset=utf-8", "/json": "application/json", "/pdf": "application/pdf", "/latin": "text/html; charset=iso-8859-1", "/old": "text/html",
			"/meta": "text/html", "/problem": "application/problem+json", "/missing": "text/html", "/escapes": "text/plain", "/zip": "text/html", "/br": "text/html", "/odd": "text/html; charset=klingon",
		}
		w.Header()["Content-Type"] = nil
		if k := kind[r.URL.Path]; k != "" {
			w.Header().Set("Content-Type", k)
		}
		switch r.URL.Path {
		case "/page":
			fmt.Fprint(w, `<title>T</title><script>x</script><p>Hello <a href="/there">there</a>`)
		case "/json", "/problem":
			fmt.Fprint(w, `{"a": [1]}`)
		case "/pdf":
			fmt.Fprint(w, "%PDF-1.7")
		case "/sniffed":
			fmt.Fprint(w, "<!doctype html><p>x")
		case "/binary":
			fmt.Fprint(w, "\x00\x01\x02")
		case "/latin", "/old":
			fmt.Fprint(w, "<p>caf\xe9 \x80")
		case "/meta":
			fmt.Fprint(w, "<meta charset='shift_jis'><p>\x93\xfa\x96\x7b")
		case "/odd":
			fmt.Fprint(w, "<p>plain")
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<h1>Nothing here</h1>")
		case "/escapes":
			fmt.Fprint(w, "a\x1b[31mb\x1b]0;evil\ac\x00\r\n\u009bd\xff")
		case "/empty":
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		case "/br":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "\x0b\x02\x80")
		case "/moved":
			http.Redirect(w, r, "http://b.org/json", http.StatusFound)
		case "/to-metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		}
	})
	it := named(t, o, "web_fetch")
	for path, want := range map[string]tool.Result{
		"/page":        {Text: "from http://a.org/page\n\n# T\n\nHello [there](http://a.org/there)"},
		"/json":        {Text: "from http://a.org/json\n\n{\"a\": [1]}"},
		"/problem":     {Text: "from http://a.org/problem\n\n{\"a\": [1]}"},
		"/pdf":         {Text: "from http://a.org/pdf\n\n[8 bytes of application/pdf, which is not text]", Failed: true},
		"/sniffed":     {Text: "from http://a.org/sniffed\n\nx"},
		"/binary":      {Text: "from http://a.org/binary\n\n[3 bytes of application/octet-stream, which is not text]", Failed: true},
		"/latin":       {Text: "from http://a.org/latin\n\ncafé €"},
		"/old":         {Text: "from http://a.org/old\n\ncafé €"},
		"/meta":        {Text: "from http://a.org/meta\n\n日本"},
		"/odd":         {Text: "from http://a.org/odd\n\nplain"},
		"/missing":     {Text: "http://a.org/missing answered 404 Not Found\n\n# Nothing here", Failed: true},
		"/escapes":     {Text: "from http://a.org/escapes\n\nabc\nd\ufffd"},
		"/empty":       {Text: "from http://a.org/empty\n\n"},
		"/zip":         {Text: "from http://a.org/zip\n\nunzipped"},
		"/br":          {Text: "from http://a.org/br\n\n[3 bytes, encoded as br]", Failed: true},
		"/moved":       {Text: "from http://b.org/json\n\n{\"a\": [1]}"},
		"/to-metadata": {Text: "a.org redirects to 169.254.169.254: 169.254.169.254:80 may not be reached: 169.254.169.254 is not of the public internet (link-local); to allow it: knack grant SKILL web_fetch --net '169.254.169.254:80'", Failed: true},
	} {
		if diff := cmp.Diff(want, run(t, anywhere(t), it, `{"url":"http://a.org`+path+`"}`)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestTermsDecide(t *testing.T) {
	o := internet(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "reached") })
	for _, c := range []struct {
		terms     tool.Terms
		url, want string
	}{
		{tool.Terms{}, "http://a.org", "a.org:80 may not be reached: a.org is not among the hosts that may be reached; to allow it: knack grant SKILL http_request --net a.org"},
		{tool.Terms{Hosts: []string{"b.org"}}, "http://a.org", "a.org:80 may not be reached: a.org is not among the hosts that may be reached; to allow it: knack grant SKILL http_request --net a.org"},
		{tool.Terms{Hosts: []string{"*.a.org"}}, "http://x.a.org", ""},
		{tool.Terms{Anywhere: true}, "http://a.org", ""},
		{tool.Terms{Anywhere: true}, "http://inside.org", "inside.org:80 may not be reached: inside.org leads to 127.0.0.1, which is not of the public internet (loopback); to allow it: knack grant SKILL http_request --net '127.0.0.1:80'"},
		{tool.Terms{Hosts: []string{"127.0.0.1"}}, "http://127.0.0.1:81", ""},
	} {
		got := run(t, c.terms.With(t.Context()), named(t, o, "http_request"), `{"url":"`+c.url+`"}`)
		if got.Failed != (c.want != "") || c.want != "" && got.Text != c.want {
			t.Errorf("%s: %+v", c.url, got)
		}
	}
	if got := run(t, t.Context(), named(t, o, "web_fetch"), `{"url":"http://a.org"}`); !got.Failed {
		t.Error("a call that nobody decided about reached a host")
	}
	o.Hint = func(name, host string) string { return "ask " + name + " about " + host }
	if got := run(t, t.Context(), named(t, o, "web_fetch"), `{"url":"http://a.org"}`); !strings.HasSuffix(got.Text, "; ask web_fetch about a.org") {
		t.Error(got.Text)
	}
}

func TestRequest(t *testing.T) {
	o := internet(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Date", "today")
		w.Header().Set("Set-Cookie", "secret")
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/image" {
			w.Header().Set("Content-Type", "image/png")
		}
		if r.URL.Path == "/bad" {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprintf(w, "%s %s %q %s %s", r.Method, r.URL, body, r.Header.Get("Content-Type"), r.Header.Get("X-Key"))
	})
	it := named(t, o, "http_request")
	head := func(status string, n int) string {
		return fmt.Sprintf("HTTP/1.1 %s\nContent-Length: %d\nContent-Type: text/plain\nDate: today\n\n", status, n)
	}
	for arguments, want := range map[string]tool.Result{
		`{"url":" http://a.org/x "}`: {Text: head("200 OK", 12) + `GET /x ""  `},
		`{"method":"post","url":"http://a.org/x","headers":{"x-key":"k"},"body":"{\"a\":1}"}`:       {Text: head("200 OK", 42) + `POST /x "{\"a\":1}" application/json k`},
		`{"method":"PUT","url":"http://a.org/x","body":"@/etc/passwd"}`:                             {Text: head("200 OK", 48) + `PUT /x "@/etc/passwd" text/plain; charset=utf-8 `},
		`{"method":"PATCH","url":"http://a.org/x","body":{"a":1},"headers":{"Content-Type":"x/y"}}`: {Text: head("200 OK", 29) + `PATCH /x "{\"a\":1}" x/y `},
		`{"method":"DELETE","url":"http://a.org/bad"}`:                                              {Text: head("400 Bad Request", 18) + `DELETE /bad ""  `, Failed: true},
		`{"method":"HEAD","url":"http://a.org/x"}`:                                                  {Text: head("200 OK", 13)},
		`{"url":"http://a.org/image"}`:                                                              {Text: "HTTP/1.1 200 OK\nContent-Length: 16\nContent-Type: image/png\nDate: today\n\n[15 bytes of image/png, which is not text]"},
		`{"method":"TRACE","url":"http://a.org/x"}`:                                                 {Text: `"method" has to be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, as in {"url": "https://api.example.com/v1/items?limit=5"}`, Failed: true},
		`{"url":"file:///etc/passwd"}`:                                                              {Text: `"file:///etc/passwd" is no address that can be requested: it must start with https:// or http://`, Failed: true},
		`{"url":""}`:                                                                                {Text: `"url" is missing; call http_request as {"url": "https://api.example.com/v1/items?limit=5"}`, Failed: true},
		`{"uri":"http://a.org"}`:                                                                    {Text: `there is no argument "uri"; did you mean "url"?`, Failed: true},
		`[]`:                                                                                        {Text: `the arguments have to be one JSON object, as {"url": "https://api.example.com/v1/items?limit=5"}`, Failed: true},
		`{"url":5}`:                                                                                 {Text: `"url" has to be a string, as in {"url": "https://api.example.com/v1/items?limit=5"}`, Failed: true},
		``:                                                                                          {Text: `"url" is missing; call http_request as {"url": "https://api.example.com/v1/items?limit=5"}`, Failed: true},
		`{"url":"http://a.org","headers":{"Host":"b.org"}}`:                                         {Text: "the header Host cannot be chosen", Failed: true},
	} {
		got := run(t, anywhere(t), it, arguments)
		if i := strings.Index(got.Text, "Content-Length: "); i > 0 && strings.Contains(want.Text, "Content-Length: ") { // the length is the server's business
			from, to := strings.Index(want.Text, "Content-Length: "), strings.Index(want.Text, "Content-Type: ")
			want.Text = want.Text[:from] + got.Text[i:strings.Index(got.Text, "Content-Type: ")] + want.Text[to:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", arguments, diff)
		}
	}
}

// What a refusal shows as the way to call a tool is one.
func TestExamples(t *testing.T) {
	o := Options{Search: &SearchOptions{Engine: "searxng", URL: "http://a.org"}}
	for name, form := range map[string]arguments.Form{"web_fetch": fetchForm, "http_request": requestForm, "web_search": searchForm} {
		if _, err := named(t, o, name).Plan(t.Context(), json.RawMessage(form.Example)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswersAreCut(t *testing.T) {
	o := internet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, strings.Repeat("é", 1000))
	})
	o.MaxBytes = 999
	got := run(t, anywhere(t), Skill(o, SkillTool{URL: "http://a.org"}), "")
	want := tool.Result{Text: strings.Repeat("é", 499) + "\n[… the answer is longer than the 999 bytes that are taken …]\n", Cut: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSlowServers(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	o := internet(t, func(http.ResponseWriter, *http.Request) { <-done })
	o.Timeout = 20 * time.Millisecond
	got := run(t, anywhere(t), named(t, o, "web_fetch"), `{"url":"http://a.org"}`)
	if diff := cmp.Diff(tool.Result{Text: "a.org did not answer in full within 20ms: context deadline exceeded", Failed: true}, got); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithCancel(anywhere(t))
	cancel()
	if _, err := named(t, o, "web_fetch").Run(ctx, json.RawMessage(`{"url":"http://a.org"}`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPlans(t *testing.T) {
	o := internet(t, nobody(t))
	o.Search = &SearchOptions{Engine: "searxng", URL: "https://searx.a.org/"}
	for _, c := range []struct{ name, arguments, request, content string }{
		{"web_fetch", `{"url":"https://A.org:443/x"}`, "GET https://a.org/x", ""},
		{"http_request", `{"url":"http://a.org/x y","method":"delete"}`, "DELETE http://a.org/x%20y", ""},
		{"http_request", `{"url":"http://a.org/","headers":{"x-b":"2","Accept":"*/*"}}`, "GET http://a.org/", "Accept: */*\nX-B: 2"},
		{"http_request", `{"url":"http://a.org/","method":"POST","headers":{"x-b":"2"},"body":{"all":"secrets"}}`, "POST http://a.org/",
			"Content-Type: application/json\nX-B: 2\n\n" + `{"all":"secrets"}`},
		{"web_search", `{"query":"a&b"}`, "GET https://searx.a.org/search?format=json&q=a%26b", ""},
	} {
		got, err := named(t, o, c.name).Plan(t.Context(), json.RawMessage(c.arguments))
		_, subject, _ := strings.Cut(c.request, " ")
		if diff := cmp.Diff(tool.Plan{Subject: subject, Request: c.request, Content: c.content}, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
		if _, err := named(t, o, c.name).Plan(t.Context(), json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s plans nothing at all", c.name)
		}
	}
}

// Whatever is sent is shown as far as it can be, headers and body both.
func TestPlansShowBothHalves(t *testing.T) {
	given, err := json.Marshal(map[string]any{
		"url": "http://a.org/", "method": "POST", "headers": map[string]string{"X-A": strings.Repeat("ä", 5000)}, "body": strings.Repeat("€", 5000),
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := named(t, internet(t, nobody(t)), "http_request").Plan(t.Context(), given)
	if err != nil || len(plan.Content) > tool.MostContent || !utf8.ValidString(plan.Content) ||
		!strings.Contains(plan.Content, "X-A: ää") || !strings.Contains(plan.Content, " more\n\n€€") || !strings.HasSuffix(plan.Content, "€… 4328 more") {
		t.Errorf("%d bytes, %v: %s", len(plan.Content), err, plan.Content)
	}
}

func TestSearchNeedsConfiguration(t *testing.T) {
	for _, s := range []*SearchOptions{nil, {}, {Engine: "searxng"}, {Engine: "brave"}, {Engine: "altavista", URL: "https://a.org", Key: "k"}, {Engine: "searxng", URL: "ftp://a.org"}} {
		if n := len(Tools(Options{Search: s})); n != 2 {
			t.Errorf("%+v: %d tools", s, n)
		}
	}
}

func TestSearch(t *testing.T) {
	answers := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case q.Get("q") == "forbidden":
			w.WriteHeader(http.StatusForbidden)
		case q.Get("q") == "broken":
			fmt.Fprint(w, "<html>")
		case q.Get("q") == "down":
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "try later")
		case q.Get("q") == "nothing":
			fmt.Fprint(w, "{}")
		case r.URL.Path == "/sub/search" && q.Get("format") == "json":
			fmt.Fprint(w, `{"results":[{"title":"One <1>","url":"https://one.org","content":"first\u001b[31m\n line"},{"title":"Two","url":"https://two.org","content":""},{"title":"Three","url":"u","content":"c"}]}`)
		case r.URL.Path == "/res/v1/web/search" && r.Header.Get("X-Subscription-Token") == "key":
			fmt.Fprintf(w, `{"web":{"results":[{"title":"A &amp; <b>b</b>","url":"https://a.org","description":"%s of <strong>%s</strong>"}]}}`, q.Get("count"), q.Get("q"))
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}
	o := internet(t, answers)
	for _, c := range []struct {
		search    SearchOptions
		arguments string
		want      tool.Result
	}{
		{SearchOptions{Engine: "searxng", URL: "http://inside.org:8080/sub/"}, `{"query":"x","count":2}`, tool.Result{Text: "1. One <1>\n   https://one.org\n   first line\n2. Two\n   https://two.org\n"}},
		{SearchOptions{Engine: "searxng", URL: "http://a.org/sub/search"}, `{"query":"x","count":1}`, tool.Result{Text: "1. One <1>\n   https://one.org\n   first line\n"}},
		{SearchOptions{Engine: "brave", URL: "http://b.org", Key: "key"}, `{"query":"x y"}`, tool.Result{Text: "1. A & b\n   https://a.org\n   5 of x y\n"}},
		{SearchOptions{Engine: "brave", URL: "http://b.org", Key: "key"}, `{"query":"x","count":99}`, tool.Result{Text: "1. A & b\n   https://a.org\n   20 of x\n"}},
		{SearchOptions{Engine: "searxng", URL: "http://a.org/sub"}, `{"query":"nothing"}`, tool.Result{Text: "nothing was found for nothing"}},
		{SearchOptions{Engine: "searxng", URL: "http://a.org/sub"}, `{"query":"forbidden"}`, tool.Result{Text: "the search engine at a.org answered 403 Forbidden: json must be among search.formats in its settings.yml", Failed: true}},
		{SearchOptions{Engine: "searxng", URL: "http://a.org/sub"}, `{"query":"down"}`, tool.Result{Text: "the search engine at a.org answered 502 Bad Gateway\ntry later", Failed: true}},
		{SearchOptions{Engine: "searxng", URL: "http://a.org/sub"}, `{"query":"broken"}`, tool.Result{Text: "what the search engine at a.org answered is not its JSON: invalid character '<' looking for beginning of value", Failed: true}},
		{SearchOptions{Engine: "searxng", URL: "http://a.org/sub"}, `{"query":" "}`, tool.Result{Text: `"query" is missing; call web_search as {"query": "go os.Root symlinks", "count": 5}`, Failed: true}},
	} {
		o.Search = &c.search
		// Nobody granted anything: the engine is the user's.
		if diff := cmp.Diff(c.want, run(t, t.Context(), named(t, o, "web_search"), c.arguments)); diff != "" {
			t.Errorf("%s %s: %s", c.search.URL, c.arguments, diff)
		}
	}
}
