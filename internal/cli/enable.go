package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

type enableOptions struct {
	enable bool
	json   bool
	host   bool
	names  []string
}

// target is the file that the user means.
func (opt *enableOptions) target() knack.Target {
	if opt.host {
		return knack.HostsOwn
	}
	return knack.User
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
deleted, and everything else in that file stays as it is. With --write-host it is
written to the own configuration of the system that --host names instead, so
that this system sees it too.`,
		Example:           "  knack " + verb + " weather",
		Args:              argCount(1, -1, "the names of skills"),
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.names = args
			return runSwitch(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&opt.host, "write-host", false, "write the host's own configuration instead of Knack's")
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
	var entries []*skill.Entry
	for _, name := range opt.names {
		e, err := f.lookup(snap, name)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if err := engine.SetEnabled(ctx, opt.target(), opt.enable, entries...); errors.Is(err, knack.ErrNoConfig) {
		return &hintedError{err: err, hint: noConfigHint(opt.target())}
	} else if err != nil {
		return err
	}
	_, after, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	return f.reportSwitch(engine, snap, after, entries, opt)
}

// reportSwitch tells what became of the skills that were named, and of others
// that share their key.
func (f *factory) reportSwitch(engine *knack.Engine, before, after *knack.Snapshot, entries []*skill.Entry, opt enableOptions) error {
	var rows []switched
	failed := false
	for _, now := range after.Entries() {
		named := slices.ContainsFunc(entries, func(e *skill.Entry) bool { return e.Root == now.Root && e.Path == now.Path })
		if !named && !changedStatus(before, now) {
			continue
		}
		failed = failed || named && opt.enable && now.Status == skill.Disabled
		rows = append(rows, switched{Name: now.Name, Enabled: now.Status != skill.Disabled, Status: now.Status, File: engine.ConfigFile(opt.target())})
		if !opt.json {
			fmt.Fprintln(f.env.Stdout, wrap(f.stdout(), summary(now), 0))
			f.printHints(now.Reasons)
		}
	}
	if opt.json {
		if err := f.printJSON(map[string]any{"skills": nonNil(rows)}); err != nil {
			return err
		}
	}
	if failed {
		return errNo
	}
	return nil
}

// noConfigHint says how to have a file to write to.
func noConfigHint(in knack.Target) string {
	if in == knack.HostsOwn {
		return "name the system with --host NAME, or leave --write-host out"
	}
	return "set HOME or pass --home DIR"
}

// noConfigPath answers for a place that has no configuration file.
func noConfigPath(engine *knack.Engine, of knack.Target) error {
	if of == knack.HostsOwn && engine.Host() != knack.NativeHost {
		return &hintedError{err: fmt.Errorf("%s has no configuration file here", engine.Host()), hint: "leave --write-host out for Knack's own"}
	}
	return &hintedError{err: knack.ErrNoConfig, hint: noConfigHint(of)}
}

func changedStatus(before *knack.Snapshot, now *skill.Entry) bool {
	return slices.ContainsFunc(before.Entries(), func(was *skill.Entry) bool {
		return was.Root == now.Root && was.Path == now.Path && was.Status != now.Status
	})
}
