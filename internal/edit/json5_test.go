package edit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/tree"
)

func TestJSON5(t *testing.T) {
	tests := []struct{ name, doc, path, value, want string }{
		{"empty document", "", "a", "1", "{\n  \"a\": 1\n}\n"},
		{"empty document, objects", "", "a.b.c", "1", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}\n"},
		{"byte-order mark alone", "\ufeff", "a", "1", "\ufeff{\n  \"a\": 1\n}\n"},
		{"comments alone", "// mine", "a", "1", "// mine\n{\n  \"a\": 1\n}\n"},
		{"comments alone, carriage returns", "// mine\r\n", "a", "1", "// mine\r\n{\r\n  \"a\": 1\r\n}\r\n"},
		{"replace", "{\n  // one\n  a: 1, // two\n  b: 2,\n}\n", "a", "true", "{\n  // one\n  a: true, // two\n  b: 2,\n}\n"},
		{"replace between comments", "{a/*1*/:/*2*/1/*3*/}", "a", "\"x\"", "{a/*1*/:/*2*/\"x\"/*3*/}"},
		{"replace an object", "{a: {b: [1, {c: 2}]}, d: 3}", "a", "null", "{a: null, d: 3}"},
		{"replace below", "{'a': {\"b\": {c: 1}}}", "a.b.c", "2", "{'a': {\"b\": {c: 2}}}"},
		{"replace a key with escapes", `{"\u0061": 1, \u0062: 2}`, "b", "3", `{"\u0061": 1, \u0062: 3}`},
		{"replace the last of two", "{a: 1, \"a\": 2, b: 3}", "a", "4", "{a: 1, \"a\": 4, b: 3}"},
		{"go through the last of two", "{a: {b: 1}, a: {c: 2}}", "a.b", "4", "{a: {b: 1}, a: {c: 2, b: 4}}"},
		{"replace text that looks like syntax", `{"a": "} // , \" /*", 'b': '\'}'}`, "b", "1", `{"a": "} // , \" /*", 'b': 1}`},
		{"replace by an object", "{a: 1}", "a", " {\"b\": [1]}\n", "{a: {\"b\": [1]}}"},
		{"add as its siblings, JSON", "{\n    \"a\": 1\n}\n", "b", "2", "{\n    \"a\": 1,\n    \"b\": 2\n}\n"},
		{"add as its siblings, JSON5", "{\n\ta: 1,\n}\n", "b", "2", "{\n\ta: 1,\n\tb: 2,\n}\n"},
		{"add with quotes where one sibling has them", "{a: 1, 'b': 2}", "c", "3", "{a: 1, 'b': 2, \"c\": 3}"},
		{"add with quotes where they are needed", "{a: 1}", "b-c", "3", "{a: 1, \"b-c\": 3}"},
		{"add objects", "{\n\ta: 1\n}\n", "b.c-d.e", "2", "{\n\ta: 1,\n\tb: {\n\t\t\"c-d\": {\n\t\t\te: 2\n\t\t}\n\t}\n}\n"},
		{"add objects below", "{\n  \"a\": {\n    \"b\": {}\n  }\n}", "a.b.c", "1", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}"},
		{"add inline", "{ a: 1 }\n", "b", "2", "{ a: 1, b: 2 }\n"},
		{"add inline behind a comma", "{ a: 1, }", "b", "2", "{ a: 1, b: 2, }"},
		{"add inline without spaces", `{"a":{"b":1}}`, "a.c", "2", `{"a":{"b":1,"c":2}}`},
		{"add an object inline", `{"a": 1}`, "b.c", "2", `{"a": 1, "b": {"c": 2}}`},
		{"add an object inline without spaces", `{"a":1}`, "b.c", "2", `{"a":1,"b":{"c":2}}`},
		{"add an object inline with spaces", `{ a: 1 }`, "b.c", "2", `{ a: 1, b: { c: 2 } }`},
		{"add to an inline object in lines", "{\n  a: { b: 1 }, // x\n}", "a.c", "2", "{\n  a: { b: 1, c: 2 }, // x\n}"},
		{"add to an empty object", "{}\n", "a", "1", "{\n  \"a\": 1\n}\n"},
		{"add to an empty object inline", "{a: {}}", "a.b", "1", "{a: {b: 1}}"},
		{"add to an empty object inline with a comment", "{ a: { /* x */ } }", "a.b", "1", "{ a: { /* x */ b: 1 } }"},
		{"add to an object of comments", "{\n    // x\n}\n", "a", "1", "{\n    // x\n    \"a\": 1\n}\n"},
		{"add to an object with a comment at its brace", "{ // x\n}\n", "a", "1", "{ // x\n  \"a\": 1\n}\n"},
		{"add to an object of space", "{\r\n}", "a", "1", "{\r\n  \"a\": 1\r\n}"},
		{"comment behind the last stays with it", "{\n  a: 1 // x\n  // y\n}\n", "b", "2", "{\n  a: 1, // x\n  b: 2\n  // y\n}\n"},
		{"comment behind the last comma stays with it", "{\n  a: 1, /* x */ // z\n\n  // y\n}\n", "b", "2", "{\n  a: 1, /* x */ // z\n  b: 2,\n\n  // y\n}\n"},
		{"inline comment stays with its member", "{ a: 1 /* x */ }", "b", "2", "{ a: 1 /* x */, b: 2 }"},
		{"inline before a comment to the end of the line", "{ a: 1 // x\n}", "b", "2", "{ a: 1, // x\n  b: 2\n}"},
		{"comma on its own line", "{\n  a: 1\n  ,\n}", "b", "2", "{\n  a: 1\n  ,\n  b: 2,\n}"},
		{"brace on the last line", "{\n  a: 1 }", "b", "2", "{\n  a: 1,\n  b: 2 }"},
		{"columns", "{\n  a:      1,\n  bcdef:  2\n}", "g", "3", "{\n  a:      1,\n  bcdef:  2,\n  g: 3\n}"},
		{"carriage returns", "{\r\n  \"a\": 1\r\n}\r\n", "b.c", "2", "{\r\n  \"a\": 1,\r\n  \"b\": {\r\n    \"c\": 2\r\n  }\r\n}\r\n"},
		{"byte-order mark", "\ufeff{a: 1}\n", "a", "2", "\ufeff{a: 2}\n"},
		{"comments around the document", "/* x */ {a: 1} // y", "a", "2", "/* x */ {a: 2} // y"},
		{"empty key", `{"": 1}`, "", "2", `{"": 2}`},
		{"numbers", "{a: +.5e3, b: 0xFF, c: -Infinity}", "b", "1", "{a: +.5e3, b: 1, c: -Infinity}"},
		{"line separators", "{a: 1,// x\u2028b: 2}", "c", "3", "{a: 1,// x\u2028b: 2,\nc: 3}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := []byte(tt.doc)
			got, err := JSON5(doc, strings.Split(tt.path, "."), tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if string(doc) != tt.doc {
				t.Error("the document given was changed")
			}
		})
	}
}

