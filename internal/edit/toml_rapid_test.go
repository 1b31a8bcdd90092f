package edit

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/tree"
)

// keys are few, so that paths meet.
var keys = rapid.SampledFrom([]string{"a", "b", "c", "k.k", "é"})

var paths = rapid.SliceOfN(keys, 1, 4)

var values = rapid.SampledFrom([]string{"1", "true", `"x # y"`, "[1, [2], {z = 1}]", "2025-10-20", "{}", "'''\nm\n'''", "{ a = { b = 1 }, c.d = 2 }"})

// documents are valid, and written in every manner there is.
var documents = rapid.Custom(func(t *rapid.T) []byte {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	doc := ""
	for range rapid.IntRange(0, 8).Draw(t, "lines") {
		key := FormatKey(paths.Draw(t, "key"))
		indent := rapid.SampledFrom([]string{"", "", "  ", "\t"}).Draw(t, "indent")
		comment := rapid.SampledFrom([]string{"", "", " # c", "#d"}).Draw(t, "comment")
		inline := "{" + FormatKey(paths.Draw(t, "k")) + " = 1, " + FormatKey(paths.Draw(t, "k")) + "={ } }"
		line := indent + rapid.SampledFrom([]string{
			"", "[" + key + "]", "[[" + key + "]]", key + "=1", key + " = " + values.Draw(t, "value"), key + " = " + values.Draw(t, "value"),
			key + " = " + inline, key + " = " + inline, key + " = [ # x" + eol + "1," + eol + "]", key + " = {" + eol + " a = 1, # z" + eol + "}",
		}).Draw(t, "line") + comment
		line = strings.ReplaceAll(strings.ReplaceAll(line, eol, "\n"), "\n", eol)
		if _, err := tree.TOML([]byte(doc+line+eol), limits); err == nil {
			doc += line + eol
		}
	}
	if rapid.Bool().Draw(t, "no final line end") {
		doc = strings.TrimSuffix(doc, eol)
	}
	return []byte(doc)
})

// flat lists the values of a document by their paths. Tables that hold nothing
// are left out.
func flat(t *rapid.T, doc []byte) map[string]string {
	n, err := tree.TOML(doc, limits)
	if err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	out := map[string]string{}
	var walk func(path []string, n *tree.Node)
	walk = func(path []string, n *tree.Node) {
		if n.Kind != tree.Map {
			out[FormatKey(path)] = n.Source()
			return
		}
		for _, m := range n.Map {
			walk(join(path, []string{m.Key}), m.Value)
		}
	}
	walk(nil, n)
	return out
}

// without returns the values that are not at or below a path.
func without(all map[string]string, path []string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		if key != FormatKey(path) && !strings.HasPrefix(key, FormatKey(path)+".") {
			out[key] = value
		}
	}
	return out
}

// A document is the same outside of what an edit replaced, removed or added.
func checkBytes(t *rapid.T, before, after []byte, mayRemove bool) {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	if removed := before[start : len(before)-end]; !mayRemove && len(removed) > 0 {
		t.Fatalf("adding removed %q:\n%s\n---\n%s", removed, before, after)
	}
	if strings.Contains(string(before), "\r\n") && bytes.Count(after, []byte("\n")) != bytes.Count(after, []byte("\r\n"))+strings.Count(string(after), "'''\nm\n")*2 {
		t.Fatalf("line endings: %q", after)
	}
}

func TestSetTOMLProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, path, value := documents.Draw(t, "doc"), paths.Draw(t, "path"), values.Draw(t, "new")
		before, err := tree.TOML(doc, limits)
		if err != nil {
			t.Fatal(err)
		}
		out, err := TOML(doc, path, value)
		if errors.Is(err, errChanged) {
			t.Fatalf("%q: set %v: %v", doc, path, err)
		}
		if err != nil {
			return // the path is a table, below a value or in an array
		}
		after, err := tree.TOML(out, limits)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := readValue(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := after.Lookup(path...); !same(got, wanted) {
			t.Fatalf("set %v to %s, got %s", path, value, got.Source())
		}
		if diff := cmp.Diff(without(flat(t, doc), path), without(flat(t, out), path)); diff != "" {
			t.Fatalf("%s\n---\n%s\n%s", doc, out, diff)
		}
		fresh := before.Lookup(path...) == nil
		checkBytes(t, doc, out, !fresh)
		if again, err := TOML(out, path, value); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("set twice: %q, then %q, %v", out, again, err)
		}
		if !fresh {
			return
		}
		back, err := DeleteTOML(out, path)
		if err != nil {
			t.Fatalf("%q: delete %v: %v", out, path, err)
		}
		if diff := cmp.Diff(flat(t, doc), flat(t, back)); diff != "" {
			t.Fatalf("set and deleted: %q became %q", doc, back)
		}
	})
}

func TestDeleteTOMLProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, path := documents.Draw(t, "doc"), paths.Draw(t, "path")
		out, err := DeleteTOML(doc, path)
		if errors.Is(err, errChanged) {
			t.Fatalf("%q: delete %v: %v", doc, path, err)
		}
		if err != nil {
			return // in an array
		}
		if diff := cmp.Diff(without(flat(t, doc), path), flat(t, out)); diff != "" {
			t.Fatalf("delete %v: %s\n---\n%s\n%s", path, doc, out, diff)
		}
		checkBytes(t, doc, out, true)
		if n, err := tree.TOML(doc, limits); err != nil || n.Lookup(path...) == nil && !bytes.Equal(out, doc) {
			t.Fatalf("deleting nothing: %q became %q", doc, out)
		}
		if again, err := DeleteTOML(out, path); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("deleted twice: %q, then %q, %v", out, again, err)
		}
	})
}

func TestQuoteTOMLRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		n, err := readValue(QuoteTOML(s))
		if err != nil || n.Kind != tree.String || n.Text != s {
			t.Fatalf("%q: %v", s, err)
		}
		out, err := TOML(nil, []string{s, s}, "1")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := tree.TOML(out, limits); err != nil || n.Lookup(s, s) == nil {
			t.Fatalf("%q: %v", out, err)
		}
	})
}
