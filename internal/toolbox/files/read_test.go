package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/tool"
)

func TestRead(t *testing.T) {
	r := newRoom(t)
	r.put("a.txt", "one\ntwo\nthree")
	r.put("crlf.txt", "one\r\ntwo\r\n")
	r.put("bom.txt", bomUTF8+"one\n")
	r.put("utf16le.txt", "\xff\xfeh\x00i\x00\n\x00y\x00\xe9\x00")
	r.put("utf16be.txt", "\xfe\xff\x00h\x00i")
	r.put("latin1.txt", "caf\xe9 au lait, bien s\xfbr, monsieur\n")
	r.put("late.txt", strings.Repeat("text\n", 2000)+"\xe9\x00x\n")
	r.put("empty", "")
	r.put("long", strings.Repeat("é", 3000)+"\nnext\n")
	r.put("esc", "a\x1b[31mb\n")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"path": "a.txt"}, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{args{"path": r.path("a.txt")}, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{args{"path": "./a.txt", "offset": 2, "limit": 1}, "     2\ttwo\n[lines 2 to 2; read on with offset 3]\n"},
		{args{"path": "a.txt", "offset": "3", "limit": "9"}, "     3\tthree\n"},
		{args{"path": "crlf.txt"}, "     1\tone\n     2\ttwo\n[lines end in CR LF]\n"},
		{args{"path": "bom.txt"}, "     1\tone\n"},
		{args{"path": "utf16le.txt"}, "     1\thi\n     2\tyé\n[the file is UTF-16]\n"},
		{args{"path": "utf16be.txt"}, "     1\thi\n[the file is UTF-16]\n"},
		{args{"path": "latin1.txt"}, "     1\tcafé au lait, bien sûr, monsieur\n[not all of it is UTF-8; bytes that are not are shown as Latin-1]\n"},
		{args{"path": "late.txt", "offset": 2001}, "  2001\téx\n[not all of it is UTF-8; bytes that are not are shown as Latin-1]\n"},
		{args{"path": "empty"}, `"empty" is empty`},
		{args{"path": "long"}, "     1\t" + strings.Repeat("é", 2000) + " … [2.0 KiB of this line left out]\n     2\tnext\n"},
		{args{"path": "esc"}, "     1\ta\x1b[31mb\n"},
		{args{"path": r.skills + "/SKILL.md"}, "     1\t# skill\n"},
	} {
		if diff := cmp.Diff(c.want, r.ok("file_read", c.args)); diff != "" {
			t.Errorf("%v: %s", c.args, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	r := newRoom(t)
	r.put("src/main.go", "package main\n")
	r.put("config.toml", "x\n")
	r.put("png", "\x89PNG\r\n\x1a\n\x00\x00")
	r.put("pdf", "%PDF-1.7\n")
	r.put("bin", "\x01\x00\x02")
	r.put("noise", strings.Repeat("\xfe\xc1\xf9\x80", 100))
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"path": "src/mian.go"}, `did you mean "src/main.go"?`},
		{args{"path": "scr/main.go"}, `did you mean "src"?`},
		{args{"path": "config"}, `did you mean "config.toml"?`},
		{args{"path": "a/b/c"}, `there is no "a" in "."`},
		{args{"path": "src"}, "glob_search"},
		{args{"path": "."}, "it is a folder"},
		{args{"path": "src/main.go/x"}, errNotFolder.Error()},
		{args{"path": "src/main.go", "offset": 9}, "it has 1 line; offset 9 is behind its end"},
		{args{"path": "png"}, "is a PNG image of 10 bytes, not text"},
		{args{"path": "pdf"}, "pdf_read"},
		{args{"path": "bin"}, "binary data"},
		{args{"path": "noise"}, "binary data"},
		{args{"path": "~/x"}, "~ is not expanded"},
		{args{"path": "~root/x"}, "~ is not expanded"},
		{args{"path": "../outside/secret"}, "without .."},
		{args{"path": "src/../config.toml"}, "without .."},
		{args{"path": r.outside + "/secret"}, "outside of the workspace"},
		{args{"path": r.ws + "x"}, "outside of the workspace"},
		{args{"path": "/etc/passwd"}, "outside of the workspace"},
		{args{"path": "a\x00b"}, "NUL"},
		{args{"path": ""}, "a path is needed"},
		{args{"path": strings.Repeat("a/", 4000)}, "longer than any path"},
		{args{"path": strings.Repeat("a", 300)}, "too long"},
	} {
		r.fails("file_read", c.args, c.want)
	}
}

