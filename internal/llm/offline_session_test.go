package llm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/bundled"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

// offlineTurn lets the offline model work with a session's own router and tools.
func offlineTurn(t *testing.T, s *knack.Session, message string) (calls []string, text string) {
	t.Helper()
	m := llm.NewOffline(llm.OfflineOptions{Choose: func(ctx context.Context, message string) (activate, suggest []string, err error) {
		found, err := s.Select(ctx, message)
		for _, c := range found.Activate {
			activate = append(activate, c.Name)
		}
		return activate, nil, err
	}})
	messages := []llm.Message{{Role: llm.User, Text: message}}
	for {
		var tools []tool.Spec
		for _, d := range s.Tools(t.Context()) {
			if d.Allowed {
				tools = append(tools, d.Tool)
			}
		}
		got, err := m.Ask(t.Context(), llm.Request{Messages: messages, Tools: tools}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Message.Calls) == 0 {
			return calls, got.Message.Text
		}
		results := llm.Message{Role: llm.User}
		for _, c := range got.Message.Calls {
			r, err := s.Call(t.Context(), knack.Call{Tool: c.Tool, Arguments: c.Arguments})
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, c.Tool+" "+string(c.Arguments))
			results.Results = append(results.Results, llm.Result{ID: c.ID, Tool: c.Tool, Text: r.Text, Failed: r.Failed})
		}
		messages = append(messages, got.Message, results)
	}
}

// What ships can be seen at work: a skill is chosen, its tool called.
func TestOfflineWithTheSkillsThatShip(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		_, _ = w.Write([]byte("Bergen: light rain, +9°C"))
	}))
	defer server.Close()

	// The weather skill as it ships, but for the server it asks and the program it needs.
	home := t.TempDir()
	folder := filepath.Join(home, ".knack", "skills", "weather")
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Dir(folder), bundled.FS()); err != nil {
		t.Fatal(err)
	}
	for file, old := range map[string]string{"SKILL.toml": "https://wttr.in", "SKILL.md": `"requires":{"bins":["curl"]},`} {
		data, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("%s has no %s: %v", file, old, err)
		}
		replaced := strings.Replace(string(data), old, map[string]string{"SKILL.toml": server.URL}[file], 1)
		if err := os.WriteFile(filepath.Join(folder, file), []byte(replaced), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host := strings.TrimPrefix(server.URL, "http://")
	engine, err := knack.Open(t.Context(), knack.Options{
		Home: filepath.Join(home, ".knack"), UserHome: home, NoBundled: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := engine.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	weather, err := snapshot.Find("weather")
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Grant(t.Context(), weather, knack.Grant{Tool: "skill_weather_report", Net: []string{host}}); err != nil {
		t.Fatal(err)
	}
	box := engine.NewToolbox(knack.ToolboxOptions{Ask: func(context.Context, knack.Question) (knack.Consent, error) { return knack.Once, nil }})
	for message, want := range map[string]struct {
		calls []string
		shown []string
	}{
		"What is 17.5% of 2340?": {
			[]string{`Skill {"skill":"arithmetic"}`, `calculator {"expression":"17.5/100*2340"}`},
			[]string{"Skill arithmetic was chosen; its instructions are in force.", "\n409.5\n"},
		},
		"will it rain in Bergen tomorrow?": {
			[]string{`Skill {"skill":"weather"}`, `skill_weather_report {"place":"Bergen"}`},
			[]string{"Skill weather was chosen", "Bergen: light rain, +9°C"},
		},
		"hello, how are you?": {nil, []string{"Nothing that can be called fits"}},
	} {
		session, err := engine.NewSession(t.Context(), knack.SessionOptions{Toolbox: box})
		if err != nil {
			t.Fatal(err)
		}
		calls, text := offlineTurn(t, session, message)
		if diff := cmp.Diff(want.calls, calls); diff != "" {
			t.Errorf("%q (-want +got):\n%s", message, diff)
		}
		for _, shown := range want.shown {
			if !strings.Contains(text, shown) {
				t.Errorf("%q: no %q in\n%s", message, shown, text)
			}
		}
	}
	if diff := cmp.Diff([]string{"/Bergen"}, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
