package trust

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/digest"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/skill"
)

// sum is a digest that differs from that of every other byte.
func sum(of byte) string { return digestPrefix + strings.Repeat(string("0123456789abcdef"[of%16]), 64) }

var day = time.Date(2026, 3, 1, 12, 30, 0, 5, time.UTC)

// edited is a file with the edits of do, and the book of it.
func edited(t *testing.T, do func(*Edit) error) (file string, b *Book) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "home", "trust.json")
	if err := Change(t.Context(), file, day, do); err != nil {
		t.Fatal(err)
	}
	b, problems := Open(file)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return file, b
}

func entry(source string, trust skill.Trust, path string) *skill.Entry {
	e := &skill.Entry{Source: source, Root: filepath.Dir(path), Path: path}
	e.Name, e.Slug, e.Trust = filepath.Base(path), filepath.Base(path), trust
	return e
}

func TestJudge(t *testing.T) {
	const ws = "/ws"
	shell := policy.Grant{Tool: "shell", Net: []string{"a.example", "b.example"}}
	_, book := edited(t, func(e *Edit) error {
		return errors.Join(
			e.Trust("/in/trusted", "trusted", sum(1)),
			e.Grant("/in/granted", "granted", sum(1), shell),
			e.Trust("/in/both", "both", sum(1)), e.Grant("/in/both", "both", sum(1), shell),
			e.Trust("/ws/skills/own", "own", sum(1)),
			e.Trust("/user/known", "known", sum(1)),
			e.AcceptWorkspace(ws, map[string]string{"/ws/skills/a": sum(1), "/elsewhere/b": sum(1)}),
		)
	})
	counts := ", so it counts as installed"
	look := func(name, then string) string { return "knack show " + name + ", then " + then }
	accepted := "you accepted the workspace on 2026-03-01"
	gitHub := func(string) (string, bool) { return "https://github.com/x/y", true }
	for _, c := range []struct {
		name    string
		entry   *skill.Entry
		in      Context // Digest is filled in
		content string  // its digest; "" is an error
		want    Verdict
		digests int // how often the content was read
	}{
		{"the root decides", entry("user", skill.Trusted, "/user/x"), Context{Workspace: ws}, sum(1), Verdict{Trust: skill.Trusted}, 0},
		{"the root decides, installed", entry("installed", skill.Installed, "/in/x"), Context{Workspace: ws}, sum(1), Verdict{Trust: skill.Installed}, 0},
		{"unknown trust stays unknown", entry("user", "", "/user/x"), Context{Provenance: gitHub}, sum(1), Verdict{}, 0},
		{"bundled skills have no folder", entry("bundled", skill.Trusted, "bundled:x"), Context{Provenance: gitHub}, sum(1), Verdict{Trust: skill.Trusted}, 0},

		{"workspace accepted", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{Workspace: ws}, sum(1), Verdict{Trust: skill.Trusted}, 1},
		{"workspace accepted, spelled otherwise", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{Workspace: "/ws/"}, sum(1), Verdict{Trust: skill.Trusted}, 1},
		{"workspace accepted, its skill elsewhere", entry("workspace", skill.Trusted, "/elsewhere/b"), Context{Workspace: ws}, sum(1), Verdict{Trust: skill.Trusted}, 1},
		{"workspace changed", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{Workspace: ws}, sum(2), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "workspace-changed", Message: "it was changed after " + accepted + counts, Hint: look("a", "knack trust --here")}}}, 1},
		{"workspace unreadable", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{Workspace: ws}, "", Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "workspace-changed", Message: "whether it was changed after " + accepted + " cannot be told, because the folder is gone" + counts, Hint: look("a", "knack trust --here")}}}, 1},
		{"new in the workspace", entry("workspace", skill.Trusted, "/ws/skills/new"), Context{Workspace: ws}, sum(1), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "workspace-changed", Message: "it was added after " + accepted + counts, Hint: look("new", "knack trust --here")}}}, 0},
		{"of another workspace", entry("workspace", skill.Trusted, "/other/skills/a"), Context{Workspace: "/other"}, sum(1), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "workspace-not-accepted", Message: `it comes with the workspace "/other", which you have not accepted` + counts, Hint: "knack trust --here"}}}, 0},
		{"of no workspace", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{}, sum(1), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "workspace-not-accepted", Message: "it comes with a workspace, which you have not accepted" + counts, Hint: "knack trust --here"}}}, 0},
		{"accepted for this run", entry("workspace", skill.Trusted, "/other/skills/a"), Context{Workspace: "/other", AcceptWorkspace: true}, sum(1), Verdict{Trust: skill.Trusted}, 0},
		{"accepted for this run, changed or not", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{Workspace: ws, AcceptWorkspace: true}, sum(2), Verdict{Trust: skill.Trusted}, 0},
		{"acceptance does not raise", entry("workspace", skill.Installed, "/ws/skills/a"), Context{Workspace: ws, AcceptWorkspace: true}, sum(1), Verdict{Trust: skill.Installed}, 0},
		{"a skill of an unaccepted workspace that is trusted itself", entry("workspace", skill.Trusted, "/ws/skills/own"), Context{Workspace: ws}, sum(1), Verdict{Trust: skill.Trusted, Reasons: []skill.Reason{
			{Code: "trust-given", Message: "you trusted it on 2026-03-01"}}}, 1},

		{"provenance lowers", entry("user", skill.Trusted, "/user/x"), Context{Provenance: gitHub}, sum(1), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "provenance", Message: "it was installed from https://github.com/x/y" + counts, Hint: look("x", "knack trust x")}}}, 0},
		{"provenance holds for accepted workspaces too", entry("workspace", skill.Trusted, "/ws/skills/a"), Context{Workspace: ws, AcceptWorkspace: true, Provenance: gitHub}, sum(1), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "provenance", Message: "it was installed from https://github.com/x/y" + counts, Hint: look("a", "knack trust a")}}}, 0},
		{"no provenance", entry("user", skill.Trusted, "/user/x"), Context{Provenance: func(string) (string, bool) { return "x", false }}, sum(1), Verdict{Trust: skill.Trusted}, 0},
		{"the user's word outweighs provenance", entry("user", skill.Trusted, "/user/known"), Context{Provenance: gitHub}, sum(1), Verdict{Trust: skill.Trusted, Reasons: []skill.Reason{
			{Code: "trust-given", Message: "you trusted it on 2026-03-01"}}}, 1},
		{"the user's word is void, provenance is not", entry("user", skill.Trusted, "/user/known"), Context{Provenance: gitHub}, sum(2), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "provenance", Message: "it was installed from https://github.com/x/y" + counts, Hint: look("known", "knack trust known")},
			{Code: "trust-changed", Message: "you trusted it on 2026-03-01, but its content has changed since", Hint: look("known", "knack trust known")}}}, 1},
		{"a trusted root needs nobody's word", entry("user", skill.Trusted, "/user/known"), Context{}, sum(2), Verdict{Trust: skill.Trusted}, 0},

		{"trusted", entry("installed", skill.Installed, "/in/trusted"), Context{}, sum(1), Verdict{Trust: skill.Trusted, Reasons: []skill.Reason{
			{Code: "trust-given", Message: "you trusted it on 2026-03-01"}}}, 1},
		{"trusted, of unknown root", entry("x", "", "/in/trusted"), Context{}, sum(1), Verdict{Trust: skill.Trusted, Reasons: []skill.Reason{
			{Code: "trust-given", Message: "you trusted it on 2026-03-01"}}}, 1},
		{"trusted, then changed", entry("installed", skill.Installed, "/in/trusted"), Context{}, sum(2), Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "trust-changed", Message: "you trusted it on 2026-03-01, but its content has changed since", Hint: look("trusted", "knack trust trusted")}}}, 1},
		{"trusted, then unreadable", entry("installed", skill.Installed, "/in/trusted"), Context{}, "", Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "trust-changed", Message: "you trusted it on 2026-03-01, but whether it has changed since cannot be told, because the folder is gone", Hint: look("trusted", "knack trust trusted")}}}, 1},
		{"no digest at all", entry("installed", skill.Installed, "/in/trusted"), Context{}, "none", Verdict{Trust: skill.Installed, Reasons: []skill.Reason{
			{Code: "trust-changed", Message: "you trusted it on 2026-03-01, but whether it has changed since cannot be told, because it has no digest", Hint: look("trusted", "knack trust trusted")}}}, 1},

		{"granted", entry("installed", skill.Installed, "/in/granted"), Context{}, sum(1), Verdict{Trust: skill.Installed, Grants: []policy.Grant{shell}}, 1},
		{"granted, then changed", entry("installed", skill.Installed, "/in/granted"), Context{}, sum(2), Verdict{Trust: skill.Installed, Void: []policy.Grant{shell}, Reasons: []skill.Reason{
			{Code: "grant-void", Message: `you granted it "shell" on 2026-03-01, but its content has changed since`, Hint: look("granted", "knack grant granted shell --net a.example --net b.example")}}}, 1},
		{"trusted and granted", entry("installed", skill.Installed, "/in/both"), Context{}, sum(1), Verdict{Trust: skill.Trusted, Grants: []policy.Grant{shell}, Reasons: []skill.Reason{
			{Code: "trust-given", Message: "you trusted it on 2026-03-01"}}}, 1},
		{"trusted and granted, then changed", entry("installed", skill.Installed, "/in/both"), Context{}, sum(2), Verdict{Trust: skill.Installed, Void: []policy.Grant{shell}, Reasons: []skill.Reason{
			{Code: "trust-changed", Message: "you trusted it on 2026-03-01, but its content has changed since", Hint: look("both", "knack trust both")},
			{Code: "grant-void", Message: `you granted it "shell" on 2026-03-01, but its content has changed since`, Hint: look("both", "knack grant both shell --net a.example --net b.example")}}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			digests := 0
			c.in.Digest = func(e *skill.Entry) (string, error) {
				digests++
				if e != c.entry {
					t.Errorf("asked for the digest of %s", e.Path)
				}
				if c.content == "" {
					return sum(1), errors.New("the folder is gone")
				}
				return c.content, nil
			}
			if diff := cmp.Diff(c.want, book.Judge(c.entry, c.in)); diff != "" {
				t.Error(diff)
			}
			if digests != c.digests {
				t.Errorf("the content was read %d times, want %d", digests, c.digests)
			}
		})
	}
}

