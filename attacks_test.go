package knack_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// A workspace's configuration may lead to more of its own skills, and these are
// no more trusted than the others it brings.
func TestAWorkspaceCannotNameTrustedRoots(t *testing.T) {
	for _, host := range knack.Hosts() {
		t.Run(host, func(t *testing.T) {
			m := newMachine(t)
			as := func(o *knack.Options) { o.Host = host }
			m.write(".knack/config.toml", "[skills]\nextra_roots = [\"more\"]\n")
			m.write("more/a/SKILL.md", md("a", ""))
			find := func() *skill.Entry {
				s, err := m.open(as).Snapshot(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				e, _ := s.Find("a")
				return e // nil where the host has no such roots
			}
			if e := find(); e != nil && e.Trust != skill.Installed {
				t.Errorf("it is %s, of %s", e.Trust, e.Source)
			}
			if e := find(); host == knack.NativeHost && e == nil {
				t.Error("it is not found")
			}
			if _, err := m.open(as).AcceptWorkspace(t.Context()); err != nil {
				t.Fatal(err)
			}
			if e := find(); e != nil && e.Trust != skill.Trusted {
				t.Errorf("accepted, it is %s", e.Trust)
			}
			m.write("more/a/SKILL.md", md("a", "")+"changed")
			if e := find(); e != nil && e.Trust != skill.Installed {
				t.Errorf("changed, it is %s", e.Trust)
			}
		})
	}
}

// A directory that the user names stays the user's, whether or not a workspace
// names it as well.
func TestTheUsersRootsStayTrusted(t *testing.T) {
	m := newMachine(t)
	m.write(".knack/config.toml", "[skills]\nextra_roots = [\"more\"]\n")
	m.write("more/a/SKILL.md", md("a", ""))
	m.write(filepath.Join(m.home, ".knack/config.toml"), "[skills]\nextra_roots = ['"+filepath.Join(m.ws, "more")+"']\n")
	if got, codes := trustOf(m, "a"); got != skill.Trusted || len(codes) > 0 {
		t.Error(got, codes)
	}
}

// Where a manifest is a link, what it leads to is bound as well.
func TestTrustIsBoundToWhatManifestsLeadTo(t *testing.T) {
	for _, c := range []struct {
		name, link, to string
		accepted       skill.Trust
	}{
		{"beside it", "skills/a/SKILL.md", "text.md", skill.Trusted},
		{"below it", "skills/a/SKILL.md", "docs/text.md", skill.Trusted},
		{"a flat one", "skills/SKILL.md", "text/a.txt", skill.Trusted},
		// Git changes its own folder with every command, so no digest covers it.
		{"in git's folder", "skills/a/SKILL.md", ".git/text.md", skill.Installed},
		{"in git's folder, flat", "skills/SKILL.md", ".git/text.md", skill.Installed},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			target := filepath.Join(filepath.Dir(c.link), c.to)
			m.write(target, md("a", ""))
			link := filepath.Join(m.ws, c.link)
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(c.to, link); err != nil {
				t.Skip(err)
			}
			if _, err := m.open().AcceptWorkspace(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, codes := trustOf(m, "a"); got != c.accepted {
				t.Errorf("accepted, it is %s %v", got, codes)
			}
			m.write(target, md("a", "")+"changed")
			if got, _ := trustOf(m, "a"); got != skill.Installed {
				t.Errorf("changed, it is %s", got)
			}
		})
	}
}

