package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

type promptOptions struct {
	message string
	skills  []string
	mode    string
	diff    string
	json    bool
}

func newPrompt(f *factory) *cobra.Command {
	var opt promptOptions
	cmd := &cobra.Command{
		Use:   "prompt [MESSAGE]",
		Short: "Print exactly what a model would be told about skills",
		Long: `Print exactly what a model would be told about skills: the index of those it may
use, and the instructions of active ones. --skill makes skills active; so does a
MESSAGE that calls one (/name …), mentions one ($name), or is clearly about what a
trusted one does.

With --json it also says how many tokens that is, which skills did not fit, and
what became of each skill that was asked for. --diff HOST shows how the prompt
of another skill system differs.`,
		Example: `  knack prompt
  knack prompt --skill weather
  knack prompt '/tidy the desk'
  knack prompt --diff HOST`,
		Args: argCount(0, -1, "a message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.message = strings.Join(args, " ")
			return runPrompt(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().StringArrayVar(&opt.skills, "skill", nil, "make this skill active")
	cmd.Flags().StringVar(&opt.mode, "mode", "", "full, compact or index (default: as configured)")
	cmd.Flags().StringVar(&opt.diff, "diff", "", "show how the prompt of this host differs")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("skill", f.completeNames)
	_ = cmd.RegisterFlagCompletionFunc("diff", f.completeHosts)
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{"full", "compact", "index"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// prompted is `prompt --json`.
type prompted struct {
	Host string `json:"host"`
	knack.Prompt
	Active  []knack.ActiveSkill `json:"active"`
	Message knack.Input         `json:"message"`
	// Selection is what fits the message; of it, trusted skills are active.
	Selection knack.Selection `json:"selection"`
	// Diff is that to the prompt of another host.
	Diff string `json:"diff,omitempty"`
}

// refused reports whether the message asked for something that was not done.
func (p *prompted) refused() bool {
	return p.Message.Problem != "" || slices.ContainsFunc(p.Message.Answers, func(a knack.Answer) bool { return !a.OK })
}

func runPrompt(ctx context.Context, f *factory, opt promptOptions) error {
	if err := f.askWorkspace(ctx); err != nil {
		return err
	}
	p, err := f.prompt(ctx, f.flags.host, opt)
	if err != nil {
		return err
	}
	if opt.diff != "" {
		other, err := f.prompt(ctx, opt.diff, opt)
		if err != nil {
			return err
		}
		p.Diff = string(diff.Diff(p.Host, []byte(p.Text+"\n"), other.Host, []byte(other.Text+"\n")))
	}
	if opt.json {
		if err := f.printJSON(p); err != nil || !p.refused() {
			return err
		}
		return errNo
	}
	if p.Message.Problem != "" {
		return errors.New(term.Clean(p.Message.Problem))
	}
	for _, a := range p.Message.Answers {
		if !a.OK {
			return fmt.Errorf("%s", term.Clean(a.Message))
		}
	}
	if opt.diff != "" {
		fmt.Fprint(f.env.Stdout, f.exactly(p.Diff))
		return nil
	}
	fmt.Fprintln(f.env.Stdout, f.exactly(p.Text))
	if d := p.Message.Dispatch; d != nil {
		fmt.Fprintf(f.env.Stderr, "no model is asked: %s goes to the tool %s\n", term.Clean(d.Name), term.Clean(d.Tool))
	}
	if n := len(p.Left); n > 0 {
		fmt.Fprintf(f.env.Stderr, "%s did not fit into the index: %s\n", plural(n, "skill"), term.Clean(strings.Join(p.Left, ", ")))
	}
	return nil
}

// exactly leaves text as it is, except on a terminal, which strangers' text must
// not steer.
func (f *factory) exactly(text string) string {
	if f.stdout().TTY() {
		return term.CleanLines(text)
	}
	return text
}

// prompt renders the skills as one host does.
func (f *factory) prompt(ctx context.Context, host string, opt promptOptions) (*prompted, error) {
	engine, err := f.engine(ctx, func(o *knack.Options) { o.Host = host })
	if err != nil {
		return nil, err
	}
	defer f.working("reading skills")()
	s, err := engine.NewSession(ctx, knack.SessionOptions{Pinned: opt.skills, Mode: opt.mode})
	if err != nil {
		return nil, err
	}
	p := &prompted{Host: engine.Host(), Message: knack.Input{Answers: []knack.Answer{}}}
	if opt.message != "" {
		p.Message = s.Read(ctx, opt.message)
	}
	if p.Message.Text != "" && len(p.Message.Answers) == 0 {
		var matched []knack.Answer
		if p.Selection, matched, err = s.Match(ctx, p.Message.Text); err != nil {
			return nil, err
		}
		p.Message.Answers = append(p.Message.Answers, matched...)
	}
	if p.Prompt, err = s.Prompt(ctx); err != nil {
		return nil, err
	}
	p.Selection.Activate, p.Selection.Suggest = nonNil(p.Selection.Activate), nonNil(p.Selection.Suggest)
	p.Left, p.Shortened, p.Active = nonNil(p.Left), nonNil(p.Shortened), nonNil(s.Active())
	return p, nil
}
