package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

const (
	// longestPage is about what a model reads of one page without losing the
	// thread: 30,000 tokens.
	longestPage = 128 << 10
	// longestError is as much as an error page tells.
	longestError = 4 << 10
)

var fetchForm = arguments.Form{
	Fields: []arguments.Field{
		{Name: "url", Required: true, Filled: true, Help: "where the page is, such as https://example.com/docs"},
	},
	Example: `{"url": "https://example.com/docs"}`,
}

func fetch(o Options) tool.Planner {
	t := &requester{Options: o, limit: longestPage}
	t.spec = tool.Spec{
		Name:        "web_fetch",
		Description: "Reads a page of the web as text, with its headings, lists and links. JSON and other text come as they are.",
		Schema:      fetchForm.Schema(),
		Effects:     tool.Effects{Network: true},
	}
	t.prepare = func(raw json.RawMessage) (call, error) {
		given, err := fetchForm.Read(t.spec.Name, raw)
		if err != nil {
			return call{}, err
		}
		return call{Request: egress.Request{
			Method: http.MethodGet, URL: strings.TrimSpace(given.Text("url")),
			Header: http.Header{"Accept": {"text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5"}},
		}, answer: page}, nil
	}
	return t
}

// page is what a page says, and where that came from.
func page(r *egress.Response) (string, bool) {
	text, readable := bodyText(r)
	if media, _ := kindOf(r); readable && isHTML(media) {
		base, err := url.Parse(r.URL)
		if err != nil {
			base = &url.URL{}
		}
		text = readPage(text, base)
	}
	if r.Code >= http.StatusBadRequest {
		return r.URL + " answered " + r.Status + "\n\n" + headOf(text), true
	}
	return "from " + r.URL + "\n\n" + text, !readable
}
