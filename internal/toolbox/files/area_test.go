package files

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Without a workspace, what the process was started in is out of reach: only the
// folders of skills are read, and nothing is written.
func TestNoWorkspace(t *testing.T) {
	r := newRoom(t)
	t.Chdir(r.ws)
	r.put("file", secret+"\n")
	r.put("../skill/sub/notes.md", "notes\n")
	r.link("sub/notes.md", "../skill/link")
	r.link(r.path("file"), "../skill/out")
	r.link("../ws/file", "../skill/up")
	r.opt.Workspace = ""
	calls := func(path string) map[string]args {
		return map[string]args{
			"file_read": {"path": path}, "file_write": {"path": path, "content": "owned"}, "file_edit": {"path": path, "old": "the", "new": "owned"},
			"glob_search": {"path": path, "pattern": "**"}, "content_search": {"path": path, "pattern": "."},
		}
	}
	for path, want := range map[string]string{
		"file": "there is no workspace", ".": "there is no workspace", "new": "there is no workspace",
		r.path("file"): "outside", r.ws: "outside", r.skills + "/out": "leads out", r.skills + "/up": "leads out",
	} {
		for name, a := range calls(path) {
			r.fails(name, a, want)
			if plan, err := r.tool(name).Plan(t.Context(), json.RawMessage(mustJSON(a))); err == nil {
				t.Errorf("%s %v is planned: %+v", name, a, plan)
			}
		}
	}
	for name, a := range map[string]args{
		"glob_search": {"pattern": "**"}, "content_search": {"pattern": "secret"},
	} {
		r.fails(name, a, "give the absolute path")
	}
	for _, name := range []string{"file_write", "file_edit"} {
		for _, path := range []string{"/SKILL.md", "/new", "/link"} {
			r.fails(name, calls(r.skills + path)[name], "there is no workspace here, and only files in one")
		}
	}
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"file_read":      {args{"path": r.skills + "/link"}, "     1\tnotes\n"},
		"glob_search":    {args{"path": r.skills, "pattern": "**/*.md"}, filepath.ToSlash(r.skills) + "/SKILL.md\n" + filepath.ToSlash(r.skills) + "/sub/notes.md\n"},
		"content_search": {args{"path": r.skills + "/sub", "pattern": "notes"}, filepath.ToSlash(r.skills) + "/sub/notes.md:1:notes\n"},
	} {
		if got := r.ok(name, c.args); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if entries, _ := os.ReadDir(r.ws); len(entries) != 1 || r.get("file") != secret+"\n" {
		t.Errorf("something was written: %v", entries)
	}
	// Nor is anything there without any folder.
	for _, folders := range []func() []string{nil, func() []string { return []string{"", ".", "ws"} }} {
		r.opt.Folders, r.set = folders, nil
		for _, path := range []string{"file", r.path("file"), r.skills, "/"} {
			for name, a := range calls(path) {
				r.fails(name, a, "")
			}
		}
	}
	if got := Nested("", []string{"file"}, 9); len(got) > 0 {
		t.Errorf("found %v where the process runs", got)
	}
}

func TestRelativeWorkspace(t *testing.T) {
	r := newRoom(t)
	t.Chdir(r.ws)
	r.put("file", "x")
	for _, ws := range []string{".", "sub/..", "./"} {
		r.opt.Workspace, r.set = ws, nil
		r.fails("file_read", args{"path": "file"}, "absolute path")
	}
}

