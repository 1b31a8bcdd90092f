package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	r := newRoom(t)
	if got, want := r.ok("file_write", args{"path": "a/b/c.txt", "content": "one\ntwo"}), `created "a/b/c.txt" (2 lines, 7 bytes)`; got != want {
		t.Errorf("%q", got)
	}
	if got, want := r.ok("file_write", args{"path": r.path("a/b/c.txt"), "content": ""}), `replaced "a/b/c.txt" (0 lines, 0 bytes; it had 7 bytes)`; got != want {
		t.Errorf("%q", got)
	}
	if r.get("a/b/c.txt") != "" {
		t.Error("it was not replaced")
	}
	r.fails("file_write", args{"path": "a/b", "content": "x"}, "it is a folder")
	r.fails("file_write", args{"path": ".", "content": "x"}, "it is a folder")
	r.fails("file_write", args{"path": "new/", "content": "x"}, "path of a file")
	r.fails("file_write", args{"path": "a/b/c.txt/d", "content": "x"}, "a file stands where")
	if list, _ := os.ReadDir(r.path("a/b")); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// What is kept stays, by whichever way it is reached.
func TestKeep(t *testing.T) {
	r := newRoom(t, ".git", "skills", "lock.json", "none/yet", "Mixed", "linked/skills", "via/file", "dotted")
	r.put(".git/config", "git")
	r.put("skills/s/SKILL.md", "skill")
	r.put("lock.json", "lock")
	r.put("other/via-file", "linked")
	r.put("elsewhere/x", "x")
	r.link("elsewhere", "linked") // linked/skills is elsewhere/skills, and is not there
	r.link("../other/via-file", "via/file")
	r.link(".git", "g")
	r.link("g/config", "c")
	r.link("skills/s", "s")
	hard := os.Link(r.path("lock.json"), r.path("hard.json")) == nil
	for _, path := range []string{
		".git", ".git/config", ".git/hooks/pre-commit", "g/config", "g/new", "c", "skills", "skills/new", "skills/s/SKILL.md", "s/SKILL.md", "s/new/deep",
		"lock.json", "none/yet", "none/yet/deep", "none", "NONE/YET/x", "none/Yet", "none/YET/x", "mixed", "MIXED/x", "dotted.", "dotted ./x", "dot\u200cted/x", "dotted::$DATA",
		"linked/skills", "linked/skills/x", "elsewhere/skills/x", "elsewhere/SKILLS/x", "via/file", "other/via-file",
	} {
		for name, a := range map[string]args{
			"file_write": {"path": path, "content": "owned"}, "file_edit": {"path": path, "old": "i", "new": "owned"},
		} {
			res := r.call(name, a)
			if !res.Failed || !strings.Contains(res.Text, "may only be read") {
				t.Errorf("%s %s: %q", name, path, res.Text)
			}
		}
	}
	if hard {
		r.fails("file_write", args{"path": "hard.json", "content": "owned"}, "may only be read")
	}
	// A hard link to a file in a folder that is kept is a file of its own once written.
	if os.Link(r.path(".git/config"), r.path("hard")) == nil {
		r.ok("file_write", args{"path": "hard", "content": "own"})
	}
	for path, want := range map[string]string{
		".git/config": "git", "skills/s/SKILL.md": "skill", "lock.json": "lock", "other/via-file": "linked",
	} {
		if got := r.get(path); got != want {
			t.Errorf("%s became %q", path, got)
		}
	}
	for _, path := range []string{"none", "mixed", "elsewhere/skills", ".git/hooks", "dotted."} {
		if _, err := os.Lstat(r.path(path)); err == nil {
			t.Errorf("%s was made", path)
		}
	}
	for _, path := range []string{"gitignore", ".gitignore", "skills.md", "none/other", "elsewhere/y", "lock.json.bak"} {
		r.ok("file_write", args{"path": path, "content": "fine"})
	}
	// What is kept may be read.
	r.ok("file_read", args{"path": "g/config"})
}

// A folder in another letter case is the kept one only where the filesystem says so.
func TestKeepInAnotherCase(t *testing.T) {
	r := newRoom(t, "skills")
	r.put("skills/a", "x")
	_, err := os.Lstat(r.path("SKILLS"))
	same := err == nil
	if res := r.call("file_write", args{"path": "SKILLS/a", "content": "owned"}); res.Failed != same {
		t.Errorf("the same folder: %v; %q", same, res.Text)
	}
	if r.get("skills/a") != "x" {
		t.Error("it was changed")
	}
}

