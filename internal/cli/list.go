package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

type listOptions struct {
	all    bool
	json   bool
	status string
}

func newList(f *factory) *cobra.Command {
	var opt listOptions
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the skills that were found",
		Long: `List the skills that can be used here and those that lack something.

With --all it lists everything that was found on disk: also what is disabled,
shadowed by another skill of the same name, or too broken to use, and it looks
into each skill's folder for manifests that lie deeper.`,
		Example: `  knack list
  knack list -a --json | jq '.skills[] | select(.status != "ready")'
  knack list --status gated`,
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), f, opt) },
	}
	cmd.Flags().BoolVarP(&opt.all, "all", "a", false, "every state: also disabled, shadowed and invalid")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	cmd.Flags().StringVar(&opt.status, "status", "", "only this state: ready, gated, disabled, shadowed, invalid")
	return cmd
}

// listed is a skill as `list --json` prints it; the keys are a contract.
type listed struct {
	Name        string         `json:"name"`
	Slug        string         `json:"slug"`
	Description skill.Text     `json:"description"`
	Version     string         `json:"version"`
	Trust       skill.Trust    `json:"trust"`
	Source      string         `json:"source"`
	Root        string         `json:"root"`
	Path        string         `json:"path"`
	Format      string         `json:"format"`
	Status      skill.Status   `json:"status"`
	Reasons     []skill.Reason `json:"reasons"`
	Tools       []string       `json:"tools"`
	Commands    []string       `json:"commands"`
}

var statuses = [...]skill.Status{skill.Ready, skill.Gated, skill.Disabled, skill.Shadowed, skill.Invalid}

func runList(ctx context.Context, f *factory, opt listOptions) error {
	if opt.status != "" && !slices.Contains(statuses[:], skill.Status(opt.status)) {
		return &usageError{err: fmt.Errorf("--status %q is none of ready, gated, disabled, shadowed, invalid", opt.status)}
	}
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	if opt.all {
		done := f.working("looking into skills")
		snap, err = engine.Survey(ctx, snap)
		done()
		if err != nil {
			return err
		}
	}
	var shown []*skill.Entry
	for _, e := range snap.Entries() {
		if opt.shows(e.Status) {
			shown = append(shown, e)
		}
	}
	if opt.json {
		return f.printJSON(f.listJSON(snap, shown))
	}
	f.printList(snap, shown, opt)
	return nil
}

func (opt listOptions) shows(s skill.Status) bool {
	if opt.status != "" {
		return string(s) == opt.status
	}
	return opt.all || s == skill.Ready || s == skill.Gated
}

type listOutput struct {
	Skills      []listed           `json:"skills"`
	Diagnostics []skill.Diagnostic `json:"diagnostics"`
}

func (f *factory) listJSON(snap *knack.Snapshot, shown []*skill.Entry) listOutput {
	commands := snap.Commands()
	out := listOutput{Skills: make([]listed, 0, len(shown)), Diagnostics: snap.Diagnostics()}
	for _, e := range shown {
		row := listed{
			Name: e.Name, Slug: e.Slug, Description: e.Description, Version: e.Version, Trust: e.Trust,
			Source: e.Source, Root: e.Root, Path: e.Path, Format: e.Format, Status: e.Status,
			Reasons: f.pastedReasons(e.Reasons), Tools: []string{}, Commands: []string{},
		}
		for _, t := range e.Tools {
			row.Tools = append(row.Tools, t.Name)
		}
		if name, ok := commands[e]; ok {
			row.Commands = append(row.Commands, name)
		}
		out.Skills = append(out.Skills, row)
		out.Diagnostics = append(out.Diagnostics, e.Diagnostics...)
	}
	if out.Diagnostics == nil {
		out.Diagnostics = []skill.Diagnostic{}
	}
	return out
}

// widestName leaves room for descriptions beside one absurdly long name; of the
// published names 99 in 100 are shorter.
const widestName = 36

func (f *factory) printList(snap *knack.Snapshot, shown []*skill.Entry, opt listOptions) {
	out := f.stdout()
	table := term.Table{Headers: []string{"", "NAME", "SOURCE", "DESCRIPTION"}}
	for _, e := range shown {
		text := term.Text(e.Description)
		if e.Status != skill.Ready && len(e.Reasons) > 0 {
			text = term.Clean(e.Reasons[0].Message)
			if more := len(e.Reasons) - 1; more > 0 {
				text += fmt.Sprintf(" (and %d more)", more)
			}
		}
		name := term.Clean(e.Name)
		if out.TTY() {
			name = term.Truncate(name, widestName)
		}
		table.Rows = append(table.Rows, []string{f.mark(out, e.Status), name, e.Source, text})
	}
	out.Table(table)
	hidden := len(snap.Entries()) - len(shown)
	if opt.status != "" {
		hidden = 0 // the user asked for that state alone
	}
	f.printSummary(snap, hidden)
}

// mark is a state as a glyph on a terminal and as a word elsewhere.
func (f *factory) mark(out *term.Output, s skill.Status) string {
	if !out.TTY() {
		return string(s)
	}
	switch s {
	case skill.Ready:
		return out.Good(out.Glyph(term.Check))
	case skill.Gated:
		return out.Warn(out.Glyph(term.Bang))
	case skill.Invalid:
		return out.Bad(out.Glyph(term.Cross))
	default:
		return out.Dim(out.Glyph(term.Dot))
	}
}

// printSummary counts on stderr, so that scripts read the table alone.
func (f *factory) printSummary(snap *knack.Snapshot, hidden int) {
	count := map[skill.Status]int{}
	for _, e := range snap.Entries() {
		count[e.Status]++
	}
	var parts []string
	for _, s := range statuses {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	if len(parts) == 0 {
		parts = []string{f.pasted("no skills found; knack doctor shows where Knack looked")}
	}
	out := f.stderr()
	fmt.Fprintln(f.env.Stderr, out.Dim(strings.Join(parts, ", ")))
	if hidden > 0 {
		fmt.Fprintln(f.env.Stderr, out.Dim(f.pasted(fmt.Sprintf("%d not shown: knack list -a", hidden))))
	}
	for _, d := range snap.Diagnostics() {
		if d.Severity == skill.Error {
			fmt.Fprintln(f.env.Stderr, out.Bad(term.Clean(d.String())))
		}
	}
	if n := len(snap.Diagnostics()); n > 0 {
		fmt.Fprintln(f.env.Stderr, out.Warn(f.pasted(fmt.Sprintf("%s with configuration or roots: knack doctor", plural(n, "problem")))))
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
