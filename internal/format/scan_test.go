package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/tree"
)

var testLimits = Limits{FileBytes: 1 << 20, FrontmatterBytes: 1 << 16, Depth: 32, Nodes: 20_000}

// scanSeeds are heads that the scanner reads itself.
var scanSeeds = []string{
	"name: a\ndescription: some text, with [brackets] {here}\n",
	"name: \"a\"\nb: 'it''s'\nc: \"x \\\"y\\\" z\"\n",
	"# comment\n\nname:\nversion: 1.2.3\nn: 12\nf: 1.5\nt: true\nd: 2025-10-20\n",
	"metadata: {\"a\":{\"emoji\":\"🦞\",\"requires\":{\"bins\":[\"x\",\"y\"]},\"n\":[1,2.5,true,null]}}\n",
	"tags: [\"a\", \"b\"]\nlist:\n- x\n- \"y\"\n\n# c\n-  z  \nother:\n  - 1\n  - {\"a\": []}\nend:",
	"a: 1\na: 2\nm: {\"k\":1,\"k\":2}\n",
	"name: ünï\nk: ünï {\"a\"}\nm: {\"é\":\"ü\",\"b\":[1,2]}   \n",
	"a:\n  b: c\n  d:\n    - x\n    - y\n  e:\n  - z\n  f:\n# c\ng: [x, y z, 1]\n",
	"install:\n  - id: a\n    kind: brew\n    bins: [x]\n  - id: b\n    os:\n      - linux\n  -   wide: 1\n      more: 2\nz: 1\n",
	"description: |\n  one\nname: a\n", "a: >\n  one\nb: |-\n    two\nc: >-\n one\n\n two\n\n",
	"a: |\n  one\n    two # three\n\n   \n  - four: \"\n \n# c\nb: >\n  one\n  two\n\n  three\n    four\n\n  five\n     \n  six\n\n\n  seven\n",
	"m:\n  - a: >-  \n     one\n     two\n    b: |\n        three\n  - c: 1\n",
	"a: ~\nb: null\nc: https://example.com/x#y\nd: 3 little words\n",
}

// declined are heads that only YAML reads, or nothing does.
var declined = []string{
	"a: b: c\n", "a: x #c\n", "a: |\n\n  x\n", "a: |\n  x", "a: |+\n  x\n", "a: |2\n  x\n", "a: | # c\n  x\n", "a: |\nb: c\n", "a: >\n", "a: |\n    x\n  y\n", "a: |\n  <<<<<<< x\n", "a:\n  - |\n    x\n", "a:\n  b: c\n d: e\n", "a: [x, \"y\"]\n", "a: {b: c}\n", "a: [x,, y]\n", "a: [x: y]\n", "a: [T?]\n", "a:\n  - b\n  c: d\n", "a: b\n  c\n",
	"a:\tb\n", "a: \"x\\/y\"\n", "a: *x\n", "? a\n: b\n", "a: \"x\n  y\"\n", "- a\n", "a:\n- \n", "a:\n- - b\n", "a:\n- b: c\n   d: e\n", " a: b\n", "a:\n  b\n",
	"a: 'x'y'\n", "a: 0x1f\n", "a: -1\n", "a: .5\n", "a: 0777\n", "m: {a:1}\n", "m: {true:1}\n", "a\n", "",
	"a:\n  - x\n - y\n", "a: \u2028b\n", "a: {\"x\":\"\\u00e9\"}\n", "a: 1_000\n", "a:b\n", "--- a: b\n",
}

func TestScanReads(t *testing.T) {
	for _, text := range scanSeeds {
		if _, ok := scanYAML(&tree.Store{}, text, 1, treeLimits(testLimits)); !ok {
			t.Errorf("declined:\n%s", text)
		}
	}
	for _, text := range declined {
		if n, ok := scanYAML(&tree.Store{}, text, 1, treeLimits(testLimits)); ok {
			t.Errorf("%q was read as %s", text, n.Source())
		}
	}
}

// agree fails when the scanner reads something other than YAML does.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) (read bool) {
	t.Helper()
	limits := tree.Limits{Depth: 8, Nodes: 5_000}
	got, ok := scanYAML(&tree.Store{}, text, 3, limits)
	if !ok {
		return false
	}
	want, err := tree.YAML([]byte(text), 3, limits)
	if err != nil {
		t.Fatalf("read %q, which YAML refuses: %v", text, err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b []tree.Member) bool { return equalMembers(a, b) }),
		cmp.Comparer(func(a, b []*tree.Node) bool { return equalLists(a, b) })); diff != "" {
		t.Fatalf("%q: YAML (-) and the scanner (+) differ:\n%s", text, diff)
	}
	return true
}

func equalNodes(a, b *tree.Node) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Line == b.Line && a.Column == b.Column &&
		equalLists(a.List, b.List) && equalMembers(a.Map, b.Map) && equalMembers(a.Dup, b.Dup)
}

func equalLists(a, b []*tree.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalNodes(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalMembers(a, b []tree.Member) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || a[i].Line != b[i].Line || !equalNodes(a[i].Value, b[i].Value) {
			return false
		}
	}
	return true
}

func FuzzScanAgrees(f *testing.F) {
	for _, text := range append(scanSeeds, declined...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		agree(t, strings.ToValidUTF8(text, "\uFFFD"))
	})
}

// TestScanAgreesOnBlocks compares the two readers on texts made of the parts
// of blocks, put together in any way.
func TestScanAgreesOnBlocks(t *testing.T) {
	sound := []string{
		"", "", "", "x", "x y", "\"q\"", "'s'", "1", "1.5", "true", "~", "{}", "[]", "[a, b]", "[a,ü , 1.0]", `{"a":1}`, "|", ">-",
		`{"a": [1, {"b":"ü"}]}`, "# c", "1.2.3", "2025-01-01", `"a\"b"`, "'it''s'", "x ", "ü", "null", "y", "1 x", "0",
	}
	odd := []string{
		"x #c", "a: b", "- x", "-", "|+", ">2", "| x", "*a", "&a", "?", ":", "x:", "12:30", "00", "1e3", "+1", "{", "[", "\"", "[a", "{a: b}", "[,]",
		"--- x", "0x1", "1_0", ".5", "Null", "9f", "9g", "1-2", "1-2-3", "10.", "1.e", "1.2.3e", "1:2", "[1:2]", "[x?]", "[x ?y]", "9i", "9n", "9p", "1 .", "a,b", "x\"y",
	}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 7).Draw(t, "lines") {
			text.WriteString(strings.Repeat(" ", rapid.SampledFrom([]int{0, 0, 0, 0, 0, 2, 2, 4, 1}).Draw(t, "indent")))
			text.WriteString(rapid.SampledFrom([]string{"", "", "", "", "- ", "- ", "-  ", "- - ", "-"}).Draw(t, "dash"))
			text.WriteString(rapid.SampledFrom([]string{"a: ", "a: ", "a:", "b: ", "b:  ", "c-d: ", "e: ", "f: ", "b :", ""}).Draw(t, "key"))
			values := sound
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				values = odd
			}
			text.WriteString(rapid.SampledFrom(values).Draw(t, "value"))
			text.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\n\n", " \n", "\n# c\n", "\n  # c\n"}).Draw(t, "end"))
		}
		agree(t, text.String())
	})
}
