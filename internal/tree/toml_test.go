package tree

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTOMLKeepsWhatWasWritten(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", `{}`},
		{"scalars", "a = 1.0\nb = 0x1F\nc = 1_000\nd = true\ne = +inf\nf = -nan\ng = 1e3", `{"a": 1.0, "b": 0x1F, "c": 1_000, "d": true, "e": +inf, "f": -nan, "g": 1e3}`},
		{"dates are strings", "a = 2025-10-20\nb = 07:32:00\nc = 1979-05-27 07:32:00Z", `{"a": "2025-10-20", "b": "07:32:00", "c": "1979-05-27 07:32:00Z"}`},
		{"strings", "a = \"x\\ty\"\nb = 'x\\ty'\nc = \"\"\"\nx\\\n  y\"\"\"\nd = '''\nx'''", `{"a": "x\ty", "b": "x\\ty", "c": "xy", "d": "x"}`},
		{"dotted keys", "a.b.c = 1\na.\"b\".d = 2\n'e.f' = 3", `{"a": {"b": {"c": 1, "d": 2}}, "e.f": 3}`},
		{"tables", "x = 0\n[a]\nk = 1\n[b.c]\nk = 2\n[b]\nk = 3\n[a.d]\nk = 4", `{"x": 0, "a": {"k": 1, "d": {"k": 4}}, "b": {"c": {"k": 2}, "k": 3}}`},
		{"arrays of tables", "[[t]]\nn = 1\n[t.s]\nk = 1\n[[t]]\nn = 2\n[[t.u]]\nk = 2\n[[t.u]]", `{"t": [{"n": 1, "s": {"k": 1}}, {"n": 2, "u": [{"k": 2}, {}]}]}`},
		{"inline", "a = [1, [2, 'x'], {b = 1, c.d = [ ]}, ]\ne = {}", `{"a": [1, [2, "x"], {"b": 1, "c": {"d": []}}], "e": {}}`},
		{"comments and commas inside lists", "a = [ # one, ]\n  1, # two\n\n  [ # [\n  2 ] , \n  { b = '#,' } ]\nz = 1", `{"a": [1, [2], {"b": "#,"}], "z": 1}`},
		{"byte-order mark", "\ufeffa = 1", `{"a": 1}`},
		{"carriage returns", "a = 1\r\n[b]\r\nc = [\r\n2,\r\n]\r\n", `{"a": 1, "b": {"c": [2]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := TOML([]byte(tt.in), testLimits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, n.Source()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTOMLPlaces(t *testing.T) {
	n, err := TOML([]byte("a = 'é' # ü\nb = ['ü', {k = 1}, [\n  2, # [\n  [3]]]\n[c.d]\n  e.f = 1\n[[g]]\n[[g]]\nh = 2\n"), testLimits)
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ line, column int }
	b := n.Get("b").List
	got := map[string]place{}
	for name, node := range map[string]*Node{
		"a": n.Get("a"), "b": n.Get("b"), "b1": b[1], "k": b[1].Get("k"), "b2": b[2], "2": b[2].List[0], "3": b[2].List[1].List[0],
		"c": n.Get("c"), "d": n.Lookup("c", "d"), "e": n.Lookup("c", "d", "e"), "f": n.Lookup("c", "d", "e", "f"), "g1": n.Get("g").List[1], "h": n.Get("g").List[1].Get("h"),
	} {
		got[name] = place{node.Line, node.Column}
	}
	want := map[string]place{
		"a": {1, 5}, "b": {2, 5}, "b1": {2, 11}, "k": {2, 16}, "b2": {2, 20}, "2": {3, 3}, "3": {4, 4},
		"c": {5, 2}, "d": {5, 4}, "e": {6, 3}, "f": {6, 9}, "g1": {8, 3}, "h": {9, 5},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" {
		t.Error(diff)
	}
}

func TestTOMLErrors(t *testing.T) {
	tests := []struct {
		name, in     string
		line, column int
		limit        bool
	}{
		{"no value", "a = 1\nb =\n", 2, 4, false},
		{"bare word", "a = 1\nb = x\n", 2, 5, false},
		{"column in characters", "a = ['é', x]", 1, 11, false},
		{"unclosed", "a = 1\nb = [1,", 2, 7, false},
		{"key twice", "a = 1\na = 2\n", 2, 1, false},
		{"table twice", "[a]\n[b]\n[a]\n", 3, 2, false},
		{"value as table", "a = 1\n[a.b]\n", 2, 2, false},
		{"value as dotted table", "a = 1\na.b = 2\n", 2, 1, false},
		{"inline table extended", "a = {}\n[a.b]\n", 2, 2, false},
		{"list extended", "a = [{}]\n[[a]]\n", 2, 3, false},
		{"not UTF-8", "a = 1\nb = '\xff'\n", 2, 6, false},
		{"no such date", "a = 2025-02-30\n", 1, 0, false},
		{"number too large", "a = 99999999999999999999\n", 1, 5, false},
		{"too deep", "a = 1\nb = " + strings.Repeat("[", 20) + strings.Repeat("]", 20), 2, 24, true},
		{"much too deep", "b = " + strings.Repeat("[", 100_000), 1, 10_005, true},
		{"much too deep inline tables", "b = " + strings.Repeat("{a=", 100_000), 1, 0, true},
		{"too deep dotted key", strings.Repeat("a.", 100_000) + "b = 1", 1, 0, true},
		{"too deep header", "[" + strings.Repeat("a.", 100_000) + "b]", 1, 0, true},
		{"too many values", "b = [" + strings.Repeat("1,", 2000) + "]", 1, 0, true},
		{"too many tables", strings.Repeat("[[a]]\n", 2000), 999, 3, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := TOML([]byte(tt.in), testLimits)
			var at *Error
			if !errors.As(err, &at) {
				t.Fatalf("got %v and error %v, want an *Error", n.Source(), err)
			}
			if at.Line != tt.line || tt.column != 0 && at.Column != tt.column {
				t.Errorf("place %d:%d, want %d:%d (%s)", at.Line, at.Column, tt.line, tt.column, at.Msg)
			}
			if errors.Is(err, ErrLimit) != tt.limit {
				t.Errorf("limit error: %t, want %t (%v)", !tt.limit, tt.limit, err)
			}
		})
	}
}
