package command

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

type shellTool struct{ Options }

// Shell makes the tool that runs a command of the model's in the workspace.
func Shell(o Options) tool.Planner { return shellTool{o} }

func (t shellTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "shell",
		Description: "Run a command with sh in the workspace, without input, in a sandbox. " +
			"Files outside of the workspace are out of reach, and so are hosts that were not granted.",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"command":{"type":"string","description":"The command, for sh -c."},` +
			`"timeout_seconds":{"type":"number","description":"End it after this time; it can only shorten the limit of ` + seconds(t.timeout()) + `."},` +
			`"dir":{"type":"string","description":"The folder to run in, relative to the workspace."}},` +
			`"required":["command"],"additionalProperties":false}`),
		Effects: effects,
	}
}

// shellCall is what a model gives.
type shellCall struct {
	Command        string  `json:"command"`
	TimeoutSeconds float64 `json:"timeout_seconds"`
	Dir            string  `json:"dir"`
}

func (t shellTool) call(ctx context.Context, arguments json.RawMessage) (shellCall, sandbox.Spec, error) {
	var call shellCall
	if err := decode(arguments, &call); err != nil {
		return call, sandbox.Spec{}, err
	}
	switch {
	case strings.TrimSpace(call.Command) == "":
		return call, sandbox.Spec{}, errors.New("command is missing")
	case strings.IndexByte(call.Command, 0) >= 0:
		return call, sandbox.Spec{}, errNUL
	case len(call.Command) >= longestWord:
		return call, sandbox.Spec{}, errTooLong
	case call.TimeoutSeconds < 0:
		return call, sandbox.Spec{}, errors.New("timeout_seconds is negative")
	}
	dir, err := t.folder(call.Dir)
	if err != nil {
		return call, sandbox.Spec{}, err
	}
	terms := tool.TermsOf(ctx)
	spec := t.spec(terms, nil)
	t.online(&spec, terms)
	spec.Dir = dir
	spec.Argv = append(append([]string{}, t.shell()...), "-c", call.Command)
	return call, spec, nil
}

func (t shellTool) Plan(ctx context.Context, arguments json.RawMessage) (tool.Plan, error) {
	call, spec, err := t.call(ctx, arguments)
	if err != nil {
		return tool.Plan{}, err
	}
	return t.planned(ctx, spec, call.Command), nil
}

func (t shellTool) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	call, spec, err := t.call(ctx, arguments)
	if err != nil {
		return failure(err.Error()), nil
	}
	timeout := t.timeout()
	if s := call.TimeoutSeconds; s > 0 && s < timeout.Seconds() {
		timeout = time.Duration(s * float64(time.Second))
	}
	return t.answer(ctx, spec, timeout,
		"files outside of the workspace and hosts that were not granted are out of its reach; see knack doctor sandbox")
}
