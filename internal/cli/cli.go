// Package cli is the command line: one file per command. Flags fill an options
// struct, a run function does the work, and neither knows about the process:
// arguments, environment, streams and clock come in through [Env].
//
// Exit codes: 0 done, 1 the answer is no (a lint error, not found, blocked),
// 2 the command line makes no sense, 130 interrupted.
//
// To add a command, write newX(f *factory) *cobra.Command in its own file, add
// it to the table in commands, and a testdata/script/x.txtar that goes through
// it as a user would.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/term"
)

// Env is the process as the command line sees it.
type Env struct {
	Args    []string // without the program's name
	Environ []string
	Dir     string // the working directory; empty if it is gone
	Program string // the program's own file
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Now     func() time.Time
	// Version is the release, empty for a development build.
	Version string
}

// The exit codes.
const (
	exitOK          = 0
	exitNo          = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// Main runs one command line and returns its exit code.
func Main(ctx context.Context, env Env) int {
	sink := &sink{to: env.Stdout}
	f := newFactory(env)
	defer f.close()
	f.env.Stdout = sink
	root := newRoot(f)
	root.SetArgs(withoutPrefix(root, env.Args))
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, errNo) {
		err = cmp.Or(sink.err, err)
	}
	return f.exit(ctx, err)
}

// sink remembers that output was lost, so that a report nobody can read does
// not pass for one without findings.
type sink struct {
	to  io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("output was lost: %w", err)
	}
	return n, err
}

// withoutPrefix lets people who type "knack skills list" have their way, also
// behind flags that come first.
func withoutPrefix(root *cobra.Command, args []string) []string {
	for i := 0; i < len(args); i++ {
		switch name, isFlag := strings.CutPrefix(args[i], "--"); {
		case args[i] == "skill" || args[i] == "skills":
			return slices.Delete(slices.Clone(args), i, i+1)
		case !isFlag || name == "":
			return args
		case root.PersistentFlags().Lookup(name) != nil:
			i++ // its value, since all of them take one
		}
	}
	return args
}

// commands is every command, by the group of the help text it is shown in.
var commands = [...]struct {
	group string
	make  func(*factory) *cobra.Command
}{
	{"use", newList},
	{"use", newShow},
	{"use", newWhy},
	{"use", newSelect},
	{"use", newPrompt},
	{"use", newExec},
	{"use", newRun},
	{"use", newChat},
	{"use", newReload},
	{"author", newLint},
	{"supply", newEnable},
	{"supply", newDisable},
	{"supply", newTrust},
	{"supply", newGrant},
	{"system", newConfig},
	{"system", newDoctor},
	{"system", newAuditLog},
	{"system", newVersion},
}

func newRoot(f *factory) *cobra.Command {
	root := &cobra.Command{
		Use:   knack.NativeHost,
		Short: "The skill engine for AI agents",
		Long: `Knack finds, reads, checks and explains skills for AI agents, whichever system
they were written for. It never runs a skill's code to look at it, and every
skill it finds can be asked about: knack why NAME.`,
		Example: `  knack list                  what can be used here, and what cannot
  knack why pdf-tools         where it was found and what it lacks
  knack lint ./my-skill       what other people's hosts would trip over`,
		Version:       f.version(),
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: orUnknown,
	}
	root.SetVersionTemplate("knack {{.Version}}\n")
	root.SetHelpCommand(newHelp(root))
	root.SetIn(f.env.Stdin)
	root.SetOut(f.env.Stdout)
	root.SetErr(f.env.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err: err} })
	flags := root.PersistentFlags()
	flags.StringVar(&f.flags.host, "host", "", "behave as this skill system")
	flags.StringVar(&f.flags.workspace, "workspace", "", "project whose skills count (default: the enclosing project)")
	flags.StringVar(&f.flags.home, "home", "", "Knack's own directory (default $KNACK_HOME or ~/.knack)")
	flags.BoolVar(&f.flags.trustWorkspace, "trust-workspace", false, "take the workspace for accepted, this time")
	flags.StringVar(&f.flags.log, "log", "", "say on stderr what each step decides: debug, info, warn, error")
	_ = root.RegisterFlagCompletionFunc("host", f.completeHosts) // the flag exists
	for _, g := range [...][2]string{
		{"use", "Use skills:"}, {"author", "Write skills:"}, {"supply", "Manage skills:"}, {"system", "Knack itself:"},
	} {
		root.AddGroup(&cobra.Group{ID: g[0], Title: g[1]})
	}
	for _, c := range commands {
		cmd := c.make(f)
		cmd.GroupID = c.group
		root.AddCommand(cmd)
	}
	root.SetHelpCommandGroupID("system")
	root.SetCompletionCommandGroupID("system")
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = cobra.ArbitraryArgs
			c.RunE = orUnknown
		}
	}
	return root
}

// orUnknown prints the help of a command that has verbs, unless it was given a
// word that is none of them.
func orUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0])
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd, args[len(args)-1])
			}
			return cmd.Help()
		},
	}
}

func unknownCommand(parent *cobra.Command, name string) error {
	err := &usageError{err: fmt.Errorf("unknown command %q of %s", term.Clean(name), parent.CommandPath())}
	var known []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			known = append(append(known, c.Name()), c.Aliases...)
		}
	}
	if meant := near.Words(name, known, 3); len(meant) > 0 {
		err.hint = "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return err
}

// usageError is a command line that makes no sense.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) Hint() string {
	if e.hint != "" {
		return e.hint
	}
	return "knack help lists the commands, knack help COMMAND its flags"
}

// errNo ends a command whose output already says that the answer is no.
var errNo = errors.New("no")

// hintedError is an error with a way out.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }
func (e *hintedError) Hint() string  { return e.hint }

// exit reports err to the user and turns it into the exit code.
func (f *factory) exit(ctx context.Context, err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNo):
		return exitNo
	case ctx.Err() != nil:
		fmt.Fprintln(f.env.Stderr, "knack: interrupted")
		return exitInterrupted
	}
	out := f.stderr()
	fmt.Fprintf(f.env.Stderr, "%s %s\n", out.Bad("knack:"), term.CleanLines(err.Error()))
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		fmt.Fprintf(f.env.Stderr, "  %s\n", term.CleanLines(f.pasted(hinted.Hint())))
	}
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitNo
}

// argCount makes a cobra validator whose complaint is a usage error.
func argCount(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		return &usageError{
			err:  fmt.Errorf("%s takes %s", cmd.CommandPath(), what),
			hint: "usage: " + cmd.UseLine(),
		}
	}
}
