package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

func newWhy(f *factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why NAME [MESSAGE]",
		Short: "Say why a skill can or cannot be used",
		Long: `Say in plain words where a skill was found, what shadows it, which requirement
is not met, and the command that would help. It answers for every skill that
was found, whatever its state.

With a MESSAGE it says whether that chooses the skill, what of it counted, which
skills fit better, and what its author could write so that it would.`,
		Example:           "  knack why weather\n  knack why pdf-tools --json\n  knack why weather 'will it rain tomorrow?'",
		Args:              argCount(1, -1, "the name of one skill, and perhaps a message"),
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhy(cmd.Context(), f, args[0], strings.Join(args[1:], " "), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// verdict is the answer as `why --json` prints it.
type verdict struct {
	Name    string        `json:"name"`
	Status  skill.Status  `json:"status"`
	Summary string        `json:"summary"`
	Skill   *skill.Entry  `json:"skill"`
	Others  []otherOfName `json:"others"`
	// Caveat is what makes the answer less than certain.
	Caveat string `json:"caveat,omitempty"`
}

// otherOfName is a further skill of the same name.
type otherOfName struct {
	Path    string         `json:"path"`
	Source  string         `json:"source"`
	Trust   skill.Trust    `json:"trust"`
	Status  skill.Status   `json:"status"`
	Reasons []skill.Reason `json:"reasons"`
}

func runWhy(ctx context.Context, f *factory, name, message string, asJSON bool) error {
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	entry, err := f.lookup(snap, name)
	if err != nil {
		return f.explainMissing(err, engine, snap.Diagnostics())
	}
	if message != "" {
		return f.whyChosen(ctx, engine, entry, message, asJSON)
	}
	full, err := engine.Load(ctx, entry)
	if err != nil { // it went away since; what was found still answers
		full = entry
	}
	v := verdict{Name: full.Name, Status: full.Status, Summary: summary(full), Skill: f.jsonEntry(full), Others: []otherOfName{}}
	for _, e := range snap.Entries() {
		if e != entry && e.Name == entry.Name {
			v.Others = append(v.Others, otherOfName{Path: e.Path, Source: e.Source, Trust: e.Trust, Status: e.Status, Reasons: f.pastedReasons(e.Reasons)})
		}
	}
	for _, d := range engine.Diagnostics() {
		if d.Code == skill.ConfigInvalid {
			v.Caveat = fmt.Sprintf("%s:%d cannot be read, so what it says of this skill is not known.", f.short(d.File), d.Line)
		}
	}
	if asJSON {
		v.Skill.Body, v.Skill.Prompts = skill.Text{}, nil // why explains; show prints
		return f.printJSON(v)
	}
	f.printVerdict(v)
	return nil
}

// summary is the answer in one sentence.
func summary(e *skill.Entry) string {
	name := term.Clean(e.Name)
	switch e.Status {
	case skill.Ready:
		return name + " is ready to use."
	case skill.Gated:
		return name + " cannot be used here yet: " + messages(e.Reasons) + "."
	case skill.Disabled:
		return name + " is switched off: " + messages(e.Reasons) + "."
	case skill.Shadowed:
		return name + " is not used: " + messages(e.Reasons) + "."
	default:
		return name + " was found, but its files cannot be made into a skill: " + messages(e.Reasons) + "."
	}
}

func messages(rs []skill.Reason) string {
	parts := make([]string, len(rs))
	for i, r := range rs {
		parts[i] = term.Clean(r.Message)
		if strings.HasPrefix(parts[i], "needs ") {
			parts[i] = "it " + parts[i]
		}
	}
	return strings.Join(parts, "; ")
}

func (f *factory) printVerdict(v verdict) {
	out := f.stdout()
	e := v.Skill
	fmt.Fprintln(f.env.Stdout, wrap(out, v.Summary, 0))
	f.printHints(e.Reasons)
	if v.Caveat != "" {
		fmt.Fprintln(f.env.Stdout, out.Warn(wrap(out, term.Clean(v.Caveat), 0)))
	}
	fmt.Fprintln(f.env.Stdout)
	found := fmt.Sprintf("It was found in %s (%s skills, %s) and read from %s.",
		f.short(e.Path), e.Source, e.Trust, readFrom(e.Format))
	fmt.Fprintln(f.env.Stdout, wrap(out, term.Clean(found), 0))
	for _, r := range e.TrustReasons {
		fmt.Fprintln(f.env.Stdout, wrap(out, "Trust: "+term.Clean(r.Message)+".", 0))
	}
	f.printHints(e.TrustReasons)
	if met := f.metRequirements(e); met != "" {
		fmt.Fprintln(f.env.Stdout, wrap(out, met, 0))
	}
	if who := invokers(e); who != "" {
		fmt.Fprintln(f.env.Stdout, who)
	}
	for _, o := range v.Others {
		fmt.Fprintln(f.env.Stdout, wrap(out, f.otherLine(o), 0))
	}
	if len(e.Diagnostics) > 0 {
		fmt.Fprintln(f.env.Stdout, "\nIts files:")
		f.printDiagnostics(e.Diagnostics)
	}
}

func readFrom(format string) string {
	if format == "" {
		return "nothing"
	}
	return strings.ReplaceAll(format, "+", " and ")
}

// metRequirements lists what it needs and has, so that a ready skill is
// explained as well as a gated one.
func (f *factory) metRequirements(e *skill.Entry) string {
	r := e.Requires
	if r.Unreadable {
		return ""
	}
	missing := func(code skill.Code) bool {
		for _, reason := range e.Reasons {
			if reason.Code == code {
				return true
			}
		}
		return false
	}
	var met []string
	for _, row := range [...]struct {
		what   string
		code   skill.Code
		values []string
	}{
		{"the operating system", skill.ReasonOS, r.OS}, {"programs", skill.ReasonBin, r.Bins},
		{"one of the programs", skill.ReasonAnyBin, r.AnyBins}, {"variables", skill.ReasonEnv, r.Env},
		{"configuration", skill.ReasonConfig, r.Config},
	} {
		if len(row.values) > 0 && !missing(row.code) {
			met = append(met, row.what+" "+strings.Join(row.values, ", "))
		}
	}
	switch {
	case e.Status != skill.Ready && e.Status != skill.Gated:
		return ""
	case len(r.OS)+len(r.Bins)+len(r.AnyBins)+len(r.Env)+len(r.Config) == 0:
		return "It requires nothing of this machine."
	case len(met) == 0:
		return ""
	case r.Always:
		return "It asks for " + term.Clean(strings.Join(met, "; ")) + ", and passes in any case because it says always."
	}
	return "Met: " + term.Clean(strings.Join(met, "; ")) + "."
}

func invokers(e *skill.Entry) string {
	switch {
	case e.Invocation.UserDisabled && e.Invocation.ModelDisabled:
		return "Neither users nor the model may call it: its author switched both off."
	case e.Invocation.ModelDisabled:
		return "The model does not see it; only users call it, as a slash command."
	case e.Invocation.UserDisabled:
		return "It is no slash command; only the model calls it."
	}
	return ""
}

func (f *factory) otherLine(o otherOfName) string {
	line := fmt.Sprintf("Another skill of that name is in %s (%s skills, %s): %s.", f.short(o.Path), o.Source, o.Trust, o.Status)
	return term.Clean(line)
}
