package cli

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// toolbox is what commands that call tools work with. yes answers what would be
// asked; without it and without a terminal nothing can be.
func (f *factory) toolbox(engine *knack.Engine, yes bool) *knack.Toolbox {
	return f.toolboxWith(engine, yes, nil, func(*knack.Session) []tool.Tool { return nil })
}

// toolboxWith is toolbox with more tools, and another way to ask.
func (f *factory) toolboxWith(engine *knack.Engine, yes bool, ask func(context.Context, knack.Question) (knack.Consent, error), more func(*knack.Session) []tool.Tool) *knack.Toolbox {
	opt := knack.ToolboxOptions{
		Program: f.env.Program, Ask: ask, Unasked: "pass --yes to allow it this once",
		More: func(s *knack.Session) []tool.Tool { return append(f.moreTools(s), more(s)...) },
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
		opt.Ask = f.askCall
	}
	return engine.NewToolbox(opt)
}

// consents are the answers to a question about a call.
var consents = [...]struct {
	key   string
	gives knack.Consent
	text  string
}{
	{"o", knack.Once, "[o]nce"},
	{"s", knack.ForSession, "for this [s]ession"},
	{"g", knack.ByGrant, "[g]rant it for good"},
}

// askCall asks whether a call may be made: what exactly, where, reaching whom and
// how contained.
func (f *factory) askCall(_ context.Context, q knack.Question) (knack.Consent, error) {
	who := "the model wants to call"
	switch {
	case q.Skill != "":
		who = term.Clean(q.Skill) + " wants to call"
	case q.Caller == knack.CalledByUser:
		who = "you want to call"
	}
	fmt.Fprintf(f.env.Stderr, "%s %s:\n", who, term.Clean(q.Tool.Name))
	f.printPlan(q.Plan, q.Hosts, q.Anywhere, f.env.Stderr)
	fmt.Fprintf(f.env.Stderr, "  why asked   %s\n", term.Clean(q.Why))
	for _, name := range slices.Sorted(maps.Keys(q.Grants)) {
		fmt.Fprintf(f.env.Stderr, "  a grant is  %s\n", term.Clean(grantCommand(name, q.Grants[name])))
	}
	if len(q.GrantEnv) > 0 {
		fmt.Fprintf(f.env.Stderr, "  with it go  %s\n", term.Clean(strings.Join(q.GrantEnv, ", ")))
	}
	var offered []string
	for _, c := range consents {
		if slices.Contains(q.Choices, c.gives) {
			offered = append(offered, c.text)
		}
	}
	fmt.Fprintf(f.env.Stderr, "%s, or [N]o? ", strings.Join(offered, ", "))
	line, _ := bufio.NewReader(f.env.Stdin).ReadString('\n')
	for _, c := range consents {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), c.key) && slices.Contains(q.Choices, c.gives) {
			return c.gives, nil
		}
	}
	return knack.Refuse, nil
}

func grantCommand(skill string, g knack.Grant) string {
	words := []string{"knack grant", wording.ShellWord(skill), wording.ShellWord(g.Tool)}
	for _, host := range g.Net {
		words = append(words, "--net", host)
	}
	return strings.Join(words, " ")
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
		f.printPlan(p.Plan, p.Hosts, p.Anywhere, f.env.Stdout)
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
