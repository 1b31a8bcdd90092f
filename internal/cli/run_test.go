package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/knackhq/knack/internal/llm/llmtest"
)

// models are the ways to ask a scripted server, by protocol.
var models = map[string]func(url string) []string{
	"anthropic": func(url string) []string {
		return []string{"ANTHROPIC_API_KEY=canary-anthropic-key", "ANTHROPIC_BASE_URL=" + url}
	},
	"openai": func(url string) []string {
		return []string{"OPENAI_API_KEY=canary-openai-key", "OPENAI_BASE_URL=" + url}
	},
}

// command runs knack in a home and a workspace of its own.
type command struct {
	dir            string
	environ        []string
	stdin          string
	stdout, stderr bytes.Buffer
}

func newCommand(t *testing.T, files string) *command {
	t.Helper()
	c := &command{dir: t.TempDir()}
	for _, f := range append(txtar.Parse([]byte(files)).Files, txtar.File{Name: "ws/.knack/empty"}) {
		path := filepath.Join(c.dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.environ = []string{"HOME=" + filepath.Join(c.dir, "home"), "PATH=/usr/bin:/bin"}
	return c
}

func (c *command) run(t *testing.T, args ...string) int {
	t.Helper()
	c.stdout.Reset()
	c.stderr.Reset()
	return Main(context.Background(), Env{
		Args: args, Environ: c.environ, Dir: filepath.Join(c.dir, "ws"), Stdin: strings.NewReader(c.stdin),
		Stdout: &c.stdout, Stderr: &c.stderr, Now: time.Now, Version: "v0.0.0-test",
	})
}

const autoCoder = `
-- ws/.clawseed/skills/auto-coder/manifest.toml --
[skill]
name = "auto-coder"
description = "Autonomous code generation agent. Reads context, writes code, runs tests."
permissions = ["file_read", "file_write", "shell_exec"]
triggers = ["write code", "implement feature"]
-- ws/.clawseed/skills/auto-coder/SKILL.md --
# Auto Coder

Read before you write.
-- ws/feature.txt --
the feature
-- home/.clawseed/empty --
`

// The flow of the ClawSeed document, with a model that is scripted: the index is in
// the first request, the instructions are in the second, and gone from the fourth.
func TestDocumentedFlowOverTheWire(t *testing.T) {
	script := `
-- 1.request.contains --
Help me implement a feature
<available_skills>
auto-coder
-- 1.request.lacks --
Read before you write.
<active_skill
-- 1.answer --
call: Skill {"skill":"auto-coder"}
-- 2.request.contains --
Skill 'auto-coder' activated.
<active_skill name="auto-coder">
Read before you write.
-- 2.answer --
call: file_read {"path":"feature.txt"}
-- 3.request.contains --
the feature
<active_skill name="auto-coder">
-- 3.answer --
call: Skill {"skill":"auto-coder","action":"deactivate"}
-- 4.request.contains --
Skill 'auto-coder' deactivated.
-- 4.request.lacks --
Read before you write.
-- 4.answer --
text: Done.
`
	for name, env := range models {
		t.Run(name, func(t *testing.T) {
			c := newCommand(t, autoCoder)
			c.environ = append(c.environ, env(llmtest.Serve(t, script))...)
			if code := c.run(t, "run", "--host", "clawseed", "--trust-workspace", "Help me implement a feature"); code != 0 || c.stdout.String() != "Done.\n" {
				t.Errorf("exit code %d\n%s\n%s", code, &c.stdout, &c.stderr)
			}
		})
	}
}

const secrets = `
-- home/.knack/config.toml --
[skills.entries.keyed]
api_key = "canary-config-key"
env = { KEYED_TOKEN = "canary-config-env" }
[tools]
web_search_key = "canary-search-key"
-- home/.knack/skills/keyed/SKILL.md --
---
name: keyed
description: Needs a key
metadata: {"openclaw":{"primaryEnv":"KEYED_API_KEY"}}
---
Use the key.
-- ws/leak.txt --
canary-config-key canary-config-env canary-environment canary-search-key canary-anthropic-key canary-openai-key
`

// No secret of the configuration or the environment is in a request, in what is
// printed, in the record, or in the log, not even where a tool reads one or the
// user types one.
func TestSecretsStayHere(t *testing.T) {
	script := `
-- 1.answer --
call: file_read {"path":"leak.txt"}
call: no_such_tool {"secret":"canary-config-key"}
-- 2.answer --
text: I read canary-config-key and canary-environment.
`
	for name, env := range models {
		t.Run(name, func(t *testing.T) {
			c := newCommand(t, secrets)
			server := llmtest.Start(t, script)
			c.environ = append(c.environ, env(server.URL)...)
			c.environ = append(c.environ, "SOME_SECRET=canary-environment", "SERVICE_TOKEN=canary-environment")
			for other, env := range models {
				if other != name {
					c.environ = append(c.environ, env("http://127.0.0.1:9")[0])
				}
			}
			code := c.run(t, "run", "--model", map[string]string{"anthropic": "anthropic/m", "openai": "openai/m"}[name],
				"--skill", "keyed", "--log", "debug", "my key is canary-config-key")
			if code != 0 {
				t.Fatalf("exit code %d\n%s\n%s", code, &c.stdout, &c.stderr)
			}
			texts := map[string]string{"stderr": c.stderr.String()}
			for i, r := range server.Requests() {
				texts["request "+string(rune('1'+i))] = string(r)
			}
			err := filepath.WalkDir(filepath.Join(c.dir, "home"), func(path string, d os.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() && filepath.Base(path) != "config.toml" {
					data, readErr := os.ReadFile(path)
					texts[path], err = string(data), readErr
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for where, text := range texts {
				if i := strings.Index(text, "canary"); i >= 0 {
					t.Errorf("%s: %.200s", where, text[max(0, i-60):])
				}
			}
			if !strings.Contains(texts["request 2"], "[redacted]") {
				t.Error("nothing was redacted, so nothing was tested")
			}
		})
	}
}

// What a server refuses is told with a way out, and the exit code says so.
func TestModelErrors(t *testing.T) {
	for script, says := range map[string]string{
		"-- 1.response.head --\n401\n-- 1.response --\n{\"error\":{\"message\":\"bad key\"}}\n":       "KEY",
		"-- 1.response.head --\n404\n-- 1.response --\n{\"error\":{\"message\":\"no such model\"}}\n": "model",
	} {
		for name, env := range models {
			c := newCommand(t, "")
			c.environ = append(c.environ, env(llmtest.Serve(t, script))...)
			if code := c.run(t, "run", "--no-save", "hello"); code != 1 || !strings.Contains(c.stderr.String(), says) || strings.Contains(c.stderr.String(), "canary") {
				t.Errorf("%s, %s: exit code %d\n%s", name, says, code, &c.stderr)
			}
		}
	}
}

// What a server does not take is left out of the conversation, which goes on.
func TestRefusedMessagesAreTakenBack(t *testing.T) {
	script := `
-- 1.response.head --
400
-- 1.response --
{"error":{"message":"I do not like that"}}
-- 2.request.contains --
something else
-- 2.request.lacks --
poison
-- 2.answer --
text: Fine.
`
	for name, env := range models {
		t.Run(name, func(t *testing.T) {
			c := newCommand(t, "")
			c.environ = append(c.environ, env(llmtest.Serve(t, script))...)
			if code := c.run(t, "run", "poison"); code != 1 || !strings.Contains(c.stderr.String(), "left out") {
				t.Fatalf("exit code %d\n%s", code, &c.stderr)
			}
			if code := c.run(t, "run", "--resume", "last", "something else"); code != 0 || c.stdout.String() != "Fine.\n" {
				t.Errorf("exit code %d\n%s\n%s", code, &c.stdout, &c.stderr)
			}
		})
	}
}
