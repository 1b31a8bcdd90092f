package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGlob(t *testing.T) {
	r := newRoom(t)
	for _, f := range []string{
		"a.go", "b.ts", "src/a.go", "src/b.tsx", "src/deep/er/c.go", "src-old/d.go", ".git/config", "node_modules/m/i.js",
		"src/node_modules/n/j.js", ".github/w.yml", "x[1].txt", "{a}.txt", "odd\nname",
	} {
		r.put(f, "x\n")
	}
	r.link("src", "alias")
	r.link(r.outside, "out")
	for _, c := range []struct {
		pattern, path string
		want          []string
	}{
		{"*.go", "", []string{"a.go"}},
		{"**/*.go", "", []string{"a.go", "src-old/d.go", "src/a.go", "src/deep/er/c.go"}},
		{"src/**", "", []string{"src/a.go", "src/b.tsx", "src/deep/er/c.go"}},
		{"**/c.go", "src", []string{"src/deep/er/c.go"}},
		{"**/c.go", "alias", []string{"src/deep/er/c.go"}},
		{"src/*.{go,tsx}", "", []string{"src/a.go", "src/b.tsx"}},
		{"{src,src-old}/{a,d}.go", "", []string{"src-old/d.go", "src/a.go"}},
		{"{*.ts,src/**/c.*}", "", []string{"b.ts", "src/deep/er/c.go"}},
		{"**/*.js", "", nil},
		{"**/node_modules/**/*.js", "", []string{"node_modules/m/i.js", "src/node_modules/n/j.js"}},
		{".git/*", "", []string{".git/config"}},
		{"*", ".git", []string{".git/config"}},
		{"**/*.yml", "", []string{".github/w.yml"}},
		{"**/", "src", []string{"src/deep", "src/deep/er", "src/node_modules"}},
		{`x\[1\].txt`, "", []string{"x[1].txt"}},
		{"{a}.txt", "", []string{"{a}.txt"}},
		{"odd*", "", []string{`"odd\nname"`}},
		{r.ws + "/src/*.go", "", []string{"src/a.go"}},
		{r.ws + "/**/d.go", "", []string{"src-old/d.go"}},
		{"*.md", r.skills, []string{r.skills + "/SKILL.md"}},
		{"?.go", "", []string{"a.go"}},
		{"[a-b].??", "", []string{"a.go", "b.ts"}},
		{"**/**/**/er/*", "", []string{"src/deep/er/c.go"}},
		{"alias/*", "", nil},
		{"out/*", "", nil},
	} {
		a := args{"pattern": c.pattern}
		if c.path != "" {
			a["path"] = c.path
		}
		text := r.ok("glob_search", a)
		var got []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "nothing matches") {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s in %q: %s", c.pattern, c.path, diff)
		}
	}
	for pattern, want := range map[string]string{
		"../*": "without ..", "a/../b": "without ..", "[": "not understood", "": "not understood", strings.Repeat("{a,b}", 7): "too many",
		strings.Repeat("{a,b}", 100): "too many", strings.Repeat("a", 600): "not understood", r.outside + "/*": "outside of the workspace",
		"/": "not understood", "/*": "outside of the workspace",
	} {
		r.fails("glob_search", args{"pattern": pattern}, want)
	}
	r.fails("glob_search", args{"pattern": "*", "path": "a.go"}, "not a folder")
	r.fails("glob_search", args{"pattern": "*", "path": "scr"}, `did you mean "src"`)
	if got := r.ok("glob_search", args{"pattern": "d.go"}); !strings.Contains(got, "**/d.go looks in the folders below") {
		t.Errorf("%q", got)
	}
}

func TestGlobIsBounded(t *testing.T) {
	r := newRoom(t)
	for i := range mostFound + 5 {
		r.put(fmt.Sprintf("d/%05d", i), "")
	}
	res := r.call("glob_search", args{"pattern": "**"})
	if !res.Cut || strings.Count(res.Text, "\n") != mostFound+1 || !strings.Contains(res.Text, "[1000 of 1005;") {
		t.Errorf("cut %v, %q", res.Cut, res.Text[len(res.Text)-100:])
	}
	deep := "x"
	for range deepest + 3 {
		deep += "/x"
	}
	r.put(deep, "")
	if res := r.call("glob_search", args{"pattern": "x/**"}); !res.Cut || !strings.Contains(res.Text, "stopped") {
		t.Errorf("deep folders: %q", res.Text)
	}
}

// However many ** a pattern has, matching costs its length times that of the path.
func TestGlobDoesNotBlowUp(t *testing.T) {
	pattern := strings.Repeat("**/a/", 60) + "b"
	g, err := parseGlob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	states := g.start()
	for range 2000 {
		if states = g.next(states, "a"); len(states) > g.states {
			t.Fatalf("%d states", len(states))
		}
	}
	if g.matched(states) {
		t.Error("matched")
	}
	if !g.matched(g.next(states, "b")) {
		t.Error("not matched")
	}
}

