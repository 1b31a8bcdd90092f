package knack_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// machine is a home and a workspace of a test's own.
type machine struct {
	t        *testing.T
	home, ws string
}

func newMachine(t *testing.T) *machine {
	dir := t.TempDir()
	m := &machine{t: t, home: filepath.Join(dir, "home"), ws: filepath.Join(dir, "ws")}
	for _, d := range []string{m.home, m.ws} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.ws, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) open(change ...func(*knack.Options)) *knack.Engine {
	m.t.Helper()
	opt := knack.Options{
		Home: filepath.Join(m.home, ".knack"), UserHome: m.home, Workspace: m.ws,
		Environ: []string{"PATH=/usr/bin:/bin"}, NoBundled: true, Build: "test",
	}
	for _, f := range change {
		f(&opt)
	}
	e, err := knack.Open(m.t.Context(), opt)
	if err != nil {
		m.t.Fatal(err)
	}
	return e
}

func (m *machine) states(e *knack.Engine) map[string]skill.Status {
	m.t.Helper()
	s, err := e.Snapshot(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	out := map[string]skill.Status{}
	for _, x := range s.Entries() {
		rel, err := filepath.Rel(filepath.Dir(m.ws), x.Path)
		if err != nil {
			rel = x.Path
		}
		out[filepath.ToSlash(rel)] = x.Status
	}
	return out
}

func md(name, extra string) string {
	return "---\nname: " + name + "\ndescription: About " + name + ".\n" + extra + "---\nText.\n"
}

func TestPrecedenceAndTrust(t *testing.T) {
	m := newMachine(t)
	m.write(".knack/skills/a/SKILL.md", md("same", ""))
	m.write("skills/a/SKILL.md", md("same", ""))
	m.write(".claude/skills/b/SKILL.md", md("same", ""))
	m.write(filepath.Join(m.home, ".agents/skills/a/SKILL.md"), md("same", ""))
	m.write(filepath.Join(m.home, ".knack/installed/i/SKILL.md"), md("weather", ""))
	m.write(filepath.Join(m.home, ".knack/installed/j/SKILL.md"), md("only-installed", ""))
	got := m.states(m.open(func(o *knack.Options) { o.NoBundled, o.TrustWorkspace = false, true }))
	want := map[string]skill.Status{
		"ws/.knack/skills/a": skill.Ready, "ws/skills/a": skill.Shadowed, "ws/.claude/skills/b": skill.Shadowed,
		"home/.agents/skills/a": skill.Shadowed,
		// What was installed never takes the place of what is trusted more.
		"home/.knack/installed/i": skill.Shadowed, "home/.knack/installed/j": skill.Ready,
	}
	for path, status := range want {
		if got[path] != status {
			t.Errorf("%s is %s, want %s", path, got[path], status)
		}
	}
}

// A repository cannot make somebody else's skills its own by a link.
func TestARootThatLeavesItsWorkspaceIsTrustedLess(t *testing.T) {
	m := newMachine(t)
	elsewhere := filepath.Join(m.home, "elsewhere")
	m.write(filepath.Join(elsewhere, "a/SKILL.md"), md("a", ""))
	if err := os.Symlink(elsewhere, filepath.Join(m.ws, "skills")); err != nil {
		t.Skip(err)
	}
	s, err := m.open().Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Find("a")
	if err != nil || e.Trust != skill.Installed || e.Status != skill.Ready {
		t.Fatalf("%+v, %v", e, err)
	}
	if ds := s.Diagnostics(); len(ds) != 1 || ds[0].Code != skill.RootLeaves {
		t.Errorf("diagnostics %v", ds)
	}
}

func TestSameFilesSameBytes(t *testing.T) {
	m := newMachine(t)
	for _, n := range []string{"z", "a", "m", "B", "é"} {
		m.write("skills/"+n+"/SKILL.md", md(n, "tags: [x, y]\nunknown-key: 1\n"))
	}
	var first string
	for i := range 4 {
		e := m.open(func(o *knack.Options) { o.NoIndex = i == 3 })
		s, err := e.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(s.Entries())
		if err != nil {
			t.Fatal(err)
		}
		got := s.Version() + string(data)
		if first == "" {
			first = got
		} else if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("load %d differs:\n%s", i, diff)
		}
	}
}

func TestVersionFollowsContent(t *testing.T) {
	m := newMachine(t)
	m.write("skills/a/SKILL.md", md("a", ""))
	e := m.open()
	version := func() string {
		s, err := e.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Version()
	}
	first := version()
	file := filepath.Join(m.ws, "skills/a/SKILL.md")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, past, past); err != nil {
		t.Fatal(err)
	}
	if version() != first {
		t.Error("touching a file changed the version")
	}
	m.write("skills/a/SKILL.md", strings.Replace(md("a", ""), "Text", "Test", 1))
	if version() == first {
		t.Error("an edited body of the same length did not change the version")
	}
}