func TestArguments(t *testing.T) {
	r := newRoom(t)
	r.put("a", "x\n")
	for raw, want := range map[string]string{
		``:                               `"path" is missing; call file_read as {"path"`,
		`[]`:                             "one JSON object",
		`null`:                           `"path" is missing; call file_read as {"path"`,
		`{"path":`:                       "one JSON object",
		`{"path":1}`:                     `"path" has to be a string`,
		`{"path":"a","ofset":1}`:         `no argument "ofset"; did you mean "offset"?`,
		`{"path":"a","xyz":1}`:           "it takes path, offset, limit",
		`{"path":"a","offset":0}`:        "1 or more",
		`{"path":"a","offset":1.5}`:      "whole number",
		`{"path":"a","offset":"x"}`:      "whole number",
		`{"path":"a","offset":1e300}`:    "whole number",
		`{"path":"a","offset":"NaN"}`:    "whole number",
		`{"path":"a","offset":[1]}`:      "whole number",
		`{"path":"a","limit":{"a":"b"}}`: "whole number",
	} {
		if res := r.callRaw(t.Context(), "file_read", raw); !res.Failed || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %q, want %q", raw, res.Text, want)
		}
		if _, err := r.tool("file_read").Plan(t.Context(), json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("plan of %s: %v", raw, err)
		}
	}
	for _, raw := range []string{`{"path":"a","offset":"1"}`, `{"path":"a","offset":null}`, `{"path":"a","limit":1.0}`} {
		if res := r.callRaw(t.Context(), "file_read", raw); res.Failed {
			t.Errorf("%s: %s", raw, res.Text)
		}
	}
}

