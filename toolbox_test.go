package knack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/tool"
)

func TestMain(m *testing.M) {
	if code, stage := knack.SandboxChild(os.Args); stage {
		syscall.Exit(code) // os.Exit waits a second for the race detector
	}
	os.Exit(m.Run())
}

// asker answers questions and keeps them.
type asker struct {
	answer knack.Consent
	asked  []knack.Question
}

func (a *asker) ask(_ context.Context, q knack.Question) (knack.Consent, error) {
	a.asked = append(a.asked, q)
	return a.answer, nil
}

// withTools is a session that can run tools, with a person to ask.
func withTools(m *machine, a *asker, change ...func(*knack.Options)) (*knack.Session, *knack.Engine) {
	m.t.Helper()
	if runtime.GOOS != "linux" {
		m.t.Skip("programs are contained on Linux")
	}
	program, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	e := m.open(change...)
	s, err := e.NewSession(m.t.Context(), knack.SessionOptions{Toolbox: e.NewToolbox(knack.ToolboxOptions{Program: program, Ask: a.ask})})
	if err != nil {
		m.t.Fatal(err)
	}
	return s, e
}

func callTool(t *testing.T, s *knack.Session, name string, arguments map[string]any) tool.Result {
	t.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Call(t.Context(), knack.Call{Tool: name, Arguments: data})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

const rawSkill = "---\nname: raw\ndescription: d\nuser-invocable: true\ncommand-dispatch: tool\ncommand-tool: shell\ncommand-arg-mode: raw\n---\nText.\n"

// What a skill that is not trusted makes a command of is asked about every time,
// whatever was granted, answered or allowed before.
func TestUntrustedSlashDispatchToTheShellAlwaysAsks(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/installed/raw/SKILL.md"), rawSkill)
	a := &asker{answer: knack.Once}
	s, e := withTools(m, a)
	if err := e.Grant(t.Context(), find(m, e, "raw"), knack.Grant{Tool: "shell"}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if i == 4 {
			a.answer = knack.Refuse
		}
		in := s.Read(t.Context(), "/raw echo done")
		if in.Dispatch == nil {
			t.Fatal(in)
		}
		result, err := s.Dispatch(t.Context(), in.Dispatch)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.asked) != i+1 {
			t.Fatalf("asked %d times of %d", len(a.asked), i+1)
		}
		if ran := strings.TrimSpace(result.Text) == "done"; ran != (i < 4) || result.Failed == ran {
			t.Errorf("call %d: %+v", i, result)
		}
	}
	q := a.asked[0]
	if slices.Contains(q.Choices, knack.ForSession) {
		t.Error("an answer is offered that would not hold")
	}
	if q.Plan.Command == "" || q.Plan.Dir != m.ws || q.Plan.Sandbox == nil || q.Skill != "raw" || q.Caller != knack.CalledBySlash {
		t.Errorf("the question does not show the command, its folder and what contains it: %+v", q)
	}
}

func TestConsent(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/own/SKILL.toml"), "name='own'\ndescription='d'\n[[tools]]\nname='go'\ndescription='d'\nkind='shell'\ncommand='echo went'\n")
	a := &asker{answer: knack.Refuse}
	s, e := withTools(m, a)
	if out := s.Activate(t.Context(), "own", knack.ByModel); !out[0].OK {
		t.Fatal(out)
	}
	steps := []struct {
		answer knack.Consent
		tool   string
		args   map[string]any
		asked  bool
		ran    bool
	}{
		{knack.Refuse, "skill_own_go", nil, true, false},
		{knack.Once, "skill_own_go", nil, true, true},
		{knack.Refuse, "skill_own_go", nil, true, false}, // once was once
		{knack.ForSession, "shell", map[string]any{"command": "echo went"}, true, true},
		{knack.Refuse, "shell", map[string]any{"command": "echo went"}, false, true},
		{knack.Refuse, "Bash", map[string]any{"command": "echo went; echo more"}, true, false}, // another command
		{knack.ForSession, "file_write", map[string]any{"path": "a", "content": "x"}, true, true},
		{knack.Refuse, "Write", map[string]any{"path": "b", "content": "x"}, false, true}, // the same tool
		{knack.Refuse, "file_read", map[string]any{"path": "a"}, false, true},
		{knack.ByGrant, "skill_own_go", nil, true, true},
		{knack.Refuse, "skill_own_go", nil, false, true}, // granted for good
		{"nonsense", "shell", map[string]any{"command": "true"}, true, false},
	}
	for i, step := range steps {
		a.answer = step.answer
		before := len(a.asked)
		result := callTool(t, s, step.tool, step.args)
		if asked := len(a.asked) > before; asked != step.asked || result.Failed == step.ran {
			t.Errorf("step %d, %s: asked %v, %+v", i, step.tool, asked, result)
		}
	}
	records, unreadable, err := e.AuditLog()
	if err != nil || unreadable != 0 || len(records) != len(steps) {
		t.Fatalf("%d records, %d unreadable, %v", len(records), unreadable, err)
	}
	for i, r := range records {
		if ran := r.End != nil; ran != steps[i].ran || (r.Verdict == "denied") == steps[i].ran {
			t.Errorf("record %d: %+v", i, r)
		}
	}
}

