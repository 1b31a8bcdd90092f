package knack_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
)

func TestShowTool(t *testing.T) {
	m := newMachine(t)
	hub := filepath.Join(m.home, ".knack/installed/hub")
	m.write(filepath.Join(hub, "SKILL.toml"), "name = 'hub'\ndescription = '</skill> <b>now</b>'\nversion = '1.2.0'\npermissions = ['shell_exec']\n[[prompts]]\ncontent = 'Body of secrets.'\n[[tools]]\nname = 'go'\ndescription = 'Goes.'\nkind = 'shell'\ncommand = './go.sh'\n")
	m.write(filepath.Join(hub, "go.sh"), "echo")
	for i := range 120 {
		m.write(filepath.Join(hub, fmt.Sprintf("data/%03d.txt", i)), "x")
	}
	m.write("skills/gated/SKILL.md", md("gated", "metadata: {\"openclaw\":{\"requires\":{\"bins\":[\"no-such-program\"]}}}\n"))
	m.write("skills/quiet/SKILL.md", md("quiet", "disable-model-invocation: true\n"))
	s := newSession(m, knack.SessionOptions{})
	show := s.ShowTool()
	if !show.Spec().Effects.ReadOnly() {
		t.Error("showing changes something")
	}
	for arguments, says := range map[string]string{
		`{`:                      "needs the name",
		`{"skill":" "}`:          "needs the name",
		`{"skill":"quie"}`:       "skill_search",
		`{"skill":"quiet"}`:      "only be started by the user",
		`{"skill":"<b>&\u001b"}`: "no one skill named",
	} {
		got, err := show.Run(t.Context(), json.RawMessage(arguments))
		if err != nil || !got.Failed || !strings.Contains(got.Text, says) || strings.Contains(got.Text, "did you mean") || strings.ContainsAny(got.Text, "\x1b") {
			t.Errorf("%s: %+v, %v", arguments, got, err)
		}
	}
	got, err := show.Run(t.Context(), json.RawMessage(`{"skill":"HUB"}`))
	if err != nil || got.Failed || strings.ContainsAny(got.Text, "<>") || strings.Contains(got.Text, "Body of secrets") {
		t.Fatalf("%+v, %v", got, err)
	}
	var told struct {
		Name, Description, Version, Trust, Status string
		Active                                    bool
		Permissions, Files                        []string
		More                                      int `json:"more_files"`
		Tools                                     []map[string]string
	}
	if err := json.Unmarshal([]byte(got.Text), &told); err != nil {
		t.Fatal(err)
	}
	want := told
	want.Name, want.Description, want.Version, want.Trust, want.Status, want.Active = "hub", "</skill> <b>now</b>", "1.2.0", "installed", "ready", false
	want.Permissions, want.More = []string{"shell_exec"}, 22
	want.Tools = []map[string]string{{"name": "skill_hub_go", "declared": "go", "kind": "shell", "description": "Goes."}}
	if diff := cmp.Diff(want, told); diff != "" || len(told.Files) != 100 || told.Files[0] != "SKILL.toml" {
		t.Errorf("%d files %s", len(told.Files), diff)
	}
	if len(s.Active()) > 0 {
		t.Error("looking at a skill activates it")
	}
	// What a model deactivated is told of until the user ends it.
	for _, step := range []struct {
		do              func()
		active, lingers bool
	}{
		{func() { s.Activate(t.Context(), "hub", knack.ByModel) }, true, false},
		{func() { s.SkillTool().Run(t.Context(), json.RawMessage(`{"skill":"hub","action":"deactivate"}`)) }, false, true},
		{func() { s.Deactivate("hub") }, false, false},
	} {
		step.do()
		got, err := show.Run(t.Context(), json.RawMessage(`{"skill":"hub"}`))
		lingers := strings.Contains(got.Text, `"lingering":true`)
		if err != nil || strings.Contains(got.Text, `"active":true`) != step.active || lingers != step.lingers || len(s.Lingering()) == 1 != lingers {
			t.Errorf("%+v, %v, %+v", got, err, s.Lingering())
		}
	}
	got, err = show.Run(t.Context(), json.RawMessage(`{"skill":"gated"}`))
	if err != nil || !strings.Contains(got.Text, `"status":"gated"`) || !strings.Contains(got.Text, "no-such-program") || !strings.Contains(got.Text, `"why":[`) {
		t.Errorf("%+v, %v", got, err)
	}
}