func TestSearch(t *testing.T) {
	r := newRoom(t)
	r.put("a.go", "package a\nfunc One() {}\n\n\nfunc Two() {}\n")
	r.put("b/c.txt", "one FUNC\r\ntwo\r\n")
	r.put("bin", "func\x00")
	r.put("large", "func"+strings.Repeat("\n", largest))
	r.put("wide", "\xff\xfef\x00u\x00n\x00c\x00")
	r.put("late", strings.Repeat("x", 1000)+"needle"+strings.Repeat("y", 1000)+"\n")
	r.put(".git/x", "func\n")
	r.link("a.go", "link.go")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": `func \w+`, "glob": "*.go"}, "a.go:2:func One() {}\na.go:5:func Two() {}\n"},
		{args{"pattern": "func", "path": "a.go", "max": 1}, "a.go:2:func One() {}\n[stopped after 1 matching line; there may be more: search for less, or set max]\n"},
		{args{"pattern": "func", "glob": "b/**", "ignore_case": true}, "b/c.txt:1:one FUNC\n"},
		{args{"pattern": "func one", "glob": "**/*.go", "ignore_case": "true", "context": "1"}, "a.go-1-package a\na.go:2:func One() {}\na.go-3-\n"},
		{args{"pattern": "func", "path": "a.go", "context": 1}, "a.go-1-package a\na.go:2:func One() {}\na.go-3-\na.go-4-\na.go:5:func Two() {}\n"},
		{args{"pattern": "^package|Two", "path": "a.go", "context": 1}, "a.go:1:package a\na.go-2-func One() {}\n--\na.go-4-\na.go:5:func Two() {}\n"},
		{args{"pattern": "two$"}, "b/c.txt:2:two\n[1 file left out: larger than 8 MiB]\n[1 file left out: not text]\n"},
		{args{"pattern": "func", "glob": "{bin,large,wide}"}, "wide:1:func\n[1 file left out: larger than 8 MiB]\n[1 file left out: not text]\n"},
		{args{"pattern": "nowhere", "path": "b"}, "no line matches in \"b\"\n"},
		{args{"pattern": "func", "path": ".git"}, ".git/x:1:func\n"},
		{args{"pattern": "skill", "path": r.skills}, r.skills + "/SKILL.md:1:# skill\n"},
		{args{"pattern": "needle", "path": "late"}, "late:1:…" + strings.Repeat("x", 100) + "needle" + strings.Repeat("y", 194) + "…\n"},
	} {
		if diff := cmp.Diff(c.want, r.ok("content_search", c.args)); diff != "" {
			t.Errorf("%v: %s", c.args, diff)
		}
	}
	for want, a := range map[string]args{
		"no regular expression":   {"pattern": "main("},
		"the pattern is empty":    {"pattern": ""},
		"repeats too much":        {"pattern": strings.Repeat("(a{100}){9}", 20)},
		"the glob":                {"pattern": "a", "glob": "["},
		"there is no such file":   {"pattern": "a", "path": "nowhere"},
		`did you mean "pattern"?`: {"patern": "a"},
	} {
		r.fails("content_search", a, want)
	}
}

// The instructions of skills are read with file_read, which activates them.
func TestSearchLeavesInstructionsOut(t *testing.T) {
	r := newRoom(t)
	r.put("skills/s/SKILL.md", "word\n")
	r.put("skills/s/notes.md", "word\n")
	r.opt.Instructions = func(path string) bool {
		return path == r.path("skills/s/SKILL.md") || path == filepath.Join(r.skills, "SKILL.md")
	}
	want := "skills/s/notes.md:1:word\n[1 file left out: instructions of skills: read them with file_read]\n"
	if got := r.ok("content_search", args{"pattern": "word"}); got != want {
		t.Errorf("%q", got)
	}
	for _, path := range []string{"skills/s/SKILL.md", r.skills} {
		if got := r.ok("content_search", args{"pattern": ".", "path": path}); strings.Contains(got, ":1:") {
			t.Errorf("%q", got)
		}
	}
}

// The answer is the same every time, in the order of paths, however many look.
func TestSearchIsDeterministic(t *testing.T) {
	r := newRoom(t)
	r.opt.MaxBytes = 4000
	for i := range 300 {
		r.put(fmt.Sprintf("d%d/f-%d", i%7, i), strings.Repeat("match\nother\n", i%5))
	}
	first := r.call("content_search", args{"pattern": "match", "max": 5000})
	if !first.Cut || len(first.Text) > 4200 {
		t.Errorf("cut %v, %d bytes", first.Cut, len(first.Text))
	}
	var paths []string
	for line := range strings.Lines(first.Text) {
		if path, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "[") {
			paths = append(paths, path)
		}
	}
	if !slices.IsSorted(paths) || len(paths) < 100 {
		t.Errorf("%d paths, out of order", len(paths))
	}
	for range 20 {
		if again := r.call("content_search", args{"pattern": "match", "max": 5000}); again.Text != first.Text {
			t.Fatal(cmp.Diff(first.Text, again.Text))
		}
	}
}

func TestSearchEnds(t *testing.T) {
	r := newRoom(t)
	r.put("a", "x\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, raw := range map[string]string{
		"content_search": `{"pattern":"x"}`, "glob_search": `{"pattern":"**"}`,
		"file_write": `{"path":"a","content":"y"}`, "file_edit": `{"path":"a","old":"x","new":"y"}`,
	} {
		if _, err := r.tool(name).Run(ctx, json.RawMessage(raw)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.get("a") != "x\n" {
		t.Error("a call that was ended changed a file")
	}
	if os.Geteuid() == 0 {
		return // everything can be read
	}
	if err := os.Chmod(r.path("a"), 0); err != nil {
		t.Fatal(err)
	}
	if got := r.ok("content_search", args{"pattern": "x"}); !strings.Contains(got, "1 file left out: could not be read") {
		t.Errorf("%q", got)
	}
}
