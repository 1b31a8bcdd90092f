package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// methods are those that can be asked for. CONNECT and TRACE are none: they make
// a server speak to somebody else, or say what it was told.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// method is one of those, in any letter case; none is GET.
func method(text string) (string, error) {
	m := strings.ToUpper(strings.TrimSpace(text))
	switch {
	case m == "":
		return http.MethodGet, nil
	case slices.Contains(methods, m):
		return m, nil
	}
	return "", fmt.Errorf("the method %s is none of %s", wording.Quote(wording.Name(text)), strings.Join(methods, ", "))
}

var requestForm = arguments.Form{
	Fields: []arguments.Field{
		{Name: "method", Of: methods, Help: "GET if left out"},
		{Name: "url", Required: true, Filled: true, Help: "such as https://api.example.com/v1/items?limit=5"},
		{Name: "headers", Kind: arguments.Pairs, Help: `such as {"Authorization":"Bearer …"}`},
		{Name: "body", Kind: arguments.Any, Help: "sent as it is; as JSON if it is that and headers do not say otherwise"},
	},
	Example: `{"url": "https://api.example.com/v1/items?limit=5"}`,
}

func request(o Options) tool.Planner {
	t := &requester{Options: o}
	t.spec = tool.Spec{
		Name:        "http_request",
		Description: "Makes an HTTP request and answers with its status, headers and body. A status of 400 or above is a failure.",
		Schema:      requestForm.Schema(),
		Effects:     tool.Effects{Network: true},
	}
	t.prepare = func(raw json.RawMessage) (call, error) {
		given, err := requestForm.Read(t.spec.Name, raw)
		if err != nil {
			return call{}, err
		}
		return requested(given), nil
	}
	return t
}

// requested is the call of these arguments.
func requested(given arguments.Values) call {
	r := call{Request: egress.Request{
		Method: cmp.Or(given.Text("method"), http.MethodGet), URL: strings.TrimSpace(given.Text("url")),
		Header: http.Header{}, Body: verbatim(given.Raw("body")),
	}, answer: whole}
	headers := given.Pairs("headers")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		r.Header.Add(name, headers[name])
	}
	setType(&r.Request)
	r.content = content(r.Header, r.Body)
	return r
}

// content shows what is sent: headers, one line each, and below them the body.
func content(headers http.Header, body []byte) string {
	const room = tool.MostContent / 2 // each has a half
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			lines = append(lines, name+": "+value)
		}
	}
	text := tool.Head(strings.Join(lines, "\n"), room-2)
	if text != "" && len(body) > 0 {
		text += "\n\n"
	}
	return text + tool.Head(string(body), room)
}

// whole is all that there is to know of an answer.
func whole(r *egress.Response) (string, bool) {
	body, _ := bodyText(r)
	return statusAndHeaders(r) + "\n" + body, r.Code >= http.StatusBadRequest
}

// verbatim is a body as it was given: a string is itself, whatever it looks like,
// and anything else the JSON that it is.
func verbatim(given json.RawMessage) []byte {
	var text string
	switch {
	case len(given) == 0 || string(given) == "null":
		return nil
	case json.Unmarshal(given, &text) == nil:
		return []byte(text)
	}
	return given
}

// setType tells what the body is, unless that is told.
func setType(r *egress.Request) {
	switch {
	case len(r.Body) == 0 || r.Header.Get("Content-Type") != "":
	case json.Valid(r.Body):
		r.Header.Set("Content-Type", "application/json")
	default:
		r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
}

// shown are the headers that tell something about an answer. Others are about the
// connection or for browsers, and long.
var shown = []string{
	"Allow", "Content-Disposition", "Content-Language", "Content-Length", "Content-Location", "Content-Type", "Date", "Etag", "Last-Modified", "Link", "Location",
	"Retry-After", "Www-Authenticate", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Request-Id", "X-Total-Count",
}

// statusAndHeaders is how an answer begins: one line each.
func statusAndHeaders(r *egress.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Proto, r.Status)
	for _, name := range shown {
		for _, value := range r.Header.Values(name) {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String()
}

// headOf is as much of a text as an error tells.
func headOf(text string) string {
	head, _ := output.Cut(text, longestError)
	return head
}