// What stays in the workspace has nothing to do with how many skills there are.
func TestFoldersAreAskedForWhenNeeded(t *testing.T) {
	r := newRoom(t)
	r.put("dir/file", "x\n")
	r.link(r.path("dir"), "link")
	asked := 0
	r.opt.Folders = func() []string { asked++; return []string{r.skills} }
	r.ok("file_read", args{"path": "link/file"})
	r.ok("file_read", args{"path": r.path("dir/file")})
	r.ok("glob_search", args{"pattern": "**"})
	r.ok("content_search", args{"pattern": "x"})
	if asked > 0 {
		t.Errorf("asked %d times for nothing", asked)
	}
	r.ok("file_read", args{"path": r.skills + "/SKILL.md"})
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// The innermost folder counts, one that is gone does not, and a way up from the
// workspace may lead into the skill that it lies in.
func TestFoldersInEachOther(t *testing.T) {
	r := newRoom(t)
	r.put("../skill/inner/notes.md", "inner\n")
	r.put("../skill/work/ws/file", "x\n")
	r.opt.Folders = func() []string {
		return []string{r.skills + "/gone", r.skills, filepath.Join(r.skills, "inner"), filepath.Join(r.outside, "gone")}
	}
	r.opt.Workspace = filepath.Join(r.skills, "work", "ws")
	r.link("../../inner/notes.md", "../skill/work/ws/up")
	r.link("../../../outside/secret", "../skill/work/ws/out")
	for path, want := range map[string]string{"up": "inner", "file": "x", r.skills + "/inner/notes.md": "inner", r.skills + "/SKILL.md": "# skill"} {
		if got := r.ok("file_read", args{"path": path}); got != "     1\t"+want+"\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
	r.fails("file_read", args{"path": "out"}, "leads out")
	r.fails("file_read", args{"path": r.skills + "/gone/x"}, "no such file")
	r.fails("file_read", args{"path": r.outside + "/gone/x"}, "outside")
	r.fails("file_write", args{"path": "up", "content": "x"}, "only files in the workspace")
}

// A skill's folder in the workspace is kept, however its name is spelled, and so
// is its place while it is not there.
func TestFoldersOfSkillsAreKept(t *testing.T) {
	r, folders := library(t, "lib", 50)
	r.put("lib/group-01/other", "x")
	gone, upper := r.path("gone/skill"), r.path("lib/Größe/S")
	r.put("lib/Größe/S/file", "x")
	r.opt.Folders = func() []string { return append(folders, gone, upper) }
	for _, path := range []string{
		"lib/group-01/skill-0001/SKILL.md", "lib/group-01/skill-0001/new/file", "lib/Größe/S/file", "gone/skill/x", "GONE/Skill/x", "gone/skill", "gone",
	} {
		if res := r.call("file_write", args{"path": path, "content": "owned"}); !res.Failed {
			t.Errorf("%s: %q", path, res.Text)
		}
	}
	for _, path := range []string{"lib/group-01/other", "lib/group-01/skill-00011/x", "lib/new", "gone/other/x"} {
		r.ok("file_write", args{"path": path, "content": "fine"})
	}
}

// A quick look at a path says the same as a thorough one.
func TestAlikePlainPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := "/" + strings.Join(rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("aBz.: ~K\u212aß\u200c-_1"))), 0, 4).Draw(t, "names"), "/")
		names := strings.Split(path, "/")
		for i, name := range names {
			names[i] = alikeName(name)
		}
		if want, got := strings.Join(names, "/"), filepath.ToSlash(alike(path)); got != want {
			t.Fatalf("%q is like %q, not %q", path, got, want)
		}
	})
}

func TestWithin(t *testing.T) {
	at := filepath.FromSlash
	for _, c := range []struct {
		folder, path, rest string
		ok                 bool
	}{
		{"/a", "/a", "", true}, {"/a", "/a/b/c", "b/c", true}, {"/", "/a/b", "a/b", true}, {"/a/b", "/a", "", false},
		{"/a", "/ab", "", false}, {"", "/a", "", false}, {"", "", "", false}, {"/a", "", "", false},
	} {
		if rest, ok := within(at(c.folder), at(c.path)); rest != at(c.rest) || ok != c.ok {
			t.Errorf("%q within %q: %q, %v", c.path, c.folder, rest, ok)
		}
	}
}

// A plan looks at what it is about, and has no effect.
func TestResolver(t *testing.T) {
	r := newRoom(t)
	r.put("dir/file", "x\n")
	r.link("dir", "link")
	r.link(r.outside, "out")
	opened := 0
	r.opt.Opened = func(context.Context, string) string { opened++; return "" }
	resolve, open := Resolver(r.opt), Opener(r.opt)
	for path, want := range map[string]string{
		"link/file": "dir/file", r.path("dir/file"): "dir/file", r.skills + "/SKILL.md": filepath.ToSlash(r.skills) + "/SKILL.md",
		"dir": "", "none": "", "out/secret": "", r.outside + "/secret": "", "": "",
	} {
		opened = 0
		got, err := resolve(t.Context(), path)
		if got != want || (err != nil) != (want == "") || opened > 0 {
			t.Errorf("%s: %q, %v, opened %d times", path, got, err, opened)
		}
		f, same, openErr := open(t.Context(), path)
		if same != want || (openErr != nil) != (err != nil) || err != nil && openErr.Error() != err.Error() {
			t.Errorf("%s is opened as %q (%v), and planned as %q (%v)", path, same, openErr, want, err)
		}
		if openErr == nil {
			if _, err := io.ReadAll(f); err != nil || opened != 1 || f.Close() != nil {
				t.Errorf("%s: %v, opened %d times", path, err, opened)
			}
		}
	}
}
