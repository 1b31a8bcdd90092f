package files

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEdit(t *testing.T) {
	r := newRoom(t)
	for _, c := range []struct {
		name, before string
		args         args
		after        string
	}{
		{"once", "a\nb\nc\n", args{"old": "b", "new": "x"}, "a\nx\nc\n"},
		{"lines", "a\nb\nc\n", args{"old": "a\nb\n", "new": "x\n"}, "x\nc\n"},
		{"removal", "a\nb\nc\n", args{"old": "b\n", "new": ""}, "a\nc\n"},
		{"all", "a b a\na", args{"old": "a", "new": "aa", "all": true}, "aa b aa\naa"},
		{"all as a string", "a a", args{"old": "a", "new": "b", "all": "true"}, "b b"},
		{"all of what overlaps", "aaa", args{"old": "aa", "new": "b", "all": true}, "ba"},
		{"CRLF", "a\r\nb\r\nc\r\n", args{"old": "a\nb\n", "new": "x\ny\nz\n"}, "x\r\ny\r\nz\r\nc\r\n"},
		{"CRLF within a line", "a\r\nb\r\n", args{"old": "a", "new": "x\ny"}, "x\r\ny\r\nb\r\n"},
		{"CRLF at the end", "a\r\nb", args{"old": "b", "new": "x\ny"}, "a\r\nx\r\ny"},
		{"CRLF given", "a\r\nb\r\n", args{"old": "a\r\nb", "new": "x\r\ny"}, "x\r\ny\r\n"},
		{"CRLF given for LF", "a\nb\n", args{"old": "a\r\nb", "new": "x\r\ny"}, "x\ny\n"},
		{"CRLF removed", "a\r\nb\r\n", args{"old": "a\r\n", "new": "a\n"}, "a\nb\r\n"},
		{"mixed, LF part", "a\nb\r\nc\r\n", args{"old": "a\n", "new": "x\ny\n"}, "x\ny\nb\r\nc\r\n"},
		{"mixed, across", "a\r\nb\nc\n", args{"old": "a\nb", "new": "x"}, "x\nc\n"},
		{"line end at the edge", "a\r\nb\r\n", args{"old": "\nb", "new": "\nx"}, "a\r\nx\r\n"},
		{"BOM", bomUTF8 + "a\n", args{"old": "a", "new": "b"}, bomUTF8 + "b\n"},
		{"Latin-1", "some text caf\xe9\nb\n", args{"old": "b", "new": "c"}, "some text caf\xe9\nc\n"},
		{"no end", "a", args{"old": "a", "new": "b"}, "b"},
		{"to nothing", "a", args{"old": "a", "new": ""}, ""},
	} {
		r.put("f", c.before)
		c.args["path"] = "f"
		text := r.ok("file_edit", c.args)
		if got := r.get("f"); got != c.after {
			t.Errorf("%s: %q, want %q", c.name, got, c.after)
		}
		if !strings.HasPrefix(text, `changed "f" in `) {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	r := newRoom(t)
	r.put("f", "func main() {\n\tport := 80\n\tlisten(port)\n}\n\nfunc other() {\n}\n")
	r.put("bin", "a\x00b")
	r.put("wide", "\xff\xfea\x00")
	r.put("large", strings.Repeat("x", largest+1))
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"path": "f", "old": "", "new": "x"}, "is empty"},
		{args{"path": "f", "old": "x", "new": "x"}, "are the same"},
		{args{"path": "f", "old": "func", "new": "x"}, "more than once, in line 1, line 6"},
		{args{"path": "f", "old": "port = 80", "new": "x"}, `line 2 looks like it: "port := 80"`},
		{args{"path": "f", "old": "  port := 80", "new": "x"}, `line 2 differs in blanks only`},
		{args{"path": "f", "old": "func main() {\n  port", "new": "x"}, "start in line 1"},
		{args{"path": "f", "old": "nothing alike anywhere", "new": "x"}, "read the file again"},
		{args{"path": "f", "old": "\n\n\n", "new": "x"}, "not there"},
		{args{"path": "bin", "old": "a", "new": "x"}, "not text"},
		{args{"path": "wide", "old": "a", "new": "x"}, "UTF-16"},
		{args{"path": "large", "old": "a", "new": "x"}, "more than the 8.0 MiB"},
		{args{"path": "g", "old": "a", "new": "x"}, "no such file"},
		{args{"path": "f", "old": "func"}, `"new" is missing`},
		{args{"path": "f", "old_text": "func", "new": "x"}, `no argument "old_text"`},
	} {
		r.fails("file_edit", c.args, c.want)
	}
	r.put("over", "aaa")
	r.fails("file_edit", args{"path": "over", "old": "aa", "new": "b"}, "more than once")
}

func TestExcerpt(t *testing.T) {
	r := newRoom(t)
	for _, c := range []struct {
		before string
		args   args
		want   string
	}{
		{"1\n\n3\n4\n5\n6\n", args{"old": "3", "new": "x\ny"}, "     1\t1\n     2\t\n-    3\t3\n+    3\tx\n+    4\ty\n     5\t4\n     6\t5\n"},
		{"1\n2\n3\n", args{"old": "2\n", "new": ""}, "     1\t1\n-    2\t2\n     2\t3\n"},
		{"1\r\n2\r\n", args{"old": "1", "new": "x"}, "-    1\t1\n+    1\tx\n     2\t2\n"},
		{"1", args{"old": "1", "new": "x"}, "-    1\t1\n+    1\tx\n"},
		{"a\nb\na\nb\n", args{"old": "a\n", "new": "a\na\n", "all": true}, "-    1\ta\n+    1\ta\n+    2\ta\n     2\ta\n     3\tb\n-    3\ta\n+    4\ta\n+    5\ta\n     6\tb\n"},
	} {
		r.put("f", c.before)
		c.args["path"] = "f"
		_, got, _ := strings.Cut(r.ok("file_edit", c.args), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.before, diff)
		}
	}
}

// Whatever is replaced, the rest of the file stays byte for byte, and replacing
// once is what a plain replacement of the text with LF would be.
func TestEditProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "é"}), 1, 20).Draw(t, "raw"), "")
		old := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n"}), 1, 3).Draw(t, "old"), "")
		repl := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"c", "\n"}), 0, 3).Draw(t, "new"), "")
		s := newSubject([]byte(raw))
		changes, _ := s.find(old, repl, true)
		got := s.apply(changes)
		unix := func(b []byte) string { return strings.ReplaceAll(string(b), "\r\n", "\n") }
		if want := strings.ReplaceAll(unix([]byte(raw)), old, repl); unix(got) != want {
			t.Fatalf("%q: %q to %q gave %q", raw, old, repl, got)
		}
		pos := 0
		for _, c := range changes {
			if c.from < pos || c.to < c.from || c.to > len(raw) {
				t.Fatalf("%q: %+v", raw, changes)
			}
			if bytes.HasSuffix([]byte(raw)[:c.to], []byte("\r")) && strings.HasPrefix(raw[c.to:], "\n") {
				t.Fatalf("%q: %+v cuts a line end", raw, c)
			}
			pos = c.to
		}
		_ = s.excerpt(changes)
	})
}
