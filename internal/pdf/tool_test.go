package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

func TestMain(m *testing.M) {
	if code, stage := Child(os.Args, os.Stdin, os.Stdout); stage {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// plain runs processes as they are, and keeps what it was asked to run.
type plain struct {
	spec   sandbox.Spec
	opened int // files
}

var report = sandbox.Report{Layer: sandbox.Limits, Files: "all", Network: "all", Processes: "all", Weak: []string{"files"}}

func (p *plain) Expect(context.Context, sandbox.Spec) sandbox.Report { return report }

func (p *plain) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	p.spec = spec
	cmd := exec.CommandContext(ctx, spec.Argv[0], spec.Argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = spec.Stdin, spec.Stdout, spec.Stderr, spec.Dir, []string{"GOMAXPROCS=1"}
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && ctx.Err() == nil {
		return sandbox.Result{}, err
	}
	return sandbox.Result{Exit: cmd.ProcessState.ExitCode(), TimedOut: ctx.Err() != nil, Report: report}, nil
}

// reads makes a tool that knows one file.
func reads(t *testing.T, data []byte) (tool.Planner, *plain) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runner := &plain{}
	resolve := func(_ context.Context, path string) (string, error) {
		if path != "./a.pdf" {
			return "", fmt.Errorf("%s is outside", path)
		}
		return "a.pdf", nil
	}
	open := func(ctx context.Context, path string) (io.ReadCloser, string, error) {
		runner.opened++
		subject, err := resolve(ctx, path)
		return io.NopCloser(bytes.NewReader(data)), subject, err
	}
	return Tool(Options{Runner: runner, Program: self, Timeout: 20 * time.Second, MaxBytes: 1000, Open: open, Resolve: resolve}), runner
}

func call(t *testing.T, tl tool.Tool, arguments string) tool.Result {
	t.Helper()
	result, err := tl.Run(t.Context(), json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var contained = &tool.Sandbox{Layer: "limits", Files: "all", Network: "all", Processes: "all", Weak: []string{"files"}}

func TestTool(t *testing.T) {
	tl, runner := reads(t, paged(line("one"), line("two"), line(strings.Repeat("x", 2000))).bytes(""))
	for arguments, want := range map[string]tool.Result{
		`{"path":"./a.pdf","pages":"1-2"}`: {Text: "--- page 1 ---\none\n--- page 2 ---\ntwo\n", Sandbox: contained},
		`{"path":"./a.pdf","pages":"9"}`:   {Text: `cannot read "a.pdf": these pages cannot be read: there is no page 9; it has 3`, Failed: true, Sandbox: contained},
		`{"path":"./a.pdf","pages":"x"}`:   {Text: `these pages cannot be read: "x"; write them as 1-3,7`, Failed: true},
		`{"path":"/etc/passwd"}`:           {Text: "/etc/passwd is outside", Failed: true},
		`{"path":""}`:                      {Text: `"path" is missing; call pdf_read as {"path": "report.pdf", "pages": "1-3,7"}`, Failed: true},
		`{"file":"x"}`:                     {Text: `there is no argument "file"; it takes path, pages`, Failed: true},
	} {
		if diff := cmp.Diff(want, call(t, tl, arguments)); diff != "" {
			t.Errorf("%s:\n%s", arguments, diff)
		}
	}
	if got := call(t, tl, `{"path":"./a.pdf"}`); !got.Cut || got.Failed || !strings.HasSuffix(got.Text, "--- left out: the rest of page 3; ask for fewer pages at a time ---\n") {
		t.Errorf("%+v", got)
	}
	s := runner.spec
	if s.Proxy != nil || len(s.Write) != 0 || !slices.Equal(s.Read, s.Argv[:1]) || s.Bounds.Memory != 512<<20 || len(s.Env) != 0 {
		t.Errorf("%+v", s)
	}
	runner.opened, runner.spec = 0, sandbox.Spec{}
	plan, err := tl.Plan(t.Context(), json.RawMessage(`{"path":"./a.pdf"}`))
	if diff := cmp.Diff(tool.Plan{Subject: "a.pdf", Sandbox: contained}, plan); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := tl.Plan(t.Context(), json.RawMessage(`{"path":"b"}`)); err == nil {
		t.Error("a plan for what cannot be opened")
	}
	if runner.opened > 0 || len(runner.spec.Argv) > 0 {
		t.Error("planning opened or ran something")
	}
	if _, err := Tool(Options{Runner: runner}).Plan(t.Context(), json.RawMessage(`{"path":"./a.pdf"}`)); !errors.Is(err, errNoResolve) {
		t.Error(err)
	}
	if _, _, err := given(json.RawMessage(form.Example)); err != nil {
		t.Error(err)
	}
	if spec := tl.Spec(); spec.Effects != (tool.Effects{Read: true}) || !json.Valid(spec.Schema) {
		t.Errorf("%+v", spec)
	}
}

// What breaks the library breaks the stage, and the tool says so.
func TestHostile(t *testing.T) {
	circle := document{"<< /Type /Catalog /Pages 5 0 R >>", "null", "null"}.withXrefStream(map[int][2]int{5: {6, 0}, 6: {5, 0}})
	for name, data := range map[string][]byte{
		"object streams in each other": circle,
		"a table of any size":          []byte(strings.Replace(string(paged(line("x")).bytes("")), "xref\n0 ", "xref\n99999999999 ", 1)),
		"no file":                      []byte("nothing"),
		"too large":                    append(paged(line("x")).bytes(""), make([]byte, maxFile)...),
	} {
		tl, _ := reads(t, data)
		if got := call(t, tl, `{"path":"./a.pdf"}`); !got.Failed || !strings.HasPrefix(got.Text, `cannot read "a.pdf": `) || len(got.Text) > 300 {
			t.Errorf("%s: %+v", name, got)
		} else {
			t.Log(name, got.Text)
		}
	}
}

// endless is a runner whose process does not end before its time.
type endless struct{ *plain }

func (endless) Run(ctx context.Context, _ sandbox.Spec) (sandbox.Result, error) {
	<-ctx.Done()
	return sandbox.Result{Exit: -1, TimedOut: true}, nil
}

type broken struct{ *plain }

func (broken) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, sandbox.ErrUncontained
}

func TestRunners(t *testing.T) {
	open := func(context.Context, string) (io.ReadCloser, string, error) {
		return io.NopCloser(strings.NewReader("")), "a.pdf", nil
	}
	slow := Tool(Options{Runner: endless{}, Open: open, Timeout: time.Millisecond})
	if got := call(t, slow, `{"path":"a.pdf"}`); !got.Failed || !strings.Contains(got.Text, "longer than 1ms") {
		t.Errorf("%+v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slow.Run(ended, json.RawMessage(`{"path":"a.pdf"}`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := call(t, Tool(Options{Runner: broken{}, Open: open}), `{"path":"a.pdf"}`); !got.Failed || !strings.Contains(got.Text, "contains its files") {
		t.Errorf("%+v", got)
	}
}

func TestChild(t *testing.T) {
	good := paged(line("one"), line("two")).bytes("")
	for _, c := range []struct {
		args  []string
		code  int
		stage bool
		want  string
	}{
		{[]string{"x"}, 0, false, ""}, {[]string{"x", "list"}, 0, false, ""}, {[]string{"x", stageWord}, exitUsage, true, ""},
		{[]string{"x", stageWord, "", "many"}, exitUsage, true, ""}, {[]string{"x", stageWord, "2", "100"}, exitWhole, true, "--- page 2 ---\ntwo\n"},
		{[]string{"x", stageWord, "", "15"}, exitCut, true, "--- page 1 ---\none\n--- left out: page 2; ask for fewer pages at a time ---\n"},
		{[]string{"x", stageWord, "7", "15"}, exitFailed, true, "these pages cannot be read: there is no page 7; it has 2"},
		{[]string{"x", stageWord, "", "0"}, exitFailed, true, "there is no room for text"},
	} {
		var out bytes.Buffer
		code, stage := Child(c.args, bytes.NewReader(good), &out)
		if code != c.code || stage != c.stage || out.String() != c.want {
			t.Errorf("%v: %d, %v, %q", c.args, code, stage, out.String())
		}
	}
}
