package arguments

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// every has a field of every kind.
var every = Form{
	Fields: []Field{
		{Name: "path", Required: true, Filled: true, Help: "Where <it> is."},
		{Name: "content", Required: true},
		{Name: "id", Kind: Word},
		{Name: "offset", Kind: Whole, Least: 1, Help: "the first line"},
		{Name: "max", Kind: Whole, Most: 20},
		{Name: "seconds", Kind: Number},
		{Name: "all", Kind: Flag},
		{Name: "words", Kind: Texts, Filled: true},
		{Name: "headers", Kind: Pairs},
		{Name: "body", Kind: Any},
		{Name: "method", Of: []string{"GET", "HEAD"}},
	},
	Example: `{"path": "a", "content": "b"}`,
}

func TestSchema(t *testing.T) {
	for want, form := range map[string]Form{
		`{"type":"object","properties":{},"additionalProperties":false}`: {},
		`{"type":"object","properties":{"z":{"type":"string","description":"Z."},"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`: {
			Fields: []Field{{Name: "z", Kind: Word, Help: "Z."}, {Name: "a", Required: true}},
		},
		`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Where \u003cit\u003e is."},"content":{"type":"string"},"id":{"type":"string"},` +
			`"offset":{"type":"integer","description":"the first line","minimum":1},"max":{"type":"integer","minimum":0,"maximum":20},` +
			`"seconds":{"type":"number","minimum":0},"all":{"type":"boolean"},` +
			`"words":{"type":"array","items":{"type":"string"},"minItems":1},"headers":{"type":"object","additionalProperties":{"type":"string"}},` +
			`"body":{"type":"string"},"method":{"type":"string","enum":["GET","HEAD"]}},"required":["path","content"],"additionalProperties":false}`: every,
	} {
		if diff := cmp.Diff(want, string(form.Schema())); diff != "" {
			t.Error(diff)
		}
	}
}

