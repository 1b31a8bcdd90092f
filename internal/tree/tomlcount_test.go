package tree

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A document beyond its limits is refused before the library makes a tree of
// it, which takes sixty times the document's size.
func TestTOMLBeyondLimitsIsCheap(t *testing.T) {
	const size = 1 << 20
	for _, text := range []string{
		"a = [" + strings.Repeat("1,", size/2) + "]",
		"a = [" + strings.Repeat("[],", size/3) + "]",
		"a = {" + strings.Repeat("b=1,", size/4) + "}",
		strings.Repeat("a.", size/2) + "b = 1",
		"[" + strings.Repeat("a.", size/2) + "b]",
	} {
		data := []byte(text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := TOML(data, Limits{Depth: 32, Nodes: 20_000})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrLimit) {
			t.Errorf("%.12s…: %v", text, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > size {
			t.Errorf("%.12s…: %d bytes were allocated for %d", text, used, len(data))
		}
	}
}

// Many strings in one line cost as much as in many lines: at 16 MiB anything
// that looks at the whole line for each of them would not come back.
func TestTOMLManyStringsInOneLine(t *testing.T) {
	text := "a = [" + strings.Repeat(`"a",`, 4<<20) + "]"
	if _, err := TOML([]byte(text), Limits{Depth: 32, Nodes: 4<<20 - 1}); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// What is foreseen comes true: no document is refused that could be read.
func TestTOMLForeseesTheTruth(t *testing.T) {
	parts := []string{
		"a", "b", " = ", "=", "[", "]", "{", "}", ", ", ",", ".", "1", "1.5", "\n", "\n", "#", "\"", "'", `\`, `"""`, "'''",
		"a = [1, 1, 1]\n", "b.c = 1\n", "[d]\n", "[[e]]\n", `f = "a,b.c.d.e,f,g,h,i,j"` + "\n", "g = 'a,b.c.d.e,f,g,h,i,j'\n",
		`h = ["""x"""", "a,b.c.d.e,f,g,h,i,j"]` + "\n", "i = ['''x''''', 'a,b.c.d.e,f,g,h,i,j']\n", "# a,b.c.d.e,f,g,h,i,j\n",
		`j = "\",a,b.c.d.e,f,g,h,i,j"` + "\n", "k = {a.b = 1.5, c = [1.5, 1.5]}\n", "l = \"\"\"\n,,,,,,,,\"\"\"\n", `m = ""` + "\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 8).Draw(t, "parts"), "")
		lim := Limits{Depth: rapid.IntRange(1, 4).Draw(t, "depth"), Nodes: rapid.IntRange(1, 8).Draw(t, "nodes")}
		if _, err := TOML([]byte(text), lim); !errors.Is(err, ErrLimit) {
			return
		}
		lib := tomlReader{
			text: position{data: []byte(text)[:len(text):len(text)], line: 1, column: 1}, budget: lim.Budget(), maxDepth: lim.Depth,
			tables: map[*Node]*tomlTable{}, arrays: map[*Node]bool{},
		}
		if _, err := lib.document(); err == nil {
			t.Fatalf("%q can be read", text)
		}
	})
}