func TestJSON5Refuses(t *testing.T) {
	tests := []struct{ name, doc, path, value, want string }{
		{"broken document", "{\n  a: 1\n  b: 2\n}", "a", "1", "line 3"},
		{"comment without end", "/* x", "a", "1", "line 1"},
		{"bare word", "", "a", "word", "text needs double quotes"},
		{"single quotes", "", "a", "'x'", "text needs double quotes"},
		{"nothing", "", "a", "", "text needs double quotes"},
		{"two values", "", "a", "1, \"b\": 2", "text needs double quotes"},
		{"comment", "", "a", "1 // x", "text needs double quotes"},
		{"not UTF-8", "", "a", "\"\xff\"", "text needs double quotes"},
		{"below a value", "{\n  a: {\n    b: 1\n  }\n}", "a.b.c", "1", "line 3: set a.b.c: a.b is a value, not an object"},
		{"below a null", "{\n  a: null\n}", "a.b", "1", "line 2: set a.b: a is a value"},
		{"below a list", "{\n  a: []\n}", "a.0", "1", "line 2: set a.0: a is a value"},
		{"in a list", "\n[]", "a", "1", "line 2: set a: the document is a value"},
		{"too deep a value", "", "a", strings.Repeat("[", 101) + strings.Repeat("]", 101), "the value cannot be set"},
		{"too deep a path", "", strings.Repeat("a.", 100) + "a", "1", "101 parts"},
		{"too deep together", "", strings.Repeat("a.", 99) + "a", "[]", "set a.a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := JSON5([]byte(tt.doc), strings.Split(tt.path, "."), tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, errChanged) {
				t.Errorf("got %q, error %v", got, err)
			}
		})
	}
	if _, err := JSON5(nil, nil, "1"); err == nil {
		t.Error("no key: no error")
	}
	if _, err := JSON5(nil, []string{"\xff"}, "1"); err == nil {
		t.Error("a key that is not UTF-8: no error")
	}
}

