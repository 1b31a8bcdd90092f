// Package command has the tools that run programs: shell, git, and those of kind
// shell that skills bring along.
//
// Everything runs through a [sandbox.Runner], with an environment that is put
// together here, never inherited, without input, for no longer than a time-out,
// and with no more output than a cap, of which head and tail are kept.
//
// # Tools of skills
//
// A skill's author writes a command for sh. It runs in the skill's folder, which
// is read-only; the workspace is writable, and its path is in WORKSPACE, that of
// the skill's folder in SKILL_DIR. A script that the command begins with, such as
// ./scripts/check.sh, needs no x bit.
//
// What a model gives for the declared arguments reaches the command in three
// ways. In each of them a value is one whole word, or a part of one, whatever it
// holds; it never is source of the shell that runs the command. What the author's
// programs do with that word is up to the author.
//
//   - {{name}} in the command stands for the value: as a word, as a part of a
//     word, between double quotes, between single quotes, and within "$( )". In
//     comments it means nothing. What no argument is named, such as {{.Names}},
//     stays as it is.
//   - "$@" and "$1", "$2" … are the values in the order of declaration, with an
//     empty one for each that is missing between others. A command that has
//     neither placeholders nor these, does not name a variable of the third way,
//     and is one simple command, gets "$@" appended.
//   - "$KNACK_ARG_NAME" in the environment, the name in upper case and everything
//     but letters and digits as an underscore.
//
// Where a value could become many words or source, the command is refused as a
// whole: see [Check]. That is a parameter or $( ) without quotes, the place of the
// program's name, arithmetic, ${ }, backquotes; and for placeholders here-documents,
// and all that follows something which shells read in different ways. So are, as
// mistakes that are easily made and easily seen, the source of another shell or
// interpreter (sh -c, eval, awk) and the program behind env, nice, xargs and the
// like. These are lists of well-known programs, and no promise: a value that is
// piped into a shell, or that a program takes for commands of its own, gets there,
// and it is the sandbox that holds what comes of it.
//
// A tool that declares no arguments has one, args, that may be left out.
//
// A value that begins with a hyphen would be taken for an option. It is refused,
// unless the argument is declared to take it, or each of its places in the
// command follows a word -- or a part of the same word, as in --to={{name}}.
//
// # Git
//
// The git tool has the subcommands that work on a local repository. Neither the
// configuration of the user nor the machine counts, and whatever that of the
// repository says, no hook, filter, pager, editor, helper or driver is started.
// Subcommands that only look leave the repository as it is; the others write to
// it, but never to its configuration or its hooks.
package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/tool"
)

// DefaultTimeout is how long a program may run: what authors of skills count on.
const DefaultTimeout = 120 * time.Second

// Options are what all programs have in common. Paths are absolute.
type Options struct {
	Runner    sandbox.Runner
	Workspace string   // the folder that programs may write to
	Keep      []string // what lies in the workspace and is read-only all the same
	Read      []string // what [Shell] may read, besides the system and the workspace; nobody else may
	Env       []string // what every program gets: PATH, LANG, TERM …
	// Timeout is how long a program may run; zero is [DefaultTimeout].
	Timeout time.Duration
	// MaxOutput is how many bytes are kept of each stream; zero is
	// [output.DefaultLimit].
	MaxOutput int
	// Proxy makes what serves the connections of a program under these terms. It,
	// or what it returns, is nil where no host may be reached.
	Proxy  func(tool.Terms) func(net.Listener)
	Bounds sandbox.Bounds
	// Shell is the command of a POSIX shell; empty is sh.
	Shell []string
	// Author is who commits where the repository's configuration does not say, as
	// "Name <address>"; without both, nobody does.
	Author string
}

func (o Options) timeout() time.Duration {
	if o.Timeout <= 0 {
		return DefaultTimeout
	}
	return o.Timeout
}

func (o Options) shell() []string {
	if len(o.Shell) == 0 {
		return []string{"sh"}
	}
	return o.Shell
}

// spec is what every program has in common. own are variables that nothing else
// may set.
func (o Options) spec(terms tool.Terms, own map[string]string) sandbox.Spec {
	spec := sandbox.Spec{
		Env: o.environment(terms, own), Dir: o.Workspace,
		Keep:   slices.Clone(o.Keep),
		Bounds: o.Bounds, Contained: terms.Contained,
	}
	if o.Workspace != "" {
		spec.Write = []string{o.Workspace}
	}
	return spec
}

// online lets a program reach what its terms allow.
func (o Options) online(spec *sandbox.Spec, terms tool.Terms) {
	if o.Proxy != nil && (len(terms.Hosts) > 0 || terms.Anywhere) {
		spec.Proxy = o.Proxy(terms)
	}
}

// environment is sorted, and has each name once.
func (o Options) environment(terms tool.Terms, own map[string]string) []string {
	all := map[string]string{}
	for _, line := range o.Env {
		if name, value, ok := strings.Cut(line, "="); ok && name != "" {
			all[name] = value
		}
	}
	maps.Copy(all, terms.Env)
	for name := range all {
		if strings.HasPrefix(name, variablePrefix) { // only arguments are called that
			delete(all, name)
		}
	}
	maps.Copy(all, own)
	var env []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+all[name])
	}
	return env
}

// planned is the part of a plan that follows from a spec.
func (o Options) planned(ctx context.Context, spec sandbox.Spec, subject string) tool.Plan {
	plan := tool.Plan{
		Subject: subject, Command: subject, Dir: spec.Dir, Write: spec.Write,
		Sandbox: contained(o.Runner.Expect(ctx, spec)),
	}
	for _, line := range spec.Env {
		name, _, _ := strings.Cut(line, "=")
		plan.Env = append(plan.Env, name)
	}
	return plan
}

// ending is how a program ended and what it wrote.
type ending struct {
	sandbox.Result
	stdout, stderr output.Buffer
	timeout        time.Duration
}

// run runs a program. The error is the caller's that ended the call, or tells that
// the program did not start.
func (o Options) run(ctx context.Context, spec sandbox.Spec, timeout time.Duration) (*ending, error) {
	end := &ending{timeout: timeout}
	end.stdout.Limit, end.stderr.Limit = o.MaxOutput, o.MaxOutput
	spec.Stdout, spec.Stderr = &end.stdout, &end.stderr
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := o.Runner.Run(limited, spec)
	end.Result = result
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, sandbox.ErrUncontained):
		return nil, err
	case err != nil && limited.Err() != nil:
		end.TimedOut = true // before it began
	case err != nil:
		return nil, fmt.Errorf("%s could not be started: %w", filepath.Base(spec.Argv[0]), err)
	}
	return end, nil
}

// answer runs a program and words what became of it. advice goes below a failure
// that the sandbox may be the reason of.
func (o Options) answer(ctx context.Context, spec sandbox.Spec, timeout time.Duration, advice string) (tool.Result, error) {
	end, err := o.run(ctx, spec, timeout)
	if errors.Is(err, sandbox.ErrUncontained) {
		return uncontained(err), nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	return end.answer(advice), nil
}

func contained(r sandbox.Report) *tool.Sandbox {
	return &tool.Sandbox{
		Layer: string(r.Layer), Files: r.Files, Network: r.Network, Processes: r.Processes, Weak: r.Weak,
	}
}
