package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/tool"
)

func args(names ...string) []Arg {
	var out []Arg
	for _, name := range names {
		out = append(out, Arg{Name: name})
	}
	return out
}

func TestSkill(t *testing.T) {
	o := internet(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s%s", r.Method, r.Host, r.RequestURI)
		if len(body) > 0 {
			fmt.Fprintf(w, " %s %s", r.Header.Get("Content-Type"), body)
		}
	})
	for _, c := range []struct {
		tool      SkillTool
		arguments string
		want      string
	}{
		{SkillTool{URL: "http://a.org/status"}, ``, "GET a.org/status"},
		{SkillTool{URL: "http://A.org:80"}, `{}`, "GET a.org/"},
		{SkillTool{Method: "delete", URL: "http://a.org/x"}, `{}`, "DELETE a.org/x"},
		{SkillTool{URL: "http://a.org/x#y"}, `null`, "GET a.org/x"},
		{SkillTool{URL: "http://a.org/{{city}}/now.json", Args: args("city")}, `{"city":"New York"}`, "GET a.org/New%20York/now.json"},
		{SkillTool{URL: "http://a.org/v/{{ id }}.json?q={{q}}&lang=en", Args: args("id", "q")}, `{"id":7,"q":"a&b=c d"}`, "GET a.org/v/7.json?q=a%26b%3Dc+d&lang=en"},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":"a/b?c#d%2fe"}`, "GET a.org/a%2Fb%3Fc%23d%252fe"},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":"@evil.org:80\\x"}`, "GET a.org/@evil.org:80%5Cx"},
		{SkillTool{URL: "http://a.org?q={{q}}", Args: args("q")}, `{"q":"../..?#\n"}`, "GET a.org/?q=..%2F..%3F%23%0A"},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id", "x", "y")}, `{"id":"1","y":"2","x":true}`, "GET a.org/1?x=true&y=2"},
		{SkillTool{URL: "http://a.org/s?k=1", Args: args("q", "n")}, `{"n":5,"q":"a b","x":null}`, `there is no argument "x"; it takes q, n`},
		{SkillTool{URL: "http://a.org/s?k=1", Args: args("q", "n")}, `{"n":5,"q":null}`, "GET a.org/s?k=1&n=5"},
		{SkillTool{Method: "HEAD", URL: "http://a.org/s"}, `{}`, "HTTP/1.1 200 OK\nContent-Length: "},
		{SkillTool{Method: "POST", URL: "http://a.org/s", Args: args("b", "a")}, `{"a":"x\"y","b":2}`, `POST a.org/s application/json {"b":2,"a":"x\"y"}`},
		{SkillTool{Method: "POST", URL: "http://a.org/s", Args: args("b", "a")}, `{}`, `POST a.org/s`},
		{SkillTool{Method: "POST", URL: "http://a.org/{{id}}", Args: args("id", "a")}, `{"id":"1","a":"x"}`, `POST a.org/1 application/json {"a":"x"}`},
		{SkillTool{Method: "POST", URL: "http://a.org/s"}, `{"body":"[1, 2]"}`, `POST a.org/s application/json [1, 2]`},
		{SkillTool{Method: "PUT", URL: "http://a.org/s"}, `{"body":"@/etc/passwd"}`, `PUT a.org/s text/plain; charset=utf-8 @/etc/passwd`},
		{SkillTool{Method: "PATCH", URL: "http://a.org/s"}, `{"body":{"a":[1]}}`, `PATCH a.org/s application/json {"a":[1]}`},
		{SkillTool{Method: "POST", URL: "http://a.org/s", Args: args("body")}, `{"body":"x"}`, `POST a.org/s text/plain; charset=utf-8 x`},
		{SkillTool{Method: "POST", URL: "http://a.org/s", Args: args("a")}, `{"body":"x","a":"y"}`, `give a body or the other arguments, not both: these are sent as the body`},
		{SkillTool{URL: "http://a.org/s"}, `{"body":"x"}`, `there is no argument "body"; it takes none`},
		{SkillTool{Name: "t", URL: "http://a.org/{{id}}", Args: args("x", "id")}, `{}`, `"id" is missing; call t as {"id": "…"}`},
		{SkillTool{URL: "http://a.org/{{city}}", Args: args("city")}, `{"citi":"x"}`, `there is no argument "citi"; did you mean "city"?`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":""}`, `{{id}} must not be empty`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":".."}`, `".." would lead to another path`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":"../admin"}`, `"../admin" would lead to another path`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":"x\\..\\admin"}`, `"x\..\admin" would lead to another path`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":"%2e%2e%2fadmin"}`, `"%2e%2e%2fadmin" would lead to another path`},
		{SkillTool{URL: "http://a.org/.{{id}}/x", Args: args("id")}, `{"id":"."}`, `".." would lead to another path`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `{"id":["x"]}`, `"id" has to be a string, not an object or a list, as in {"id": "…"}`},
		{SkillTool{URL: "http://a.org/{{id}}", Args: args("id")}, `"x"`, `the arguments have to be one JSON object, as {"id": "…"}`},
		{SkillTool{Name: "t", URL: "http://{{host}}/", Args: args("host")}, `{}`, `the tool t cannot be called: arguments can only be in the path and in values of the query`},
		{SkillTool{Name: "t", URL: "{{url}}", Args: args("url")}, `{}`, `the tool t cannot be called: arguments can only be in the path and in values of the query`},
		{SkillTool{Name: "t", URL: "http://a.org:{{port}}/", Args: args("port")}, `{}`, `the tool t cannot be called: arguments can only be in the path and in values of the query`},
		{SkillTool{Name: "t", URL: "http://a.org?{{k}}=1", Args: args("k")}, `{}`, `the tool t cannot be called: arguments can only be in the path and in values of the query`},
		{SkillTool{Name: "t", URL: "http://a.org/{{x}}"}, `{}`, `the tool t cannot be called: {{x}} is no argument that is declared; declare it: args = { x = "what it is" }`},
		{SkillTool{Name: "t", URL: "http://a.org/{{citi}}", Args: args("city")}, `{}`, `the tool t cannot be called: {{citi}} is no argument that is declared; did you mean {{city}}?`},
		{SkillTool{Name: "t", URL: "file:///etc/passwd"}, `{}`, `the tool t cannot be called: "file:///etc/passwd" is no address that can be requested: it must start with https:// or http://`},
		{SkillTool{Name: "t", URL: "http://me@a.org/"}, `{}`, `the tool t cannot be called: "http://me@a.org/" is no address that can be requested: it must not have a user or password in it`},
		{SkillTool{Name: "t", URL: ""}, `{}`, `the tool t cannot be called: "" is no address that can be requested: it does not start with https:// or http://`},
		{SkillTool{Name: "t", Method: "CONNECT", URL: "http://a.org/"}, `{}`, `the tool t cannot be called: the method "CONNECT" is none of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS`},
		{SkillTool{Name: "t", URL: "http://a.org/", Args: args("a", "a")}, `{}`, `the tool t declares the argument "a" twice, or without a name`},
	} {
		it := Skill(o, c.tool)
		got := run(t, anywhere(t), it, c.arguments)
		if got.Failed || c.tool.Method == "HEAD" { // a refusal, or an answer that has a date in it
			got.Text = got.Text[:min(len(got.Text), len(c.want))]
		}
		if got.Text != c.want {
			t.Errorf("%s %s: got %s\nwant %s", c.tool.URL, c.arguments, got.Text, c.want)
		}
		plan, err := it.Plan(t.Context(), json.RawMessage(c.arguments))
		if (err != nil) != got.Failed || err == nil && plan.Request != strings.Fields(plan.Request + " ")[0]+" "+plan.Subject || err == nil && !strings.HasPrefix(plan.Subject, "http://a.org") {
			t.Errorf("%s %s: planned %+v, %v", c.tool.URL, c.arguments, plan, err)
		}
	}
}