// Without a way to compute digests nothing that depends on one counts.
func TestNobodyComputesDigests(t *testing.T) {
	_, book := edited(t, func(e *Edit) error {
		return errors.Join(e.Trust("/in/a", "a", sum(1)), e.AcceptWorkspace("/ws", map[string]string{"/ws/a": sum(1)}))
	})
	if v := book.Judge(entry("installed", skill.Installed, "/in/a"), Context{}); v.Trust != skill.Installed || len(v.Reasons) != 1 {
		t.Errorf("%+v", v)
	}
	if v := book.Judge(entry("workspace", skill.Trusted, "/ws/a"), Context{Workspace: "/ws"}); v.Trust != skill.Installed || len(v.Reasons) != 1 {
		t.Errorf("%+v", v)
	}
	if v := new(Book).Judge(entry("user", skill.Trusted, "/in/a"), Context{}); v.Trust != skill.Trusted || v.Reasons != nil {
		t.Errorf("%+v", v)
	}
}

// Names come from strangers, and hints are pasted into a shell.
func TestHintsAreOneCommandEach(t *testing.T) {
	_, book := edited(t, func(e *Edit) error {
		return errors.Join(e.Trust("/in/a", "", sum(1)), e.Grant("/in/a", "", sum(1), policy.Grant{Tool: "Bash(rm *)"}))
	})
	e := entry("installed", skill.Installed, "/in/a")
	e.Name = "x; rm -rf ~\x1b[31m"
	in := Context{Digest: func(*skill.Entry) (string, error) { return "", errors.New("a\x1b[31mb\nc") }}
	v := book.Judge(e, in)
	want := []string{"knack show 'x; rm -rf ~[31m', then knack trust 'x; rm -rf ~[31m'", "knack show 'x; rm -rf ~[31m', then knack grant 'x; rm -rf ~[31m' 'Bash(rm *)'"}
	var got []string
	for _, r := range v.Reasons {
		got = append(got, r.Hint)
		if !strings.HasSuffix(r.Message, "because a[31mbc") {
			t.Errorf("message %q", r.Message)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	e.Name, e.Slug = "", "folder"
	if v := book.Judge(e, in); !strings.HasPrefix(v.Reasons[0].Hint, "knack show folder, ") {
		t.Errorf("a skill without a name: %s", v.Reasons[0].Hint)
	}
}

func TestPlace(t *testing.T) {
	at := func(root, path, slug, manifest string) *skill.Entry {
		e := &skill.Entry{Root: filepath.FromSlash(root), Path: filepath.FromSlash(path)}
		e.Slug = slug
		if manifest != "" {
			e.Manifests = []skill.Manifest{{File: manifest}}
		}
		return e
	}
	for _, c := range []struct {
		name  string
		entry *skill.Entry
		want  string
	}{
		{"a folder", at("/r", "/r/a", "a", "SKILL.md"), "/r/a"},
		{"a folder, grouped", at("/r", "/r/g/a", "a", "SKILL.toml"), "/r/g/a"},
		{"the root itself", at("/r", "/r", "r", "SKILL.md"), "/r"},
		{"a document", at("/r", "/r", "guide", "guide.md"), "/r/guide.md"},
		{"another document", at("/r", "/r", "other", "other.md"), "/r/other.md"},
		{"no manifest", at("/r", "/r", "x", ""), "/r"},
		{"bundled", at("bundled:", "bundled:a", "a", "SKILL.md"), "bundled:a"},
	} {
		if got := Place(c.entry); got != filepath.FromSlash(c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Trust ends with a byte, a mode, a file more or a file less, and comes back
// with the content.
func TestRealFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	script := filepath.Join(dir, "scripts", "run.sh")
	os.MkdirAll(filepath.Dir(script), 0o700)
	os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("# A\n"), 0o600)
	os.WriteFile(script, []byte("echo a\n"), 0o600)
	tree := func(e *skill.Entry) (string, error) {
		root, err := os.OpenRoot(e.Path)
		if err != nil {
			return "", err
		}
		defer root.Close()
		sum, _, err := digest.Tree(t.Context(), root, ".")
		return sum, err
	}
	e := entry("installed", skill.Installed, dir)
	now, err := tree(e)
	if err != nil {
		t.Fatal(err)
	}
	_, book := edited(t, func(edit *Edit) error { return edit.Trust(Place(e), e.Name, now) })
	check := func(what string, want skill.Trust) {
		t.Helper()
		if v := book.Judge(e, Context{Digest: tree}); v.Trust != want {
			t.Errorf("%s: %+v", what, v)
		}
	}
	check("as it was", skill.Trusted)
	os.WriteFile(script, []byte("echo b\n"), 0o600)
	check("a byte changed", skill.Installed)
	os.WriteFile(script, []byte("echo a\n"), 0o600)
	check("the byte is back", skill.Trusted)
	os.Chmod(script, 0o700)
	if info, _ := os.Stat(script); info.Mode()&0o100 != 0 {
		check("it became a program", skill.Installed)
	}
	os.Chmod(script, 0o600)
	os.WriteFile(filepath.Join(dir, "more"), nil, 0o600)
	check("a file more", skill.Installed)
	os.Remove(filepath.Join(dir, "more"))
	check("it is gone again", skill.Trusted)
	os.Remove(script)
	check("a file less", skill.Installed)
	os.RemoveAll(dir)
	check("no folder", skill.Installed)
}

// Refusing keeps a workspace as it is, and accepting it later counts.
func TestRefusedWorkspaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trust.json")
	change := func(do func(*Edit) error) {
		t.Helper()
		if err := Change(t.Context(), file, time.Unix(1, 0), do); err != nil {
			t.Fatal(err)
		}
	}
	e := &skill.Entry{Skill: skill.Skill{Name: "a", Trust: skill.Trusted}, Source: workspaceClass, Root: "/ws/skills", Path: "/ws/skills/a"}
	judge := func() Verdict {
		t.Helper()
		b, problems := Open(file)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		sum := digestPrefix + strings.Repeat("a", 64)
		return b.Judge(e, Context{Workspace: "/ws", Digest: func(*skill.Entry) (string, error) { return sum, nil }})
	}
	change(func(e *Edit) error { return e.RefuseWorkspace("/ws") })
	if v := judge(); v.Trust != skill.Installed || v.Reasons[0].Code != skill.WorkspaceNotAccepted {
		t.Errorf("%+v", v)
	}
	if b, _ := Open(file); len(b.Workspaces()) != 1 || !b.Workspaces()[0].Refused {
		t.Errorf("%+v", b.Workspaces())
	}
	change(func(e *Edit) error {
		return e.AcceptWorkspace("/ws", map[string]string{"/ws/skills/a": digestPrefix + strings.Repeat("a", 64)})
	})
	if v := judge(); v.Trust != skill.Trusted {
		t.Errorf("%+v", v)
	}
	change(func(e *Edit) error { return e.RefuseWorkspace("/ws") })
	if v := judge(); v.Trust != skill.Installed {
		t.Errorf("refusing takes no acceptance back: %+v", v)
	}
}
