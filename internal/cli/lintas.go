package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

// lintAsOutput is `lint --as HOST --json`.
type lintAsOutput struct {
	Host   string           `json:"host"`
	Skills []*knack.Verdict `json:"skills"`
	// Refused counts the skills that the host would not see or not take.
	Refused int `json:"refused"`
}

func runLintAs(ctx context.Context, f *factory, opt lintOptions) error {
	out := lintAsOutput{Host: opt.as}
	dirs := opt.dirs
	if len(dirs) == 0 {
		var err error
		if dirs, err = f.lintDirs(ctx); err != nil {
			return err
		}
	}
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	var folders []string
	for _, dir := range dirs {
		found, err := f.foldersIn(ctx, f.abs(dir))
		if err != nil {
			return err
		}
		folders = append(folders, found...)
	}
	if out.Skills, err = engine.As(ctx, out.Host, folders...); err != nil {
		return unknownHost(err, engine)
	}
	for _, v := range out.Skills {
		if v.Outcome == knack.Dropped || v.Outcome == knack.Unseen {
			out.Refused++
		}
	}
	if opt.json {
		err = f.printJSON(out)
	} else {
		f.printVerdicts(out)
	}
	if err == nil && out.Refused > 0 {
		return errNo
	}
	return err
}

// foldersIn are those of the skill in dir, or of every skill below it that Knack
// sees: what a host would overlook is part of the answer.
func (f *factory) foldersIn(ctx context.Context, dir string) ([]string, error) {
	alone, err := f.alone(ctx, dir)
	if err != nil {
		return nil, err
	}
	entries, _, err := f.skillsIn(ctx, alone, dir)
	if err != nil {
		return nil, err
	}
	folders := make([]string, len(entries))
	for i, entry := range entries {
		folders[i] = entry.Path
	}
	return folders, nil
}

// unknownHost makes a mistake in the name of a host one of usage.
func unknownHost(err error, engine *knack.Engine) error {
	var unknown *knack.UnknownHostError
	if errors.As(err, &unknown) {
		return &usageError{err: fmt.Errorf("--as: no host named %q; known are %s", unknown.Name, strings.Join(engine.HostNames(), ", "))}
	}
	return err
}

func (f *factory) printVerdicts(out lintAsOutput) {
	w := f.stdout()
	for _, v := range out.Skills {
		outcome := string(v.Outcome)
		switch v.Outcome {
		case knack.Loads:
			outcome = w.Good(outcome)
		case knack.Dropped, knack.Unseen:
			outcome = w.Bad(outcome)
		default:
			outcome = w.Warn(outcome)
		}
		line := fmt.Sprintf("%s: %s as %s", term.Clean(f.short(v.Path)), outcome, term.Clean(v.Host))
		if v.Name != "" {
			line += fmt.Sprintf(", named %s", term.Clean(v.Name))
		}
		if v.Documented != "" {
			line += w.Dim(fmt.Sprintf(" (%s by its documents)", v.Documented))
		}
		fmt.Fprintln(f.env.Stdout, wrap(w, line, 2))
		for _, r := range v.Reasons {
			fmt.Fprintln(f.env.Stdout, "  "+wrap(w, "because "+term.Clean(r.Message), 4))
			if r.Hint != "" {
				fmt.Fprintln(f.env.Stdout, "    "+wrap(w, term.Clean(forHost(r.Hint, v.Host)), 4))
			}
		}
		for _, l := range v.Loses {
			place := ""
			if l.Line > 0 {
				place = w.Dim(fmt.Sprintf(" (%s:%d)", term.Clean(l.File), l.Line))
			}
			fmt.Fprintln(f.env.Stdout, "  "+wrap(w, fmt.Sprintf("loses %s: %s%s", term.Clean(l.Field), term.Clean(l.Why), place), 4))
		}
	}
	fmt.Fprintf(f.env.Stdout, "%s judged as %s: %d refused\n", plural(len(out.Skills), "skill"), term.Clean(out.Host), out.Refused)
}

// completeHosts offers the names of hosts to the shell.
func (f *factory) completeHosts(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	engine, err := f.engine(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return engine.HostNames(), cobra.ShellCompDirectiveNoFileComp
}
