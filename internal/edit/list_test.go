package edit

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/tree"
)

func TestListTOML(t *testing.T) {
	for name, c := range map[string]struct {
		doc     string
		without []int
		more    []string
		want    string
	}{
		"the first of several lines": {"[s]\nl = [\n # pre\n \"a-b\", # mine\n \"c\"\n] # end\n", []int{0}, nil, "[s]\nl = [\n # pre\n \"c\"\n] # end\n"},
		"the last of several lines":  {"[s]\nl = [\n \"a\", # mine\n # post\n \"c\"\n]\n", []int{1}, nil, "[s]\nl = [\n \"a\" # mine\n # post\n]\n"},
		"a line more":                {"[s]\nl = [\n \"a\" # mine\n # post\n]\n", nil, []string{`"b"`, "3"}, "[s]\nl = [\n \"a\", # mine\n \"b\",\n 3\n # post\n]\n"},
		"a line more, with a comma":  {"[s]\r\nl = [\r\n\t\"a\", # mine\r\n]\r\n", nil, []string{`"b"`}, "[s]\r\nl = [\r\n\t\"a\", # mine\r\n\t\"b\",\r\n]\r\n"},
		"on one line":                {"[s]\nl = [\"a\", 'b',\"c\"] # x\n", []int{1}, []string{`"d"`}, "[s]\nl = [\"a\", \"c\",\"d\"] # x\n"},
		"nothing left":               {"[s]\nl = [ \"a\" ]\n", []int{0}, nil, "[s]\nl = []\n"},
		"only a comment left":        {"[s]\nl = [\n  # none\n  \"a\",\n]\n", []int{0}, nil, "[s]\nl = [\n  # none\n]\n"},
		"into nothing":               {"[s]\nl = []\n", nil, []string{"1", "2"}, "[s]\nl = [1, 2]\n"},
		"into a comment":             {"[s]\nl = [\n  # none\n]\n", nil, []string{"1"}, "[s]\nl = [\n  # none\n  1\n]\n"},
		"one for another":            {"[s]\nl = [\n  \"a\", # x\n]\n", []int{0}, []string{`"b"`}, "[s]\nl = [\n  \"b\",\n]\n"},
		"in an inline table":         {"s = { l = [1, 2], k = 1 }\n", []int{0}, []string{"3"}, "s = { l = [2, 3], k = 1 }\n"},
		"by a dotted key":            {"s.l = [1, [2, 3], {a = [4]}]\n", []int{1}, nil, "s.l = [1, {a = [4]}]\n"},
		"odd strings":                {"s.l = ['''a]\n''''', \"\"\"b\\\"]\"\"\", \"c\\\\\", 1979-05-27 07:32:00]\n", []int{1}, []string{"2"}, "s.l = ['''a]\n''''', \"c\\\\\", 1979-05-27 07:32:00, 2]\n"},
		"a mark before":              {"\ufeff[s]\nl = [1]\n", []int{0}, nil, "\ufeff[s]\nl = []\n"},
	} {
		got, err := ListTOML([]byte(c.doc), []string{"s", "l"}, c.without, c.more)
		if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	for name, doc := range map[string]string{
		"nothing": "", "a text": "s.l = 'x'", "tables": "[[s.l]]\na = 1\n", "in tables": "[[s]]\nl = [1]\n", "broken": "s.l = [",
	} {
		if got, err := ListTOML([]byte(doc), []string{"s", "l"}, []int{0}, nil); err == nil || errors.Is(err, errChanged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := ListTOML([]byte("l = [1]"), []string{"l"}, nil, []string{"1]\nx = [2"}); err == nil {
		t.Errorf("more than a value: %q", got)
	}
}

func TestListJSON5(t *testing.T) {
	for name, c := range map[string]struct {
		doc     string
		without []int
		more    []string
		want    string
	}{
		"the first of several lines": {"{\n  s: { l: [\n    // pre\n    'a', // mine\n    'b',\n  ] },\n}\n", []int{0}, nil, "{\n  s: { l: [\n    // pre\n    'b',\n  ] },\n}\n"},
		"a line more":                {"{\n  s: { l: [\n    'a' // mine\n    // post\n  ] } }", nil, []string{`"b"`}, "{\n  s: { l: [\n    'a', // mine\n    \"b\"\n    // post\n  ] } }"},
		"on one line":                {`{"s":{"l":["a","b"]}}`, []int{0}, []string{`"c"`}, `{"s":{"l":["b","c"]}}`},
		"with a comment":             {`{s: {l: [/* x */ 'a', /* y */ 'b' /* z */]}}`, nil, []string{"3"}, `{s: {l: [/* x */ 'a', /* y */ 'b' /* z */, 3]}}`},
		"written twice":              {`{s: {l: [1]}, s: {l: [2, 3]}}`, []int{0}, nil, `{s: {l: [1]}, s: {l: [3]}}`},
		"with lists in it":           {`{s: {l: [[1, 2], {a: [3]}, 4]}}`, []int{0}, nil, `{s: {l: [{a: [3]}, 4]}}`},
	} {
		got, err := ListJSON5([]byte(c.doc), []string{"s", "l"}, c.without, c.more)
		if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	for name, doc := range map[string]string{"nothing": "", "a text": "{s: {l: 'x'}}", "a list": "[1]", "in a list": "{s: [1]}", "broken": "{s: {l: ["} {
		if got, err := ListJSON5([]byte(doc), []string{"s", "l"}, []int{0}, nil); err == nil || errors.Is(err, errChanged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// lists are written in every manner there is; each comment has its own number.
func lists(t *rapid.T, comments, items []string) string {
	count := 0
	space := func(where string) string {
		var b strings.Builder
		for range rapid.IntRange(0, 2).Draw(t, where) {
			part := rapid.SampledFrom(append([]string{"", " ", "\n", "\n  ", "\t"}, comments...)).Draw(t, "space")
			if strings.Contains(part, "N") {
				count++
				part = strings.ReplaceAll(part, "N", strings.Repeat("i", count)+".")
			}
			b.WriteString(part)
		}
		return b.String()
	}
	b := "[" + space("start")
	n := rapid.IntRange(0, 4).Draw(t, "items")
	for i := range n {
		b += rapid.SampledFrom(items).Draw(t, "item") + space("after")
		if i < n-1 || rapid.Bool().Draw(t, "comma") {
			b += "," + space("before")
		}
	}
	return b + "]"
}

// ownLine finds comments that have lines of their own.
var ownLine = regexp.MustCompile(`(?m)^[ \t]*(#|//)i+\.$`)

var anyComment = regexp.MustCompile(`(#|//|/\*)i+\.`)

func checkList(t *rapid.T, doc string, path []string, change func([]byte, []string, []int, []string) ([]byte, error), parse func([]byte) (*tree.Node, error)) {
	before, err := parse([]byte(doc))
	if err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	var without []int
	var want []string
	for i, item := range before.Lookup(path...).List {
		if rapid.Bool().Draw(t, "goes") {
			without = append(without, i)
		} else {
			want = append(want, item.Source())
		}
	}
	more := rapid.SliceOfN(rapid.SampledFrom([]string{"1", `"x"`}), 0, 2).Draw(t, "more")
	out, err := change([]byte(doc), path, without, more)
	if err != nil {
		t.Fatalf("%q without %v: %v", doc, without, err)
	}
	after, err := parse(out)
	if err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	var got []string
	for _, item := range after.Lookup(path...).List {
		got = append(got, item.Source())
	}
	if diff := cmp.Diff(append(want, more...), got); diff != "" {
		t.Fatalf("%q without %v became %q:\n%s", doc, without, out, diff)
	}
	for _, comment := range ownLine.FindAllString(doc, -1) {
		if !bytes.Contains(out, []byte(strings.TrimSpace(comment))) {
			t.Fatalf("%q without %v became %q, which lost %q", doc, without, out, comment)
		}
	}
	if len(without) == 0 {
		left := string(out)
		for _, part := range anyComment.FindAllString(doc, -1) {
			_, rest, found := strings.Cut(left, part)
			if !found {
				t.Fatalf("%q became %q, which lost %q", doc, out, part)
			}
			left = rest
		}
		if len(more) == 0 && string(out) != doc {
			t.Fatalf("nothing to do: %q became %q", doc, out)
		}
	}
}

func TestListProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := "k = 1 # k\n[s]\nl = " + lists(t, []string{"#N\n", " #N\n  ", "\n #N\n"}, []string{"1", `"a#]"`, "'b'", "[1, 2]", "{a = 1}", "true"}) + " # end\nm = 2\n"
		checkList(t, doc, []string{"s", "l"}, ListTOML, func(data []byte) (*tree.Node, error) { return tree.TOML(data, limits) })
	})
	rapid.Check(t, func(t *rapid.T) {
		doc := "{ // k\n  l: " + lists(t, []string{"//N\n", " //N\n  ", "\n //N\n", "/*N*/"}, []string{"1", `"a//]"`, "'b'", "[1, 2]", "{a: 1}", "true"}) + ", m: 2 }"
		checkList(t, doc, []string{"l"}, ListJSON5, readJSON5)
	})
}

func FuzzList(f *testing.F) {
	for _, seed := range []string{"l = [1, 2]\n", "l = [\n # a\n 1, # b\n]", "{l: [1, /* x */ 'b']}", "{\"l\": []}", "l = ['''a''''', \"\"\"\\\"]\"\"\"]", "l=[1979-05-27 07:32:00]"} {
		f.Add([]byte(seed), 0)
	}
	f.Fuzz(func(t *testing.T, doc []byte, at int) {
		for _, change := range []func([]byte, []string, []int, []string) ([]byte, error){ListTOML, ListJSON5} {
			out, err := change(doc, []string{"l"}, []int{at}, []string{"7"})
			if errors.Is(err, errChanged) {
				t.Fatalf("%q: %v", doc, err)
			}
			if err != nil {
				continue
			}
			if again, err := change(out, []string{"l"}, nil, nil); err != nil || !bytes.Equal(again, out) {
				t.Fatalf("%q, then %q: %v", out, again, err)
			}
		}
	})
}
