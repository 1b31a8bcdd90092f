package files

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the arguments are, a call answers, and nothing outside is read or
// changed.
func FuzzArguments(f *testing.F) {
	for _, d := range []definition{fileRead, fileWrite, fileEdit, globSearch, contentSearch} {
		f.Add(d.name, d.form.Example)
	}
	f.Add("file_read", `{"path":"out/secret"}`)
	f.Add("file_write", `{"path":"a/../out/secret","content":"x"}`)
	f.Add("file_read", `{"path":"a","offset":"1e1","limit":-1}`)
	f.Add("glob_search", `{"pattern":"/**/*","path":null}`)
	f.Add("content_search", `{"pattern":".","context":99,"max":"7"}`)
	f.Fuzz(func(t *testing.T, name, raw string) {
		r := newRoom(t, ".git")
		r.put("a", "text\n")
		r.put(".git/config", "kept")
		r.link(r.outside, "out")
		for _, tl := range Tools(r.opt) {
			if tl.Spec().Name != name {
				continue
			}
			tl.(*fileTool).set.before = func(step string) error { return nil }
			_, _ = tl.(*fileTool).Plan(t.Context(), json.RawMessage(raw))
			res, err := tl.Run(t.Context(), json.RawMessage(raw))
			if err != nil || strings.Contains(res.Text, secret) || res.Failed && !strings.HasPrefix(res.Text, name) && !strings.Contains(res.Text, "not text") {
				t.Errorf("%q, %v", res.Text, err)
			}
		}
		if r.get("../outside/secret") != secret || r.get(".git/config") != "kept" {
			t.Error("something was changed that may not be")
		}
		if list, _ := filepath.Glob(filepath.Join(r.outside, "*")); len(list) != 1 {
			t.Errorf("outside: %v", list)
		}
	})
}

// Patterns are bounded in what they expand to and in what they remember.
func FuzzGlob(f *testing.F) {
	for _, p := range []string{"**/*.go", "{a,b{c,d}}/**", "[a-z]*", strings.Repeat("**/", 50), strings.Repeat("{a,b}", 20), "{{{{,},},},}", `\{a,b\}`, "{,}{,}{,}", "[]a]"} {
		f.Add(p, "a/b/c.go")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := parseGlob(pattern)
		if err != nil {
			return
		}
		if len(g.alternatives) > mostAlternatives || g.states > mostPatternNames {
			t.Fatalf("%d alternatives, %d states", len(g.alternatives), g.states)
		}
		states := g.start()
		for name := range strings.SplitSeq(path, "/") {
			if states = g.next(states, name); len(states) > g.states {
				t.Fatalf("%d states of %d", len(states), g.states)
			}
		}
		_ = g.matched(states)
	})
}

// Whatever bytes a file has, reading, searching and editing it answer UTF-8
// without NUL, and an edit changes nothing else.
func FuzzContent(f *testing.F) {
	for _, s := range []string{"a\nb\r\n", "\xff\xfea\x00", "\xfe\xff\x00a", "caf\xe9 text text", "\xef\xbb\xbfx", "x\x00", strings.Repeat("é", 5000), "\r\r\n\n"} {
		f.Add([]byte(s), "a", "b")
	}
	f.Fuzz(func(t *testing.T, content []byte, old, repl string) {
		r := newRoom(t)
		r.put("f", string(content))
		for name, a := range map[string]args{"file_read": {"path": "f"}, "content_search": {"pattern": ".", "context": 1}} {
			res := r.call(name, a)
			if !utf8.ValidString(res.Text) || strings.ContainsRune(res.Text, 0) {
				t.Errorf("%s: %q", name, res.Text)
			}
		}
		res := r.call("file_edit", args{"path": "f", "old": old, "new": repl})
		if !utf8.ValidString(res.Text) {
			t.Errorf("file_edit: %q", res.Text)
		}
		if got := r.get("f"); res.Failed && got != string(content) {
			t.Errorf("a failed edit made %q of it", got)
		}
	})
}