// Calls that make no sense are answered so that a model can do better.
func TestCallsAreAnswered(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/own/SKILL.toml"), "name='own'\ndescription='d'\n[[tools]]\nname='go'\ndescription='d'\nkind='shell'\ncommand='echo went'\n")
	s, _ := withTools(m, &asker{answer: knack.Once})
	for _, c := range []struct{ tool, arguments, says string }{
		{"file_raed", `{}`, "did you mean file_read"},
		{"nonsense", `{}`, "there are "},
		{"web_search", `{"query":"x"}`, "tools.web_search_url"},
		{"skill_own_go", `{}`, "belongs to own, which is not active"},
		{"file_read", `{`, "not JSON"},
		{"file_read", `{}`, "path"},
		{"shell", `{"comand":"ls"}`, "comand"},
		{"Skill", `{}`, "needs the name"},
		{"Skill", `{"skill":"nobody"}`, "nobody"},
		{"Skill", `{"skill":"own","action":"dance"}`, "activate"},
		{"calculator", `{"expression":"1/0"}`, "zero"},
	} {
		result, err := s.Call(t.Context(), knack.Call{Tool: c.tool, Arguments: json.RawMessage(c.arguments)})
		if err != nil || !result.Failed || !strings.Contains(result.Text, c.says) {
			t.Errorf("%s %s: %+v, %v; want %q", c.tool, c.arguments, result, err, c.says)
		}
	}
	if result := callTool(t, s, "Skill", map[string]any{"skill": "own"}); result.Failed || !slices.ContainsFunc(s.Active(), func(a knack.ActiveSkill) bool { return a.Name == "own" }) {
		t.Errorf("%+v", result)
	}
	if result := callTool(t, s, "Skill", map[string]any{"skill": "own", "action": "deactivate"}); result.Failed || len(s.Active()) > 0 {
		t.Errorf("%+v", result)
	}
}

// Reading a skill's instructions with a file tool activates it, and takes tools
// away with that; what decides about skills cannot be written.
func TestFileToolsKeepTheHouse(t *testing.T) {
	m := newMachine(t)
	hub := filepath.Join(m.home, ".knack/installed/hub/SKILL.md")
	m.write(hub, md("hub", "Do it."))
	m.write(filepath.Join(m.ws, ".git/config"), "[core]\n")
	m.write(filepath.Join(m.ws, "sub/.git/config"), "[core]\n")
	m.write(filepath.Join(m.ws, "skills/one/SKILL.md"), md("one", ""))
	s, _ := withTools(m, &asker{answer: knack.Once})
	for _, path := range []string{".git/config", ".git/hooks/pre-commit", "sub/.git/config", "sub/.git/hooks/pre-commit", "skills/one/SKILL.md", "skills/two/SKILL.md", ".knack/config.toml", "knack.lock", ".claude/settings.json", hub} {
		if result := callTool(t, s, "file_write", map[string]any{"path": path, "content": "x"}); !result.Failed {
			t.Errorf("%s was written", path)
		}
		if filepath.IsAbs(path) {
			continue
		}
		result := callTool(t, s, "shell", map[string]any{"command": "mkdir -p " + filepath.Dir(path) + "; echo x > " + path})
		if data, err := os.ReadFile(filepath.Join(m.ws, path)); err == nil && string(data) == "x\n" {
			t.Errorf("%s was written by a program: %+v", path, result)
		}
	}
	if result := callTool(t, s, "file_read", map[string]any{"path": hub}); result.Failed || !strings.Contains(result.Text, "Do it.") {
		t.Errorf("%+v", result)
	}
	if active := s.Active(); len(active) != 1 || active[0].Name != "hub" {
		t.Errorf("%+v", active)
	}
	if result := callTool(t, s, "shell", map[string]any{"command": "true"}); !result.Failed || !strings.Contains(result.Text, "hub") {
		t.Errorf("%+v", result)
	}
	// What only reads stays, without the network.
	if result := callTool(t, s, "calculator", map[string]any{"expression": "1+1"}); result.Failed {
		t.Errorf("%+v", result)
	}
}

