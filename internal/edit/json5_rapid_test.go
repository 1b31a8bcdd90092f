package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

var jsonKeys = rapid.SampledFrom([]string{"a", "b", "c", "k.k", "é", ""})

var jsonPaths = rapid.SliceOfN(jsonKeys, 1, 4)

var jsonValues = rapid.SampledFrom([]string{"1", "true", "null", `"x // y, } \" /* z"`, `[1, [2], {"z": 1}]`, "{}", `{"a": {"b": 1}, "c": 2}`, "{\n  \"a\": 1\n}"})

// jsonDocuments are valid JSON5 in every manner there is. Comments are
// numbered, so that none can be taken for another.
var jsonDocuments = rapid.Custom(func(t *rapid.T) string {
	g := jsonWriter{T: t, eol: rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\u2028"}).Draw(t, "eol"), strict: rapid.IntRange(0, 3).Draw(t, "strict") == 0}
	text := g.space() + g.object(3) + g.space()
	if rapid.IntRange(0, 9).Draw(t, "empty") == 0 {
		text = g.space()
	}
	if rapid.IntRange(0, 9).Draw(t, "bom") == 0 {
		text = "\ufeff" + text
	}
	return text
})

type jsonWriter struct {
	*rapid.T
	eol      string
	strict   bool // only what JSON knows
	comments int
}

func (g *jsonWriter) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, label)
}

func (g *jsonWriter) space() string {
	text := ""
	for range rapid.IntRange(0, 3).Draw(g.T, "spaces") {
		kind := g.pick("space", " ", "  ", "\t", "eol", "line", "block", "lines", "\u00a0")
		if g.strict && (g.eol == "\u2028" || !slices.Contains([]string{" ", "  ", "\t", "eol"}, kind)) {
			kind = " "
		}
		number := strconv.Itoa(g.comments)
		switch kind {
		case "eol":
			kind = g.eol
		case "line":
			kind = "// <" + number + "> { ' */" + g.eol
			g.comments++
		case "block":
			kind = "/* <" + number + "> , // */"
			g.comments++
		case "lines":
			kind = "/* <" + number + ">" + g.eol + " } */"
			g.comments++
		}
		text += kind
	}
	return text
}

func (g *jsonWriter) key() string {
	key := jsonKeys.Draw(g.T, "key")
	if g.strict {
		return strconv.Quote(key)
	}
	if key == "k.k" || key == "" {
		return g.pick("quotes", `"`+key+`"`, `'`+key+`'`)
	}
	forms := []string{key, key, `"` + key + `"`, `'` + key + `'`}
	if key == "a" {
		forms = append(forms, `\u0061`, `"\x61"`)
	}
	return g.pick("form", forms...)
}

func (g *jsonWriter) value(depth int) string {
	if depth > 0 && rapid.Bool().Draw(g.T, "nested") {
		return g.object(depth - 1)
	}
	if depth > 0 && rapid.IntRange(0, 5).Draw(g.T, "list") == 0 {
		return "[" + g.space() + g.value(depth-1) + g.space() + "," + g.space() + g.value(0) + g.space() + "]"
	}
	if g.strict {
		return jsonValues.Draw(g.T, "value")
	}
	return g.pick("scalar", "1", "-0x1F", "+.5", "5.", "Infinity", "null", "true", `'} // "'`, `"\"{ /*"`, "'a\\\nb'", "[]")
}

func (g *jsonWriter) object(depth int) string {
	text := "{" + g.space()
	n := rapid.IntRange(0, 4).Draw(g.T, "members")
	for i := range n {
		text += g.key() + g.space() + ":" + g.space() + g.value(depth) + g.space()
		if i < n-1 || !g.strict && rapid.Bool().Draw(g.T, "comma") {
			text += "," + g.space()
		}
	}
	return text + "}"
}

// commentsOf returns the comments of a document, in order.
func commentsOf(doc []byte) []string {
	var out []string
	d := tokenize(doc)
	for i, t := range d.all {
		if t.kind == commentToken {
			out = append(out, d.text(i))
		}
	}
	return out
}

// linesOf returns the parts of a document between line ends outside of comments and
// strings.
func linesOf(d *tokens) [][]int {
	lines := [][]int{{}}
	for i, t := range d.all {
		lines[len(lines)-1] = append(lines[len(lines)-1], i)
		if t.kind == newlineToken {
			lines = append(lines, nil)
		}
	}
	return lines
}

