package knack_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/tool"
)

// Untrusted skills go on counting however they left: with the trusted one that
// brought them, by a reload, or in another session that carries them over.
func TestUntrustedSkillsLinger(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/good/SKILL.md"), "---\nname: good\ndescription: d\nallowed-tools: Bash\nrequires:\n  skills: [evil]\n---\nText.\n")
	evil := filepath.Join(m.home, ".knack/installed/evil/SKILL.md")
	m.write(evil, md("evil", "Text."))
	may := func(s *knack.Session) bool { return slices.Contains(allowed(t, s), "shell") }
	begin := func() *knack.Session {
		s, _ := withTools(m, &asker{})
		if callTool(t, s, "Skill", map[string]any{"skill": "good"}); len(s.Active()) != 2 || may(s) {
			t.Fatalf("%+v", s.Active())
		}
		return s
	}
	s := begin()
	callTool(t, s, "Skill", map[string]any{"skill": "good", "action": "deactivate"})
	if may(s) || len(s.Active()) != 0 {
		t.Errorf("after its companion was deactivated: %+v", s.Active())
	}
	if out := s.Deactivate("evil"); !out.OK || !may(s) {
		t.Errorf("the user cannot end it: %+v", out)
	}
	s = begin()
	if err := os.RemoveAll(filepath.Dir(evil)); err != nil {
		t.Fatal(err)
	}
	if changed, _, err := s.Reload(t.Context()); err != nil || !changed || may(s) {
		t.Errorf("after a reload: %v, %v", changed, err)
	}
	fresh, _ := withTools(m, &asker{})
	fresh.Linger(t.Context(), "evil", "never there")
	if may(fresh) || len(fresh.Lingering()) != 2 {
		t.Errorf("carried over: %+v", fresh.Lingering())
	}
}

