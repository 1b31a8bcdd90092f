package pdf

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// Options are what the tool works with.
type Options struct {
	Runner sandbox.Runner
	// Program is the absolute path of a binary whose main calls [Child].
	Program string
	// Open opens a file that the call may read, and tells its path as rules name
	// it: cleaned, and relative to the workspace if it lies there. It may have
	// effects, as reading a skill's instructions is activating it.
	Open func(ctx context.Context, path string) (io.ReadCloser, string, error)
	// Resolve tells that path, or why the file cannot be opened, and has no effects:
	// it is for plans, which cannot be made without it.
	Resolve func(ctx context.Context, path string) (subject string, err error)
	// Timeout is for reading one file; not positive is 30 seconds.
	Timeout time.Duration
	// MaxBytes is the most of a text; not positive is [output.DefaultLimit].
	MaxBytes int
}

const (
	usualTimeout = 30 * time.Second
	maxMemory    = 512 << 20
)

// Tool is the tool pdf_read.
func Tool(opt Options) tool.Planner {
	if opt.Timeout <= 0 {
		opt.Timeout = usualTimeout
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = output.DefaultLimit
	}
	return reader{opt}
}

type reader struct{ Options }

const toolName = "pdf_read"

var form = arguments.Form{
	Fields: []arguments.Field{
		{Name: "path", Required: true, Filled: true, Help: "the file"},
		{Name: "pages", Kind: arguments.Word, Help: "for example 1-3,7; all if absent"},
	},
	Example: `{"path": "report.pdf", "pages": "1-3,7"}`,
}

// Spec describes it. Reading is all that it does: what runs is our own, on bytes
// that it is handed.
func (reader) Spec() tool.Spec {
	return tool.Spec{
		Name:        toolName,
		Description: "Reads the text of a PDF file, page by page. Images and scanned pages have none.",
		Effects:     tool.Effects{Read: true},
		Schema:      form.Schema(),
	}
}

// given is what a call is about.
func given(raw json.RawMessage) (path, pages string, err error) {
	v, err := form.Read(toolName, raw)
	if err != nil {
		return "", "", err
	}
	pages = strings.TrimSpace(v.Text("pages"))
	_, err = parseSpans(pages)
	return v.Text("path"), pages, err
}

// spec is the process that reads a file. It is contained if anything here can.
func (r reader) spec(pages string) sandbox.Spec {
	return sandbox.Spec{
		Argv: []string{r.Program, stageWord, pages, strconv.Itoa(r.MaxBytes)},
		Dir:  "/",
		Read: []string{r.Program},
		Bounds: sandbox.Bounds{
			Memory: maxMemory, CPU: r.Timeout, Processes: 64, // its threads are counted, too
		},
	}
}

// Plan says which file would be read, without reading it.
func (r reader) Plan(ctx context.Context, raw json.RawMessage) (tool.Plan, error) {
	path, pages, err := given(raw)
	if err != nil {
		return tool.Plan{}, err
	}
	if r.Resolve == nil {
		return tool.Plan{}, errNoResolve
	}
	subject, err := r.Resolve(ctx, path)
	if err != nil {
		return tool.Plan{}, err
	}
	return tool.Plan{Subject: subject, Sandbox: told(r.Runner.Expect(ctx, r.spec(pages)))}, nil
}

func told(report sandbox.Report) *tool.Sandbox {
	return &tool.Sandbox{
		Layer: string(report.Layer), Files: report.Files, Network: report.Network, Processes: report.Processes, Weak: report.Weak,
	}
}

// Run reads the file in a process of its own.
func (r reader) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	path, pages, err := given(raw)
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	file, subject, err := r.Open(ctx, path)
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	defer func() { _ = file.Close() }()

	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	// What the process says of pages that it left out comes on top of the limit.
	said := &output.Buffer{Limit: r.MaxBytes + 4096}
	spec := r.spec(pages)
	// One byte more than is read tells the process that there is more.
	spec.Stdin, spec.Stdout, spec.Stderr = io.LimitReader(file, maxFile+1), said, io.Discard
	ended, err := r.Runner.Run(limited, spec)
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	failed := func(why string) (tool.Result, error) {
		return tool.Result{Text: "cannot read " + wording.Quote(subject) + ": " + why, Failed: true, Sandbox: told(ended.Report)}, nil
	}
	switch {
	case err != nil:
		return tool.Result{Text: "cannot read " + wording.Quote(subject) + ": " + err.Error(), Failed: true}, nil
	case ended.TimedOut:
		return failed(fmt.Sprintf("it takes longer than %s; it may be damaged, or ask for fewer pages", r.Timeout))
	case ended.Exit == exitFailed:
		text, _ := output.Cut(said.String(), 1000)
		return failed(text)
	case ended.Exit != exitWhole && ended.Exit != exitCut:
		return failed("what reads it broke down over it; it is damaged, or made to do that")
	}
	return tool.Result{Text: said.String(), Cut: ended.Exit == exitCut || said.Cut(), Sandbox: told(ended.Report)}, nil
}
