package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

type reloadOptions struct {
	json  bool
	watch bool
}

func newReload(f *factory) *cobra.Command {
	var opt reloadOptions
	cmd := &cobra.Command{
		Use:   "reload",
		Short: "Read every skill anew and report what changed",
		Long: `Read every skill anew, without the index of what was read before, and report
what is different from the last load.

With --watch it stays and reports each change of the skills' folders until it
is interrupted.`,
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runReload(cmd.Context(), f, opt) },
	}
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON, with --watch one object a line")
	cmd.Flags().BoolVar(&opt.watch, "watch", false, "stay and report changes as they happen")
	return cmd
}

func runReload(ctx context.Context, f *factory, opt reloadOptions) error {
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	before, err := engine.Remembered(ctx)
	if err != nil {
		return err
	}
	after, err := engine.Reload(ctx)
	if err != nil {
		return err
	}
	if err := f.reportChanges(before, after, opt); err != nil || !opt.watch {
		return err
	}
	last := after
	err = engine.Watch(ctx, func(s *knack.Snapshot) {
		if printErr := f.reportChanges(last, s, opt); printErr == nil {
			last = s
		}
	})
	return err
}

func (f *factory) reportChanges(before, after *knack.Snapshot, opt reloadOptions) error {
	var changes []knack.Change
	if before != nil {
		changes = knack.Changes(before, after)
	}
	if opt.json {
		return f.printJSONLine(map[string]any{
			"version": after.Version(), "skills": len(after.Entries()), "changes": nonNil(changes),
		})
	}
	out := f.stdout()
	for _, c := range changes {
		line := fmt.Sprintf("%-8s %s  %s", c.Kind, term.Clean(c.Name), out.Dim(f.short(c.Path)))
		if c.Detail != "" {
			line += "  " + term.Clean(c.Detail)
		}
		fmt.Fprintln(f.env.Stdout, line)
	}
	switch {
	case before == nil:
		fmt.Fprintln(f.env.Stdout, "there was no earlier load to compare with")
	case len(changes) == 0:
		fmt.Fprintln(f.env.Stdout, "nothing changed")
	}
	fmt.Fprintln(f.env.Stdout, out.Dim(plural(len(after.Entries()), "skill")))
	return nil
}