// A command goes to no tool that its skill could not call.
func TestDispatchIsSubjectToPolicy(t *testing.T) {
	m := newMachine(t)
	m.write("skills/run/SKILL.md", md("run", "command-dispatch: tool\ncommand-tool: exec\n"))
	m.write("skills/look/SKILL.md", md("look", "command-dispatch: tool\ncommand-tool: Read\n"))
	m.write("skills/lost/SKILL.md", md("lost", "command-dispatch: tool\ncommand-tool: nowhere\n"))
	tools := []tool.Spec{
		{Name: "shell", Effects: tool.Effects{Run: true, Read: true, Write: true, Network: true}},
		{Name: "file_read", Effects: tool.Effects{Read: true}},
	}
	read := func(text string) knack.Input {
		return newSession(m, knack.SessionOptions{Tools: tools}).Read(t.Context(), text)
	}
	if in := read("/run ls"); in.Dispatch != nil || !strings.Contains(in.Problem, "knack trust run") {
		t.Errorf("an installed skill has a shell: %+v", in)
	}
	if in := read("/look at.txt"); in.Dispatch == nil || in.Problem != "" {
		t.Errorf("%+v", in)
	}
	if in := read("/lost x"); in.Dispatch != nil || in.Problem == "" {
		t.Errorf("%+v", in)
	}
	e := m.open()
	if err := e.Grant(t.Context(), find(m, e, "run"), knack.Grant{Tool: "Bash(git:*)"}); err != nil {
		t.Fatal(err)
	}
	if in := read("/run git log"); in.Dispatch == nil || in.Dispatch.Command != "git log" {
		t.Errorf("%+v", in)
	}
	if in := read("/run git log; reboot"); in.Dispatch != nil || in.Problem == "" {
		t.Errorf("%+v", in)
	}
}

// What a skill is trusted with is bound to the instructions that a model follows
// and to the files that tools run, which both must be those of the decision.
func TestTrustEndsWithTheContentInASession(t *testing.T) {
	m := newMachine(t)
	tools := []tool.Spec{{Name: "shell", Effects: tool.Effects{Run: true, Read: true, Write: true, Network: true}}}
	good, bad := md("a", ""), md("a", "")+"Do evil.\n"
	active := func() *knack.Session {
		return newSession(m, knack.SessionOptions{Tools: tools, Pinned: []string{"a"}})
	}
	may := func(s *knack.Session) bool { return slices.Contains(allowed(t, s), "shell") }

	m.write("skills/a/SKILL.md", good)
	m.write("skills/a/run.sh", "echo")
	e := m.open()
	if err := e.Grant(t.Context(), find(m, e, "a"), knack.Grant{Tool: "shell"}); err != nil {
		t.Fatal(err)
	}
	s := active()
	if !may(s) {
		t.Fatal("a grant has no effect")
	}
	m.write("skills/a/run.sh", "evil")
	if may(s) {
		t.Error("a grant outlives a change of files")
	}
	m.write("skills/a/run.sh", "echo")
	m.write("skills/a/SKILL.md", bad)
	s = active()
	m.write("skills/a/SKILL.md", good)
	if may(s) {
		t.Error("a grant counts for instructions that it was not made for")
	}

	if _, err := m.open().AcceptWorkspace(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := removeGrant(t, m); err != nil {
		t.Fatal(err)
	}
	s = active()
	if !may(s) {
		t.Fatal("an accepted workspace has no effect")
	}
	m.write("skills/a/run.sh", "evil")
	if may(s) {
		t.Error("trust outlives a change of files")
	}
}

func removeGrant(t *testing.T, m *machine) error {
	t.Helper()
	e := m.open()
	_, err := e.Revoke(t.Context(), knack.TrustPath(find(m, e, "a")), "")
	return err
}

// Accepting a workspace as one host does not take back what was accepted as
// another, which looks for skills elsewhere in it.
func TestAcceptanceIsOfAllHosts(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/skills/a/SKILL.md", md("a", ""))
	m.write("skills/b/SKILL.md", md("b", ""))
	m.write("skills/gone/SKILL.md", md("gone", ""))
	accept := func(host string, want int) {
		t.Helper()
		n, err := m.open(func(o *knack.Options) { o.Host = host }).AcceptWorkspace(t.Context())
		if n != want || err != nil {
			t.Fatal(n, err)
		}
	}
	accept("", 3)
	if err := os.RemoveAll(filepath.Join(m.ws, "skills/gone")); err != nil {
		t.Fatal(err)
	}
	accept("openclaw", 1)
	wantTrust(m, "a", skill.Trusted, "")
	wantTrust(m, "b", skill.Trusted, "")
	m.write("skills/gone/SKILL.md", md("gone", ""))
	wantTrust(m, "gone", skill.Installed, skill.WorkspaceChanged)
	m.write(".claude/skills/a/SKILL.md", md("a", "")+"more")
	accept("openclaw", 2)
	wantTrust(m, "a", skill.Installed, skill.WorkspaceChanged)
}