func TestRead(t *testing.T) {
	const least = `"path":"p","content":""`
	for given, want := range map[string]map[string]any{
		`{` + least + `}`: {"path": "p", "content": ""},
		` {` + least + `,"id":null,"offset":null,"all":null,"words":null,"body":null}`: {"path": "p", "content": ""},
		`{` + least + `,"id":"x"}`:            {"path": "p", "content": "", "id": "x"},
		`{` + least + `,"id":1.50}`:           {"path": "p", "content": "", "id": "1.50"},
		`{` + least + `,"id":true}`:           {"path": "p", "content": "", "id": "true"},
		`{` + least + `,"offset":7}`:          {"path": "p", "content": "", "offset": 7},
		`{` + least + `,"offset":" 7 "}`:      {"path": "p", "content": "", "offset": 7},
		`{` + least + `,"offset":7.0}`:        {"path": "p", "content": "", "offset": 7},
		`{` + least + `,"max":21}`:            {"path": "p", "content": "", "max": 20},
		`{` + least + `,"max":0}`:             {"path": "p", "content": "", "max": 0},
		`{` + least + `,"seconds":0.5}`:       {"path": "p", "content": "", "seconds": 0.5},
		`{` + least + `,"seconds":"2"}`:       {"path": "p", "content": "", "seconds": 2.0},
		`{` + least + `,"all":true}`:          {"path": "p", "content": "", "all": true},
		`{` + least + `,"all":"False"}`:       {"path": "p", "content": "", "all": false},
		`{` + least + `,"words":["a",""]}`:    {"path": "p", "content": "", "words": []string{"a", ""}},
		`{` + least + `,"headers":{"a":"b"}}`: {"path": "p", "content": "", "headers": map[string]string{"a": "b"}},
		`{` + least + `,"body":{"a": [1]}}`:   {"path": "p", "content": "", "body": json.RawMessage(`{"a": [1]}`)},
		`{` + least + `,"method":" head"}`:    {"path": "p", "content": "", "method": "HEAD"},
		`{` + least + `,"method":""}`:         {"path": "p", "content": "", "method": ""},
	} {
		v, err := every.Read("t", json.RawMessage(given))
		if diff := cmp.Diff(want, v.read); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", given, err, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	const example = `{"path": "a", "content": "b"}`
	for given, want := range map[string]string{
		``:                                     `"path" is missing; call t as ` + example,
		`null`:                                 `"path" is missing; call t as ` + example,
		`{"path":"p"}`:                         `"content" is missing; call t as ` + example,
		`{"path":" ","content":"x"}`:           `"path" is missing; call t as ` + example,
		`{"path":1,"content":"x"}`:             `"path" has to be a string, as in ` + example,
		`[]`:                                   "the arguments have to be one JSON object, as " + example,
		`{"path":"p"} x`:                       "the arguments have to be one JSON object, as " + example,
		`{"pth":"p"}`:                          `there is no argument "pth"; did you mean "path"?`,
		`{"Path":"p"}`:                         `there is no argument "Path"; did you mean "path"?`,
		`{"zzzzzz":1,"yyyyyy":null}`:           `there is no argument "yyyyyy"; it takes path, content, id, offset, max, seconds, all, words, headers, body, method`,
		"{\"\\u001b[31m\":1}":                  `there is no argument "[31m"; it takes path, content, id, offset, max, seconds, all, words, headers, body, method`,
		`{"path":"p","content":"","id":[1]}`:   `"id" has to be a string, not an object or a list, as in ` + example,
		`{"path":"p","content":"","offset":0}`: `"offset" has to be 1 or more, as in ` + example,
		`{"path":"p","content":"","offset":"NaN"}`:     `"offset" has to be a whole number, as in ` + example,
		`{"path":"p","content":"","seconds":-1}`:       `"seconds" has to be 0 or more, as in ` + example,
		`{"path":"p","content":"","seconds":"inf"}`:    `"seconds" has to be a number, as in ` + example,
		`{"path":"p","content":"","all":1}`:            `"all" has to be true or false, as in ` + example,
		`{"path":"p","content":"","words":"a b"}`:      `"words" has to be a list of strings, as in ` + example,
		`{"path":"p","content":"","headers":{"a":1}}`:  `"headers" has to be an object of strings, as in ` + example,
		`{"path":"p","content":"","method":"CONNECT"}`: `"method" has to be one of GET, HEAD, as in ` + example,
	} {
		if _, err := every.Read("t", json.RawMessage(given)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v\nwant %s", given, err, want)
		}
	}
	filled := Form{Fields: []Field{{Name: "words", Kind: Texts, Required: true, Filled: true}}}
	if _, err := filled.Read("t", json.RawMessage(`{"words":[]}`)); err == nil || err.Error() != `"words" is missing; call t as {"words": "…"}` {
		t.Error(err)
	}
}

// A form without an example has one made of its names, whatever these are.
func TestExamplesAreMade(t *testing.T) {
	many := make([]Field, 1000)
	for i := range many {
		many[i] = Field{Name: strings.Repeat("x", i), Required: i > 0}
	}
	for want, form := range map[string]Form{
		`{}`:                   {},
		`{"a": "…"}`:           {Fields: []Field{{Name: "a"}, {Name: "b"}}},
		`{"b": "…", "c": "…"}`: {Fields: []Field{{Name: "a"}, {Name: "b", Required: true}, {Name: "c", Required: true}}},
		`{"[31m": "…"}`:        {Fields: []Field{{Name: "\x1b[31m"}}},
	} {
		if got := form.example(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, given := range []string{`[]`, `{"zz zz zz":1}`, `{}`} {
		if _, err := (Form{Fields: many}).Read("t", json.RawMessage(given)); err == nil || len(err.Error()) > 4000 {
			t.Errorf("%s: %.100v", given, err)
		}
	}
}

// What a form takes is handed out as it was given.
func TestValues(t *testing.T) {
	v, err := every.Read("t", json.RawMessage(`{"path":"p","content":"c","id":5,"offset":2,"seconds":1.5,"all":true,"words":["w"],"headers":{"h":"v"},"body":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{
		v.Text("path"), v.Text("id"), v.Whole("offset", 9), v.Whole("max", 9), v.Number("seconds"), v.Flag("all"), v.Texts("words"), v.Pairs("headers"),
		string(v.Raw("body")), string(v.Raw("id")), v.Has("body"), v.Has("method"), v.Raw("method") == nil,
	}
	want := []any{"p", "5", 2, 9, 1.5, true, []string{"w"}, map[string]string{"h": "v"}, "[1]", "5", true, false, true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v.SetText("path", "q"); v.Text("path") != "q" {
		t.Error("a text was not set")
	}
}

// The schema names every field once, and what it calls required is missed.
func TestSchemaAndReaderAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var form Form
		for _, name := range rapid.SliceOfNDistinct(rapid.StringN(1, 12, -1), 0, 6, rapid.ID).Draw(t, "names") {
			form.Fields = append(form.Fields, Field{Name: strings.ToValidUTF8(name, "?"), Kind: Word, Required: rapid.Bool().Draw(t, "required")})
		}
		var schema struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(form.Schema(), &schema); err != nil {
			t.Fatal(err)
		}
		given := map[string]string{}
		for _, name := range schema.Required {
			given[name] = name
		}
		data, _ := json.Marshal(given)
		v, err := form.Read("t", data)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range given {
			if v.Text(name) != value {
				t.Fatalf("%q is %q", name, v.Text(name))
			}
		}
		if len(schema.Required) > 0 {
			if _, err := form.Read("t", nil); err == nil {
				t.Fatal("nothing was missed")
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{``, `null`, `{}`, every.Example, `{"path":"p","content":"","offset":1e300}`, `{"path":"p","content":"","words":[1]}`, `{"\u0000":{}}`, "{\"\xff\":1}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		v, err := every.Read("t", json.RawMessage(given))
		switch {
		case err != nil && (len(err.Error()) > 2000 || !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\x00\x1b\n")):
			t.Errorf("%q", err)
		case err == nil && (!v.Has("path") || !v.Has("content") || strings.TrimSpace(v.Text("path")) == "" || v.Whole("offset", 1) < 1 || v.Whole("max", 0) > 20 || v.Number("seconds") < 0):
			t.Errorf("%q was taken: %v", given, v.read)
		}
	})
}
