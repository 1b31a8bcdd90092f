package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

type trustOptions struct {
	names     []string
	workspace bool
	revoke    bool
	json      bool
}

func newTrust(f *factory) *cobra.Command {
	var opt trustOptions
	cmd := &cobra.Command{
		Use:   "trust [NAME…]",
		Short: "Trust skills, or accept a workspace",
		Long: `Trust skills, or accept the workspace with the skills it has now.

A skill that was installed from elsewhere, or that comes with a workspace you
have not accepted, counts as installed: while it is active, a model may only
call tools that read. Trusting it lifts that. It is bound to the skill's content:
change one byte, and the skill counts as installed again. Without NAME it lists
what you decided so far.`,
		Example: `  knack trust pdf-tools
  knack trust --here
  knack trust --revoke pdf-tools`,
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.names = args
			if opt.workspace && len(args) > 0 {
				return &usageError{err: errors.New("--here takes no names: it is about all skills of the workspace")}
			}
			return runTrust(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().BoolVar(&opt.workspace, "here", false, "accept this workspace with the skills it has now")
	cmd.Flags().BoolVar(&opt.revoke, "revoke", false, "take it back")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	return cmd
}

func runTrust(ctx context.Context, f *factory, opt trustOptions) error {
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	switch {
	case opt.workspace:
		return f.trustWorkspace(ctx, engine, opt)
	case len(opt.names) == 0 && opt.revoke:
		return &usageError{err: errors.New("--revoke needs the names of skills, or --here")}
	case len(opt.names) == 0:
		return f.printDecisions(engine, opt.json)
	}
	if opt.revoke {
		return f.distrust(ctx, engine, snap, opt)
	}
	entries, err := f.lookupAll(snap, opt.names)
	if err != nil {
		return err
	}
	if err := engine.Trust(ctx, entries...); err != nil {
		return noTrustFile(err)
	}
	return f.reportTrust(ctx, entries, opt.json, "is trusted as it is now; a change of its files takes that back")
}

// lookupAll finds several skills, or none.
func (f *factory) lookupAll(snap *knack.Snapshot, names []string) ([]*skill.Entry, error) {
	var entries []*skill.Entry
	for _, name := range names {
		e, err := f.lookup(snap, name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// noTrustFile says how to have a place for decisions.
func noTrustFile(err error) error {
	if errors.Is(err, knack.ErrNoConfig) {
		return &hintedError{err: errors.New("there is no place to record it"), hint: "set HOME or pass --home DIR"}
	}
	return err
}

// trusted is one skill of `trust --json`.
type trusted struct {
	Name    string         `json:"name"`
	Path    string         `json:"path"`
	Trust   skill.Trust    `json:"trust"`
	Reasons []skill.Reason `json:"reasons"`
}

// reportTrust tells the trust that entries have now.
func (f *factory) reportTrust(ctx context.Context, entries []*skill.Entry, asJSON bool, words string) error {
	_, after, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	rows := []trusted{}
	for _, e := range entries {
		row := trusted{Name: e.Name, Path: e.Path, Trust: e.Trust, Reasons: []skill.Reason{}}
		for _, now := range after.Entries() {
			if knack.TrustPath(now) == knack.TrustPath(e) && now.Root == e.Root {
				row.Trust, row.Reasons = now.Trust, f.pastedReasons(now.TrustReasons)
			}
		}
		rows = append(rows, row)
		if !asJSON {
			fmt.Fprintf(f.env.Stdout, "%s %s\n", term.Clean(e.Name), words)
		}
	}
	if asJSON {
		return f.printJSON(map[string]any{"skills": rows})
	}
	return nil
}

// distrust takes back decisions; names may be of skills that are gone.
func (f *factory) distrust(ctx context.Context, engine *knack.Engine, snap *knack.Snapshot, opt trustOptions) error {
	var entries []*skill.Entry
	for _, name := range opt.names {
		path, entry, err := f.decidedPath(engine, snap, name)
		if err != nil {
			return err
		}
		was, err := engine.Distrust(ctx, path)
		if err != nil {
			return noTrustFile(err)
		}
		if !was {
			return &hintedError{err: fmt.Errorf("you have not trusted a skill named %q", term.Clean(name)), hint: "knack trust lists what you decided"}
		}
		if entry == nil {
			entry = &skill.Entry{Skill: skill.Skill{Name: name, Trust: skill.Installed}, Path: path}
		}
		entries = append(entries, entry)
	}
	return f.reportTrust(ctx, entries, opt.json, "is no longer trusted by your word")
}

// decidedPath finds what a name stands for in the record of decisions.
func (f *factory) decidedPath(engine *knack.Engine, snap *knack.Snapshot, name string) (string, *skill.Entry, error) {
	if e, err := snap.Find(name); err == nil {
		return knack.TrustPath(e), e, nil
	}
	skills, _, _ := engine.Decisions()
	var paths []string
	for _, d := range skills {
		if d.Path == f.abs(name) {
			return d.Path, nil, nil
		}
		if d.Name == name {
			paths = append(paths, d.Path)
		}
	}
	switch len(paths) {
	case 0:
		return f.abs(name), nil, nil
	case 1:
		fmt.Fprintf(f.env.Stderr, "note: %s is not here; this is about the one in %s\n", term.Clean(name), term.Clean(f.short(paths[0])))
		return paths[0], nil, nil
	}
	return "", nil, &hintedError{
		err:  fmt.Errorf("there are %d skills named %s that you decided about, and none is here", len(paths), term.Clean(name)),
		hint: "name one by its path: " + strings.Join(paths, ", "),
	}
}

func (f *factory) trustWorkspace(ctx context.Context, engine *knack.Engine, opt trustOptions) error {
	ws := f.short(f.workspace())
	if ws == "" {
		return &hintedError{err: errors.New("there is no workspace here: this is your home directory"), hint: "go to a project, or pass --workspace DIR"}
	}
	if opt.revoke {
		was, err := engine.ForgetWorkspace(ctx)
		switch {
		case err != nil:
			return noTrustFile(err)
		case !was:
			return &hintedError{err: fmt.Errorf("the workspace %s was not accepted", ws), hint: "knack trust lists what you decided"}
		case opt.json:
			return f.printJSON(map[string]any{"workspace": f.workspace(), "accepted": false})
		}
		fmt.Fprintf(f.env.Stdout, "%s is no longer accepted; its skills count as installed\n", ws)
		return nil
	}
	n, err := engine.AcceptWorkspace(ctx)
	if err != nil {
		return noTrustFile(err)
	}
	if opt.json {
		return f.printJSON(map[string]any{"workspace": f.workspace(), "accepted": true, "skills": n})
	}
	fmt.Fprintf(f.env.Stdout, "%s is accepted with %s; one that is added or changed later counts as installed\n", ws, plural(n, "skill"))
	return nil
}

// printDecisions lists what the user decided.
func (f *factory) printDecisions(engine *knack.Engine, asJSON bool) error {
	skills, workspaces, problems := engine.Decisions()
	if asJSON {
		return f.printJSON(map[string]any{"skills": nonNil(skills), "workspaces": nonNil(workspaces), "diagnostics": nonNil(problems)})
	}
	table := term.Table{Headers: []string{"SKILL", "TRUSTED", "GRANTED", "FOLDER"}, Wrap: true}
	for _, d := range skills {
		yes := "no"
		if d.Trusted {
			yes = "yes"
		}
		table.Rows = append(table.Rows, []string{term.Clean(d.Name), yes, term.Clean(grantsText(d.Grants)), term.Clean(f.short(d.Path))})
	}
	for _, w := range workspaces {
		yes := "yes"
		if w.Refused {
			yes = "no"
		}
		table.Rows = append(table.Rows, []string{"(workspace)", yes, "", term.Clean(f.short(w.Path))})
	}
	if len(table.Rows) == 0 {
		fmt.Fprintln(f.env.Stdout, "you have not decided about any skill or workspace yet")
	} else {
		f.stdout().Table(table)
	}
	f.printDiagnostics(problems)
	return nil
}

func grantsText(grants []knack.Grant) string {
	var parts []string
	for _, g := range grants {
		part := g.Tool
		if len(g.Net) > 0 {
			part += " → " + strings.Join(g.Net, " ")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
