package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/chat"
	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/llm/llmtest"
	"github.com/knackhq/knack/tool"
)

// The key of one provider is never sent to another, whoever names it.
func TestAKeyStaysWithItsProvider(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"))
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	for name, settings := range map[string]string{
		"provider": "provider = 'anthropic'\napi_key = 'canary-configured'",
		"name":     "name = 'anthropic/claude-x'\napi_key = 'canary-configured'",
	} {
		for _, c := range []struct {
			args, environ []string
			want          string
		}{
			{[]string{"--model", "openai/x"}, []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=own-key"}, "Bearer own-key"},
			{[]string{"--model", "ollama/x"}, []string{"OLLAMA_HOST=" + strings.TrimPrefix(server.URL, "http://")}, ""},
			{nil, []string{"KNACK_MODEL=ollama/x", "OLLAMA_HOST=" + strings.TrimPrefix(server.URL, "http://")}, ""},
			{nil, []string{"ANTHROPIC_BASE_URL=" + server.URL}, "canary-configured"},
			{nil, []string{"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=own-key"}, "own-key"},
		} {
			if name == "provider" && len(c.environ) > 0 && strings.HasPrefix(c.environ[0], "KNACK_MODEL") {
				continue // there it is the name of a model of that provider
			}
			got = nil
			command := newCommand(t, "-- home/.knack/config.toml --\n[llm]\n"+settings+"\n")
			command.environ = append(command.environ, c.environ...)
			command.run(t, append([]string{"run", "--no-save", "hello"}, c.args...)...)
			all := strings.Join(got, "")
			if len(got) == 0 || c.want == "" && strings.Contains(all, "canary") || !strings.Contains(all, c.want) || c.want != "canary-configured" && strings.Contains(all, "canary") {
				t.Errorf("%s, %v %v: %q\n%s", name, c.args, c.environ, got, &command.stderr)
			}
		}
	}
}

// Every key that a hint about models names is one.
func TestHintsAboutModelsNameKeysThereAre(t *testing.T) {
	files, err := filepath.Glob("../llm/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`\bllm\.[a-z_]+|knack config set ([a-z_.]+)`).FindAllStringSubmatch(string(data), -1) {
			key := m[1]
			if key == "" {
				key = m[0]
			}
			found++
			if !slices.ContainsFunc(config.Keys(), func(k config.KeyInfo) bool { return k.Key == key }) {
				t.Errorf("%s: %s is no key", file, m[0])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d were found", found)
	}
}

// The conversation that changed last comes first, wherever they are listed.
func TestConversationsAreListedNewestFirst(t *testing.T) {
	c := newCommand(t, "")
	said := []string{"one", "two", "three"}
	for range mostSessions / 2 {
		said = append(said, "more", "and more")
	}
	said = append(said, "penultimate", "ultimate")
	for _, text := range said {
		if code := c.run(t, "run", "--model", "offline", text); code != 0 {
			t.Fatal(&c.stderr)
		}
	}
	c.run(t, "chat", "--list")
	lines := strings.Split(c.stdout.String(), "\n")
	if !strings.HasSuffix(lines[0], "\tultimate") || !strings.HasSuffix(lines[1], "\tpenultimate") {
		t.Error(c.stdout.String())
	}
	c.stdin = "/sessions\n"
	c.run(t, "chat", "--no-save")
	if out := c.stdout.String(); strings.Index(out, " ultimate") > strings.Index(out, "penultimate") || !strings.Contains(out, "ultimate") || strings.Contains(out, "  one\n") {
		t.Error(out)
	}
}

func TestWhatWasTyped(t *testing.T) {
	c := newCommand(t, "")
	c.environ = append(c.environ, "SOME_SECRET=canary-secret")
	file := filepath.Join(c.dir, "home/.knack/history")
	c.stdin = "not kept\n"
	c.run(t, "chat", "--no-save", "--model", "offline")
	if _, err := os.Stat(file); err == nil {
		t.Error("--no-save keeps what was typed")
	}
	c.stdin = "/help\nuse canary-secret\n" + strings.Repeat("x", longestPast+1) + "\n"
	c.run(t, "chat", "--model", "offline")
	if diff := cmp.Diff([]string{"/help", "use [redacted]"}, past{file}.lines()); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("old\n", mostPast+5)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	past{file}.add("a\nb")
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), "\n") != mostPast || !strings.HasSuffix(string(data), "old\nlast\na b\n") {
		t.Errorf("%v: %d lines, %q", err, strings.Count(string(data), "\n"), data[max(0, len(data)-30):])
	}
}

