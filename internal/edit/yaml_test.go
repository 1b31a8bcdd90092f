package edit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/tree"
)

func TestYAMLField(t *testing.T) {
	tests := []struct{ name, doc, key, value, want string }{
		{"empty document", "", "name", "x", "name: x\n"},
		{"only a comment", "# c\n", "name", "x", "# c\nname: x\n"},
		{"replace", "name: a\ndescription: b\n", "name", "x", "name: x\ndescription: b\n"},
		{"keep the comment", "name: a   # why\nb: 1\n", "name", "x", "name: x   # why\nb: 1\n"},
		{"keep the comment of no value", "name: # why\nb: 1\n", "name", "x", "name: x # why\nb: 1\n"},
		{"number sign in quotes", "name: 'a # b'\nb: 1\n", "name", "x", "name: x\nb: 1\n"},
		{"number sign in quotes and comment", "name: 'a # b' # c # d\n", "name", "x", "name: x # c # d\n"},
		{"spaces around the colon", "name  :   a\n", "name", "x", "name  :   x\n"},
		{"quoted key", "'name': a\n\"b\": 1\n", "name", "x", "'name': x\n\"b\": 1\n"},
		{"escapes in a quoted key", "'it''s': 1\n\"na\\u006de\": a\n", "name", "x", "'it''s': 1\n\"na\\u006de\": x\n"},
		{"doubled quote in a key", "'it''s': 1\nname: a\n", "it's", "x", "'it''s': x\nname: a\n"},
		{"no value", "name:\nb: 1\n", "name", "x", "name: x\nb: 1\n"},
		{"block scalar", "a: |\n  one\n\n  # two\n\n# c\nb: 1\n", "a", "x", "a: x\n\n# c\nb: 1\n"},
		{"list at the left", "a:\n- one\n# c\n- two\nb: 1\n", "a", "x", "a: x\nb: 1\n"},
		{"map", "a:\n  name: y\n  b: z\nname: n\n", "name", "x", "a:\n  name: y\n  b: z\nname: x\n"},
		{"flow over lines", "a: {\n\"name\": 1,\n  \"b\": [2]\n}\nname: n\n", "a", "x", "a: x\nname: n\n"},
		{"plain over lines", "a: one\n  two\nname: n\n", "a", "x", "a: x\nname: n\n"},
		{"colon in a value", "a: b: c\nname: n\n", "a", "b: c", "a: \"b: c\"\nname: n\n"},
		{"colon and number sign in a value", "a: b: c # d\nname: n\n", "a", "b: c # d", "a: \"b: c # d\"\nname: n\n"},
		{"broken quotes", "a: \"b\" c\nname: n\n", "a", "\"b\" c", "a: '\"b\" c'\nname: n\n"},
		{"quote that is not closed", "a: \"b\nname: n\n", "a", "b", "a: b\nname: n\n"},
		{"text that goes on at the left", "a: one\ntwo\nname: n\n", "a", "one two", "a: one two\nname: n\n"},
		{"another field is broken", "a: b: c\nname: n\n", "name", "x", "a: b: c\nname: x\n"},
		{"written twice", "a: 1\nb: 2\na: 3\n", "a", "x", "a: 1\nb: 2\na: x\n"},
		{"add", "b: 1 # c\n", "a", "x y", "b: 1 # c\na: x y\n"},
		{"add without final line end", "b: 1", "a", "x", "b: 1\na: x"},
		{"replace without final line end", "a: >\n  b", "a", "x", "a: x"},
		{"carriage returns", "a: |\r\n  b\r\nc: d\r\n", "a", "x", "a: x\r\nc: d\r\n"},
		{"add with carriage returns", "c: d\r\n", "a", "x", "c: d\r\na: x\r\n"},
		{"all fields indented", "  a: 1\n  b:\n    c: 2\n", "b", "x", "  a: 1\n  b: x\n"},
		{"add to indented fields", "  a: 1\n", "b", "x", "  a: 1\n  b: x\n"},
		{"similar keys", "name-x: 1\nmy name: 2\nname: 3\n", "name", "x", "name-x: 1\nmy name: 2\nname: x\n"},
		{"key in a block scalar", "a: |\n  name: y\nname: n\n", "name", "x", "a: |\n  name: y\nname: x\n"},
		{"web address is no key", "a: see\nhttps://example.com\nname: n\n", "a", "x", "a: x\nname: n\n"},
		{"byte-order mark", "\ufeffa: 1\n", "a", "x", "\ufeffa: x\n"},
		{"key that needs quotes", "b: 1\n", "a: b", "x", "b: 1\n\"a: b\": x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := YAMLField([]byte(tt.doc), tt.key, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestYAMLFieldRefuses(t *testing.T) {
	for name, doc := range map[string]string{
		"map in braces":   "{a: 1}\n",
		"list":            "- a\n",
		"anchor in use":   "name: &x a\nb: *x\n",
		"after the end":   "b: 1\n...\n",
		"second document": "b: 1\n---\nc: 2\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := YAMLField([]byte(doc), "name", "x"); err == nil {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestQuoteYAML(t *testing.T) {
	for in, want := range map[string]string{
		"":                   `""`,
		"plain words":        "plain words",
		"Ärger über-all":     "Ärger über-all",
		"yes":                `"yes"`,
		"Null":               `"Null"`,
		"1.0":                `"1.0"`,
		"2025-10-20":         `"2025-10-20"`,
		"a: b":               `"a: b"`,
		"it's":               `"it's"`,
		`say "it's"`:         `'say "it''s"'`,
		`C:\x`:               `'C:\x'`,
		"a\nb\t\"":           `"a\nb\t\""`,
		" a":                 `" a"`,
		"a ":                 `"a "`,
		"- a":                `"- a"`,
		"\x00\u0085\u2028":   `"\u0000\u0085\u2028"`,
		"\xff":               "\"\ufffd\"",
		"{{name}} & *others": `"{{name}} & *others"`,
		"👩‍💻 emoji":          `"👩‍💻 emoji"`,
	} {
		if got := QuoteYAML(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestQuoteYAMLRoundTrips(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\n\t]{0,20}`), rapid.StringMatching(`[a-z:#'"\\ ,\-]{0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "s")
		n, err := tree.YAML([]byte(QuoteYAML(s)+": "+QuoteYAML(s)+" # c\n"), 1, limits)
		if err != nil || n.Get(s) == nil || n.Get(s).Kind != tree.String || n.Get(s).Text != s {
			t.Fatalf("%q as %s: %v", s, QuoteYAML(s), err)
		}
	})
}

// A document made of fields, broken ones among them, changes in the one field
// and in no byte elsewhere.
func TestYAMLFieldProperties(t *testing.T) {
	shapes := rapid.SampledFrom([]string{
		"K: v\n", "K:\n", "K: 'q'\n", "K: |\n  x\n\n  # y\n", "K:\n- a\n# c\n- b\n", "K:\n  a: 1\n  b: 2\n", "K: b: c\n", "K: \"x\" y\n", "K: 'x\n",
		"K: {\"a\": {\n\"b\": 1 }\n}\n", "K: [a,\n  b\n", "K: one\n  two\n", "K: >-\n\tx\n", "\"K\": @x\n", "K : &\n",
	})
	trivia := rapid.SampledFrom([]string{"", "", "\n", "# c\n", "# K: v\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		names := []string{"a", "b-c", "d e", "f"}
		at := rapid.IntRange(0, len(names)-1).Draw(t, "field")
		var doc, want strings.Builder
		// Without quotes, which could close those that a broken field opens.
		value := rapid.StringMatching(`[a-z:# ]{0,8}`).Draw(t, "value")
		for i, name := range names {
			space := trivia.Draw(t, "trivia")
			shape := strings.ReplaceAll(shapes.Draw(t, "shape"), "K", name)
			doc.WriteString(space + shape)
			want.WriteString(space)
			if i == at {
				colon := strings.IndexByte(shape, ':')
				shape = shape[:colon] + ": " + QuoteYAML(value) + "\n"
			}
			want.WriteString(shape)
		}
		got, err := YAMLField([]byte(strings.ReplaceAll(doc.String(), "\n", eol)), names[at], value)
		if err != nil {
			t.Fatalf("%q: %v", doc.String(), err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(want.String(), "\n", eol), string(got)); diff != "" {
			t.Fatalf("%q: %s", doc.String(), diff)
		}
		if again, err := YAMLField(got, names[at], value); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("set twice: %q, then %q: %v", got, again, err)
		}
	})
}
