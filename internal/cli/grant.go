package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

type grantOptions struct {
	name   string
	tools  []string
	net    []string
	revoke bool
	json   bool
}

func newGrant(f *factory) *cobra.Command {
	var opt grantOptions
	cmd := &cobra.Command{
		Use:   "grant [NAME [TOOL…]]",
		Short: "Let an installed skill keep a tool",
		Long: `Let a skill of installed trust keep tools that it would take away while it is
active. A tool is named as in any dialect: shell, Bash, "Bash(git:*)", web_fetch.
--net names the hosts it may reach; without it, none. A grant counts only while
every active installed skill has it, and is bound to the skill's content.
Without TOOL it lists what a skill was granted, without NAME everything.`,
		Example: `  knack grant deploy shell --net api.example.com
  knack grant deploy
  knack grant --revoke deploy shell`,
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opt.name, opt.tools = args[0], args[1:]
			}
			if len(opt.net) > 0 && (opt.revoke || len(opt.tools) == 0) {
				return &usageError{err: errors.New("--net goes with the tools to grant")}
			}
			return runGrant(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().StringSliceVar(&opt.net, "net", nil, "hosts that the tool may reach")
	cmd.Flags().BoolVar(&opt.revoke, "revoke", false, "take grants back; all of a skill if no tool is named")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	return cmd
}

func runGrant(ctx context.Context, f *factory, opt grantOptions) error {
	engine, snap, err := f.snapshot(ctx)
	switch {
	case err != nil:
		return err
	case opt.name == "" && opt.revoke:
		return &usageError{err: errors.New("--revoke needs the name of a skill")}
	case opt.name == "":
		return f.printDecisions(engine, opt.json)
	case opt.revoke:
		return f.revoke(ctx, engine, snap, opt)
	}
	entry, err := f.lookup(snap, opt.name)
	if err != nil {
		return err
	}
	var grants []knack.Grant
	for _, tool := range opt.tools {
		if meant := misspelt(tool, entry); meant != "" {
			return &hintedError{
				err:  fmt.Errorf("%s has no tool named %s", term.Clean(entry.Name), term.Clean(tool)),
				hint: "did you mean knack grant " + term.Clean(entry.Name) + " " + term.Clean(meant) + "?",
			}
		}
		grants = append(grants, knack.Grant{Tool: tool, Net: opt.net})
	}
	if len(grants) > 0 {
		if err := engine.Grant(ctx, entry, grants...); err != nil {
			return noTrustFile(err)
		}
	}
	if private := knack.PrivateHosts(knack.Grant{Net: opt.net}); len(private) > 0 {
		fmt.Fprintf(f.env.Stderr, "note: %s is in your own network, not on the public internet\n", term.Clean(strings.Join(private, ", ")))
	}
	return f.printGrants(engine, knack.TrustPath(entry), entry.Name, opt.json)
}

func (f *factory) revoke(ctx context.Context, engine *knack.Engine, snap *knack.Snapshot, opt grantOptions) error {
	path, _, err := f.decidedPath(engine, snap, opt.name)
	if err != nil {
		return err
	}
	tools := opt.tools
	if len(tools) == 0 {
		tools = []string{""} // all
	}
	for _, tool := range tools {
		was, err := engine.Revoke(ctx, path, tool)
		if err != nil {
			return noTrustFile(err)
		}
		if !was {
			return &hintedError{err: fmt.Errorf("%s was not granted %s", term.Clean(opt.name), orAny(tool)), hint: "knack grant lists what was"}
		}
	}
	return f.printGrants(engine, path, opt.name, opt.json)
}

// misspelt is the tool of a skill that is almost called so, if nothing else is.
func misspelt(name string, e *skill.Entry) string {
	if knack.IsToolName(name) {
		return ""
	}
	var declared []string
	for _, t := range e.Tools {
		declared = append(declared, t.Name)
	}
	if slices.Contains(declared, name) {
		return ""
	}
	return near.Best(name, declared)
}

func orAny(tool string) string {
	if tool == "" {
		return "anything"
	}
	return term.Clean(tool)
}

// printGrants tells what one skill is granted now.
func (f *factory) printGrants(engine *knack.Engine, path, name string, asJSON bool) error {
	skills, _, _ := engine.Decisions()
	grants := []knack.Grant{}
	for _, d := range skills {
		if d.Path == path {
			grants = d.Grants
		}
	}
	if asJSON {
		return f.printJSON(map[string]any{"name": name, "path": path, "grants": grants})
	}
	if len(grants) == 0 {
		fmt.Fprintf(f.env.Stdout, "%s is granted nothing\n", term.Clean(name))
		return nil
	}
	fmt.Fprintf(f.env.Stdout, "%s may keep %s while its files stay as they are\n", term.Clean(name), term.Clean(grantsText(grants)))
	return nil
}
