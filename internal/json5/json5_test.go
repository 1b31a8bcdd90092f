package json5

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/tree"
)

var limits = tree.Limits{Depth: 50, Nodes: 1000}

func TestParse(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"JSON", `{"a": [1, 2.50, -3e+10, true, false, null, "x\u0041\/"]}`, `{"a": [1, 2.50, -3e+10, true, false, null, "xA/"]}`},
		{"keys without quotes", `{a: 1, $b_2: 2, if: 3, ünï: 4, \u0061b: 5, a\u0062: 6, ℵ: 7, a‍b: 8}`, `{"a": 1, "$b_2": 2, "if": 3, "ünï": 4, "ab": 6, "ℵ": 7, "a‍b": 8}`},
		{"single quotes", `{'a"': 'it\'s'}`, `{"a\"": "it's"}`},
		{"trailing commas", `[[1,],{a:1,},]`, `[[1], {"a": 1}]`},
		{"empty", ` [ { } , [ ] , '' ] `, `[{}, [], ""]`},
		{"comments", "// one\n/* two\n * */ { // three ] \r a /**/ : /* : */ 1 /* , */ } // four", `{"a": 1}`},
		{"comment ended by a line separator", "// x\u2028 1", `1`},
		{"numbers", `[0x1F, 0XaB, +1, -0, .5, 5., -.5e-3, 5.e2, Infinity, -Infinity, +NaN]`, `[0x1F, 0XaB, +1, -0, .5, 5., -.5e-3, 5.e2, Infinity, -Infinity, +NaN]`},
		{"escapes", `'\b\f\n\r\t\v\0\x41\u00e9\'\"\\\a\q\é'`, `"\u0008\u000C\n\r\t\u000B\u0000Aé'\"\\aqé"`},
		{"line continuation", "'a\\\nb\\\r\nc\\\rd\\\u2028e\\\u2029f'", `"abcdef"`},
		{"line separators and control characters in strings", "'a\u2028b\tc\x01'", `"a\u2028b\tc\u0001"`},
		{"surrogate pairs", `["\ud83d\ude00", "\ud83d", "\ud83dx", "\ude00\ud83d", "\ud83d\u0041", "\ud83d\ud83d\ude00"]`, `["😀", "` + "\ufffd\", \"\ufffdx\", \"\ufffd\ufffd\", \"\ufffdA\", \"\ufffd😀" + `"]`},
		{"bytes that are not UTF-8", "'a\xff\xfeb'", "\"a\ufffd\ufffdb\""},
		{"white space", "\ufeff\u00a0\v\f\t\u2003\u2028\u2029\u3000 1\ufeff", `1`},
		{"last duplicate wins in the first one's place", `{a: 1, b: 2, "a": 3}`, `{"a": 3, "b": 2}`},
		{"one-line metadata", `{"openclaw":{"emoji":"🔎","requires":{"bins":["rg"]},"os":["linux","darwin"],},}`, `{"openclaw": {"emoji": "🔎", "requires": {"bins": ["rg"]}, "os": ["linux", "darwin"]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := Parse([]byte(tt.in), 1, limits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, n.Source()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		in           string
		line, column int // the text starts on line 5
		want         string
	}{
		{"", 5, 1, "expected a value, found the end of the text"},
		{"  // x", 5, 7, "expected a value, found the end of the text"},
		{"{", 5, 2, "expected a key or '}', found the end of the text"},
		{"{a", 5, 3, "expected ':' after the key, found the end of the text"},
		{"{a b", 5, 4, `expected ':' after the key, found "b"`},
		{"{é: 1 ü: 2}", 5, 7, `expected ',' or '}' after the value, found "ü"`},
		{"{\r\n  a: 1\n  b: 2}", 7, 3, `expected ',' or '}' after the value, found "b"`},
		{"{a: }", 5, 5, "expected a value, found '}'"},
		{"{,}", 5, 2, "expected a key or '}', found ','"},
		{"{a: 1,,}", 5, 7, "expected a key or '}', found ','"},
		{"[,]", 5, 2, "expected a value, found ','"},
		{"[1 2]", 5, 4, `expected ',' or ']' after the value, found "2"`},
		{"[1", 5, 3, "expected ',' or ']' after the value, found the end of the text"},
		{"[1,", 5, 4, "expected a value or ']', found the end of the text"},
		{"[1}", 5, 3, "expected ',' or ']' after the value, found '}'"},
		{"{1a: 1}", 5, 2, `expected a key or '}', found "1a"`},
		{"{a-b: 1}", 5, 3, "expected ':' after the key, found '-'"},
		{`{a\x41: 1}`, 5, 4, `expected 'u' after '\' in a key, found "x41"`},
		{`{a\u00zz: 1}`, 5, 7, `expected a hexadecimal digit, found "zz"`},
		{`{\u0031: 1}`, 5, 2, "the escaped character cannot be part of a key; quote the key"},
		{"true false", 5, 6, `expected the end of the text, found "false"`},
		{"truely", 5, 1, `expected a value, found "truely"`},
		{"Nope", 5, 1, `expected a value, found "Nope"`},
		{"undefined", 5, 1, `expected a value, found "undefined"`},
		{"01", 5, 1, "a number cannot start with 0; drop the zero, or quote it if it is text"},
		{"1.2.3", 5, 4, "expected the end of the text, found '.'"},
		{"12px", 5, 3, `expected the end of the number, found "px"`},
		{"0x", 5, 3, "expected a hexadecimal digit, found the end of the text"},
		{"0xg", 5, 3, `expected a hexadecimal digit, found "g"`},
		{".", 5, 2, "expected a number, found the end of the text"},
		{"+ 1", 5, 2, "expected a number, found ' '"},
		{"--1", 5, 2, "expected a number, found '-'"},
		{"1e", 5, 3, "expected a digit of the exponent, found the end of the text"},
		{"1e+x", 5, 4, `expected a digit of the exponent, found "x"`},
		{"['a\n']", 5, 2, "expected ' at the end of the string that starts here, found the end of the line"},
		{"\n \"a", 6, 2, `expected " at the end of the string that starts here, found the end of the text`},
		{`'\1'`, 5, 3, `expected an escape, found '\1'; write \x and two hexadecimal digits`},
		{`'\01'`, 5, 4, `expected no digit after '\0', found '1'; write \x00`},
		{`'\x4'`, 5, 5, `expected a hexadecimal digit, found '\''`},
		{`'\u12'`, 5, 6, `expected a hexadecimal digit, found '\''`},
		{"'\\", 5, 3, `expected a character after '\', found the end of the text`},
		{"[1, /* x", 5, 5, "expected */ at the end of the comment that starts here, found the end of the text"},
		{"/x", 5, 2, `expected '/' or '*' to start a comment, found "x"`},
		{"{\xff: 1}", 5, 2, "expected a key or '}', found the byte 0xff, which is not UTF-8"},
		{"[@]", 5, 2, "expected a value, found '@'"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			n, err := ParseLine(tt.in, 5, limits)
			var at *tree.Error
			if !errors.As(err, &at) {
				t.Fatalf("got %s, want an error", n.Source())
			}
			if diff := cmp.Diff(tree.Error{Line: tt.line, Column: tt.column, Msg: tt.want}, *at); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	for name, in := range map[string]string{
		"too deep":           strings.Repeat("[", 51) + strings.Repeat("]", 51),
		"deep maps":          strings.Repeat("{a:", 51),
		"a million brackets": strings.Repeat("[", 1_000_000),
		"too many values":    "[" + strings.Repeat("1,", 1000) + "]",
		"too many members":   "{" + strings.Repeat("a:1,", 1000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseLine(in, 1, limits); !errors.Is(err, tree.ErrLimit) {
				t.Errorf("got %v, want ErrLimit", err)
			}
		})
	}
	if _, err := ParseLine(strings.Repeat("[", 50)+strings.Repeat("]", 50), 1, limits); err != nil {
		t.Errorf("at the limit of depth: %v", err)
	}
	if _, err := ParseLine("["+strings.Repeat("1,", 999)+"]", 1, limits); err != nil {
		t.Errorf("at the limit of values: %v", err)
	}
	unbounded := tree.Limits{Depth: 1 << 30, Nodes: 1 << 30}
	if _, err := ParseLine(strings.Repeat("[", 5_000_000), 1, unbounded); !errors.Is(err, tree.ErrLimit) {
		t.Errorf("without limits: got %v, want ErrLimit", err)
	}
}

