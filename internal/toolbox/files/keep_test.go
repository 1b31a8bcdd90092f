package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Where a link of something kept leads is kept as well, though nothing is there
// yet: whoever makes it makes what is kept.
func TestKeepBehindLinksToNothing(t *testing.T) {
	r := newRoom(t, "config", "skills", "config/skills", "chain", "around", "absolute", "circle", "file.toml")
	r.link("conf", "config")
	r.link("vendor/s", "skills")
	r.link("chain2", "chain")
	r.link("deep/../chained", "chain2")
	r.link("none/../sub/../rounded", "around")
	r.link(r.path("abs"), "absolute")
	r.link("circle2", "circle")
	r.link("circle", "circle2")
	r.link("made.toml", "file.toml")
	for _, path := range []string{
		"config/x.toml", "conf", "conf/x.toml", "CONF/x.toml", "conf/skills/s/SKILL.md", "vendor", "vendor/s", "vendor/s/pwn/SKILL.md", "Vendor/S/x",
		"chain/x", "chain2/x", "chained/x", "rounded/x", "absolute/x", "abs/x", "file.toml", "made.toml", r.ws + "/conf/x",
	} {
		if res := r.call("file_write", args{"path": path, "content": "owned"}); !res.Failed {
			t.Errorf("%s: %q", path, res.Text)
		}
	}
	for _, path := range []string{"conf", "vendor", "chained", "rounded", "abs", "made.toml"} {
		if _, err := os.Lstat(r.path(path)); err == nil {
			t.Errorf("%s was made", path)
		}
	}
	for _, path := range []string{"confer", "vendor/other", "deep/x", "sub/x", "absent/x"} {
		r.ok("file_write", args{"path": path, "content": "fine"})
	}
}

func TestLeadsTo(t *testing.T) {
	r := newRoom(t)
	r.put("dir/file", "x")
	r.link("dir", "link")
	r.link("../none/a", "dir/up")
	r.link("x/../../y", "dir/odd")
	r.link("circle", "circle")
	r.link(r.outside, "out")
	for path, want := range map[string]string{
		".": ".", "dir/file": "dir/file", "link": "dir", "link/none": "dir/none", "dir/up/b": "none/a/b", "link/odd": "y",
		"circle/x": "circle/x", "out/new": "../outside/new", "dir/file/x": "dir/file/x",
	} {
		if got := leadsTo(r.path(path)); got != r.path(want) {
			t.Errorf("%s leads to %s", path, got)
		}
	}
	// Links to links double the way with each, and are given up on.
	for i := range 60 {
		r.link(strings.Repeat("l"+string(rune('A'+i+1))+"/", 2), "l"+string(rune('A'+i)))
	}
	if got := leadsTo(r.path("lA")); got != r.path("lA") {
		t.Error(got)
	}
	if got := leadsTo(filepath.FromSlash("/")); got != filepath.FromSlash("/") {
		t.Error(got)
	}
}

// A name that is kept anywhere is kept at any depth, and can be read.
func TestKeepAnywhere(t *testing.T) {
	r := newRoom(t)
	r.opt.Anywhere = []string{".git", ".conf"}
	r.put("sub/.git/config", "git\n")
	r.put("a/b/.conf", "file\n")
	r.put("plain/x", "x")
	r.link("sub/.git", "g")
	r.link("../plain", "links/.git")
	for _, path := range []string{
		".git", ".git/config", "sub/.git", "sub/.git/config", "sub/.git/hooks/pre-commit", "sub/.GIT/x", "g/config", "a/b/.conf", "a/.Conf/x",
		"new/deep/.git/config", "sub/.git./x", "sub/.g\u200cit/x", "sub/.git::$INDEX_ALLOCATION/x", r.ws + "/sub/.git/config",
	} {
		for name, a := range map[string]args{
			"file_write": {"path": path, "content": "owned"}, "file_edit": {"path": path, "old": "i", "new": "owned"},
		} {
			r.fails(name, a, "may only be read")
		}
	}
	for path, want := range map[string]string{"sub/.git/config": "git\n", "a/b/.conf": "file\n"} {
		if got := r.ok("file_read", args{"path": path}); r.get(path) != want || got != "     1\t"+want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if entries, _ := os.ReadDir(r.path("sub")); len(entries) != 1 {
		t.Errorf("sub has %v", entries)
	}
	for _, path := range []string{".gitignore", "sub/.github/x", "sub/git/x", "sub/.conf.d/x", "plain/y"} {
		r.ok("file_write", args{"path": path, "content": "fine"})
	}
	// A workspace in a folder of such a name is one all the same.
	r.opt.Workspace = filepath.Join(r.ws, "sub", ".git")
	r.set = nil
	r.ok("file_write", args{"path": "file", "content": "fine"})
}

func TestNested(t *testing.T) {
	r := newRoom(t)
	for _, path := range []string{
		".git/config", "b/.git/config", "b/.git/modules/x/.git/config", "b/c/d/.GIT", "a/.conf/x", "node_modules/p/.git/x", "plain/git/x", ".github/x",
	} {
		r.put(path, "x")
	}
	r.put("../outside/.git/config", "x")
	r.link(r.outside, "out")
	r.link("none", "l/.git")
	names := []string{".git", ".conf"}
	for most, want := range map[int][]string{
		100: {".git", "a/.conf", "b/.git", "b/c/d/.GIT", "l/.git"},
		2:   {".git", "a/.conf"}, // those that lie highest
		0:   nil, -1: nil,
	} {
		var got []string
		for _, path := range Nested(r.ws, names, most) {
			rest, _ := within(r.ws, path)
			got = append(got, filepath.ToSlash(rest))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d:\n%s", most, diff)
		}
	}
	if got := Nested(r.path("none"), names, 9); len(got) > 0 {
		t.Errorf("of nothing: %v", got)
	}
	if got := Nested(r.ws, nil, 9); len(got) > 0 {
		t.Errorf("without names: %v", got)
	}
}

// What is found is kept by the file tools, with what its links lead to.
func TestNestedLinksAreKept(t *testing.T) {
	r := newRoom(t)
	r.link("../made", "sub/.git")
	r.opt.Keep = Nested(r.ws, []string{".git"}, 9)
	r.fails("file_write", args{"path": "made/config", "content": "owned"}, "may only be read")
	r.ok("file_write", args{"path": "sub/file", "content": "fine"})
}

// More entries than are looked at hide what lies deep, and nothing else.
func TestNestedIsBounded(t *testing.T) {
	r := newRoom(t)
	r.put("z/.git/config", "x")
	r.put("a/deep/deep/.git/config", "x")
	for i := range 100 {
		r.put("a/many/"+strconv.Itoa(i), "")
	}
	if diff := cmp.Diff([]string{r.path("z/.git")}, nested(r.ws, []string{".git"}, 9, 100)); diff != "" {
		t.Error(diff)
	}
	if got := nested(r.ws, []string{".git"}, 9, 200); len(got) != 2 {
		t.Error(got)
	}
}

// A tree of 20,000 files in 2,000 folders.
func BenchmarkNested(b *testing.B) {
	r := newRoom(b)
	for i := range 2000 {
		dir := r.path(fmt.Sprintf("src/%d/%d/pkg", i%40, i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 10 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", j)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	r.put("src/7/7/pkg/.git/config", "x")
	for b.Loop() {
		if got := Nested(r.ws, []string{".git", ".conf"}, 100); len(got) != 1 {
			b.Fatal(got)
		}
	}
}