// ownComments returns the comments of a document on lines where nothing else is.
func ownComments(doc []byte) []string {
	d := tokenize(doc)
	var out []string
	for _, line := range linesOf(&d) {
		if slices.ContainsFunc(line, func(i int) bool { return d.all[i].kind >= markToken }) {
			continue
		}
		for _, i := range line {
			if d.all[i].kind == commentToken {
				out = append(out, d.text(i))
			}
		}
	}
	return out
}

func isSubsequence(part, whole []string) bool {
	for _, s := range whole {
		if len(part) > 0 && part[0] == s {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// replaced returns the source text of the value at a path, nil if there is none.
func replaced(doc []byte, path []string) []byte {
	d := tokenize(doc)
	at := d.skip(0)
	for _, key := range path {
		if at == len(d.all) || !d.is(at, '{') {
			return nil
		}
		o := d.object(at)
		i := d.find(o, key)
		if i < 0 {
			return nil
		}
		at = o.members[i].value
	}
	return doc[d.all[at].start:d.all[d.closing(at)].end]
}

// The tokens are those that the reader of the documents sees.
func TestTokensAgreeWithTheReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, doc := splitBOM([]byte(jsonDocuments.Draw(t, "doc")))
		n, err := json5.Parse(doc, 1, limits)
		if err != nil {
			return // no value
		}
		d := tokenize(doc)
		var compare func(n *tree.Node, at int)
		compare = func(n *tree.Node, at int) {
			part, err := json5.Parse(doc[d.all[at].start:d.all[d.closing(at)].end], 1, limits)
			if err != nil || !same(n, part) {
				t.Fatalf("%q: found %v (%v), want %s", doc, part, err, n.Source())
			}
			if n.Kind != tree.Map {
				return
			}
			o := d.object(at)
			if len(o.members) != len(n.Map)+len(n.Dup) {
				t.Fatalf("%q: %d members, want %d", doc, len(o.members), len(n.Map)+len(n.Dup))
			}
			for _, m := range n.Map {
				compare(m.Value, o.members[d.find(o, m.Key)].value)
			}
		}
		compare(n, d.skip(0))
		if end := d.skip(d.closing(d.skip(0)) + 1); end != len(d.all) {
			t.Fatalf("%q: tokens behind the value", doc)
		}
	})
}

func TestSetJSON5Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, path, value := []byte(jsonDocuments.Draw(t, "doc")), jsonPaths.Draw(t, "path"), jsonValues.Draw(t, "value")
		checkSetJSON5(t, data, path, value)
	})
}

type fatal interface {
	Fatalf(format string, args ...any)
}

// checkSetJSON5 sets a value and checks everything that must hold then.
func checkSetJSON5(t fatal, data []byte, path []string, value string) {
	out, err := JSON5(data, path, value)
	if errors.Is(err, errChanged) {
		t.Fatalf("%q: set %q to %q: %v", data, path, value, err)
	}
	if err != nil {
		return // the path leads through a value, or the input is broken
	}
	bom, doc := splitBOM(data)
	bomAfter, after := splitBOM(out)
	if !bytes.Equal(bom, bomAfter) {
		t.Fatalf("%q became %q", data, out)
	}
	wanted, _ := readJSON(strings.TrimSpace(value))
	got, err := json5.Parse(after, 1, limits)
	if err != nil || !same(got.Lookup(path...), wanted) {
		t.Fatalf("%q: set %q to %q: %q, %v", data, path, value, out, err)
	}
	before, _ := readJSON5(doc)
	if !same(with(before, path, wanted), got) {
		t.Fatalf("%q: set %q to %q changed another value: %q", data, path, value, out)
	}
	// All bytes are still there but for the old value and the space in an
	// object that was empty.
	old := replaced(doc, path)
	kept := dropSpace(doc)
	if len(old) > 0 {
		at := cap(doc) - cap(old)
		kept = dropSpace(slices.Concat(doc[:at], doc[at+len(old):]))
	} else if !isSubsequence(commentsOf(doc), commentsOf(after)) || len(commentsOf(doc)) != len(commentsOf(after)) {
		t.Fatalf("%q: set %q: comments are not the same: %q", data, path, out)
	}
	if !containsInOrder(dropSpace(after), kept) {
		t.Fatalf("%q: set %q to %q: bytes were lost: %q", data, path, value, out)
	}
	if (json.Valid(doc) || len(doc) == 0) && !json.Valid(after) {
		t.Fatalf("%q was JSON, %q is not", data, out)
	}
	if again, err := JSON5(out, path, value); err != nil || !bytes.Equal(again, out) {
		t.Fatalf("set twice: %q, then %q: %v", out, again, err)
	}
}

