package tree

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var testLimits = Limits{Depth: 20, Nodes: 1000}

func TestYAMLKeepsWhatWasWritten(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", `null`},
		{"first document only", "a: 1\n---\nb: 2", `{"a": 1}`},
		{"only a comment", "# nothing\n", `null`},
		{"scalar document", "hello", `"hello"`},
		{"numbers stay as written", "a: 1.0\nb: 0x1F\nc: 1_000\nd: 4.50\ne: .inf\nf: 007", `{"a": 1.0, "b": 0x1F, "c": 1_000, "d": 4.50, "e": .inf, "f": 007}`},
		{"dates are strings", "a: 2025-10-20\nb: 2001-12-14T21:59:43Z", `{"a": "2025-10-20", "b": "2001-12-14T21:59:43Z"}`},
		{"words of older YAML are strings", "a: yes\nb: off\nc: 12:30", `{"a": "yes", "b": "off", "c": "12:30"}`},
		{"booleans", "a: true\nb: FALSE", `{"a": true, "b": FALSE}`},
		{"quoted scalars are strings", "a: '1'\nb: \"true\"\nc: |\n  1\nd: >-\n  null", `{"a": "1", "b": "true", "c": "1\n", "d": "null"}`},
		{"nulls", "a:\nb: ~\nc: null", `{"a": null, "b": null, "c": null}`},
		{"tags that fit", "a: !!str 1.0\nb: !!int \"3\"\nc: !mine x\nd: !!float 3", `{"a": "1.0", "b": 3, "c": "x", "d": 3}`},
		{"tags that do not fit", "a: !!int x\nb: !!bool maybe\nc: !!null 1", `{"a": "x", "b": "maybe", "c": "1"}`},
		{"keys by their text", "1: a\ntrue: b\n~: c\n2025-01-01: d", `{"1": "a", "true": "b", "~": "c", "2025-01-01": "d"}`},
		{"order", "b: 1\na: 2\nc: [x, {y: z}]", `{"b": 1, "a": 2, "c": ["x", {"y": "z"}]}`},
		{"last duplicate wins in the first one's place", "a: 1\nb: 2\na: 3", `{"a": 3, "b": 2}`},
		{"alias", "a: &x [1, 2]\nb: *x", `{"a": [1, 2], "b": [1, 2]}`},
		{"alias as key", "a: &x k\n*x : v", `{"a": "k", "k": "v"}`},
		{"merge", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  k: 3", `{"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}}`},
		{"merge list, first wins", "a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc: {<<: [*x, *y]}", `{"a": {"k": 1}, "b": {"k": 2, "m": 3}, "c": {"k": 1, "m": 3}}`},
		{"quoted merge key is a key", `a: {"<<": 1}`, `{"a": {"<<": 1}}`},
		{"merge is no duplicate", "x: &x {k: 1}\ny:\n  <<: *x\n  k: 2\n", `{"x": {"k": 1}, "y": {"k": 2}}`},
		{"carriage returns", "a: 1\r\nb: |\r\n  x\r\n", `{"a": 1, "b": "x\n"}`},
		{"comment ended by a bare carriage return", "# c\ra: 1\nb: 2\n", `{"a": 1, "b": 2}`},
		{"byte-order mark", "\ufeffa: 1", `{"a": 1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := YAML([]byte(tt.in), 1, testLimits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, n.Source()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestYAMLPlaces(t *testing.T) {
	n, err := YAML([]byte("a: 1\nlist:\n  - x\n  - {é: ü, k: v}\na: 2\n"), 10, testLimits)
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ line, column int }
	got := map[string]place{}
	for name, node := range map[string]*Node{
		"root": n, "a": n.Get("a"), "list": n.Get("list"), "x": n.Get("list").List[0],
		"ü": n.Get("list").List[1].Get("é"), "v": n.Get("list").List[1].Get("k"),
	} {
		got[name] = place{node.Line, node.Column}
	}
	want := map[string]place{"root": {10, 1}, "a": {14, 4}, "list": {12, 3}, "x": {12, 5}, "ü": {13, 9}, "v": {13, 15}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" {
		t.Error(diff)
	}
	if len(n.Dup) != 1 || n.Dup[0].Key != "a" || n.Dup[0].Line != 10 || n.Dup[0].Value.Text != "1" || n.Map[0].Line != 14 {
		t.Errorf("duplicate: got %+v, winner on line %d", n.Dup, n.Map[0].Line)
	}
}

func TestYAMLErrors(t *testing.T) {
	tests := []struct {
		name, in string
		line     int // counted from 5, the line the document starts on
		want     string
		limit    bool
	}{
		{"first line", "a: b: c", 5, "mapping values are not allowed in this context", false},
		{"colon in a value", "x: 1\ny: 2\na: b: c\nz: 3", 7, "mapping values are not allowed in this context", false},
		{"missing colon", "x: 1\nno colon here\ny: 2", 6, "could not find expected ':'", false},
		{"stray indentation", "x: 1\ny: 2\n- z\n", 7, "did not find expected key", false},
		{"text behind a quoted value", "# comment\n\n# comment\nx: 1\ny: 'a' b\nz: 1\n", 9, "did not find expected key", false},
		{"open list", "x: 1\ny: [a,\nz: 1", 6, "did not find expected ',' or ']'", false},
		{"open quote", "x: 1\ny: \"abc\nz: 1\n", 6, "found unexpected end of stream", false},
		{"tab", "x:\n\ty: 1", 6, "found character that cannot start any token", false},
		{"at sign", "x: 1\ny: @z", 6, "found character that cannot start any token", false},
		{"control character", "x: 1\ny: 2\nz: \x01", 7, "control characters are not allowed", false},
		{"not UTF-8", "x: 1\ny: \xff\n", 6, "invalid leading UTF-8 octet", false},
		{"unknown alias", "x: 1\ny: *nope\n", 6, "unknown anchor 'nope' referenced", false},
		{"list as key", "x: 1\n? [a]\n: b\n", 6, "a key must be a word, not a list or map; quote it if it is text", false},
		{"braces as key", "x: 1\ny: {{name}}\n", 6, "a key must be a word, not a list or map; quote it if it is text", false},
		{"merge of a word", "x: 1\n<<: y\n", 6, "the merge key << needs a map or a list of maps", false},
		{"alias in its own anchor", "x: &x\n  - 1\n  - *x\n", 7, "the alias *x stands inside its own anchor; write the value out", false},
		{"alias through another anchor", "x: &x\n  k: &y\n    - *x\n", 7, "the alias *x stands inside its own anchor; write the value out", false},
		{"too deep", "x: 1\ny: " + strings.Repeat("[", 20) + strings.Repeat("]", 20), 6, "", true},
		{"much too deep", "x: 1\ny: " + strings.Repeat("[", 100_000), 6, "", true},
		{"much too deep maps", strings.Repeat("{a: ", 100_000), 5, "", true},
		{"much too deep blocks", strings.Repeat("- ", 100_000), 5, "", true},
		{"too many values", "x: 1\ny: [" + strings.Repeat("1,", 2000) + "]", 6, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := YAML([]byte(tt.in), 5, testLimits)
			var at *Error
			if !errors.As(err, &at) {
				t.Fatalf("got %v and error %v, want an *Error", n.Source(), err)
			}
			if at.Line != tt.line {
				t.Errorf("line %d, want %d (%s)", at.Line, tt.line, at.Msg)
			}
			if tt.want != "" && !strings.Contains(at.Msg, tt.want) {
				t.Errorf("message %q, want %q", at.Msg, tt.want)
			}
			if errors.Is(err, ErrLimit) != tt.limit {
				t.Errorf("limit error: %t, want %t (%v)", !tt.limit, tt.limit, err)
			}
		})
	}
}

