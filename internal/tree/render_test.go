package tree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSourceStaysOnOneLine(t *testing.T) {
	n := &Node{Kind: Map, Map: []Member{
		{Key: "a\nb", Value: &Node{Kind: String, Text: "x\r\t\"\\\x00\x1b\u0085\u2028\ufeff\xff 👩‍💻"}},
		{Key: "n", Value: &Node{}},
		{Key: "nil"},
	}}
	want := `{"a\nb": "x\r\t\"\\\u0000\u001B\u0085\u2028\uFEFF` + "\ufffd 👩‍💻" + `", "n": null, "nil": null}`
	if diff := cmp.Diff(want, n.Source()); diff != "" {
		t.Error(diff)
	}
}

func TestStrings(t *testing.T) {
	tests := []struct {
		yaml string
		want []string
		ok   bool
	}{
		{"[a, ' b ', 1.0, true, '', ~]", []string{"a", "b", "1.0", "true"}, true},
		{"['a, b', c]", []string{"a, b", "c"}, true},
		{"' a , b,, c '", []string{"a", "b", "c"}, true},
		{"1.0", []string{"1.0"}, true},
		{"''", nil, true},
		{"[]", nil, true},
		{"~", nil, true},
		{"{a: b}", nil, false},
		{"[a, {b: c}]", nil, false},
		{"[a, [b]]", nil, false},
	}
	for _, tt := range tests {
		n, err := YAML([]byte(tt.yaml), 1, testLimits)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := n.Strings()
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
			t.Errorf("%s: %t %s", tt.yaml, ok, diff)
		}
	}
	if _, ok := (*Node)(nil).Strings(); ok {
		t.Error("a missing node is no list")
	}
}

func TestBool(t *testing.T) {
	for text, want := range map[string][2]bool{
		"true": {true, true}, "Yes": {true, true}, "'on'": {true, true}, "1": {true, true}, "FALSE": {false, true},
		"no": {false, true}, "' off '": {false, true}, "0": {false, true}, "maybe": {}, "~": {}, "[]": {}, "2": {},
	} {
		n, err := YAML([]byte(text), 1, testLimits)
		if err != nil {
			t.Fatal(err)
		}
		if value, ok := n.Bool(); value != want[0] || ok != want[1] {
			t.Errorf("%s: %t, %t", text, value, ok)
		}
	}
}

func TestLookup(t *testing.T) {
	n, err := YAML([]byte("a: {b: {c: ' x '}}\nl: []"), 1, testLimits)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := n.Lookup("a", "b", "c").Scalar(); text != "x" || !ok {
		t.Errorf("got %q, %t", text, ok)
	}
	for _, path := range []string{"a x", "a b c d", "l x", "x"} {
		if got := n.Lookup(strings.Fields(path)...); got != nil {
			t.Errorf("%s: got %s", path, got.Source())
		}
	}
}

// A map large enough to have an index behaves as a small one.
func TestBuilderIsTheSameAtEverySize(t *testing.T) {
	n := &Node{Kind: Map}
	b := Builder{Node: n}
	for round := range 2 {
		for i := range 3 * indexFrom {
			b.Add(Member{Key: strings.Repeat("k", i), Line: round})
		}
	}
	if len(n.Map) != 3*indexFrom || len(n.Dup) != 3*indexFrom {
		t.Fatalf("%d members, %d lost", len(n.Map), len(n.Dup))
	}
	for i, m := range n.Map {
		if len(m.Key) != i || m.Line != 1 || n.Dup[i].Line != 0 || n.Dup[i].Key != m.Key {
			t.Fatalf("member %d is %q of round %d, lost %q", i, m.Key, m.Line, n.Dup[i].Key)
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, err := range map[string]*Error{"line 3: x": {Line: 3, Column: 2, Msg: "x"}, "x": {Msg: "x"}} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