func TestPlaces(t *testing.T) {
	n, err := ParseLine("{ // é\r\n 'ü': 'é', k: [1,\r  2],\n/* é\n */ a: {}, a: 1 }", 3, limits)
	if err != nil {
		t.Fatal(err)
	}
	type where struct{ line, column int }
	got := map[string]where{}
	for name, v := range map[string]*tree.Node{
		"root": n, "ü": n.Get("ü"), "k": n.Get("k"), "1": n.Get("k").List[0], "2": n.Get("k").List[1], "a": n.Get("a"), "lost": n.Dup[0].Value,
	} {
		got[name] = where{v.Line, v.Column}
	}
	want := map[string]where{"root": {3, 1}, "ü": {4, 7}, "k": {4, 15}, "1": {4, 16}, "2": {5, 3}, "lost": {7, 8}, "a": {7, 15}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(where{})); diff != "" {
		t.Error(diff)
	}
	if n.Map[2].Line != 7 || n.Map[1].Line != 4 || n.Dup[0].Key != "a" {
		t.Errorf("lines of keys: %+v, lost %+v", n.Map, n.Dup)
	}
}

// plain turns a node into what encoding/json makes of it.
func plain(n *tree.Node) any {
	switch n.Kind {
	case tree.Bool:
		return n.Text == "true"
	case tree.Number:
		return json.Number(n.Text)
	case tree.String:
		return n.Text
	case tree.List:
		list := []any{}
		for _, item := range n.List {
			list = append(list, plain(item))
		}
		return list
	case tree.Map:
		members := map[string]any{}
		for _, m := range n.Map {
			members[m.Key] = plain(m.Value)
		}
		return members
	}
	return nil
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-3,true,null,"\ud83d\ude00\u0000"],"b":{}}`, `{a:1,'b':+.5,/*x*/c:[0xF,],}`, "// x\n[Infinity,-NaN,5.]",
		`'\x41\v\0\` + "\n" + `'`, "\ufeff{\u00a0ünï\u0061:1}", `{"a":1,"a":2}`, "[\"\xff\"]", `"\ud83dx"`, "[[[[", "/*",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := tree.Limits{Depth: 100, Nodes: 10_000}
		n, err := Parse(data, 1, lim)
		if errors.Is(err, tree.ErrLimit) {
			return
		}
		if err != nil {
			var at *tree.Error
			lines := 1 + bytes.Count(data, []byte{'\n'}) + bytes.Count(data, []byte{'\r'})
			if !errors.As(err, &at) || at.Line < 1 || at.Line > lines || at.Column < 1 || at.Column > len(data)+1 {
				t.Fatalf("error without a place in the text: %#v", err)
			}
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var want any
		if json.Valid(data) && dec.Decode(&want) == nil {
			if err != nil {
				t.Fatalf("JSON refused: %v", err)
			}
			if diff := cmp.Diff(want, plain(n)); diff != "" {
				t.Fatalf("differs from encoding/json: %s", diff)
			}
		}
		if err != nil {
			return
		}
		again, err := ParseLine(n.Source(), 1, lim)
		if err != nil {
			t.Fatalf("rendered as %s: %v", n.Source(), err)
		}
		if again.Source() != n.Source() {
			t.Fatalf("rendered as %s, then %s", n.Source(), again.Source())
		}
	})
}

// The metadata of a typical skill, which every load reads.
const metadata = `{"openclaw":{"emoji":"🔎","homepage":"https://example.com/tools/seeker","primaryEnv":"SEEKER_API_KEY","requires":{"bins":["seeker","jq"],"env":["SEEKER_API_KEY"]},"os":["darwin","linux"],"install":[{"id":"brew","kind":"brew","formula":"example/tap/seeker","bins":["seeker"],"label":"Install seeker (brew)"}]}}`

func BenchmarkParseLine(b *testing.B) {
	b.SetBytes(int64(len(metadata)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseLine(metadata, 1, limits); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	b.SetBytes(int64(len(metadata)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal([]byte(metadata), &v); err != nil {
			b.Fatal(err)
		}
	}
}