func TestSettingsReachTheCatalog(t *testing.T) {
	m := newMachine(t)
	extra := filepath.Join(m.home, "more")
	m.write(filepath.Join(m.home, ".knack/config.toml"), `
[skills]
excluded = ["loud"]
extra_roots = ["~/more"]
[skills.entries.OFF]
enabled = false
[skills.entries.keyed]
api_key = "secret"
[skills.entries.vars.env]
TOKEN = "t"
`)
	m.write(filepath.Join(extra, "x/SKILL.md"), md("x", ""))
	m.write("skills/loud/SKILL.md", md("loud", ""))
	m.write("skills/off/SKILL.md", md("off", ""))
	m.write("skills/keyed/SKILL.md", md("keyed", `metadata: {"openclaw":{"primaryEnv":"K","requires":{"env":["K"]}}}`+"\n"))
	m.write("skills/vars/SKILL.md", md("vars", `metadata: {"openclaw":{"requires":{"env":["TOKEN"]}}}`+"\n"))
	e := m.open()
	want := map[string]skill.Status{
		"home/more/x": skill.Ready, "ws/skills/loud": skill.Disabled, "ws/skills/off": skill.Disabled,
		"ws/skills/keyed": skill.Ready, "ws/skills/vars": skill.Ready,
	}
	if diff := cmp.Diff(want, m.states(e)); diff != "" {
		t.Error(diff)
	}
	for _, s := range e.Settings() {
		if strings.Contains(s.Value, "secret") || s.Value == `"t"` {
			t.Errorf("%s shows a secret", s.Key)
		}
	}
	snap, err := e.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loud", "off"} {
		entry, err := snap.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.SetEnabled(t.Context(), knack.User, true, entry); err != nil {
			t.Fatal(err)
		}
		// Settings are read when an engine is opened.
		e = m.open()
	}
	if got := m.states(e); got["ws/skills/loud"] != skill.Ready || got["ws/skills/off"] != skill.Ready {
		t.Errorf("switched on: %v", got)
	}
}

func TestAHostOfTheUsersOwn(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/hosts/eighth.toml"), `
extends = "base"
[[root]]
path = "<ws>/eighth"
class = "workspace"
trust = "installed"
depth = 1
symlinks = "deny"
`)
	m.write("eighth/a/SKILL.md", md("a", ""))
	m.write("skills/b/SKILL.md", md("b", ""))
	e := m.open(func(o *knack.Options) { o.Host = "eighth" })
	if diff := cmp.Diff(map[string]skill.Status{"ws/eighth/a": skill.Ready}, m.states(e)); diff != "" {
		t.Error(diff)
	}
	_, err := knack.Open(t.Context(), knack.Options{Host: "ninth"})
	if err == nil || !strings.Contains(err.Error(), `no host named "ninth"`) {
		t.Errorf("got %v", err)
	}
}

func TestChanges(t *testing.T) {
	m := newMachine(t)
	for _, n := range []string{"kept", "edited", "gone", "off"} {
		m.write("skills/"+n+"/SKILL.md", md(n, ""))
	}
	e := m.open()
	before, err := e.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.write("skills/edited/SKILL.md", md("edited", "version: 2\n"))
	m.write("skills/new/SKILL.md", md("new", ""))
	if err := os.RemoveAll(filepath.Join(m.ws, "skills/gone")); err != nil {
		t.Fatal(err)
	}
	if err := e.Set(t.Context(), knack.User, "skills.entries.off.enabled", "false"); err != nil {
		t.Fatal(err)
	}
	after, err := m.open().Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range knack.Changes(before, after) {
		got = append(got, c.Kind+" "+c.Name+" "+c.Detail)
	}
	want := []string{"edited edited ", "removed gone ", "added new ", "status off ready → disabled"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(knack.Changes(nil, after)); n != len(after.Entries()) {
		t.Errorf("against nothing everything is new, got %d", n)
	}
}

func TestWatchPublishesWhatSettled(t *testing.T) {
	m := newMachine(t)
	m.write("skills/a/SKILL.md", md("a", ""))
	e := m.open()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	seen := make(chan *knack.Snapshot, 10)
	done := make(chan error, 1)
	go func() { done <- e.Watch(ctx, func(s *knack.Snapshot) { seen <- s }) }()
	// Watching starts at some moment; keep changing until it is noticed.
	for i := 0; ; i++ {
		m.write("skills/b/SKILL.md", md("b", strings.Repeat("# again\n", i)))
		select {
		case s := <-seen:
			if _, err := s.Find("b"); err != nil {
				t.Error(err)
			}
			cancel()
			<-done
			return
		case err := <-done:
			t.Fatalf("watching ended: %v", err)
		case <-time.After(time.Second):
		}
	}
}

// An engine that runs for long notices what is installed meanwhile.
func TestANewProgramIsSeenByTheNextSnapshot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are marked by mode here")
	}
	m := newMachine(t)
	bin := filepath.Join(m.home, "bin")
	m.write("skills/a/SKILL.md", md("a", `metadata: {"openclaw":{"requires":{"bins":["frob"]}}}`+"\n"))
	e := m.open(func(o *knack.Options) { o.Environ = []string{"PATH=" + bin} })
	if got := m.states(e)["ws/skills/a"]; got != skill.Gated {
		t.Fatalf("without the program it is %s", got)
	}
	m.write(filepath.Join(bin, "frob"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(bin, "frob"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := m.states(e)["ws/skills/a"]; got != skill.Ready {
		t.Errorf("with the program it is %s", got)
	}
}

func TestCancelledLoadSaysSo(t *testing.T) {
	m := newMachine(t)
	e := m.open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Snapshot(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFixRefusesBundledSkills(t *testing.T) {
	e, err := knack.Open(t.Context(), knack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entry, err := s.Find("weather")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fix(t.Context(), entry); !errors.Is(err, knack.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if err := e.Set(t.Context(), knack.User, "host", "x"); !errors.Is(err, knack.ErrNoConfig) {
		t.Errorf("got %v", err)
	}
}
