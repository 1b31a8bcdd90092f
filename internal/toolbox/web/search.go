package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/tool"
)

// SearchOptions are a search engine that the user configured.
type SearchOptions struct {
	// Engine is what kind it is: "searxng" or "brave".
	Engine string
	// URL is where it is, such as https://searx.example.com; empty is the only
	// place where the engine is, if there is one.
	URL string
	// Key is what it wants for a key.
	Key string
}

const (
	// usualResults is what a model looks at.
	usualResults = 5
	// mostResults is what engines give at once.
	mostResults = 20
)

// engine is how one kind of search engine is asked, and how it answers.
type engine struct {
	place     string // where it is if nothing else is said
	path      string
	keyHeader string // what has the key; empty takes none
	query     func(q url.Values, count int)
	results   func(body []byte) ([]result, error)
	advice    map[int]string // what a status means for the user
}

type result struct{ Title, URL, Snippet string }

var engines = map[string]engine{
	"searxng": {
		path:  "/search",
		query: func(q url.Values, _ int) { q.Set("format", "json") },
		results: func(body []byte) ([]result, error) {
			var in struct {
				Results []struct{ Title, URL, Content string }
			}
			err := json.Unmarshal(body, &in)
			var out []result
			for _, r := range in.Results {
				out = append(out, result{r.Title, r.URL, r.Content})
			}
			return out, err
		},
		advice: map[int]string{http.StatusForbidden: "json must be among search.formats in its settings.yml"},
	},
	"brave": {
		place: "https://api.search.brave.com", path: "/res/v1/web/search", keyHeader: "X-Subscription-Token",
		query: func(q url.Values, count int) { q.Set("count", strconv.Itoa(count)) },
		results: func(body []byte) ([]result, error) {
			var in struct {
				Web struct {
					Results []struct{ Title, URL, Description string }
				}
			}
			err := json.Unmarshal(body, &in)
			var out []result
			for _, r := range in.Web.Results {
				out = append(out, result{untagged(r.Title), r.URL, untagged(r.Description)})
			}
			return out, err
		},
		advice: map[int]string{http.StatusUnauthorized: "its key is not accepted", http.StatusUnprocessableEntity: "its key is not accepted", http.StatusTooManyRequests: "the plan of its key is used up"},
	},
}

var searchForm = arguments.Form{
	Fields: []arguments.Field{
		{Name: "query", Required: true, Filled: true, Help: "what to search for"},
		{Name: "count", Kind: arguments.Whole, Most: mostResults, Help: "how many results; 5 if 0 or left out"},
	},
	Example: `{"query": "go os.Root symlinks", "count": 5}`,
}

// search is nil if there is no search engine to ask.
func search(o Options) tool.Planner {
	if o.Search == nil {
		return nil
	}
	e, known := engines[o.Search.Engine]
	place := o.Search.URL
	if place == "" {
		place = e.place
	}
	u, err := egress.ParseURL(strings.TrimSpace(place))
	if !known || err != nil || e.keyHeader != "" && o.Search.Key == "" {
		return nil
	}
	if u.Path = strings.TrimSuffix(u.Path, "/"); !strings.HasSuffix(u.Path, e.path) {
		u.Path += e.path
	}
	t := &requester{Options: o, configured: []string{egress.Target(u)}}
	t.spec = tool.Spec{
		Name:        "web_search",
		Description: "Searches the web and lists what it finds: title, address and a few lines of each page.",
		Schema:      searchForm.Schema(),
		Effects:     tool.Effects{Network: true},
	}
	t.prepare = func(raw json.RawMessage) (call, error) {
		given, err := searchForm.Read(t.spec.Name, raw)
		if err != nil {
			return call{}, err
		}
		query, count := given.Text("query"), cmp.Or(given.Whole("count", 0), usualResults)
		to := *u
		q := to.Query()
		q.Set("q", query)
		e.query(q, count)
		to.RawQuery = q.Encode()
		header := http.Header{"Accept": {"application/json"}}
		if e.keyHeader != "" {
			header.Set(e.keyHeader, o.Search.Key)
		}
		list := func(r *egress.Response) (string, bool) { return e.list(r, u.Host, query, count) }
		return call{Request: egress.Request{Method: http.MethodGet, URL: to.String(), Header: header}, answer: list}, nil
	}
	return t
}

// list writes what was found, or why nothing was.
func (e engine) list(r *egress.Response, host, query string, count int) (string, bool) {
	if r.Code >= http.StatusBadRequest {
		text := "the search engine at " + host + " answered " + r.Status
		if advice := e.advice[r.Code]; advice != "" {
			return text + ": " + advice, true
		}
		body, _ := bodyText(r)
		return text + "\n" + headOf(body), true
	}
	found, err := e.results(r.Body)
	if err != nil {
		return "what the search engine at " + host + " answered is not its JSON: " + err.Error(), true
	}
	if len(found) == 0 {
		return "nothing was found for " + query, false
	}
	var b strings.Builder
	for i, f := range found[:min(len(found), count)] {
		fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, oneLine(f.Title), oneLine(f.URL))
		if snippet := oneLine(f.Snippet); snippet != "" {
			fmt.Fprintf(&b, "   %s\n", snippet)
		}
	}
	return b.String(), false
}

// longestLine of a result; engines give a few hundred characters.
const longestLine = 2000

// oneLine is text of a result in one line.
func oneLine(text string) string {
	if len(text) > longestLine {
		text = strings.ToValidUTF8(text[:longestLine], "") + "…"
	}
	return strings.Join(strings.Fields(output.Clean(text)), " ")
}

// untagged is the text of a piece of HTML.
func untagged(text string) string { return readPage(text, &url.URL{}) }