func TestSkillPlanShowsTheBody(t *testing.T) {
	args := []Arg{{Name: "to"}, {Name: "text"}}
	for _, c := range []struct{ method, arguments, want string }{
		{"POST", `{"to":"you","text":"all I know"}`, `{"to":"you","text":"all I know"}`},
		{"PUT", `{"body":"plain"}`, "plain"},
		{"POST", `{}`, ""},
		{"GET", `{"to":"you","text":"x"}`, ""}, // the address has it
	} {
		it := Skill(Options{}, SkillTool{Name: "t", Method: c.method, URL: "http://a.org/", Args: args})
		if plan, err := it.Plan(t.Context(), json.RawMessage(c.arguments)); err != nil || plan.Content != c.want {
			t.Errorf("%s %s: %q, %v", c.method, c.arguments, plan.Content, err)
		}
	}
	long, _ := json.Marshal(map[string]string{"body": strings.Repeat("x", 9000)})
	plan, err := Skill(Options{}, SkillTool{Name: "t", Method: "POST", URL: "http://a.org/"}).Plan(t.Context(), long)
	if err != nil || plan.Content != strings.Repeat("x", 2000)+"… 7000 more" {
		t.Errorf("%q, %v", plan.Content, err)
	}
}

func TestSkillSchema(t *testing.T) {
	for want, it := range map[string]SkillTool{
		`{"type":"object","properties":{},"additionalProperties":false}`: {URL: "http://a.org"},
		`{"type":"object","properties":{"z":{"type":"string","description":"Z."},"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`: {
			URL: "http://a.org/{{a}}/{{a}}", Args: []Arg{{"z", "Z."}, {"a", ""}},
		},
		`{"type":"object","properties":{"a":{"type":"string"},"body":{"type":"string","description":"sent as it is, instead of the other arguments"}},"additionalProperties":false}`: {
			URL: "http://a.org", Method: "POST", Args: args("a"),
		},
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`: {URL: "nonsense", Args: args("a")},
	} {
		if got := string(Skill(Options{}, it).Spec().Schema); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if Check(SkillTool{URL: "http://a.org"}) != nil || Check(SkillTool{URL: "nonsense"}) == nil {
		t.Error("Check and the tool disagree")
	}
}

func TestSkillFailures(t *testing.T) {
	o := internet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, strings.Repeat("x", 1<<16))
		case "/away":
			http.Redirect(w, r, "http://b.org/", http.StatusTemporaryRedirect)
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "\x89PNG")
		}
	})
	ctx := tool.Terms{Hosts: []string{"a.org"}}.With(t.Context())
	for path, want := range map[string]tool.Result{
		"//a.org/missing": {Text: "http://a.org/missing answered 404 Not Found\n\n" + strings.Repeat("x", 2048) + "\n[… 61440 bytes left out …]\n" + strings.Repeat("x", 2048), Failed: true},
		"//a.org/away":    {Text: "a.org redirects to b.org: b.org:80 may not be reached: b.org is not among the hosts that may be reached; to allow it: knack grant 'my weather' skill_w_now --net b.org", Failed: true},
		"//c.org/":        {Text: "c.org:80 may not be reached: c.org is not among the hosts that may be reached; to allow it: knack grant 'my weather' skill_w_now --net c.org", Failed: true},
		"//a.org/image":   {Text: "[4 bytes of image/png, which is not text]"},
	} {
		got := run(t, ctx, Skill(o, SkillTool{Name: "skill_w_now", Skill: "my weather", URL: "http:" + path}), "{}")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if got := run(t, ctx, Skill(o, SkillTool{URL: "http://a.org/none"}), "{}"); !strings.HasPrefix(got.Text, "HTTP/1.1 204 No Content\n") || got.Failed {
		t.Errorf("%+v", got)
	}
}

// hostile are pieces that values are made of: all that means something in an
// address, once or twice escaped.
func hostile() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "/", "\\", "..", ".", "?", "#", "&", "=", "%2f", "%2F", "%2e", "%", "%25", "@", ":", ";", "//", "http://evil.org", " ", "\n", "\r\n", "\x00", "é", "{{b}}", "{{", "}}", "+", "[", "]", "\u202e",
	}), 0, 6), func(parts []string) string { return strings.Join(parts, "") })
}

// stays holds a filled address against its template. Values that are refused stay
// as well.
func stays(a, b, c string) (made call, err error) {
	it, err := parseSkill(SkillTool{URL: "https://api.a.org:8443/v1/{{a}}/x-{{b}}/end?q={{c}}&k=1&r={{a}}", Args: args("a", "b", "c", "d")})
	if err != nil {
		return call{}, err
	}
	arguments, err := json.Marshal(map[string]string{"a": a, "b": b, "c": c, "d": c})
	if err != nil {
		return call{}, err
	}
	made, err = (&requester{prepare: it.prepare}).prepared(arguments)
	if err != nil {
		return call{}, nil
	}
	u, err := url.Parse(made.URL)
	if err != nil {
		return call{}, err
	}
	segments := strings.Split(u.EscapedPath(), "/")
	var parts []string
	for _, segment := range segments {
		part, err := url.PathUnescape(segment)
		if err != nil {
			return call{}, err
		}
		parts = append(parts, part)
	}
	if diff := cmp.Diff([]string{"", "v1", a, "x-" + b, "end"}, parts); diff != "" {
		return call{}, fmt.Errorf("%s: %s", made.URL, diff)
	}
	if strings.Contains(u.EscapedPath(), "/../") || u.JoinPath().EscapedPath() != u.EscapedPath() {
		return call{}, fmt.Errorf("%s climbs", made.URL)
	}
	if u.Scheme != "https" || u.Host != "api.a.org:8443" || u.User != nil || u.Fragment != "" {
		return call{}, fmt.Errorf("%s leads elsewhere", made.URL)
	}
	if diff := cmp.Diff(url.Values{"q": {c}, "k": {"1"}, "r": {a}, "d": {c}}, u.Query()); diff != "" {
		return call{}, fmt.Errorf("%s: %s", made.URL, diff)
	}
	return made, nil
}

func TestValuesStayInTheirPlace(t *testing.T) {
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		made, err := stays(hostile().Draw(t, "a"), hostile().Draw(t, "b"), hostile().Draw(t, "c"))
		if err != nil {
			t.Fatal(err)
		}
		if made.URL != "" {
			taken++
		}
	})
	if taken < 20 {
		t.Errorf("only %d were taken", taken)
	}
}

func FuzzValuesStayInTheirPlace(f *testing.F) {
	f.Add("../..", "%2f", "&k=2")
	f.Add("a", "b", "c")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		a, b, c = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?"), strings.ToValidUTF8(c, "?")
		if _, err := stays(a, b, c); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"http://a.org/{{a}}?x={{a}}", "{{a}}", "http://{{a}}", "http://a.org/{{", "http://a.org/}}{{a", "http:///{{a}}", "http://a.org\\{{a}}"} {
		f.Add(text, "..")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		it, err := parseSkill(SkillTool{URL: text, Args: args("a")})
		if err != nil {
			return
		}
		arguments, _ := json.Marshal(map[string]string{"a": value})
		made, err := (&requester{prepare: it.prepare}).prepared(arguments)
		if err != nil {
			return
		}
		if u, err := url.Parse(made.URL); err != nil || u.Scheme+"://"+u.Host != it.template.origin {
			t.Fatalf("%q with %q is %s", text, value, made.URL)
		}
	})
}