// What a question shows is not what the session works with.
func TestRowsAreShortenedInACopy(t *testing.T) {
	f := newFactory(Env{Environ: []string{"HOME=/home/u"}})
	q := knack.Question{Plan: tool.Plan{Write: []string{"/home/u/file"}}}
	var out strings.Builder
	f.printRows(q, &out)
	if !strings.Contains(out.String(), "~/file") || q.Plan.Write[0] != "/home/u/file" {
		t.Errorf("%q\n%s", q.Plan.Write, &out)
	}
}

// commandsShown remembers what can be completed.
type commandsShown []string

func (*commandsShown) SetModel(string) {}

func (s *commandsShown) SetCommands(commands []chat.Command) {
	for _, c := range commands {
		*s = append(*s, c.Name)
	}
}

// After a reload the commands of skills are those that there are then.
func TestReloadOffersNewCommands(t *testing.T) {
	c := newCommand(t, "")
	f := newFactory(Env{Environ: c.environ, Dir: filepath.Join(c.dir, "ws"), Stdin: strings.NewReader(""), Stdout: &c.stdout, Stderr: &c.stderr, Now: time.Now})
	conversation, err := f.converse(t.Context(), agentOptions{model: "offline", noSave: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shown commandsShown
	conversation.shown = &shown
	later := filepath.Join(c.dir, "home/.knack/skills/later")
	if err := os.MkdirAll(later, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(later, "SKILL.md"), []byte("---\nname: later\ndescription: Later\n---\nDo it.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.chatReload(t.Context(), conversation, ""); err != nil || !slices.Contains(shown, "later") || !slices.Contains(shown, "reload") {
		t.Errorf("%v: %q", err, shown)
	}
}

// A skill that is not active and takes tools away is told of, and can be ended.
func TestLingeringSkillsAreTold(t *testing.T) {
	c := newCommand(t, "-- home/.knack/installed/hub/SKILL.md --\n---\nname: hub\ndescription: Hub\n---\nDo it.\n")
	script := `
-- 1.answer --
call: Skill {"skill":"hub"}
-- 2.answer --
call: Skill {"skill":"hub","action":"deactivate"}
-- 3.answer --
text: Done.
`
	c.environ = append(c.environ, models["openai"](llmtest.Serve(t, script))...)
	c.stdin = "go\n/skills\n/deactivate hub\n/skills\n"
	if code := c.run(t, "chat"); code != 0 {
		t.Fatal(&c.stderr)
	}
	if out := c.stdout.String(); strings.Count(out, "○ hub: still counts: the model has read it; /deactivate hub ends that") != 1 || !strings.Contains(out, "takes no tools away any more") {
		t.Error(out)
	}
}

// What is behind the tools is made once, as configured.
func TestToolsShareWhatIsBehindThem(t *testing.T) {
	for configured, want := range map[string]string{"": "", "strongest": "", "limits": "limits"} {
		c := newCommand(t, "-- home/.knack/config.toml --\n"+map[bool]string{true: "[tools]\nlayer = '" + configured + "'\n"}[configured != ""])
		f := newFactory(Env{Environ: c.environ, Dir: filepath.Join(c.dir, "ws"), Stdout: &c.stdout, Stderr: &c.stderr, Now: time.Now})
		engine, err := f.engine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := layer(engine); string(got) != want {
			t.Errorf("%q is %q", configured, got)
		}
		if first := f.memory(); first == nil || first != f.memory() {
			t.Error("there is more than one memory")
		}
		f.close()
	}
}
