package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

type selectOptions struct {
	message string
	top     int
	explain bool
	json    bool
}

func newSelect(f *factory) *cobra.Command {
	var opt selectOptions
	cmd := &cobra.Command{
		Use:   "select MESSAGE",
		Short: "Say which skills fit a message, and why",
		Long: `Say which skills fit a message: those that would be active before a model is
asked, those that would be suggested to it, or none. No model is asked, and the
same skills and message always give the same answer.

--top N lists the best N, whether or not they would be chosen. --explain shows
what of the message counted, and where each skill has it.`,
		Example: `  knack select "will it rain in Bergen tomorrow?"
  knack select --top 5 --explain "clean up my commits"`,
		Args: argCount(1, -1, "a message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.message = strings.Join(args, " ")
			return runSelect(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().IntVar(&opt.top, "top", 0, "list the best N instead of those that would be chosen")
	cmd.Flags().BoolVar(&opt.explain, "explain", false, "show what counted")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	return cmd
}

// selected is `select --json`.
type selected struct {
	Selected   []knack.Choice `json:"selected"`
	Suggested  []knack.Choice `json:"suggested"`
	Considered int            `json:"considered"`
}

func runSelect(ctx context.Context, f *factory, opt selectOptions) error {
	if opt.top < 0 {
		return &usageError{err: fmt.Errorf("--top %d is not a number of skills", opt.top)}
	}
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	defer f.working("reading skills")()
	s, err := engine.NewSession(ctx, knack.SessionOptions{})
	if err != nil {
		return err
	}
	found, err := s.Select(ctx, opt.message)
	if err != nil {
		return err
	}
	out := selected{found.Activate, found.Suggest, found.Considered}
	if opt.top > 0 {
		all := slices.Concat(found.Activate, found.Suggest)
		out.Selected, out.Suggested = all[:min(opt.top, len(all))], []knack.Choice{}
	}
	if opt.json {
		return f.printJSON(out)
	}
	f.printSelected(out, opt.explain)
	return nil
}

func (f *factory) printSelected(out selected, explain bool) {
	w := f.stdout()
	for _, c := range out.Selected {
		fmt.Fprintf(f.env.Stdout, "%s %s\n", w.Good(term.Clean(c.Name)), w.Dim(fmt.Sprintf("%.2f", c.Score)))
		f.printChoice(c, explain)
	}
	shown := slices.DeleteFunc(slices.Clone(out.Suggested), func(c knack.Choice) bool { return c.Score < faint })
	if len(shown) > 0 {
		fmt.Fprintln(f.env.Stdout, "suggested to the model:")
	}
	for _, c := range shown {
		fmt.Fprintf(f.env.Stdout, "  %s %s\n", term.Clean(c.Name), w.Dim(fmt.Sprintf("%.2f", c.Score)))
		f.printChoice(c, explain)
	}
	if len(out.Selected)+len(shown) == 0 {
		fmt.Fprintf(f.env.Stdout, "none of %s fits\n", plural(out.Considered, "skill"))
	}
	if n := len(out.Suggested) - len(shown); n > 0 {
		fmt.Fprintf(f.env.Stdout, "%s\n", w.Dim(fmt.Sprintf("and %d more that hardly fit; --top shows them", n)))
	}
}

// faint is the score below which a suggestion is not worth a person's time: one
// in twenty of them would be right.
const faint = 0.05

// printChoice shows what counted for one skill.
func (f *factory) printChoice(c knack.Choice, explain bool) {
	if !explain {
		return
	}
	for _, r := range c.Reasons {
		fmt.Fprintf(f.env.Stdout, "    %-8s %s %s\n", r.Kind, term.Clean(fmt.Sprintf("%s in its %s", r.Text, r.Field)), f.stdout().Dim(fmt.Sprintf("%+.2f", r.Weight)))
	}
}
