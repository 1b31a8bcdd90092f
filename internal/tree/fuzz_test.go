package tree

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// check walks a tree and returns how many values it holds and how deep it is.
func check(t *testing.T, n *Node, lines int) (nodes, depth int) {
	t.Helper()
	if n.Line < 1 || n.Line > lines || n.Column < 1 {
		t.Fatalf("place %d:%d in %d lines", n.Line, n.Column, lines)
	}
	nodes = 1
	for _, item := range n.List {
		sub, d := check(t, item, lines)
		nodes, depth = nodes+sub, max(depth, d)
	}
	seen := map[string]bool{}
	for _, m := range n.Map {
		if seen[m.Key] {
			t.Fatalf("key %q twice", m.Key)
		}
		seen[m.Key] = true
		sub, d := check(t, m.Value, lines)
		nodes, depth = nodes+sub, max(depth, d)
	}
	for _, m := range n.Dup {
		if !seen[m.Key] {
			t.Fatalf("key %q lost to nothing", m.Key)
		}
	}
	if n.Kind == List || n.Kind == Map {
		depth++
	}
	return nodes, depth
}

// checkRead holds for every reader: an error has a place, a tree its limits.
func checkRead(t *testing.T, data []byte, n *Node, err error, lim Limits) bool {
	t.Helper()
	// YAML knows more line ends than LF.
	lines := 2 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r") +
		strings.Count(string(data), "\u0085") + strings.Count(string(data), "\u2028") + strings.Count(string(data), "\u2029")
	if err != nil {
		var at *Error
		if !errors.As(err, &at) || at.Line < 1 || at.Line > lines || at.Msg == "" || n != nil {
			t.Fatalf("got %v with error %#v", n, err)
		}
		return false
	}
	if nodes, depth := check(t, n, lines); nodes > lim.Nodes || depth > lim.Depth {
		t.Fatalf("%d values, %d deep", nodes, depth)
	}
	return true
}

func FuzzYAML(f *testing.F) {
	for _, seed := range []string{
		"name: x\ndescription: |\n  y\nlist: [a, {b: c}]\n", "a: &x {k: 1}\nb: {<<: *x}\n", "? a\n: b", "a: b: c", "- - - 1", "a: !!int x",
		"%YAML 1.1\n---\na", "a: 'x\n\n y'", "\"\\x41\\u0041\": 0x1F", "a: 1\na: 2", "#\n- \t\n", "x: *x", "&a [*a]", "a:\n  - b\n # c\n", "\ufeffa: ~",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := Limits{Depth: 30, Nodes: 1000}
		n, err := YAML(data, 1, lim)
		if !checkRead(t, data, n, err, lim) || len(data) > 1 && (data[0] == 0xfe || data[0] == 0xff) {
			return
		}
		var want any
		if yaml.Unmarshal(data, &want) != nil || strings.ContainsAny(string(data), "!<") {
			return // duplicate keys, tags and merges, which are read leniently here
		}
		compareYAML(t, want, n)
	})
}

// compareYAML compares a tree with what the library decodes.
func compareYAML(t *testing.T, want any, n *Node) {
	t.Helper()
	var kind Kind
	switch want := want.(type) {
	case nil:
		kind = Null
	case bool:
		kind = Bool
	case int, int64, uint64, float64:
		kind = Number
	case time.Time:
		kind = String
	case string:
		if kind = String; n.Text != want {
			t.Fatalf("%s for %q", n.Source(), want)
		}
	case []any:
		kind = List
		for i, value := range want {
			compareYAML(t, value, n.List[i])
		}
	case map[string]any:
		if kind = Map; len(n.Map) != len(want) {
			t.Fatalf("%s for %v", n.Source(), want)
		}
		for key, value := range want {
			compareYAML(t, value, n.Get(key))
		}
	case map[any]any: // keys of other types than text may fall together
		kind = Map
	default:
		t.Fatalf("%s for a %T", n.Source(), want)
	}
	if n.Kind != kind {
		t.Fatalf("%s for %v", n.Source(), want)
	}
}

func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"a = 1\n[b.c]\nd = [1, {e = 'x'}]\n[[f]]\n", "a.b = 1\na.c = 2", "x = [ # c\n 1,\n]\n", "d = 2025-10-20T10:00:00Z\ne = 0x1F\n",
		"s = \"\"\"\nx\\\n y\"\"\"", "'k.k' = inf", "[[a]]\n[a.b]\n[[a]]\nc = {d.e = []}", "a = 1\na = 2", "a = {\n b = 1, # x\n}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.TrimLeft(data, "\ufeff") // which the library refuses
		lim := Limits{Depth: 30, Nodes: 1000}
		n, err := TOML(data, lim)
		var want map[string]any
		if !checkRead(t, data, n, err, lim) {
			if !errors.Is(err, ErrLimit) && toml.Unmarshal(data, &want) == nil {
				t.Fatalf("TOML refused: %v", err)
			}
			return
		}
		if err := toml.Unmarshal(data, &want); err != nil {
			t.Fatalf("read, but not TOML: %v", err)
		}
		compareTOML(t, want, n)
	})
}

// fataler is a testing.T or a rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compareTOML compares a tree with what the library decodes.
func compareTOML(t fataler, want any, n *Node) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		if n.Kind != Map || len(n.Map) != len(want) {
			t.Fatalf("%s for %v", n.Source(), want)
		}
		for key, value := range want {
			sub := n.Get(key)
			if sub == nil {
				t.Fatalf("%s lacks %q", n.Source(), key)
			}
			compareTOML(t, value, sub)
		}
	case []any:
		if n.Kind != List || len(n.List) != len(want) {
			t.Fatalf("%s for %v", n.Source(), want)
		}
		for i, value := range want {
			compareTOML(t, value, n.List[i])
		}
	case string:
		if n.Kind != String || n.Text != want {
			t.Fatalf("%s for %q", n.Source(), want)
		}
	case bool:
		if n.Kind != Bool || n.Text != strconv.FormatBool(want) {
			t.Fatalf("%s for %t", n.Source(), want)
		}
	case int64:
		got, err := strconv.ParseInt(n.Text, 0, 64)
		if strings.TrimLeft(n.Text, "+-") != "0" && n.Kind != Number || err != nil || got != want {
			t.Fatalf("%s for %d: %v", n.Source(), want, err)
		}
	case float64:
		got, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
		if n.Kind != Number || err != nil || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%s for %v: %v", n.Source(), want, err)
		}
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		if n.Kind != String || n.Text == "" {
			t.Fatalf("%s for %v", n.Source(), want)
		}
	default:
		t.Fatalf("%s for a %T", n.Source(), want)
	}
}
