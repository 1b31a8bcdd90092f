package command

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

const gitName = "git"

// gitForm is what a model gives.
var gitForm = arguments.Form{
	Fields: []arguments.Field{
		{Name: "args", Kind: arguments.Texts, Required: true, Filled: true, Help: "What follows git on the command line: the subcommand first, each word an element."},
		{Name: "dir", Help: "A folder of the repository, relative to the workspace."},
	},
	Example: `{"args": ["log", "--oneline", "-5"], "dir": "src"}`,
}

type gitTool struct{ Options }

// Git makes the tool that runs git on the repositories of the workspace, without
// network and without any program that a repository could name.
func Git(o Options) tool.Planner { return gitTool{o} }

func (t gitTool) Spec() tool.Spec {
	return tool.Spec{
		Name: gitName,
		Description: "Run git on a repository in the workspace: " + strings.Join(subcommandNames(), ", ") +
			". Without network, hooks, filters, pager and editor: give commit messages with -m.",
		Schema:  gitForm.Schema(),
		Effects: tool.Effects{Read: true, Write: true, Run: true},
	}
}

// call is what a call would run, but for what depends on the repository's
// configuration: git itself is asked about that, see keys.
func (t gitTool) call(ctx context.Context, raw json.RawMessage) (args []string, spec sandbox.Spec, err error) {
	given, err := gitForm.Read(gitName, raw)
	if err != nil {
		return nil, spec, err
	}
	args = given.Texts("args")
	writes, err := checkGit(args)
	if err != nil {
		return args, spec, err
	}
	dir, err := t.folder(given.Text("dir"))
	if err != nil {
		return args, spec, err
	}
	repository, err := t.repository(dir)
	if err != nil {
		return args, spec, err
	}
	spec = t.spec(tool.TermsOf(ctx), gitEnvironment(repository))
	spec.Dir = dir
	if !writes {
		spec.Read, spec.Write, spec.Keep = append(spec.Read, t.Workspace), nil, nil
		return args, spec, nil
	}
	spec.Keep = slices.DeleteFunc(spec.Keep, func(path string) bool { return filepath.Clean(path) == repository })
	if !spec.Contained && t.Runner.Expect(ctx, spec).Layer == sandbox.Landlock {
		// Landlock lets nobody create files in a folder of which something is kept,
		// and git does so all the time. What runs is git alone.
		return args, spec, nil
	}
	for _, name := range []string{"config", "hooks", "info"} {
		spec.Keep = append(spec.Keep, filepath.Join(repository, name))
	}
	return args, spec, nil
}

func (t gitTool) Plan(ctx context.Context, raw json.RawMessage) (tool.Plan, error) {
	args, spec, err := t.call(ctx, raw)
	if err != nil {
		return tool.Plan{}, err
	}
	return t.planned(ctx, spec, line(append([]string{"git"}, args...))), nil
}

func (t gitTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	args, spec, err := t.call(ctx, raw)
	if err != nil {
		return failure(err.Error()), nil
	}
	keys, err := t.keys(ctx, spec)
	if errors.Is(err, sandbox.ErrUncontained) {
		return uncontained(err), nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	settings, err := overrides(keys)
	if err != nil {
		return tool.Result{}, err
	}
	spec.Env = append(append(spec.Env, configured(settings)...), identity(t.Author, keys)...)
	spec.Argv = append([]string{"git", "--no-pager"}, withOptions(args)...)
	result, err := t.answer(ctx, spec, t.timeout(), "git has no network, and neither the configuration nor the hooks of a repository can be changed; see knack doctor sandbox")
	if result.Failed && strings.Contains(result.Text, asksWho) {
		result.Text += nobody
	}
	return result, err
}