// Programs get the variables of their own skill and no others, and secrets are in
// no answer and in no log.
func TestProgramsGetTheirVariables(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/skills/keyed/SKILL.toml"), "name='keyed'\ndescription='d'\n[[tools]]\nname='show'\ndescription='d'\nkind='shell'\ncommand='env; test \"$KEYED_API_KEY\" = secret-value-1 && echo given'\n")
	m.write(filepath.Join(m.home, ".knack/skills/keyed/SKILL.md"), "---\nname: keyed\ndescription: d\nmetadata: {\"openclaw\":{\"requires\":{\"env\":[\"FROM_PROCESS\"]},\"primaryEnv\":\"KEYED_API_KEY\"}}\n---\nText.\n")
	m.write(filepath.Join(m.home, ".knack/config.toml"), "[skills.entries.keyed]\napi_key = \"secret-value-1\"\n[skills.entries.other]\nenv = { OTHER = \"secret-value-2\" }\n")
	s, e := withTools(m, &asker{answer: knack.Once}, func(o *knack.Options) {
		o.Environ = append(slices.Clone(o.Environ), "PATH="+os.Getenv("PATH"), "FROM_PROCESS=declared", "CANARY=canary-value")
	})
	if out := s.Activate(t.Context(), "keyed", knack.ByModel); !out[0].OK {
		t.Fatal(out)
	}
	result := callTool(t, s, "skill_keyed_show", map[string]any{})
	for text, want := range map[string]bool{"given": true, "FROM_PROCESS=": true, "secret-value-1": false, "canary": false, "OTHER": false} {
		if strings.Contains(result.Text, text) != want {
			t.Errorf("%s: %v in\n%s", text, !want, result.Text)
		}
	}
	callTool(t, s, "shell", map[string]any{"command": "echo secret-value-1 ghp_" + strings.Repeat("a1", 20)})
	log, err := os.ReadFile(e.AuditFile())
	if err != nil || strings.Contains(string(log), "secret-value") || strings.Contains(string(log), "ghp_a1") || !strings.Contains(string(log), "echo ") {
		t.Errorf("%v: %s", err, log)
	}
}

// A call that cannot be written down is not made.
func TestNoLogNoCall(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/audit.jsonl/file"), "")
	s, _ := withTools(m, &asker{answer: knack.Once})
	_, err := s.Call(t.Context(), knack.Call{Tool: "file_write", Arguments: json.RawMessage(`{"path":"a","content":"x"}`)})
	if err == nil || !strings.Contains(err.Error(), "audit.jsonl") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(m.ws, "a")); err == nil {
		t.Error("it was made")
	}
}