func TestDeleteJSON5(t *testing.T) {
	tests := []struct{ name, doc, path, want string }{
		{"missing", "{a: 1}\n", "b", "{a: 1}\n"},
		{"missing below a value", "{a: 1}\n", "a.b", "{a: 1}\n"},
		{"empty document", "// x\n", "a", "// x\n"},
		{"no object", "[1]", "a", "[1]"},
		{"line", "{\n  // x\n  a: 1, // y\n  // z\n  b: 2,\n}\n", "a", "{\n  // x\n  // z\n  b: 2,\n}\n"},
		{"last line with a comma", "{\n  a: 1, // x\n  b: 2, // y\n}\n", "b", "{\n  a: 1, // x\n}\n"},
		{"last line without a comma", "{\n  \"a\": 1, // x\n  \"b\": 2 // y\n}\n", "b", "{\n  \"a\": 1 // x\n}\n"},
		{"comment before it on its line", "{\n  /* x */ a: 1,\n  b: 2\n}\n", "a", "{\n  b: 2\n}\n"},
		{"object over lines", "{\n  a: {\n    // x\n    b: 1\n  }, // y\n  c: 2\n}\n", "a", "{\n  c: 2\n}\n"},
		{"below", "{\n  a: {\n    b: 1,\n    c: 2\n  }\n}\n", "a.c", "{\n  a: {\n    b: 1\n  }\n}\n"},
		{"only one", "{\n  a: {\n    b: 1\n  }\n}\n", "a.b", "{\n  a: {}\n}\n"},
		{"only one with a comment", "{\n  // x\n  a: 1\n}\n", "a", "{\n  // x\n}\n"},
		{"inline", "{ a: 1, b: 2, c: 3 }", "b", "{ a: 1, c: 3 }"},
		{"first inline", "{ a: 1, b: 2 }", "a", "{ b: 2 }"},
		{"last inline", "{ a: 1, b: 2 }", "b", "{ a: 1 }"},
		{"last inline with a comma", "{ a: 1, b: 2, }", "b", "{ a: 1, }"},
		{"only one inline", "{ a: 1 }", "a", "{}"},
		{"without spaces", `{"a":1,"b":2,"c":3}`, "b", `{"a":1,"c":3}`},
		{"last without spaces", `{"a":1,"b":2}`, "b", `{"a":1}`},
		{"inline comments of others stay", "{ a: 1 /* a */, b: 2 /* b */, /* c */ c: 3 }", "b", "{ a: 1 /* a */, /* c */ c: 3 }"},
		{"inline comment before the comma stays", "{ a: 1 /* a */, b: 2 }", "b", "{ a: 1 /* a */ }"},
		{"two on a line", "{\n  a: 1, b: 2, // x\n  c: 3\n}", "b", "{\n  a: 1,\n  c: 3\n}"},
		{"first of two on a line", "{\n  a: 1, b: 2, // x\n  c: 3\n}", "a", "{\n  b: 2, // x\n  c: 3\n}"},
		{"behind the brace", "{ a: 1,\n  b: 2 }", "a", "{\n  b: 2 }"},
		{"before the brace", "{\n  a: 1,\n  b: 2 }", "b", "{\n  a: 1\n }"},
		{"commas first", "{ a: 1\n, b: 2\n, c: 3\n}", "b", "{ a: 1\n, c: 3\n}"},
		{"last of commas first", "{ a: 1\n, b: 2\n, c: 3\n}", "c", "{ a: 1\n, b: 2\n}"},
		{"comma on the next line", "{\n  a: 1 // x\n  , b: 2\n}", "a", "{\n  b: 2\n}"},
		{"comma on its own line", "{\n  a: 1\n  ,\n  b: 2\n}", "a", "{\n  b: 2\n}"},
		{"comma before on its own line", "{\n  a: 1\n  ,\n  b: 2\n}", "b", "{\n  a: 1\n}"},
		{"comment on lines before it", "{\n  /* x\n     y */ a: 1,\n  b: 2\n}", "a", "{\n  /* x\n     y */\n  b: 2\n}"},
		{"comment on lines behind it", "{\n  a: 1, /* x\n  y */ b: 2\n}", "a", "{\n  /* x\n  y */ b: 2\n}"},
		{"twice", "{\n  a: 1,\n  b: 2,\n  a: 3\n}", "a", "{\n  b: 2\n}"},
		{"twice and nothing else", "{ a: 1, 'a': 3 }", "a", "{}"},
		{"twice with commas first", "{ a: 1\n, a: 2\n, c: 3\n}", "a", "{\n\nc: 3\n}"},
		{"twice at the end", "{ b: 0, a: 1, 'a': 3 }", "a", "{ b: 0 }"},
		{"carriage returns", "{\r\n  a: 1,\r\n  b: 2\r\n}\r\n", "b", "{\r\n  a: 1\r\n}\r\n"},
		{"byte-order mark", "\ufeff{a: 1, b: 2}", "a", "\ufeff{b: 2}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := []byte(tt.doc)
			got, err := DeleteJSON5(doc, strings.Split(tt.path, "."))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if string(doc) != tt.doc {
				t.Error("the document given was changed")
			}
		})
	}
	for doc, path := range map[string]string{"{a: }": "a", "/*": "a"} {
		if got, err := DeleteJSON5([]byte(doc), strings.Split(path, ".")); err == nil {
			t.Errorf("delete %s from %q: got %q", path, doc, got)
		}
	}
	if _, err := DeleteJSON5(nil, nil); err == nil {
		t.Error("no key: no error")
	}
}

func TestQuoteJSON(t *testing.T) {
	for _, s := range []string{"", "x", `a"b\c`, "a\nb\x00\u2028\x7f", "é😀", "</script>"} {
		var got string
		if err := json.Unmarshal([]byte(QuoteJSON(s)), &got); err != nil || got != s {
			t.Errorf("%q: %s, %v", s, QuoteJSON(s), err)
		}
		if n, err := readJSON(QuoteJSON(s)); err != nil || n.Kind != tree.String || n.Text != s {
			t.Errorf("%q: %v, %v", s, n, err)
		}
	}
}
