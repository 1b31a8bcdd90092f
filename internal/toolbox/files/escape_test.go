package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Links that lead out of what is allowed are refused, by every tool.
func TestLinksOut(t *testing.T) {
	r := newRoom(t)
	r.link(r.outside+"/secret", "file")
	r.link("../outside/secret", "relative")
	r.link(r.outside, "folder")
	r.link("../outside", "sub/up") // to ws/outside, which is not there
	r.link("../../outside", "sub/upup")
	r.link("folder", "twice")
	r.link("circle", "circle")
	r.link("/proc/self/environ", "environ")
	r.link("/proc/self/root"+r.outside, "root")
	r.link("/proc/self/cwd", "cwd")
	r.link("/dev/zero", "zero")
	r.link("../skill/../outside/secret", "through") // by a folder that is allowed
	r.link(r.skills+"/../outside/secret", "through2")
	r.put("a", "x\n")
	r.link(r.outside+"/none/../../ws/a", "around") // through what nobody looks at
	for _, path := range []string{
		"file", "relative", "folder/secret", "sub/upup/secret", "twice/secret", "circle", "environ", "root/secret",
		"cwd/x", "zero", "through", "through2", "around", r.ws + "/file", r.ws + "/folder/secret",
	} {
		for name, a := range map[string]args{
			"file_read":      {"path": path},
			"file_write":     {"path": path, "content": "owned"},
			"file_edit":      {"path": path, "old": "the", "new": "owned"},
			"content_search": {"path": path, "pattern": "."},
			"glob_search":    {"path": filepath.Dir(path) + "/" + filepath.Base(path), "pattern": "**"},
		} {
			res := r.call(name, a)
			if !res.Failed || strings.Contains(res.Text, secret) {
				t.Errorf("%s %v: %q", name, a, res.Text)
			}
		}
	}
	if res := r.call("content_search", args{"pattern": "secret|PATH"}); strings.Contains(res.Text, secret) || strings.Contains(res.Text, ":1:") {
		t.Errorf("a search followed a link: %q", res.Text)
	}
	if got := r.get("../outside/secret"); got != secret {
		t.Errorf("outside became %q", got)
	}
	if entries, _ := os.ReadDir(r.outside); len(entries) != 1 {
		t.Errorf("outside has %v", entries)
	}
}

// Links within what is allowed are followed, and nothing is written by one into
// a skill's folder.
func TestLinksWithin(t *testing.T) {
	r := newRoom(t)
	r.put("a/b/file", "x\n")
	r.link("a/b", "b")
	r.link(r.path("a"), "abs")
	r.link("../../b/../b/file", "a/c/odd") // up through a folder, then a link
	r.link(r.skills, "skill")
	r.link("../skill/SKILL.md", "doc")
	r.link("../ws/a", "again")
	r.link("new/file", "dangling")
	for path, want := range map[string]string{
		"b/file": "x", "abs/b/file": "x", "skill/SKILL.md": "# skill", "doc": "# skill", "again/b/file": "x",
	} {
		if got := r.ok("file_read", args{"path": path}); got != "     1\t"+want+"\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
	r.fails("file_write", args{"path": "skill/SKILL.md", "content": "x"}, "only files in the workspace")
	r.fails("file_write", args{"path": "doc", "content": "x"}, "only files in the workspace")
	r.fails("file_write", args{"path": r.skills + "/new", "content": "x"}, "only files in the workspace")
	r.ok("file_write", args{"path": "b/file", "content": "y"})
	if r.get("a/b/file") != "y" {
		t.Error("a link to a file's folder was not followed")
	}
	r.ok("file_write", args{"path": "dangling", "content": "z"})
	if r.get("new/file") != "z" {
		t.Error("a link to a new file was not followed")
	}
	if info, err := os.Lstat(r.path("dangling")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

// A folder of a skill that lies in the workspace and was made a link is not the
// way out.
func TestFolderThatBecameALink(t *testing.T) {
	r := newRoom(t)
	r.link(r.outside, "skills/evil")
	r.opt.Folders = func() []string { return []string{r.path("skills/evil")} }
	r.fails("file_read", args{"path": "skills/evil/secret"}, "leads out")
	r.fails("file_read", args{"path": r.outside + "/secret"}, "outside of the workspace")
}

func TestMissingWorkspace(t *testing.T) {
	r := newRoom(t)
	r.opt.Workspace = r.path("none")
	r.fails("file_read", args{"path": "a"}, "the workspace")
}

// While a name changes between a folder, a link out, a link in and a pipe, no
// tool ever reads or writes outside.
func TestSwappedMeanwhile(t *testing.T) {
	r := newRoom(t, "kept")
	r.put("kept/file", "kept")
	r.put("real/file", "inside\n")
	r.put("real/sub/file", "inside\n")
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		targets := []string{r.outside, "../outside", "kept", "real", ""}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			temp := r.path("swap.tmp")
			if target := targets[i%len(targets)]; target != "" {
				_ = os.Symlink(target, temp)
				_ = os.Rename(temp, r.path("swap"))
			} else {
				_ = os.Remove(r.path("swap"))
				_ = os.Rename(r.path("real"), r.path("swap"))
				runtime.Gosched()
				_ = os.Rename(r.path("swap"), r.path("real"))
			}
		}
	})
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	succeeded := 0
	for range rounds {
		for _, c := range []struct {
			tool string
			args args
		}{
			{"file_read", args{"path": "swap/secret"}},
			{"file_read", args{"path": "swap/file"}},
			{"file_write", args{"path": "swap/file", "content": "written\n"}},
			{"file_write", args{"path": "swap/new/file", "content": "written\n"}},
			{"file_edit", args{"path": "swap/file", "old": "e", "new": "e ", "all": true}},
			{"glob_search", args{"path": "swap", "pattern": "**"}},
			{"content_search", args{"path": "swap", "pattern": "."}},
		} {
			res := r.call(c.tool, c.args)
			if strings.Contains(res.Text, secret) || c.tool == "glob_search" && strings.Contains(res.Text, "secret") {
				t.Fatalf("%s %v: %q", c.tool, c.args, res.Text)
			}
			if !res.Failed {
				succeeded++
			}
		}
	}
	close(stop)
	swapper.Wait()
	if entries, _ := os.ReadDir(r.outside); len(entries) != 1 || r.get("../outside/secret") != secret {
		t.Errorf("something was written outside: %v", entries)
	}
	if entries, _ := os.ReadDir(r.path("kept")); len(entries) != 1 || r.get("kept/file") != "kept" {
		t.Errorf("something was written where nothing may be: %v", entries)
	}
	if succeeded == 0 {
		t.Error("no call ever succeeded: nothing was tested")
	}
}