// A document of a few hundred bytes that stands for 10^9 values.
func TestYAMLAliasBomb(t *testing.T) {
	bomb := "a0: &a0 x\n"
	for i := 1; i < 10; i++ {
		prev := "*a" + string(rune('0'+i-1))
		bomb += "a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(prev+", ", 10) + "]\n"
	}
	for _, in := range []string{bomb, strings.ReplaceAll(strings.ReplaceAll(bomb, "[", "{<<: ["), "]", "]}")} {
		if _, err := YAML([]byte(in), 1, Limits{Depth: 50, Nodes: 100_000}); err == nil {
			t.Error("the bomb was read")
		}
	}
	if _, err := YAML([]byte(bomb), 1, Limits{Depth: 50, Nodes: 100_000}); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v, want ErrLimit", err)
	}
}

// What stands behind the end of a document would be lost in silence.
func TestWholeYAMLRefusesASecondDocument(t *testing.T) {
	for text, line := range map[string]int{
		"a: 1\n--- # more\nb: 2": 2, "a: 1\n... # more\nb: 2": 3, "a: 1\n---\n- b\n": 2, "--- x\n--- y": 2, "a: 1\n---\n---\nb: 2\n": 3,
		"a: 1\n---\nb: [": 3,
	} {
		_, err := WholeYAML([]byte(text), 1, testLimits)
		var at *Error
		if !errors.As(err, &at) || at.Line != line {
			t.Errorf("%q: got %v, want an error on line %d", text, err, line)
		}
	}
	for _, text := range []string{"---\na: 1\n", "a: 1\n---\n", "a: 1\n...\n# more\n", "# x\n---\na: 1\n---\n# y\n"} {
		if n, err := WholeYAML([]byte(text), 1, testLimits); err != nil || n.Source() != `{"a": 1}` {
			t.Errorf("%q: got %s, %v", text, n.Source(), err)
		}
	}
}
