package format

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// goldens are answers of the real parsers of two systems, by area and case.
func goldens(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "goldens", "rantaiclaw-clawseed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// golden decodes one answer and crosses it off.
func golden[T any](t *testing.T, all map[string]json.RawMessage, key string) (want T) {
	t.Helper()
	if err := json.Unmarshal(all[key], &want); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	delete(all, key)
	return want
}

// allTested fails if answers of an area are left over.
func allTested(t *testing.T, all map[string]json.RawMessage, area string) {
	t.Helper()
	for key := range all {
		if strings.HasPrefix(key, area) {
			t.Errorf("no input for %s", key)
		}
	}
}

// readAs reads a text with one of the readers and checks what is true of every
// head.
func readAs(t *testing.T, read headReader, text string) head {
	t.Helper()
	h := read(&tree.Store{}, "SKILL.md", []byte(text), testLimits)
	checkHead(t, h)
	return h
}

// plain is a node as Go values: maps, lists and the texts of scalars.
func plain(n *tree.Node) any {
	switch {
	case n == nil || n.Kind == tree.Null:
		return nil
	case n.Kind == tree.Map:
		out := map[string]any{}
		for _, m := range n.Map {
			out[m.Key] = plain(m.Value)
		}
		return out
	case n.Kind == tree.List:
		out := []any{}
		for _, item := range n.List {
			out = append(out, plain(item))
		}
		return out
	}
	return n.Text
}

// codesAt are the diagnostics of a head as codes with their lines.
func codesAt(h head) map[skill.Code][]int {
	out := map[skill.Code][]int{}
	for _, d := range h.diagnostics {
		out[d.Code] = append(out[d.Code], d.Line)
	}
	return out
}

// The answers were recorded without what was asked; the inputs are made from
// the names of the cases.
func TestLinesHeadAnswersAsRecorded(t *testing.T) {
	all := goldens(t)
	for name, text := range map[string]string{
		"nofm":          "# Title\n\nBody line.\n",
		"blankdesc":     "---\nname: Uji\ndescription:\n---\n# Kopi\n\nSeduh kopi.\n",
		"onlyfm":        "---\nname: U\n---\n",
		"crlf":          "---\r\nname: a\r\ndescription: b\r\n---\r\nBody\r\n",
		"blockscalar":   "---\nname: a\ndescription: |\n  one\n  two\n---\nBody\n",
		"folded":        "---\nname: a\ndescription: >-\n  one\n  two\n---\nBody\n",
		"nested_name":   "---\nname: real\nauthor:\n  name: nested\n---\nx\n",
		"colon_in_desc": "---\nname: a\ndescription: Use when: foo\n---\nBody\n",
		"bom":           "\ufeff---\nname: a\n---\nb\n",
		"dashes4":       "---\nname: a\n----\nb\n",
		"leading_ws":    "\n  \t\n---\nname: a\n---\nb\n",
		"quoted":        "---\nname: \"a b\"\ndescription: 'it''s'\n---\nBody\n",
		"hashfirst":     "# Title\n  # indented\nBody\n",
	} {
		want := golden[struct {
			Map  map[string]string
			Desc string
		}](t, all, "rantai.fm."+name)
		h := readAs(t, readLinesHead, text)
		got := map[string]string{}
		if h.fields != nil {
			for _, m := range h.fields.Map {
				got[m.Key] = m.Value.Text
			}
		}
		if diff := cmp.Diff(want.Map, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		desc := got["description"]
		if desc == "" {
			desc = firstLineBelow(h.body)
		}
		if desc == "" {
			desc = "No description" // the profile's word for none
		}
		if desc != want.Desc {
			t.Errorf("%s is described as %q, not %q", name, desc, want.Desc)
		}
		if lf := strings.ReplaceAll(text, "\r\n", "\n"); h.body != lf || h.bodyLine != 1 {
			t.Errorf("%s: body is %q from line %d, not the whole file", name, h.body, h.bodyLine)
		}
	}
	allTested(t, all, "rantai.fm.")
}

func TestLinesHeadReadsVariablesAsRecorded(t *testing.T) {
	all := goldens(t)
	for name, lines := range map[string]string{
		"basic":                      "env:\n  - name: A\n    required: true\n  - name: \"B\"\n    description: for B\n  - name: C\n    required: False\nversion: 1",
		"flat":                       "env:\n- name: A\n- name: B\nversion: 1",
		"string_items":               "env:\n  - A\n  - B",
		"nested_in_requires":         "requires:\n  env:\n    - A\n  bins:\n    - b",
		"inline":                     "env: [A, B]",
		"name_after_env_same_indent": "env:\nname: A",
	} {
		want := golden[[]string](t, all, "rantai.env."+name)
		if got := variablesOf(readAs(t, readLinesHead, "---\n"+lines+"\n---\nBody\n")); !cmp.Equal(want, got) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	allTested(t, all, "rantai.env.")
	for lines, want := range map[string][]string{
		"env:\n    - name: A\n      required: true\n  version: 1\n    - name: B": {"A"},
		"metadata:\n  env:\n    - name: A\nenv:\n  - name: B":                    {"A"}, // wherever it stands, but only the first
		"env:\n  - name: A\nenv:\n  - name: B":                                   {"A"},
		"env:\n  - required: false\n    name: A\n  - name: 'B'":                  {"B"},
		"env:\n  - - name: A\n  # - name: B\n\n  -name: C\n  - description: d":   {"A"},
		"env: # needed\n\t- name: A\n":                                           {"A"},
		"  env:\n  - label: x\n    name: A\n    name: B":                         {"B"},
		"environment:\n  - name: A":                                              {},
	} {
		if got := variablesOf(readAs(t, readLinesHead, "---\n"+lines+"\n---\nBody\n")); !cmp.Equal(want, got) {
			t.Errorf("%s: got %q, want %q", lines, got, want)
		}
	}
}

// variablesOf are the names that the interpreter of the fields requires.
func variablesOf(h head) []string {
	names := []string{}
	if env := h.fields.Get("env"); env != nil && env.Kind == tree.List {
		required, _ := requiredNames(env)
		names = append(names, required...)
	}
	return names
}

// A variable without a name is one that nobody can set, not none.
func TestLinesHeadKeepsNamelessVariable(t *testing.T) {
	h := readAs(t, readLinesHead, "---\nname: a\nenv:\n  - name:\n  - name: B\n---\n")
	if names, ok := requiredNames(h.fields.Get("env")); ok || !cmp.Equal(names, []string{"B"}) {
		t.Errorf("got %q, all of it: %t", names, ok)
	}
}

func TestLinesHeadReadsTagsAsRecorded(t *testing.T) {
	all := goldens(t)
	for _, value := range []string{"[a, b]", "a, b", `["a", 'b', ]`, "[]", "- a"} {
		want := golden[[]string](t, all, "rantai.list."+value)
		h := readAs(t, readLinesHead, "---\ntags: "+value+"\n---\n")
		got, _ := scalars(h.fields.Get("tags"))
		if !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
	allTested(t, all, "rantai.list.")
	for value, want := range map[string][]string{"[": {"["}, `"a,b"`: {"a", "b"}, "[a, [b]]": {"a", "[b]"}, " , ": nil, "''a'', b": {"a", "b"}} {
		got, _ := scalars(readAs(t, readLinesHead, "---\ntags: "+value+"\nx: y\n---\n").fields.Get("tags"))
		if !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func TestLinesHead(t *testing.T) {
	const object = `{"openclaw": {"requires": {"bins": ["git"]}}}`
	for name, c := range map[string]struct {
		text  string
		want  any
		codes map[skill.Code][]int
	}{
		"metadata in JSON": {"---\nmetadata: " + object + "\n---\n", map[string]any{"metadata": object}, nil},
		"in quotes":        {"---\nmetadata: '" + object + "'\n---\n", map[string]any{"metadata": object}, nil},
		"metadata in YAML": {"---\nname: a\nmetadata:\n  openclaw:\n    requires:\n      bins: [git]\n---\n",
			map[string]any{"name": "a", "bins": "[git]"}, map[skill.Code][]int{skill.FrontmatterDropped: {3}}},
		"metadata on lines": {"---\nmetadata: {\n  \"os\": 1\n}\n---\n", map[string]any{}, map[skill.Code][]int{skill.FrontmatterDropped: {2}}},
		"metadata a list":   {"---\nmetadata: [1]\nname: a\n---\n", map[string]any{"name": "a"}, map[skill.Code][]int{skill.FrontmatterDropped: {2}}},
		"metadata in JSON5": {"---\nmetadata: {a: 1}\n---\n", map[string]any{}, map[skill.Code][]int{skill.FrontmatterDropped: {2}}},
		"last metadata":     {"---\nmetadata: x\nmetadata: {}\n---\n", map[string]any{"metadata": "{}"}, map[skill.Code][]int{skill.FrontmatterDuplicate: {3}}},
		"last wins": {"---\nname: a\nversion: 1\nauthor:\n    name: b\nversion: 1\n---\n",
			map[string]any{"name": "b", "version": "1"}, map[skill.Code][]int{skill.FrontmatterDuplicate: {5}}},
		"empty value":     {"---\nname: a\nname:\nversion: \"\"\n---\n", map[string]any{"name": "a"}, nil},
		"both quotes":     {"---\nname: \"'a'\"\ndescription: '\"b\"'\n---\n", map[string]any{"name": "a", "description": `"b"`}, nil},
		"block of text":   {"---\n\ndescription: |2-\n  a\n---\n", map[string]any{"description": "|2-"}, map[skill.Code][]int{skill.FrontmatterDropped: {3}}},
		"prose":           {"---\nname: a\n# note: b\n- c: d\nSee the page at https://x for all of this: yes\n---\n", map[string]any{"name": "a"}, nil},
		"closed at once":  {"---\n---\nname: a\n", nil, map[skill.Code][]int{skill.FrontmatterUnclosed: {1}}},
		"rule of four":    {"----\nname: a\n---\n", nil, map[skill.Code][]int{skill.FrontmatterUnclosed: {1}}},
		"blank behind":    {"--- \nname: a\n---\n", nil, map[skill.Code][]int{skill.FrontmatterUnclosed: {1}}},
		"never closed":    {"\n---\nname: a\n", nil, map[skill.Code][]int{skill.FrontmatterUnclosed: {2}}},
		"indented close":  {"---\nname: a\n  ---\nversion: 1\n---\n", map[string]any{"name": "a", "version": "1"}, nil},
		"mark in front":   {"\ufeff---\nname: a\n---\n", nil, map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
		"lone CR":         {"---\rname: a\r---\r", nil, map[skill.Code][]int{skill.FrontmatterUnclosed: {1}}},
		"none":            {"Do it.\n", nil, map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
		"not text":        {"---\nname: a\xff\nversion: 1\x002\n---\n", map[string]any{"name": "a\ufffd", "version": "12"}, map[skill.Code][]int{skill.FileNotUTF8: {2}, skill.FileHasNUL: {3}}},
		"other white":     {"\u00a0\u2003\n---\nname: a\n---\n", map[string]any{"name": "a"}, nil},
		"closed by a row": {"---\nname: a\n---b: c\nversion: 1\n---\n", map[string]any{"name": "a"}, nil},
	} {
		h := readAs(t, readLinesHead, c.text)
		if diff := cmp.Diff(c.want, plain(h.fields)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.codes, codesAt(h), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: diagnostics (-want +got):\n%s", name, diff)
		}
		if h.refused != "" || h.missing || len(h.unreadable) > 0 {
			t.Errorf("%s: refused %q, unreadable %v", name, h.refused, h.unreadable)
		}
	}
}

func TestFirstLineBelow(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"# A\n\n## B\n":                         "",
		"#no blank\n  x  \ny":                   "x",
		" # indented":                           "# indented",
		"---\nname: a\n---\nb":                  "b",
		"---\nname: a\n--- b\nc":                "b",
		"---\nname: a\n---# b\nc":               "c",
		"---\nname: a\nb":                       "---",
		"text\n---\nname: a\n---\nb":            "text",
		"\u00a0\n\u2003\nx":                     "x",
		"---\na: b\n---\n---\nc: d\n---\nBody.": "---",
	} {
		if got := firstLineBelow(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// limited are small limits, and what a file beyond them loses.
func TestLineReadersKeepLimits(t *testing.T) {
	for name, c := range map[string]struct {
		read   headReader
		limits Limits
		text   string
		want   any
		lost   string
		line   int
	}{
		"lines, bytes": {readLinesHead, Limits{FrontmatterBytes: 16, Depth: 9, Nodes: 99},
			"---\nname: a\nversion: 1\nauthor: b\n---\n", map[string]any{"name": "a"}, "metadata", 2},
		"lines, nodes": {readLinesHead, Limits{FrontmatterBytes: 99, Depth: 9, Nodes: 2},
			"---\nname: a\nversion: 1\nauthor: b\n---\n", map[string]any{"name": "a", "version": "1"}, "metadata", 4},
		"lines, tags": {readLinesHead, Limits{FrontmatterBytes: 99, Depth: 9, Nodes: 4},
			"---\nname: a\ntags: b, c, d\n---\n", map[string]any{"name": "a"}, "metadata", 3},
		"lines, depth": {readLinesHead, Limits{FrontmatterBytes: 99, Depth: 0, Nodes: 9},
			"---\nname: a\ntags: b\n---\n", map[string]any{"name": "a"}, "metadata", 3},
		"lines, env": {readLinesHead, Limits{FrontmatterBytes: 99, Depth: 9, Nodes: 5},
			"---\nversion: 1\nenv:\n  - name: A\n  - name: B\n  - name: C\n---\n", map[string]any{"version": "1"}, "metadata", 3},
		"scalars, bytes": {readScalarsHead, Limits{FrontmatterBytes: 16, Depth: 9, Nodes: 99},
			"---\nname: a\nversion: 1\npermissions: [b]\n---\n", map[string]any{"name": "a"}, "permissions", 1},
		"scalars, nodes": {readScalarsHead, Limits{FrontmatterBytes: 99, Depth: 9, Nodes: 2},
			"---\nname: a\nversion: 1\npermissions: [b]\n---\n", map[string]any{"name": "a", "version": "1"}, "permissions", 4},
		"scalars, depth": {readScalarsHead, Limits{FrontmatterBytes: 99, Depth: 0, Nodes: 9},
			"---\npermissions: [b]\nname: a\n---\n", map[string]any{"name": "a"}, "permissions", 2},
	} {
		h := c.read(&tree.Store{}, "SKILL.md", []byte(c.text), c.limits)
		checkHead(t, h)
		if diff := cmp.Diff(c.want, plain(h.fields)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(map[skill.Code][]int{skill.FrontmatterTooDeep: {c.line}}, codesAt(h)); diff != "" {
			t.Errorf("%s: diagnostics (-want +got):\n%s", name, diff)
		}
		if len(h.unreadable) != 1 || h.unreadable[0] != (lostKey{c.lost, c.line}) {
			t.Errorf("%s: unreadable %v, want %s", name, h.unreadable, c.lost)
		}
	}
}

// hostileHeads start the fuzzers of all readers off.
var hostileHeads = []string{
	"", "---", "---\n---", "---\n---\n", "\ufeff---\nname: x\n---\nb", "---\r\nname: x\r\n---\r\nb\r\n", "---foo\nname: \"\n---",
	"---\nname: '\n---\n", "---\ntags: [\n---\n", "---\ntags: ]\n---\n", "---\nenv:\n- name: A\n  required: false\n---\n",
	"---\nname: a: b\ndescription: @x\n---\n", "---\n- a\n---\n", "---\nx\n---\n", "---\nname: &a [*a]\n---\n",
	"---\nname: x\nname: y\nmetadata: {\"a\":1}\n---\n\n\nBody", "\n\n--- # c\n? [a]\n: b\n ---\n", "---\nname: *" + "xxxxxxxx",
}

func fuzzHeads(f *testing.F, check func(t *testing.T, data []byte)) {
	for _, text := range hostileHeads {
		f.Add([]byte(text))
	}
	for _, c := range malformedCases(f) {
		f.Add(c.data)
	}
	f.Fuzz(check)
}

// checkBounded holds what is true of every head read under limits, and that the
// same bytes give the same head.
func checkBounded(t *testing.T, read headReader, data []byte, limits Limits) head {
	t.Helper()
	before := string(data)
	h := read(&tree.Store{}, "SKILL.md", data, limits)
	checkHead(t, h)
	if string(data) != before {
		t.Error("the reader changed its input")
	}
	nodes, depth := 0, 0
	if h.fields != nil {
		nodes, depth = measure(t, h.fields, 0)
	}
	if nodes-1 > limits.Nodes || depth-1 > limits.Depth+1 {
		t.Errorf("%d nodes, %d deep, under %+v", nodes, depth, limits)
	}
	if len(h.refused) > utf8.UTFMax*(saidChars+1) || h.missing && h.refused == "" || !utf8.ValidString(h.refused) {
		t.Errorf("refused %q, missing %t", h.refused, h.missing)
	}
	lines := 2 + strings.Count(before, "\n") + strings.Count(before, "\r")
	for _, d := range h.diagnostics {
		if d.Line > lines {
			t.Errorf("line %d of %d: %s", d.Line, lines, d.Message)
		}
	}
	if h.bodyLine > lines {
		t.Errorf("body starts on line %d of %d", h.bodyLine, lines)
	}
	if again := read(&tree.Store{}, "SKILL.md", []byte(before), limits); again.body != h.body || !sameNodes(again.fields, h.fields) {
		t.Error("read twice, it says something else")
	}
	return h
}

func sameNodes(a, b *tree.Node) bool {
	return a == b || a != nil && b != nil && equalNodes(a, b)
}

// measure counts the nodes of a tree and its levels, and checks its texts.
func measure(t *testing.T, n *tree.Node, level int) (nodes, depth int) {
	t.Helper()
	if !utf8.ValidString(n.Text) || strings.IndexByte(n.Text, 0) >= 0 || n.Line < 1 {
		t.Errorf("node %q on line %d", n.Text, n.Line)
	}
	nodes, depth = 1, level+1
	below := append([]*tree.Node(nil), n.List...)
	for _, m := range n.Map {
		if !utf8.ValidString(m.Key) || strings.IndexByte(m.Key, 0) >= 0 || m.Line < 1 {
			t.Errorf("key %q on line %d", m.Key, m.Line)
		}
		below = append(below, m.Value)
	}
	for _, child := range below {
		count, deep := measure(t, child, level+1)
		nodes, depth = nodes+count, max(depth, deep)
	}
	return nodes, depth
}

var smallLimits = Limits{FrontmatterBytes: 200, Depth: 3, Nodes: 12}

func FuzzLinesHead(f *testing.F) {
	fuzzHeads(f, func(t *testing.T, data []byte) {
		checkBounded(t, readLinesHead, data, smallLimits)
		h := checkBounded(t, readLinesHead, data, testLimits)
		if h.fields != nil && len(h.fields.Dup) > 0 {
			t.Error("what was overwritten still counts")
		}
		if line := firstLineBelow(h.body); line != strings.TrimSpace(line) || strings.Contains(line, "\n") {
			t.Errorf("first line %q", line)
		}
		if metadata := h.fields.Get("metadata"); metadata != nil && !json.Valid([]byte(metadata.Text)) {
			t.Errorf("metadata %q", metadata.Text)
		}
	})
}