// The schema of every tool is JSON that names what its reader takes.
func TestSchemas(t *testing.T) {
	for _, tl := range Tools(Options{}) {
		var schema struct {
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		spec := tl.Spec()
		if err := json.Unmarshal(spec.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		f := tl.(*fileTool).form
		if len(schema.Properties) != len(f.Fields) || len(schema.Required) == 0 || spec.Description == "" {
			t.Errorf("%s: %s", spec.Name, spec.Schema)
		}
		if _, err := f.Read(spec.Name, json.RawMessage(f.Example)); err != nil {
			t.Errorf("the example of %s: %v", spec.Name, err)
		}
		if wants := strings.HasPrefix(spec.Name, "file_") && spec.Name != "file_read"; spec.Effects.ReadOnly() == wants || !spec.Effects.Read {
			t.Errorf("%s: %+v", spec.Name, spec.Effects)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	r := newRoom(t)
	r.opt.MaxBytes = 20_000
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d é\n", i+1)
	}
	r.put("a", b.String())
	// Reading on as told gives every line once.
	next, got := 1, ""
	for range 100 {
		res := r.call("file_read", args{"path": "a", "offset": next})
		if len(res.Text) > 20_100 || !utf8.ValidString(res.Text) {
			t.Fatalf("%d bytes", len(res.Text))
		}
		for line := range strings.SplitSeq(res.Text, "\n") {
			if n, text, ok := strings.Cut(line, "\t"); ok {
				got += text + "\n"
				_ = n
			}
		}
		if !res.Cut {
			break
		}
		if _, err := fmt.Sscanf(res.Text[strings.LastIndex(res.Text, "offset"):], "offset %d", &next); err != nil {
			t.Fatal(err)
		}
	}
	if got != b.String() {
		t.Error("not every line was read once")
	}
}

// A file far larger than memory is read where it is asked for.
func TestReadHuge(t *testing.T) {
	r := newRoom(t)
	r.put("huge", strings.Repeat("a line\n", 20_000))
	if err := os.Truncate(r.path("huge"), 10<<30); err != nil {
		t.Skip(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := r.ok("file_read", args{"path": "huge", "offset": 19_999, "limit": 2})
	if want := " 19999\ta line\n 20000\ta line\n[lines 19999 to 20000; read on with offset 20001]\n"; text != want {
		t.Errorf("got %q", text)
	}
	// The rest is one line without an end, of NULs.
	res := r.call("file_read", args{"path": "huge", "offset": 20_001})
	if !res.Cut || !strings.Contains(res.Text, "stopped in line 20001") || strings.ContainsRune(res.Text, 0) {
		t.Errorf("got %.200q", res.Text)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("reading took %d bytes of memory", used)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.tool("file_read").Run(ctx, json.RawMessage(`{"path":"huge","offset":1000000}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was ended: %v", err)
	}
}

func TestOpened(t *testing.T) {
	r := newRoom(t)
	r.put("a", "x\n")
	r.link(r.skills+"/SKILL.md", "link")
	var asked []string
	r.opt.Opened = func(_ context.Context, path string) string {
		asked = append(asked, path)
		if path == r.skills+"/SKILL.md" {
			return "not this one"
		}
		return ""
	}
	r.ok("file_read", args{"path": "a"})
	r.fails("file_read", args{"path": r.skills + "/SKILL.md"}, "not this one")
	r.fails("file_read", args{"path": "link"}, "not this one")
	r.fails("file_read", args{"path": "missing"}, "no such file")
	want := []string{r.path("a"), r.skills + "/SKILL.md", r.skills + "/SKILL.md"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func TestPlan(t *testing.T) {
	r := newRoom(t, ".git")
	r.put("src/a", "x\n")
	r.link("src", "alias")
	for _, c := range []struct {
		tool    string
		args    args
		subject string
		write   []string
		content string
	}{
		{"file_read", args{"path": "./src//a"}, "src/a", nil, ""},
		{"file_read", args{"path": "alias/a"}, "src/a", nil, ""},
		{"file_read", args{"path": r.skills + "/SKILL.md"}, r.skills + "/SKILL.md", nil, ""},
		{"file_write", args{"path": "alias/new/b", "content": ""}, "src/new/b", []string{r.path("src/new/b")}, ""},
		{"file_write", args{"path": "src/b", "content": "one\ntwo\n"}, "src/b", []string{r.path("src/b")}, "one\ntwo\n"},
		{"file_write", args{"path": "src/b", "content": strings.Repeat("ä", 3000)}, "src/b", []string{r.path("src/b")}, strings.Repeat("ä", 2000) + "… 1000 more"},
		{"file_edit", args{"path": r.path("src/a"), "old": "x", "new": "y"}, "src/a", []string{r.path("src/a")}, "- x\n+ y"},
		{"file_edit", args{"path": "src/a", "old": "x\ny\n", "new": "", "all": true}, "src/a", []string{r.path("src/a")}, "everywhere:\n- x\n- y"},
		{"glob_search", args{"pattern": "*"}, ".", nil, ""},
		{"glob_search", args{"pattern": r.ws + "/src/**/*.go"}, "src", nil, ""},
		{"content_search", args{"pattern": "x", "path": "alias"}, "src", nil, ""},
	} {
		plan, err := r.tool(c.tool).Plan(t.Context(), json.RawMessage(mustJSON(c.args)))
		if err != nil {
			t.Errorf("%v: %v", c.args, err)
			continue
		}
		if plan.Subject != c.subject {
			t.Errorf("%v: subject %q, want %q", c.args, plan.Subject, c.subject)
		}
		if diff := cmp.Diff(c.write, plan.Write); diff != "" {
			t.Errorf("%v: %s", c.args, diff)
		}
		if plan.Content != c.content {
			t.Errorf("%v: content %q, want %q", c.args, plan.Content, c.content)
		}
	}
	plan, err := r.tool("file_edit").Plan(t.Context(), json.RawMessage(mustJSON(args{
		"path": "src/a", "old": strings.Repeat("€\n", 5000), "new": strings.Repeat("ä", 5000), "all": true,
	})))
	if err != nil || len(plan.Content) > tool.MostContent || !utf8.ValidString(plan.Content) || !strings.Contains(plan.Content, "more\n+ ä") {
		t.Errorf("%d bytes, %v: %s", len(plan.Content), err, plan.Content)
	}
	if _, err := r.tool("file_write").Plan(t.Context(), json.RawMessage(`{"path":".git/config","content":""}`)); !errors.Is(err, errKept) {
		t.Errorf("a plan to change what is kept: %v", err)
	}
	if _, err := os.Stat(r.path("src/new")); err == nil {
		t.Error("planning made a folder")
	}
}
