package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

type lintOptions struct {
	dirs   []string
	json   bool
	sarif  bool
	strict bool
	fix    bool
	as     string
}

func newLint(f *factory) *cobra.Command {
	var opt lintOptions
	cmd := &cobra.Command{
		Use:   "lint [DIR…]",
		Short: "Check skills the way an author wants to know",
		Long: `Read skills and say what is wrong with them, with file and line: what had to be
repaired, what has no effect, what other hosts would trip over, and what good
practice would change. A directory that holds no skill itself is searched for
skills below it. Without DIR it is the skill you stand in, else all skills of
the workspace.

The exit code is 1 if there are errors, with --strict also for warnings.
--fix writes the repairs that Knack made while reading back to the file and
changes nothing else in it.

--as HOST tells what another skill system would do with the skill instead: load
it, gate it, drop it, which of its fields would be lost, and why, in that
system's own words. The exit code is 1 if it would not see or not take it.`,
		Example: `  knack lint ./my-skill
  knack lint --fix ./my-skill
  knack lint --as HOST ./my-skill
  knack lint --sarif skills/ > lint.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.dirs = args
			switch {
			case opt.json && opt.sarif:
				return &usageError{err: errors.New("--json and --sarif exclude each other")}
			case opt.as == "" && cmd.Flags().Changed("as"):
				return &usageError{err: errors.New("--as takes the name of a host")}
			case opt.as != "" && (opt.sarif || opt.fix || opt.strict):
				return &usageError{err: errors.New("--as goes with --json only")}
			case opt.as != "":
				return runLintAs(cmd.Context(), f, opt)
			}
			return runLint(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&opt.sarif, "sarif", false, "print SARIF 2.1.0, as code hosts show it")
	cmd.Flags().BoolVar(&opt.strict, "strict", false, "warnings fail too")
	cmd.Flags().BoolVar(&opt.fix, "fix", false, "write the repairs back to the files")
	cmd.Flags().StringVar(&opt.as, "as", "", "tell what this host would do with the skills")
	_ = cmd.RegisterFlagCompletionFunc("as", f.completeHosts)
	return cmd
}

// lintResult is one skill of `lint --json`.
type lintResult struct {
	Name        string             `json:"name"`
	Path        string             `json:"path"`
	Status      skill.Status       `json:"status"`
	Diagnostics []skill.Diagnostic `json:"diagnostics"`
}

type lintOutput struct {
	Skills   []lintResult `json:"skills"`
	Errors   int          `json:"errors"`
	Warnings int          `json:"warnings"`
	Fixed    []string     `json:"fixed"`
}

func runLint(ctx context.Context, f *factory, opt lintOptions) error {
	out := lintOutput{Skills: []lintResult{}, Fixed: []string{}}
	dirs := opt.dirs
	if len(dirs) == 0 {
		var err error
		if dirs, err = f.lintDirs(ctx); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		if err := f.lintDir(ctx, f.abs(dir), opt, &out); err != nil {
			return err
		}
	}
	for _, s := range out.Skills {
		for _, d := range s.Diagnostics {
			switch d.Severity {
			case skill.Error:
				out.Errors++
			case skill.Warning:
				out.Warnings++
			}
		}
	}
	if err := f.printLint(out, opt); err != nil {
		return err
	}
	if out.Errors > 0 || opt.strict && out.Warnings > 0 {
		return errNo
	}
	return nil
}

// alone is an engine that sees one directory: what else is installed or
// configured here does not matter to its author.
func (f *factory) alone(ctx context.Context, dir string) (*knack.Engine, error) {
	return f.engine(ctx, func(opt *knack.Options) {
		opt.OnlyRoots, opt.NoBundled, opt.NoIndex = true, true, true
		opt.Roots = []knack.Root{{Path: dir, Trust: skill.Trusted, FollowLinks: true}}
	})
}

// lintDir checks the skill in dir, or every skill below it.
func (f *factory) lintDir(ctx context.Context, dir string, opt lintOptions, out *lintOutput) error {
	engine, err := f.alone(ctx, dir)
	if err != nil {
		return err
	}
	entries, problems, err := f.skillsIn(ctx, engine, dir)
	if err != nil {
		return err
	}
	// What stands in the way of finding skills is a finding too.
	if len(problems) > 0 {
		out.Skills = append(out.Skills, lintResult{Name: filepath.Base(dir), Path: dir, Status: skill.Invalid, Diagnostics: problems})
	}
	for _, entry := range entries {
		if err := f.lintOne(ctx, engine, entry, opt, out); err != nil {
			return err
		}
	}
	return nil
}

// skillsIn reads the skill in dir, or every skill below it, with what stands in
// the way of finding them.
func (f *factory) skillsIn(ctx context.Context, engine *knack.Engine, dir string) ([]*skill.Entry, []skill.Diagnostic, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil, &hintedError{err: fmt.Errorf("%s: no such directory", dir), hint: "give the folder of a skill, or one that holds skills"}
	}
	entry, err := engine.Inspect(ctx, dir)
	if err == nil {
		return []*skill.Entry{entry}, nil, nil
	}
	if !errors.Is(err, knack.ErrNoManifest) {
		return nil, nil, err
	}
	snap, err := engine.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(snap.Diagnostics()) == 0 && len(snap.Entries()) == 0 {
		return nil, nil, &hintedError{err: fmt.Errorf("%s holds no skill", dir),
			hint: "a skill's folder has a SKILL.md, SKILL.toml or manifest.toml; hidden folders are not searched"}
	}
	var entries []*skill.Entry
	for _, e := range snap.Entries() {
		entry, err := engine.Inspect(ctx, e.Path)
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, entry)
	}
	return entries, snap.Diagnostics(), nil
}

// lintDirs are the directories to check when none is named: the skill the user
// stands in, else the roots of the workspace, else what lies below.
func (f *factory) lintDirs(ctx context.Context) ([]string, error) {
	here := f.abs(".")
	engine, err := f.engine(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := engine.Inspect(ctx, here); err == nil {
		return []string{here}, nil
	}
	var dirs []string
	for _, r := range engine.Roots() {
		if r.Class == "workspace" && r.Exists {
			dirs = append(dirs, r.Path)
		}
	}
	if len(dirs) == 0 {
		dirs = []string{here}
	}
	return dirs, nil
}

func (f *factory) lintOne(ctx context.Context, engine *knack.Engine, entry *skill.Entry, opt lintOptions, out *lintOutput) error {
	if opt.fix {
		fixed, err := engine.Fix(ctx, entry)
		if err != nil {
			return err
		}
		if len(fixed) > 0 {
			out.Fixed = append(out.Fixed, fixed...)
			if entry, err = engine.Inspect(ctx, entry.Path); err != nil {
				return err
			}
		}
	}
	ds := slices.Concat(entry.Diagnostics, engine.Advise(entry))
	skill.SortDiagnostics(ds)
	if ds == nil {
		ds = []skill.Diagnostic{}
	}
	out.Skills = append(out.Skills, lintResult{Name: entry.Name, Path: entry.Path, Status: entry.Status, Diagnostics: ds})
	return nil
}

func (f *factory) printLint(out lintOutput, opt lintOptions) error {
	switch {
	case opt.json:
		return f.printJSON(out)
	case opt.sarif:
		return f.printJSON(sarifLog(out.Skills, f.version()))
	}
	for _, s := range out.Skills {
		f.printDiagnostics(s.Diagnostics)
	}
	for _, file := range out.Fixed {
		fmt.Fprintf(f.env.Stdout, "fixed %s\n", f.short(file))
	}
	fmt.Fprintf(f.env.Stdout, "%s checked: %s, %s\n", plural(len(out.Skills), "skill"),
		plural(out.Errors, "error"), plural(out.Warnings, "warning"))
	return nil
}
