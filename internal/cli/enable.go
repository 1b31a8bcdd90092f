package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

type enableOptions struct {
	enable bool
	json   bool
	names  []string
}

func newEnable(f *factory) *cobra.Command {
	return newSwitch(f, true, "enable", "Switch skills on")
}

func newDisable(f *factory) *cobra.Command {
	return newSwitch(f, false, "disable", "Switch skills off without removing them")
}

func newSwitch(f *factory, enable bool, verb, short string) *cobra.Command {
	opt := enableOptions{enable: enable}
	cmd := &cobra.Command{
		Use:   verb + " NAME…",
		Short: short,
		Long: short + `.

It is written to the configuration file in Knack's home; nothing is moved or
deleted, and everything else in that file stays as it is.`,
		Example:           "  knack " + verb + " weather",
		Args:              argCount(1, -1, "the names of skills"),
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.names = args
			return runSwitch(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	return cmd
}

// switched is one line of `enable --json`.
type switched struct {
	Name    string       `json:"name"`
	Enabled bool         `json:"enabled"`
	Status  skill.Status `json:"status"`
	File    string       `json:"file"`
}

func runSwitch(ctx context.Context, f *factory, opt enableOptions) error {
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	var entries []*skill.Entry // all are found before one is written
	for _, name := range opt.names {
		e, err := snap.Find(name)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	for _, e := range entries {
		if err := engine.SetEnabled(ctx, e, opt.enable); errors.Is(err, knack.ErrNoConfig) {
			return &hintedError{err: err, hint: "set HOME or pass --home DIR"}
		} else if err != nil {
			return err
		}
	}
	_, after, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	return f.reportSwitch(engine, after, entries, opt)
}

func (f *factory) reportSwitch(engine *knack.Engine, after *knack.Snapshot, entries []*skill.Entry, opt enableOptions) error {
	var rows []switched
	for _, e := range entries {
		row := switched{Name: e.Name, Enabled: opt.enable, Status: e.Status, File: engine.ConfigFile(false)}
		now := e
		for _, x := range after.Entries() {
			if x.Path == e.Path {
				now, row.Status = x, x.Status
			}
		}
		rows = append(rows, row)
		if !opt.json {
			fmt.Fprintf(f.env.Stdout, "%s: %s\n", term.Clean(e.Name), summary(now))
		}
	}
	if opt.json {
		return f.printJSON(map[string]any{"skills": rows})
	}
	return nil
}
