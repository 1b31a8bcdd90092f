package knack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// trustOf loads anew and returns a skill's trust and the codes of the reasons.
func trustOf(m *machine, name string) (skill.Trust, []skill.Code) {
	m.t.Helper()
	s, err := m.open().Snapshot(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	e, err := s.Find(name)
	if err != nil {
		m.t.Fatal(err)
	}
	var codes []skill.Code
	for _, r := range e.TrustReasons {
		codes = append(codes, r.Code)
	}
	return e.Trust, codes
}

func wantTrust(m *machine, name string, want skill.Trust, code skill.Code) {
	m.t.Helper()
	got, codes := trustOf(m, name)
	if got != want || code == "" && len(codes) > 0 || code != "" && (len(codes) != 1 || codes[0] != code) {
		m.t.Errorf("%s is %s %v, want %s %s", name, got, codes, want, code)
	}
}

func find(m *machine, e *knack.Engine, name string) *skill.Entry {
	m.t.Helper()
	s, err := e.Snapshot(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	entry, err := s.Find(name)
	if err != nil {
		m.t.Fatal(err)
	}
	return entry
}

// A workspace counts as installed until it is accepted, and what changes in it
// afterwards does again.
func TestAcceptedWorkspaces(t *testing.T) {
	m := newMachine(t)
	m.write("skills/a/SKILL.md", md("a", ""))
	m.write("skills/a/run.sh", "echo 1")
	m.write("skills/b/SKILL.md", md("b", ""))
	wantTrust(m, "a", skill.Installed, skill.WorkspaceNotAccepted)
	if n, err := m.open().AcceptWorkspace(t.Context()); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	wantTrust(m, "a", skill.Trusted, "")
	m.write("skills/a/run.sh", "echo 2")
	m.write("skills/c/SKILL.md", md("c", ""))
	wantTrust(m, "a", skill.Installed, skill.WorkspaceChanged)
	wantTrust(m, "b", skill.Trusted, "")
	wantTrust(m, "c", skill.Installed, skill.WorkspaceChanged)
	if was, err := m.open().ForgetWorkspace(t.Context()); !was || err != nil {
		t.Fatal(was, err)
	}
	wantTrust(m, "b", skill.Installed, skill.WorkspaceNotAccepted)
}

// What a stranger's repository brings never takes the place of one's own skill.
func TestAnUnacceptedWorkspaceShadowsNothing(t *testing.T) {
	m := newMachine(t)
	m.write("skills/a/SKILL.md", md("a", ""))
	m.write(filepath.Join(m.home, ".agents/skills/a/SKILL.md"), md("a", ""))
	if e := find(m, m.open(), "a"); e.Source != "user" {
		t.Errorf("%s is used", e.Path)
	}
	if _, err := m.open().AcceptWorkspace(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := find(m, m.open(), "a"); e.Source != "workspace" {
		t.Errorf("%s is used", e.Path)
	}
}

// Trust and grants are bound to the bytes, modes included.
func TestTrustIsBoundToContent(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.home, ".knack/installed/a")
	m.write(filepath.Join(dir, "SKILL.md"), md("a", ""))
	m.write(filepath.Join(dir, "run.sh"), "echo")
	e := m.open()
	entry := find(m, e, "a")
	if entry.Trust != skill.Installed {
		t.Fatal(entry.Trust)
	}
	if err := e.Trust(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	if err := e.Grant(t.Context(), entry, knack.Grant{Tool: "shell", Net: []string{"api.example.com"}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := trustOf(m, "a"); got != skill.Trusted {
		t.Fatal(got)
	}
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, codes := trustOf(m, "a"); got != skill.Installed || len(codes) == 0 {
		t.Errorf("a changed mode leaves it %s %v", got, codes)
	}
	skills, _, problems := e.Decisions()
	if len(skills) != 1 || !skills[0].Trusted || len(skills[0].Grants) != 1 || len(problems) > 0 {
		t.Errorf("%+v %v", skills, problems)
	}
	if was, err := e.Distrust(t.Context(), knack.TrustPath(entry)); !was || err != nil {
		t.Error(was, err)
	}
	if was, err := e.Revoke(t.Context(), knack.TrustPath(entry), "shell"); !was || err != nil {
		t.Error(was, err)
	}
	if skills, _, _ = e.Decisions(); len(skills) == 1 && (skills[0].Trusted || len(skills[0].Grants) > 0) {
		t.Errorf("%+v", skills)
	}
}

// A folder that another program installed is not the user's own work.
func TestProvenanceLowersTrust(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.home, ".knack/skills/a")
	m.write(filepath.Join(dir, "SKILL.md"), md("a", ""))
	wantTrust(m, "a", skill.Trusted, "")
	m.write(filepath.Join(dir, ".clawhub/origin.json"), `{"version":1,"registry":"https://clawhub.ai","slug":"a"}`)
	wantTrust(m, "a", skill.Installed, skill.RecordedProvenance)
	if err := os.RemoveAll(filepath.Join(dir, ".clawhub")); err != nil {
		t.Fatal(err)
	}
	wantTrust(m, "a", skill.Trusted, "")
}

// The files of a skill that was decided about are read again only after a
// change, and no change goes unnoticed for that.
func TestDigestsAreRemembered(t *testing.T) {
	m := newMachine(t)
	m.write("skills/a/SKILL.md", md("a", ""))
	m.write("skills/a/run.sh", "echo 1")
	later := func(o *knack.Options) { o.Now = func() time.Time { return time.Now().Add(time.Hour) } }
	if _, err := m.open(later).AcceptWorkspace(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if e := find(m, m.open(later), "a"); e.Trust != skill.Trusted {
			t.Fatal(e.Trust, e.TrustReasons)
		}
	}
	data, err := os.ReadFile(filepath.Join(m.home, ".knack/cache/digests.json"))
	if err != nil || !strings.Contains(string(data), "skills/a") {
		t.Fatalf("%s %v", data, err)
	}
	m.write("skills/a/run.sh", "echo 2")
	if e := find(m, m.open(later), "a"); e.Trust != skill.Installed {
		t.Error("a change went unnoticed")
	}
	for _, damaged := range []string{"null", "{torn"} {
		m.write(filepath.Join(m.home, ".knack/cache/digests.json"), damaged)
		if e := find(m, m.open(later), "a"); e.Trust != skill.Installed {
			t.Errorf("the cache %q makes trust", damaged)
		}
	}
}