// A grant out of a question is of the host that the call is about, and of nothing
// that trusted calls may reach besides.
func TestGrantsFromQuestionsAreOfTheirHost(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/installed/hub/SKILL.md"), md("hub", "Text."))
	m.write(filepath.Join(m.home, ".knack/config.toml"), "[tools]\nprivate_hosts = [\"10.0.0.5:8080\"]\nshell_hosts = [\"s.example\"]\n")
	a := &asker{answer: knack.Refuse}
	s, _ := withTools(m, a)
	s.Activate(t.Context(), "hub", knack.ByModel)
	callTool(t, s, "web_fetch", map[string]any{"url": "https://example.com/x"})
	callTool(t, s, "shell", map[string]any{"command": "true"})
	for i, want := range []knack.Grant{{Tool: "web_fetch", Net: []string{"example.com:443"}}, {Tool: "shell"}} {
		q := a.asked[i]
		if diff := cmp.Diff(want, q.Grants["hub"]); diff != "" || q.Anywhere || len(q.Hosts) > 0 {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
}

// What became active while the question stood counts for the call.
func TestAnswersAreDecidedAnew(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/installed/hub/SKILL.md"), md("hub", "Text."))
	var s *knack.Session
	e := m.open()
	program, _ := os.Executable()
	box := e.NewToolbox(knack.ToolboxOptions{Program: program, Ask: func(ctx context.Context, _ knack.Question) (knack.Consent, error) {
		s.Activate(ctx, "hub", knack.ByModel)
		return knack.Once, nil
	}})
	s, err := e.NewSession(t.Context(), knack.SessionOptions{Toolbox: box})
	if err != nil {
		t.Fatal(err)
	}
	if result := callTool(t, s, "shell", map[string]any{"command": "true"}); !result.Failed {
		t.Errorf("%+v", result)
	}
}

// A home is none for tools, by whichever link; nothing of it can be searched.
func TestNoWorkspaceIsNoFolder(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".ssh/id_rsa"), "PRIVATE")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(m.home, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(m.home)
	for _, ws := range []string{m.home, link, "", filepath.Dir(m.home)} {
		s, _ := withTools(m, &asker{answer: knack.Once}, func(o *knack.Options) { o.Workspace = ws })
		for name, args := range map[string]map[string]any{
			"content_search": {"pattern": "PRIVATE"}, "glob_search": {"pattern": "**/id_rsa"},
			"file_read": {"path": ".ssh/id_rsa"}, "shell": {"command": "cat .ssh/id_rsa " + m.home + "/.ssh/id_rsa"},
		} {
			if result := callTool(t, s, name, args); strings.Contains(result.Text, "PRIVATE") || !result.Failed && strings.Contains(result.Text, "id_rsa") {
				t.Errorf("workspace %q, %s: %+v", ws, name, result)
			}
		}
	}
}

// Two tools of one name, or a toolbox of another engine, are refused at the start.
func TestSessionsRefuseWhatIsAmbiguous(t *testing.T) {
	m := newMachine(t)
	e := m.open()
	for name, opt := range map[string]knack.SessionOptions{
		"twice":          {Tools: []tool.Spec{{Name: "a"}, {Name: "a"}}},
		"built in":       {Tools: []tool.Spec{{Name: "calculator"}}, Toolbox: e.NewToolbox(knack.ToolboxOptions{})},
		"a skill's":      {Tools: []tool.Spec{{Name: "skill_x_y"}}},
		"another engine": {Toolbox: m.open().NewToolbox(knack.ToolboxOptions{})},
	} {
		if _, err := e.NewSession(t.Context(), opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A command that goes to the skill's own tool is that skill's, once; and only what
// is secret by its name is left out of texts.
func TestRecordsNameTheSkill(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/own/SKILL.toml"), "name='own'\ndescription='d'\n[[tools]]\nname='go'\ndescription='d'\nkind='shell'\ncommand='echo production'\n")
	m.write(filepath.Join(m.home, ".knack/config.toml"), "[skills.entries.own]\nenv = { DEPLOY_TARGET = \"production\" }\n")
	s, e := withTools(m, &asker{answer: knack.Once})
	result, err := s.Call(t.Context(), knack.Call{Tool: "skill_own_go", Caller: knack.CalledBySlash, Skill: "own"})
	if err != nil || strings.TrimSpace(result.Text) != "production" {
		t.Errorf("%+v, %v", result, err)
	}
	if records, _, _ := e.AuditLog(); len(records) != 1 || records[0].Skill != "own" {
		t.Errorf("%+v", records)
	}
	if _, err := s.Call(t.Context(), knack.Call{Tool: "shell", Caller: knack.CalledBySlash, Skill: "gone", Arguments: json.RawMessage(`{"command":"true"}`)}); err != nil {
		t.Error(err)
	}
	if records, _, _ := e.AuditLog(); len(records) != 1 {
		t.Error("a command of a skill that is gone was called")
	}
}

// A permission whose tool lacks its configuration says what to configure.
func TestMissingPermissionsSayWhatToConfigure(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/seeker/SKILL.md"), "---\nname: seeker\ndescription: d\npermissions: [web_search]\n---\nText.\n")
	s, _ := withTools(m, &asker{})
	if out := s.Activate(t.Context(), "seeker", knack.ByModel); out[0].OK || !strings.Contains(out[0].Message, "tools.web_search_url") {
		t.Errorf("%+v", out)
	}
	m.write(filepath.Join(m.home, ".knack/config.toml"), "[tools]\nweb_search_url = \"https://search.example.com\"\n")
	s, _ = withTools(m, &asker{})
	if out := s.Activate(t.Context(), "seeker", knack.ByModel); !out[0].OK {
		t.Errorf("%+v", out)
	}
}

// What policy denies is not asked about where no answer would help.
func TestDenialsAreNotAskedAbout(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/installed/raw/SKILL.md"), strings.Replace(rawSkill, "---\nText", "disallowed-tools: Bash\n---\nText", 1))
	a := &asker{answer: knack.Once}
	s, _ := withTools(m, a)
	result, err := s.Dispatch(t.Context(), &knack.Dispatch{Tool: "shell", Command: "true", Name: "raw", Skill: "raw"})
	if err != nil || !result.Failed || len(a.asked) > 0 {
		t.Errorf("%+v, %v, asked %d times", result, err, len(a.asked))
	}
}

// A command whose end cannot be written down was made all the same, and its answer
// is kept.
func TestDispatchKeepsWhatWasMade(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/raw/SKILL.md"), rawSkill)
	var e *knack.Engine
	program, _ := os.Executable()
	e = m.open()
	breaks := tool.Spec{Name: "breaks"}
	box := e.NewToolbox(knack.ToolboxOptions{Program: program, More: func(*knack.Session) []tool.Tool {
		return []tool.Tool{breaking{breaks, e.AuditFile()}}
	}})
	s, err := e.NewSession(t.Context(), knack.SessionOptions{Toolbox: box})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Dispatch(t.Context(), &knack.Dispatch{Tool: "breaks", Name: "raw", Skill: "raw"})
	if err == nil || !strings.Contains(result.Text, "done before") {
		t.Errorf("%+v, %v", result, err)
	}
}

// breaking puts a folder in the place of the audit log while it runs.
type breaking struct {
	spec tool.Spec
	log  string
}

func (b breaking) Spec() tool.Spec { return b.spec }

func (b breaking) Run(context.Context, json.RawMessage) (tool.Result, error) {
	if err := os.Remove(b.log); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "done before"}, os.Mkdir(b.log, 0o700)
}
