package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write requests and outcomes into the transcripts")

const testKey = "sk-test-0123456789abcdef"

// modelAt is a model behind a scripted server.
func modelAt(t testing.TB, provider, url string, opt llm.Options) llm.Model {
	t.Helper()
	name := map[string]string{"anthropic": "claude-test", "openai": "gpt-test"}[provider]
	c, err := llm.Choose(llm.Settings{Provider: provider, Model: name, BaseURL: url, Key: testKey}, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	if opt.Sleep == nil {
		opt.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	if opt.Jitter == nil {
		opt.Jitter = func() float64 { return 0 }
	}
	m, err := llm.New(c, opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// show writes events down as they come.
func show(out *strings.Builder) func(llm.Event) {
	return func(e llm.Event) {
		switch {
		case e.Call != nil:
			fmt.Fprintf(out, "call %s %s %s\n", e.Call.ID, e.Call.Tool, e.Call.Arguments)
		case e.Retry != nil:
			fmt.Fprintf(out, "retry %d after %v: %s\n", e.Retry.Attempt, e.Retry.After, e.Retry.Why)
		case e.Reasoning != "":
			fmt.Fprintf(out, "reasoning %q\n", e.Reasoning)
		default:
			fmt.Fprintf(out, "text %q\n", e.Text)
		}
	}
}

// outcome writes down what is left at the end.
func outcome(out *strings.Builder, a llm.Answer, err error) {
	text, e := json.Marshal(a.Message)
	if e != nil {
		text = []byte(e.Error())
	}
	fmt.Fprintf(out, "%s %+v\n%s\n", a.Stop, a.Usage, text)
	var failed *llm.Error
	if errors.As(err, &failed) {
		fmt.Fprintf(out, "error %s: %v\nhint: %s\n", failed.Kind, failed, failed.Hint)
	} else if err != nil {
		fmt.Fprintf(out, "error %v\n", err)
	}
}

// Each file is a conversation over the wire: ask is the request, then are the
// messages of the user that follow each answer, want is what was shown and what
// was left. The rest is the script of the server. The protocol is the first part
// of the file's name.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			own := map[string]string{}
			script := &txtar.Archive{}
			for _, f := range a.Files {
				switch {
				case f.Name == "ask" || f.Name == "then" || f.Name == "want":
					own[f.Name] = string(f.Data)
				case !*update || !strings.HasSuffix(f.Name, ".request"):
					script.Files = append(script.Files, f)
				}
			}
			var req llm.Request
			var then []llm.Message
			if err := json.Unmarshal([]byte(own["ask"]), &req); err != nil {
				t.Fatal(err)
			}
			if text, ok := own["then"]; ok {
				if err := json.Unmarshal([]byte(text), &then); err != nil {
					t.Fatal(err)
				}
			}
			server := llmtest.Start(t, string(txtar.Format(script)))
			provider, _, _ := strings.Cut(filepath.Base(file), "-")
			m := modelAt(t, provider, server.URL, llm.Options{})

			var got strings.Builder
			for {
				answer, err := m.Ask(t.Context(), req, show(&got))
				outcome(&got, answer, err)
				if len(then) == 0 {
					break
				}
				req.Messages = append(req.Messages, answer.Message, then[0])
				then = then[1:]
			}
			// The port is another one each time.
			text := strings.ReplaceAll(got.String(), server.URL, "http://server")
			text = strings.ReplaceAll(text, strings.TrimPrefix(server.URL, "http://"), "server")
			if *update {
				rewrite(t, file, a, server.Requests(), text)
				return
			}
			if diff := cmp.Diff(own["want"], text); diff != "" {
				t.Errorf("another outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// rewrite puts requests and the outcome into a transcript, requests before what
// they are answered with.
func rewrite(t *testing.T, file string, a *txtar.Archive, requests [][]byte, want string) {
	t.Helper()
	out := &txtar.Archive{Comment: a.Comment}
	done := map[string]bool{}
	for _, f := range a.Files {
		if f.Name == "want" || strings.HasSuffix(f.Name, ".request") {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(f.Name, "%d.", &n); err == nil && n <= len(requests) {
			if name := fmt.Sprintf("%d.request", n); !done[name] {
				done[name] = true
				var v any
				if err := json.Unmarshal(requests[n-1], &v); err != nil {
					t.Fatal(err)
				}
				text, err := json.MarshalIndent(v, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				out.Files = append(out.Files, txtar.File{Name: name, Data: append(text, '\n')})
			}
		}
		out.Files = append(out.Files, f)
	}
	out.Files = append(out.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
