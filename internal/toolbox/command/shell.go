package command

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

const shellName = "shell"

type shellTool struct{ Options }

// Shell makes the tool that runs a command of the model's in the workspace.
func Shell(o Options) tool.Planner { return shellTool{o} }

func (t shellTool) Spec() tool.Spec {
	return tool.Spec{
		Name: shellName,
		Description: "Run a command with sh in the workspace, without input, in a sandbox. " +
			"Files outside of the workspace are out of reach, and so are hosts that were not granted.",
		Schema:  t.form().Schema(),
		Effects: effects,
	}
}

func (t shellTool) form() arguments.Form {
	return arguments.Form{
		Fields: []arguments.Field{
			{Name: "command", Required: true, Filled: true, Help: "The command, for sh -c."},
			{Name: "timeout_seconds", Kind: arguments.Number, Help: "End it after this time; it can only shorten the limit of " + seconds(t.timeout()) + "."},
			{Name: "dir", Help: "The folder to run in, relative to the workspace."},
		},
		Example: `{"command": "ls -l", "dir": "src"}`,
	}
}

// shellCall is what a model gives.
type shellCall struct {
	command string
	seconds float64
}

func (t shellTool) call(ctx context.Context, raw json.RawMessage) (shellCall, sandbox.Spec, error) {
	given, err := t.form().Read(shellName, raw)
	if err != nil {
		return shellCall{}, sandbox.Spec{}, err
	}
	call := shellCall{given.Text("command"), given.Number("timeout_seconds")}
	switch {
	case strings.IndexByte(call.command, 0) >= 0:
		return call, sandbox.Spec{}, errNUL
	case len(call.command) >= longestWord:
		return call, sandbox.Spec{}, errTooLong
	}
	dir, err := t.folder(given.Text("dir"))
	if err != nil {
		return call, sandbox.Spec{}, err
	}
	terms := tool.TermsOf(ctx)
	spec := t.spec(terms, nil)
	spec.Read = slices.Clone(t.Read)
	t.online(&spec, terms)
	spec.Dir = dir
	spec.Argv = append(append([]string{}, t.shell()...), "-c", call.command)
	return call, spec, nil
}

func (t shellTool) Plan(ctx context.Context, raw json.RawMessage) (tool.Plan, error) {
	call, spec, err := t.call(ctx, raw)
	if err != nil {
		return tool.Plan{}, err
	}
	return t.planned(ctx, spec, call.command), nil
}

func (t shellTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	call, spec, err := t.call(ctx, raw)
	if err != nil {
		return failure(err.Error()), nil
	}
	timeout := t.timeout()
	if s := call.seconds; s > 0 && s < timeout.Seconds() {
		timeout = time.Duration(s * float64(time.Second))
	}
	return t.answer(ctx, spec, timeout,
		"files outside of the workspace and hosts that were not granted are out of its reach; see knack doctor sandbox")
}
