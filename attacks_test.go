package knack_test

import (
	"path/filepath"
	"testing"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
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