// What is kept is known by its inode on every step of the way, also under a name
// that says nothing, as where it is mounted twice.
func TestKeepByInode(t *testing.T) {
	r := newRoom(t)
	r.put("dir/sub/file", "x")
	a, err := (&toolset{Options: r.opt}).area()
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.walk("dir/sub/file")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, name := range []string{".", "dir", "dir/sub", "dir/sub/file"} {
		info, err := os.Stat(r.path(name))
		if err != nil {
			t.Fatal(err)
		}
		k := kept{paths: []string{"/nowhere"}, infos: []os.FileInfo{info}}
		if err := k.refuse(s); !errors.Is(err, errKept) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The folders of skills are kept as they are, without being listed.
func TestSkillsInTheWorkspaceAreKept(t *testing.T) {
	r := newRoom(t)
	r.put("my/skill/SKILL.md", "x")
	r.opt.Folders = func() []string { return []string{r.path("my/skill")} }
	r.fails("file_write", args{"path": "my/skill/SKILL.md", "content": "y"}, "may only be read")
	r.fails("file_edit", args{"path": "my/skill/SKILL.md", "old": "x", "new": "y"}, "may only be read")
	r.fails("file_write", args{"path": "my/skill/new", "content": "y"}, "may only be read")
	r.ok("file_write", args{"path": "my/other", "content": "y"})
}

// Stopped at any step, a file is the old one or the new one, and nothing is left
// beside it.
func TestEveryStepMayFail(t *testing.T) {
	boom := errors.New("boom")
	var steps []string
	r := newRoom(t)
	r.put("a", "old")
	r.tool("file_write")
	r.set.before = func(step string) error { steps = append(steps, step); return nil }
	r.ok("file_write", args{"path": "new/deep/file", "content": "x"})
	if diff := cmp.Diff([]string{"mkdir", "mkdir", "create", "write", "sync", "rename", "sync folder"}, steps); diff != "" {
		t.Fatal(diff)
	}
	for _, step := range steps[2:] {
		r.put("a", "old")
		r.set.before = func(s string) error {
			if s == step {
				return boom
			}
			if got := r.get("a"); got != "old" && (got != "new" || s != "sync folder") {
				t.Errorf("before %s it is %q", s, got)
			}
			return nil
		}
		r.fails("file_write", args{"path": "a", "content": "new"}, "boom")
		if got := r.get("a"); got != "old" && (step != "sync folder" || got != "new") {
			t.Errorf("stopped at %s it is %q", step, got)
		}
		if temps, _ := filepath.Glob(r.path(".knack-*")); len(temps) > 0 {
			t.Errorf("stopped at %s, left %v", step, temps)
		}
	}
}

// What something else wrote meanwhile is not lost.
func TestChangedMeanwhile(t *testing.T) {
	r := newRoom(t)
	for name, a := range map[string]args{
		"file_write": {"path": "a", "content": "mine"}, "file_edit": {"path": "a", "old": "old", "new": "mine"},
	} {
		r.put("a", "old")
		r.tool(name)
		r.set.before = func(step string) error {
			if step == "rename" {
				r.put("a", "somebody's")
			}
			return nil
		}
		r.fails(name, a, "changed by something else")
		if got := r.get("a"); got != "somebody's" {
			t.Errorf("%s: %q", name, got)
		}
	}
	r.set.before = func(step string) error {
		if step == "rename" {
			r.put("fresh", "somebody's")
		}
		return nil
	}
	r.fails("file_write", args{"path": "fresh", "content": "mine"}, "changed by something else")
}

// A link that is put in the place of a folder being made is not followed.
func TestLinkInsteadOfANewFolder(t *testing.T) {
	r := newRoom(t, "kept")
	r.put("kept/x", "x")
	r.tool("file_write")
	for _, target := range []string{r.outside, "kept"} {
		r.set.before = func(step string) error {
			if step == "mkdir" {
				return os.Symlink(target, r.path("new"))
			}
			return nil
		}
		r.fails("file_write", args{"path": "new/file", "content": "owned"}, "changed while")
		if err := os.Remove(r.path("new")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.outside, "file")); err == nil {
		t.Error("written outside")
	}
	if _, err := os.Stat(r.path("kept/file")); err == nil {
		t.Error("written where nothing may be")
	}
}

// Edits at the same time are all made, and readers see whole files.
func TestConcurrency(t *testing.T) {
	r := newRoom(t)
	const writers = 16
	var content strings.Builder
	for i := range writers {
		fmt.Fprintf(&content, "line %d.\n", i)
	}
	r.put("a", content.String())
	edit, read := r.tool("file_edit"), r.tool("file_read")
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			res, err := edit.Run(t.Context(), []byte(mustJSON(args{"path": "a", "old": fmt.Sprintf("line %d.", i), "new": fmt.Sprintf("done %d.", i)})))
			if err != nil || res.Failed {
				t.Errorf("%v, %v", res, err)
			}
		})
		all.Go(func() {
			res, err := read.Run(t.Context(), []byte(`{"path":"a"}`))
			if err != nil || res.Failed || strings.Count(res.Text, "\n") != writers {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
	all.Wait()
	if got, want := r.get("a"), strings.ReplaceAll(content.String(), "line", "done"); got != want {
		t.Errorf("got %s", got)
	}
}
