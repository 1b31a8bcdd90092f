package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		return f.printJSON(jsonEntry(entry))
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
func jsonEntry(e *skill.Entry) *skill.Entry {
	out := *e
	if out.Reasons == nil {
		out.Reasons = []skill.Reason{}
	}
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
			hint: "a skill's folder has a SKILL.md, SKILL.toml or manifest.toml",
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
	entry, err := snap.Find(name)
	var notFound *knack.NotFoundError
	if errors.As(err, &notFound) {
		hint := "knack list -a shows every skill there is; knack doctor shows where Knack looked"
		err = &hintedError{err: notFound, hint: hint}
	}
	return engine, entry, err
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
		fmt.Fprintln(f.env.Stdout, wrap(out, term.Text(e.Description)))
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

func (f *factory) skillFields(e *skill.Entry) []term.Field {
	var fields []term.Field
	add := func(label, value string) {
		if value != "" {
			fields = append(fields, term.Field{Label: label, Value: term.Clean(value)})
		}
	}
	list := func(label string, values []string) { add(label, strings.Join(values, ", ")) }
	add("Folder", f.short(e.Path))
	add("Read from", e.Format)
	add("Source", fmt.Sprintf("%s, %s", e.Source, e.Trust))
	if e.Slug != e.Name {
		add("Slug", e.Slug)
	}
	add("Author", e.Author)
	add("Category", e.Category)
	add("Licence", e.License)
	add("Website", e.Homepage)
	list("Tags", e.Tags)
	list("Triggers", e.Triggers)
	list("Permissions", e.Permissions)
	list("Allowed tools", e.AllowedTools)
	list("Disallowed tools", e.DisallowedTools)
	add("Compatibility", term.Text(e.Compatibility))
	list("Keywords", e.Activation.Keywords)
	list("Not with", e.Activation.ExcludeKeywords)
	list("Patterns", e.Activation.Patterns)
	list("Activation tags", e.Activation.Tags)
	if n := e.Activation.MaxContextTokens; n > 0 {
		add("Token budget", fmt.Sprint(n))
	}
	fields = append(fields, requirementFields(e)...)
	add("Invocation", invocation(e))
	for _, t := range e.Tools {
		add("Tool", toolLine(t))
	}
	for _, s := range e.Recipes {
		add("Needs", installLine(s))
	}
	for _, s := range e.Installers {
		add("Installer", installLine(s))
	}
	for _, x := range e.Extra {
		add("Ignored", x.Key)
	}
	add("Size", fmt.Sprintf("about %d tokens", e.Tokens))
	list("Resources", resourceNames(e.Resources))
	add("Digest", e.Digest)
	return fields
}

func requirementFields(e *skill.Entry) []term.Field {
	var fields []term.Field
	r := e.Requires
	for _, row := range [...]struct {
		label  string
		values []string
	}{
		{"Runs on", r.OS}, {"Needs programs", r.Bins}, {"Needs one of", r.AnyBins},
		{"Needs variables", r.Env}, {"Needs config", r.Config},
	} {
		if len(row.values) > 0 {
			fields = append(fields, term.Field{Label: row.label, Value: term.Clean(strings.Join(row.values, ", "))})
		}
	}
	for _, row := range [...]term.Field{
		{Label: "Main variable", Value: term.Clean(r.PrimaryEnv)}, {Label: "Config key", Value: term.Clean(r.SkillKey)},
	} {
		if row.Value != "" {
			fields = append(fields, row)
		}
	}
	if r.Always {
		fields = append(fields, term.Field{Label: "Always", Value: "passes its gates, except the operating system's"})
	}
	return fields
}

func invocation(e *skill.Entry) string {
	var parts []string
	if e.Invocation.UserDisabled {
		parts = append(parts, "not by users")
	}
	if e.Invocation.ModelDisabled {
		parts = append(parts, "not by the model")
	}
	if e.Dispatch.Kind != "" {
		parts = append(parts, "calls the tool "+e.Dispatch.Tool+" directly")
	}
	if !e.Invocation.ArgumentHint.IsZero() {
		parts = append(parts, "arguments "+term.Text(e.Invocation.ArgumentHint))
	}
	return strings.Join(parts, "; ")
}

func toolLine(t skill.ToolDecl) string {
	what := t.Command
	if t.Kind == "http" {
		what = t.Method + " " + t.URL
	}
	return fmt.Sprintf("%s (%s: %s) %s", t.Name, t.Kind, what, term.Text(t.Description))
}

func installLine(s skill.InstallSpec) string {
	what := s.Package
	if what == "" {
		what = s.URL
	}
	if len(s.Bins) > 0 {
		what += " for " + strings.Join(s.Bins, ", ")
	}
	return s.Kind + " " + what
}

// resourceNames shows the first few files; --json has them all.
func resourceNames(rs []skill.Resource) []string {
	const most = 8 // two lines of a terminal
	var names []string
	for i, r := range rs {
		if i == most {
			return append(names, fmt.Sprintf("and %d more", len(rs)-most))
		}
		names = append(names, filepath.FromSlash(r.Path))
	}
	return names
}

func (f *factory) printReasons(rs []skill.Reason) {
	out := f.stdout()
	for _, r := range rs {
		fmt.Fprintf(f.env.Stdout, "%s %s\n", out.Warn(out.Glyph(term.Bang)), term.Clean(r.Message))
		if r.Hint != "" {
			fmt.Fprintf(f.env.Stdout, "    %s\n", out.Code(term.Clean(r.Hint)))
		}
	}
}
