package command

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

type gitTool struct{ Options }

// Git makes the tool that runs git on the repositories of the workspace, without
// network and without any program that a repository could name.
func Git(o Options) tool.Planner { return gitTool{o} }

func (t gitTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "git",
		Description: "Run git on a repository in the workspace: " + strings.Join(subcommandNames(), ", ") +
			". Without network, hooks, filters, pager and editor: give commit messages with -m.",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"args":{"type":"array","items":{"type":"string"},"minItems":1,"description":"What follows git on the command line: the subcommand first, each word an element."},` +
			`"dir":{"type":"string","description":"A folder of the repository, relative to the workspace."}},` +
			`"required":["args"],"additionalProperties":false}`),
		Effects: tool.Effects{Read: true, Write: true, Run: true},
	}
}

// gitCall is what a model gives.
type gitCall struct {
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
}

// call is what a call would run, but for the programs that are to be kept from
// running: these are asked of git itself, see programs.
func (t gitTool) call(ctx context.Context, arguments json.RawMessage) (gitCall, sandbox.Spec, error) {
	var call gitCall
	if err := decode(arguments, &call); err != nil {
		return call, sandbox.Spec{}, err
	}
	writes, err := checkGit(call.Args)
	if err != nil {
		return call, sandbox.Spec{}, err
	}
	dir, err := t.folder(call.Dir)
	if err != nil {
		return call, sandbox.Spec{}, err
	}
	repository, err := t.repository(dir)
	if err != nil {
		return call, sandbox.Spec{}, err
	}
	spec := t.spec(tool.TermsOf(ctx), gitEnvironment(repository, t.Author))
	spec.Dir = dir
	if !writes {
		spec.Read, spec.Write, spec.Keep = append(spec.Read, t.Workspace), nil, nil
		return call, spec, nil
	}
	spec.Keep = slices.DeleteFunc(spec.Keep, func(path string) bool { return filepath.Clean(path) == repository })
	if !spec.Contained && t.Runner.Expect(ctx, spec).Layer == sandbox.Landlock {
		// Landlock lets nobody create files in a folder of which something is kept,
		// and git does so all the time. What runs is git alone.
		return call, spec, nil
	}
	for _, name := range []string{"config", "hooks", "info"} {
		spec.Keep = append(spec.Keep, filepath.Join(repository, name))
	}
	return call, spec, nil
}

func (t gitTool) Plan(ctx context.Context, arguments json.RawMessage) (tool.Plan, error) {
	call, spec, err := t.call(ctx, arguments)
	if err != nil {
		return tool.Plan{}, err
	}
	return t.planned(ctx, spec, line(append([]string{"git"}, call.Args...))), nil
}

func (t gitTool) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	call, spec, err := t.call(ctx, arguments)
	if err != nil {
		return failure(err.Error()), nil
	}
	overrides, err := t.overrides(ctx, spec)
	if errors.Is(err, sandbox.ErrUncontained) {
		return uncontained(err), nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	spec.Env = append(spec.Env, configured(overrides)...)
	spec.Argv = append([]string{"git", "--no-pager"}, withOptions(call.Args)...)
	return t.answer(ctx, spec, t.timeout(), "git has no network, and neither the configuration nor the hooks of a repository can be changed; see knack doctor sandbox")
}
