package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/chat"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/tool"
)

// toolbox is what commands that call tools work with. yes answers what would be
// asked; without it and without a terminal nothing can be.
func (f *factory) toolbox(engine *knack.Engine, yes bool) *knack.Toolbox {
	return f.toolboxWith(engine, yes, nil, func(*knack.Session) []tool.Tool { return nil })
}

// toolboxWith is toolbox with more tools, and another way to ask.
func (f *factory) toolboxWith(engine *knack.Engine, yes bool, ask func(context.Context, knack.Question) (knack.Consent, error), more func(*knack.Session) []tool.Tool) *knack.Toolbox {
	ours := f.moreTools(engine)
	opt := knack.ToolboxOptions{
		Program: f.env.Program, Ask: ask, Unasked: "pass --yes to allow it this once",
		More: func(s *knack.Session) []tool.Tool { return append(ours(s), more(s)...) },
	}
	switch {
	case yes:
		opt.Ask = func(_ context.Context, q knack.Question) (knack.Consent, error) {
			if slices.Contains(q.Choices, knack.Once) {
				return knack.Once, nil
			}
			return knack.Refuse, nil
		}
	case ask == nil && f.asks():
		opt.Ask = chat.NewLineAsker(f.env.Stdin, f.env.Stderr).Ask
	}
	return engine.NewToolbox(opt)
}

// printResult shows what a tool answered, and how what ran was contained.
func (f *factory) printResult(r tool.Result, asJSON bool) error {
	switch {
	case asJSON:
		if err := f.printJSON(r); err != nil {
			return err
		}
	case r.Failed:
		fmt.Fprintln(f.env.Stderr, strings.TrimRight(term.CleanLines(r.Text), "\n"))
	case r.Text != "":
		fmt.Fprintln(f.env.Stdout, strings.TrimRight(term.CleanLines(r.Text), "\n"))
	}
	if r.Sandbox != nil && !asJSON {
		fmt.Fprintln(f.env.Stderr, f.stderr().Dim(contained(r.Sandbox)))
	}
	if r.Failed {
		return errNo
	}
	return nil
}

// contained says how a program was contained, in one line.
func contained(s *tool.Sandbox) string {
	text := fmt.Sprintf("contained by %s: files %s; network %s; processes %s", s.Layer, s.Files, s.Network, s.Processes)
	if len(s.Weak) > 0 {
		text += "; but " + strings.Join(s.Weak, ", ")
	}
	return term.Clean(text)
}

// printPreview shows what would become of a call.
func (f *factory) printPreview(p knack.Preview, asJSON bool) error {
	if asJSON {
		if err := f.printJSON(p); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(f.env.Stdout, "%s\n", term.Clean(p.Tool.Name))
		f.printRows(knack.Question{Plan: p.Plan, Hosts: p.Hosts, Anywhere: p.Anywhere}, f.env.Stdout)
		fmt.Fprintf(f.env.Stdout, "  verdict     %s: %s\n", p.Verdict, term.Clean(p.Why))
		if p.Hint != "" {
			fmt.Fprintf(f.env.Stdout, "  way out     %s\n", term.Clean(p.Hint))
		}
	}
	if p.Verdict == "denied" {
		return errNo
	}
	return nil
}

// printRows shows what a call would do: one line for each thing that it touches.
func (f *factory) printRows(q knack.Question, to io.Writer) {
	q.Plan.Dir = f.short(q.Plan.Dir)
	q.Plan.Write = slices.Clone(q.Plan.Write) // the session's own
	for i, path := range q.Plan.Write {
		q.Plan.Write[i] = f.short(path)
	}
	for _, row := range chat.Rows(q) {
		fmt.Fprintf(to, "  %-11s %s\n", row[0], strings.ReplaceAll(row[1], "\n", "\n              "))
	}
}
