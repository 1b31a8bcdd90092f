package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/tool"
)

type auditLogOptions struct {
	skill, tool string
	last        int
	json        bool
}

func newAuditLog(f *factory) *cobra.Command {
	var opt auditLogOptions
	cmd := &cobra.Command{
		Use:   "audit-log",
		Short: "Show which tools were called, and what became of it",
		Long: `Show the calls of tools that Knack made or refused, oldest first: who called
what, whether it was allowed, asked about or denied, and why, which hosts it could
reach, and what contained it. Nothing but new calls is ever written to the log,
and secrets are left out of it. It is audit.jsonl in Knack's home, one JSON object
on each line.`,
		Example: `  knack audit-log --last 20
  knack audit-log --skill deploy-checker --json`,
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runAuditLog(cmd.Context(), f, opt) },
	}
	cmd.Flags().StringVar(&opt.skill, "skill", "", "only calls of this skill's tools, or while it was active")
	cmd.Flags().StringVar(&opt.tool, "tool", "", "only calls of this tool")
	cmd.Flags().IntVar(&opt.last, "last", 50, "at most so many, the newest; 0 is all")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	return cmd
}

func runAuditLog(ctx context.Context, f *factory, opt auditLogOptions) error {
	if opt.last < 0 {
		return &usageError{err: fmt.Errorf("--last %d is not a number of calls", opt.last)}
	}
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	all, unreadable, err := engine.AuditLog()
	if err != nil {
		return err
	}
	records := []tool.Record{}
	for _, r := range all {
		if (opt.skill == "" || r.Skill == opt.skill || slices.Contains(r.Active, opt.skill)) && (opt.tool == "" || r.Tool == opt.tool) {
			records = append(records, r)
		}
	}
	if n := len(records); opt.last > 0 && n > opt.last {
		records = records[n-opt.last:]
	}
	if opt.json {
		return f.printJSON(map[string]any{"file": engine.AuditFile(), "calls": records, "unreadable": unreadable})
	}
	if unreadable > 0 {
		fmt.Fprintf(f.env.Stderr, "note: %s of %s cannot be read\n", plural(unreadable, "line"), term.Clean(f.short(engine.AuditFile())))
	}
	if len(records) == 0 {
		fmt.Fprintln(f.env.Stdout, "no calls")
		return nil
	}
	table := term.Table{Headers: []string{"TIME", "TOOL", "CALLER", "VERDICT", "RESULT", "ABOUT"}}
	for _, r := range records {
		verdict := r.Verdict
		if r.Answer != "" {
			verdict += " (" + r.Answer + ")"
		}
		table.Rows = append(table.Rows, []string{
			r.Time.UTC().Format(time.DateTime), term.Clean(r.Tool), term.Clean(r.Caller), term.Clean(verdict), ended(r), term.Truncate(term.Clean(r.Subject), 60),
		})
	}
	f.stdout().Table(table)
	return nil
}

// ended says in a word how a call ended.
func ended(r tool.Record) string {
	switch {
	case r.End == nil && r.Verdict == "denied":
		return "not made"
	case r.End == nil:
		return "unknown"
	case r.End.Failed:
		return "failed"
	}
	return "done"
}