func TestDeleteJSON5Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkDeleteJSON5(t, []byte(jsonDocuments.Draw(t, "doc")), jsonPaths.Draw(t, "path"))
	})
}

// checkDeleteJSON5 deletes a key and checks everything that must hold then.
func checkDeleteJSON5(t fatal, data []byte, path []string) {
	out, err := DeleteJSON5(data, path)
	if errors.Is(err, errChanged) {
		t.Fatalf("%q: delete %q: %v", data, path, err)
	}
	if err != nil {
		return
	}
	_, doc := splitBOM(data)
	_, after := splitBOM(out)
	before, _ := readJSON5(doc)
	got, err := readJSON5(after)
	if err != nil || got.Lookup(path...) != nil || !same(with(before, path, nil), got) {
		t.Fatalf("%q: delete %q: %q, %v", data, path, out, err)
	}
	old := replaced(doc, path)
	if old == nil {
		if !bytes.Equal(data, out) {
			t.Fatalf("%q: nothing was at %q, but: %q", data, path, out)
		}
		return
	}
	if json.Valid(doc) && !json.Valid(after) {
		t.Fatalf("%q was JSON, %q is not", data, out)
	}
	if !containsInOrder(doc, after) {
		t.Fatalf("%q: delete %q added something: %q", data, path, out)
	}
	if parent := before.Lookup(path[:len(path)-1]...); len(parent.Dup) > 0 {
		return // several places went, with their comments
	}
	at := cap(doc) - cap(old)
	want := ownComments(doc)
	if inside := commentsOf(old); len(inside) > 0 {
		want = slices.DeleteFunc(want, func(c string) bool { return slices.Contains(inside, c) })
	}
	if d := tokenize(doc); len(d.all) > 0 {
		key := slices.IndexFunc(d.all, func(t token) bool { return t.start == at })
		for ; !d.is(key, ':'); key-- { // those between key and value go with them
			if d.all[key].kind == commentToken {
				want = slices.DeleteFunc(want, func(c string) bool { return c == d.text(key) })
			}
		}
		for key--; d.all[key].kind != scalarToken; key-- {
			if d.all[key].kind == commentToken {
				want = slices.DeleteFunc(want, func(c string) bool { return c == d.text(key) })
			}
		}
	}
	if !isSubsequence(want, commentsOf(after)) {
		t.Fatalf("%q: delete %q: comments %q should be left: %q", data, path, want, out)
	}
}

func dropSpace(doc []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n\v\f\u00a0", r) {
			return -1
		}
		return r
	}, doc)
}

// containsInOrder reports whether all bytes of part are in whole, in order.
func containsInOrder(whole, part []byte) bool {
	for _, c := range whole {
		if len(part) > 0 && part[0] == c {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func FuzzJSON5(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{a: 1}", "{\n  \"a\": {\"b\": 1}, // x\n}\n", "// x", "[1]", "{a: {}, a: 2}", "\ufeff{'a':\r\n1,}",
		"{a: 1 // x\n , b: 2}", "{ /* x\n */ a: 'y\\\nz' }", "{a: 1,// x\u2028b: 2}", `{"\u0061":{"b":[{}]}}`,
	} {
		f.Add([]byte(seed), "a.b", "[1]")
		f.Add([]byte(seed), "a", `"x"`)
	}
	f.Fuzz(func(t *testing.T, data []byte, path, value string) {
		given := bytes.Clone(data)
		keys := strings.Split(path, ".")
		checkSetJSON5(t, data, keys, value)
		checkDeleteJSON5(t, data, keys)
		if !bytes.Equal(given, data) {
			t.Fatal("the document given was changed")
		}
	})
}
