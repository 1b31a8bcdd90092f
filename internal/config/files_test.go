package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestHomeDirectories(t *testing.T) {
	b := newBench(t, `skills.extra_roots = ["~/mine", "rel/../team", "/abs/", "~", "~bob/x", "a\u0000b"]`, "")
	s, problems := b.load()
	want := []string{filepath.Join(b.dir, "user/mine"), filepath.Join(b.dir, "home/team"), "/abs", filepath.Join(b.dir, "user")}
	if diff := cmp.Diff(want, s.Skills.ExtraRoots); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantProblems := []string{
		`home/config.toml:1: error: skills.extra_roots: "a\u0000b" is no path (write a path, absolute or below ~/) [config-bad-value]`,
		`home/config.toml:1: error: skills.extra_roots: "~bob/x" names another user's home, which is not known (write a path, absolute or below ~/) [config-bad-value]`,
	}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	b.in.UserHome = ""
	if s, _ := b.load(); len(s.Skills.ExtraRoots) != 2 {
		t.Errorf("~ of nobody: %v", s.Skills.ExtraRoots)
	}
}

func TestBrokenFileHasNoEffectAndOthersDo(t *testing.T) {
	b := newBench(t, "skills.excluded = [\"a\"]\n", "log = \"info\"\nskills.excluded = [\"b\"\n[x\n")
	s, problems := b.load()
	if diff := cmp.Diff([]string{"a"}, s.Skills.Excluded); diff != "" || s.Log != "" {
		t.Errorf("log %q (-want +got)\n%s", s.Log, diff)
	}
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "ws/.knack/config.toml:3: error: ") ||
		!strings.HasSuffix(problems[0], "(mend that line, or move the file away) [config-invalid]") {
		t.Error(problems)
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		make func(b *bench, file string) error
		want string
	}{
		"folder":    {func(b *bench, file string) error { return os.Mkdir(file, 0o755) }, "it is not a regular file"},
		"device":    {func(b *bench, file string) error { return os.Symlink("/dev/zero", file) }, ""},
		"too large": {func(b *bench, file string) error { return os.WriteFile(file, make([]byte, maxBytes+1), 0o644) }, "it is larger than 1048576 bytes"},
		"too deep": {func(b *bench, file string) error {
			return os.WriteFile(file, []byte("a = "+strings.Repeat("[", 40)+strings.Repeat("]", 40)), 0o644)
		}, ""},
		"too many": {func(b *bench, file string) error {
			return os.WriteFile(file, []byte("a = ["+strings.Repeat("1,", limits.Nodes)+"]"), 0o644)
		}, "more values than are allowed"},
		"no permission": {func(b *bench, file string) error { return os.WriteFile(file, []byte("log = \"info\""), 0o000) }, "permission denied"},
	} {
		if name == "no permission" && os.Getuid() == 0 {
			continue // may read everything
		}
		b := newBench(t, "skills.enabled = false\n", "")
		for _, file := range []string{b.in.Local, b.in.Home} {
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			if err := c.make(b, file); err != nil {
				t.Fatal(err)
			}
			_, ds := Load(Input{Files: Files{Local: b.in.Local}, Workspace: b.ws})
			if file == b.in.Home {
				_, ds = Load(Input{Files: Files{Home: file}})
			}
			if len(ds) != 1 || ds[0].Code != skill.ConfigInvalid || !strings.Contains(ds[0].Message, c.want) || ds[0].Hint == "" {
				t.Errorf("%s: %v", name, ds)
			}
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	s, problems := newBench(t, "\ufefflog = \"info\"\r\n", "").load()
	if s.Log != "info" || problems != nil {
		t.Errorf("log %q, %v", s.Log, problems)
	}
}

func TestLinksOutOfTheWorkspace(t *testing.T) {
	b := newBench(t, "", "skills.extra_roots = [\"in\", \"out\", \"out/new\", \"nothing\", \"dangling\", \"inner\"]\n")
	for link, target := range map[string]string{"out": b.dir, "dangling": filepath.Join(b.dir, "later"), "inner": "in"} {
		if err := os.Symlink(target, filepath.Join(b.ws, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(b.ws, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, problems := b.load()
	want := []string{filepath.Join(b.ws, "in"), filepath.Join(b.ws, "nothing"), filepath.Join(b.ws, "inner")}
	if diff := cmp.Diff(want, s.Skills.ExtraRoots); diff != "" || len(problems) != 3 {
		t.Errorf("%v (-want +got)\n%s", problems, diff)
	}

	secret := filepath.Join(b.dir, "secret.toml")
	b.write(secret, "log = \"debug\"\n")
	if err := os.Remove(b.in.Local); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, b.in.Local); err != nil {
		t.Fatal(err)
	}
	s, problems = b.load()
	if s.Log != "" || len(problems) != 1 || !strings.Contains(problems[0], "escapes") {
		t.Errorf("a link led out of the workspace: %q %v", s.Log, problems)
	}
}

// Whoever works in their home directory has one file, and it is their own.
func TestWorkspaceIsHome(t *testing.T) {
	b := newBench(t, "", "[skills.entries.x]\napi_key = \"k\"\n")
	link := filepath.Join(b.dir, "link")
	if err := os.Symlink(b.ws, link); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{b.in.Local, filepath.Join(link, ".knack", "config.toml")} {
		b.in.Home = home
		s, problems := b.load()
		if s.Skills.Entries["x"].APIKey != "k" || problems != nil {
			t.Errorf("%s: %+v %v", home, s.Skills.Entries, problems)
		}
	}
}