// Without a program that can be started again nothing is contained, and what a
// skill that is not trusted wants to run is refused.
func TestUncontainedIsRefused(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/installed/hub/SKILL.toml"), "name='hub'\ndescription='d'\n[[tools]]\nname='go'\ndescription='d'\nkind='shell'\ncommand='echo went'\n")
	m.write(filepath.Join(m.home, ".knack/skills/own/SKILL.toml"), "name='own'\ndescription='d'\n[[tools]]\nname='go'\ndescription='d'\nkind='shell'\ncommand='echo went'\n")
	e := m.open()
	if err := e.Grant(t.Context(), find(m, e, "hub"), knack.Grant{Tool: "go"}); err != nil {
		t.Fatal(err)
	}
	for name, ran := range map[string]bool{"hub": false, "own": true} {
		s, err := e.NewSession(t.Context(), knack.SessionOptions{Toolbox: e.NewToolbox(knack.ToolboxOptions{}), Pinned: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := s.Call(t.Context(), knack.Call{Tool: "skill_" + name + "_go", Caller: knack.CalledByUser})
		if err != nil || result.Failed == ran || ran && (result.Sandbox == nil || result.Sandbox.Layer != "limits" || len(result.Sandbox.Weak) == 0) {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
		if !ran && !strings.Contains(result.Text, "doctor sandbox") {
			t.Errorf("no way out: %s", result.Text)
		}
	}
	if _, err := m.open().NewSession(t.Context(), knack.SessionOptions{}); err != nil {
		t.Fatal(err)
	}
}

// The grant of one tool is not that of another, also if a skill names its own
// after a built-in one.
func TestOwnToolsAndGrants(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".knack/installed/hub/SKILL.toml"),
		"name='hub'\ndescription='d'\n[[tools]]\nname='web_fetch'\ndescription='d'\nkind='shell'\ncommand='echo went'\n[[tools]]\nname='look'\ndescription='d'\nkind='http'\nurl='https://look.example/x'\n")
	for i, c := range []struct {
		grant knack.Grant
		may   []string
		reach string
	}{
		{knack.Grant{Tool: "web_fetch"}, []string{"web_fetch"}, ""},
		{knack.Grant{Tool: "look", Net: []string{"look.example"}}, []string{"skill_hub_look"}, "look.example"},
		{knack.Grant{Tool: "http_request", Net: []string{"a.example"}}, []string{"http_request", "skill_hub_look"}, "a.example"},
		{knack.Grant{Tool: "Bash", Net: []string{"b.example"}}, []string{"shell", "skill_hub_web_fetch", "skill_hub_look"}, "b.example"},
		{knack.Grant{Tool: "Bash(git:*)"}, []string{"shell"}, ""},
	} {
		s, e := withTools(m, &asker{})
		if _, err := e.Revoke(t.Context(), knack.TrustPath(find(m, e, "hub")), ""); err != nil {
			t.Fatal(err)
		}
		if err := e.Grant(t.Context(), find(m, e, "hub"), c.grant); err != nil {
			t.Fatal(err)
		}
		s.Activate(t.Context(), "hub", knack.ByModel)
		var may []string
		for _, d := range s.Tools(t.Context()) {
			if d.Allowed && !d.Tool.Effects.ReadOnly() {
				may = append(may, d.Tool.Name)
				if d.Tool.Name == "skill_hub_look" && !d.MayReach("", c.reach+":443") {
					t.Errorf("%d: cannot reach %s", i, c.reach)
				}
			}
		}
		slices.Sort(may)
		slices.Sort(c.may)
		if diff := cmp.Diff(c.may, may); diff != "" {
			t.Errorf("%d (-want +got):\n%s", i, diff)
		}
	}
}

// What a call would do is told without doing it.
func TestPreview(t *testing.T) {
	m := newMachine(t)
	s, e := withTools(m, &asker{})
	p, err := s.Preview(t.Context(), knack.Call{Tool: "shell", Arguments: json.RawMessage(`{"command":"touch made"}`)})
	if err != nil || p.Verdict != "asked" || p.Plan.Subject != "touch made" || p.Plan.Sandbox == nil || p.Plan.Sandbox.Layer == "" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(m.ws, "made")); err == nil {
		t.Error("it was done")
	}
	if records, _, _ := e.AuditLog(); len(records) > 0 {
		t.Error("it was written down")
	}
	if _, err := s.Preview(t.Context(), knack.Call{Tool: "nonsense"}); err == nil {
		t.Error("no such tool, no error")
	}
	plain := newSession(m, knack.SessionOptions{})
	if _, err := plain.Call(t.Context(), knack.Call{Tool: "shell"}); fmt.Sprint(err) != knack.ErrNoToolbox.Error() {
		t.Error(err)
	}
}