// A folder is entered only if it is the one that was looked at.
func TestEnterComparesFolders(t *testing.T) {
	r := newRoom(t)
	r.put("a/x", "x")
	r.put("b/x", "x")
	root, err := os.OpenRoot(r.ws)
	if err != nil {
		t.Fatal(err)
	}
	s := &spot{base: base{r.ws, r.ws}, dirs: []*os.Root{root}}
	defer s.close()
	seen, err := root.Lstat("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(r.path("a"), r.path("c")); err != nil {
		t.Fatal(err)
	}
	r.link("b", "a")
	if err := s.enter("a", seen); !errors.Is(err, errSwapped) {
		t.Errorf("entered what was put in its place: %v", err)
	}
	if err := s.enter("c", seen); err != nil {
		t.Error(err)
	}
}

// A file that is swapped for a link between looking and opening is not read in
// the name of the other.
func TestOpenComparesFiles(t *testing.T) {
	r := newRoom(t)
	r.put("other", "other")
	root, err := os.OpenRoot(r.ws)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	defer swapper.Wait()
	defer close(stop)
	swapper.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if i%2 == 0 {
				_ = os.WriteFile(r.path("temp"), []byte("own"), 0o600)
			} else {
				_ = os.Symlink("other", r.path("temp"))
			}
			_ = os.Rename(r.path("temp"), r.path("file"))
		}
	})
	read := 0
	for i := 0; i < 5_000 || read == 0 && i < 1_000_000; i++ {
		f, _, err := open(root, "file")
		if err != nil {
			continue
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil || string(data) != "own" {
			t.Fatalf("read %q, %v", data, err)
		}
		read++
	}
	if read == 0 {
		t.Error("it was never read: nothing was tested")
	}
}

// Whatever path is given, the file that is opened lies in the workspace or in a
// skill's folder, and is no secret.
func TestAnyPathStaysWithin(t *testing.T) {
	r := newRoom(t)
	r.put("a/b/c", "x\n")
	r.link("..", "a/up")
	r.link("../..", "a/upup")
	r.link(r.outside, "a/out")
	r.link(r.skills, "skill")
	r.link("/", "slash")
	r.link(".", "here")
	opened := 0
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		draw := func(label string, one ...string) { names = append(names, rapid.SampledFrom(one).Draw(t, label)) }
		for range rapid.IntRange(0, 4).Draw(t, "hops") {
			draw("hop", "here", "a/up", ".", "", "slash"+r.ws, "a/upup/ws") // and be where one was
		}
		switch rapid.IntRange(0, 3).Draw(t, "way") {
		case 0:
			draw("way out", "a/out", "a/upup", "a/upup/outside", "slash", "slash"+r.outside, "skill/../outside", "..", "~", "\x00", "C:", `\`, "slash/proc/self/root")
		case 1:
			draw("way in", "skill", "slash"+r.skills, "a/upup/skill")
		}
		draw("file", "a/b/c", "a/b/c", "SKILL.md", "skill/SKILL.md", "secret", "outside/secret", "proc/self/environ")
		path := rapid.SampledFrom([]string{"", "", r.ws + "/", r.outside + "/", "/"}).Draw(t, "start") + strings.Join(names, "/")
		set := &toolset{Options: r.opt}
		a, err := set.area()
		if err != nil {
			t.Fatal(err)
		}
		s, err := a.walk(path)
		if err != nil {
			return
		}
		defer s.close()
		f, _, err := s.open(a)
		if err != nil {
			return
		}
		defer f.Close()
		opened++
		real, err := filepath.EvalSymlinks(s.real)
		if err != nil || real != s.real {
			t.Fatalf("%q: the real path is %q, not %q (%v)", path, real, s.real, err)
		}
		if _, ws := within(r.ws, real); !ws {
			if _, sk := within(r.skills, real); !sk {
				t.Fatalf("%q opened %q", path, real)
			}
		}
		at, err := os.Stat(real)
		if err != nil {
			t.Fatal(err)
		}
		if own, err := f.Stat(); err != nil || !os.SameFile(at, own) {
			t.Fatalf("%q opened another file than %q", path, real)
		}
		if data, err := io.ReadAll(f); err != nil || string(data) == secret {
			t.Fatalf("%q: %q, %v", path, data, err)
		}
	})
	if opened == 0 {
		t.Error("no path was ever opened: nothing was tested")
	}
}

// An error of the system names neither its call nor a temporary file.
func TestCause(t *testing.T) {
	inner := errors.New("inner")
	for _, err := range []error{&os.PathError{Op: "openat", Err: inner}, &os.LinkError{Op: "rename", Err: inner}, inner} {
		if cause(err) != inner {
			t.Errorf("%v", cause(err))
		}
	}
}
