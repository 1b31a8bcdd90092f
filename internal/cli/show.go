package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

type showOptions struct {
	json bool
	body bool
	name string
}

func newShow(f *factory) *cobra.Command {
	var opt showOptions
	cmd := &cobra.Command{
		Use:     "show NAME|DIR",
		Aliases: []string{"info"},
		Short:   "Show one skill whole",
		Long: `Show one skill: everything its author declared, in one form whichever dialect it
was written in, what is wrong with its files, and the digest over every byte.

A directory is read on its own, wherever it is; so ./x is always the directory.`,
		Example: `  knack show weather
  knack show ./my-skill --json
  knack show weather --body`,
		Args:              argCount(1, 1, "the name or the directory of one skill"),
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.name = args[0]
			return runShow(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&opt.body, "body", false, "print the instructions too")
	return cmd
}

func runShow(ctx context.Context, f *factory, opt showOptions) error {
	entry, err := f.skillOrDir(ctx, opt.name)
	if err != nil {
		return err
	}
	if opt.json {
		return f.printJSON(f.jsonEntry(entry))
	}
	f.printSkill(entry)
	if opt.body {
		fmt.Fprintln(f.env.Stdout)
		for _, p := range append(entry.Prompts[:len(entry.Prompts):len(entry.Prompts)], entry.Body) {
			fmt.Fprintln(f.env.Stdout, strings.TrimRight(term.Lines(p), "\n"))
		}
	}
	return nil
}

// jsonEntry makes empty lists of missing ones, which are easier to read.
func (f *factory) jsonEntry(e *skill.Entry) *skill.Entry {
	out := *e
	out.Reasons = f.pastedReasons(e.Reasons)
	if out.Diagnostics == nil {
		out.Diagnostics = []skill.Diagnostic{}
	}
	return &out
}

// skillOrDir finds what the user means: a path is a directory read on its own;
// a plain word is a skill's name first.
func (f *factory) skillOrDir(ctx context.Context, name string) (*skill.Entry, error) {
	if looksLikePath(name) {
		engine, err := f.engine(ctx)
		if err != nil {
			return nil, err
		}
		return f.inspect(ctx, engine, name)
	}
	engine, entry, err := f.find(ctx, name)
	if err == nil {
		return engine.Load(ctx, entry)
	}
	var notFound *knack.NotFoundError
	if st, statErr := os.Stat(f.abs(name)); errors.As(err, &notFound) && statErr == nil && st.IsDir() {
		return f.inspect(ctx, engine, name)
	}
	return nil, err
}

func looksLikePath(name string) bool {
	return strings.ContainsAny(name, `/\`) || name == "." || name == ".." || strings.HasPrefix(name, "~")
}

func (f *factory) inspect(ctx context.Context, engine *knack.Engine, dir string) (*skill.Entry, error) {
	entry, err := engine.Inspect(ctx, f.abs(dir))
	if errors.Is(err, knack.ErrNoManifest) {
		return nil, &hintedError{
			err:  fmt.Errorf("%s holds no skill", dir),
			hint: "a skill's folder has a " + manifestNames(engine),
		}
	}
	return entry, err
}

// find looks a skill up by name in everything that was found.
func (f *factory) find(ctx context.Context, name string) (*knack.Engine, *skill.Entry, error) {
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	entry, err := f.lookup(snap, name)
	return engine, entry, err
}

// lookup finds a skill by name, or by the path of its folder.
func (f *factory) lookup(snap *knack.Snapshot, name string) (*skill.Entry, error) {
	if looksLikePath(name) {
		name = f.abs(name)
	}
	entry, err := snap.Find(name)
	var notFound *knack.NotFoundError
	if errors.As(err, &notFound) {
		hint := "knack list -a shows every skill there is; knack doctor shows where Knack looked"
		err = &hintedError{err: notFound, hint: hint}
	}
	return entry, err
}

func (f *factory) printSkill(e *skill.Entry) {
	out := f.stdout()
	title := term.Clean(e.Name)
	if e.Emoji != "" {
		title = term.Clean(e.Emoji) + " " + title
	}
	if e.Version != "" {
		title += " " + term.Clean(e.Version)
	}
	fmt.Fprintf(f.env.Stdout, "%s  %s %s\n", out.Title(title), f.mark(out, e.Status), f.statusWord(out, e.Status))
	if !e.Description.IsZero() {
		fmt.Fprintln(f.env.Stdout, wrap(out, term.Text(e.Description), 0))
	}
	fmt.Fprintln(f.env.Stdout)
	out.Fields(f.skillFields(e))
	if len(e.Reasons) > 0 {
		fmt.Fprintln(f.env.Stdout)
		f.printReasons(e.Reasons)
	}
	if len(e.Diagnostics) > 0 {
		fmt.Fprintln(f.env.Stdout)
		f.printDiagnostics(e.Diagnostics)
	}
}

// statusWord repeats the state in words where mark is only a glyph.
func (f *factory) statusWord(out *term.Output, s skill.Status) string {
	if !out.TTY() {
		return ""
	}
	return out.Dim(string(s))
}

func (f *factory) printReasons(rs []skill.Reason) {
	out := f.stdout()
	for _, r := range rs {
		fmt.Fprintf(f.env.Stdout, "%s %s\n", out.Warn(out.Glyph(term.Bang)), term.Clean(r.Message))
		f.printHints([]skill.Reason{r})
	}
}

// printHints shows the ways out, each on lines of its own.
func (f *factory) printHints(rs []skill.Reason) {
	out := f.stdout()
	for _, r := range rs {
		if r.Hint != "" {
			fmt.Fprintf(f.env.Stdout, "    %s\n", out.Code(wrap(out, term.Clean(f.pasted(r.Hint)), 4)))
		}
	}
}
