package cli

import (
	"context"
	"encoding/json"
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

type execOptions struct {
	args      []string // SKILL TOOL, or TOOL, or /COMMAND, and what belongs to it
	arguments string   // as JSON
	dryRun    bool
	yes       bool
	json      bool
}

func newExec(f *factory) *cobra.Command {
	var opt execOptions
	cmd := &cobra.Command{
		Use:   "exec [SKILL] TOOL [KEY=VALUE…] | /COMMAND [TEXT]",
		Short: "Call a tool of a skill, contained",
		Long: `Call a tool that a skill brings along, or a built-in one, as a model would: with
the same policy, in the same sandbox, written to the same audit log. A tool of a
skill is named as the skill declares it, or by the name models call it by. Its
arguments are KEY=VALUE pairs, or --args with JSON.

Programs run contained: no network but the hosts that the skill was granted, the
workspace writable, the skill's folder readable, and nothing of your home. The
last line on stderr says how. --dry-run shows what would run, where, with which
hosts, and in which layer of containment, and runs nothing.

/COMMAND runs the slash command of a skill that sends it straight to a tool. What
a skill that is not trusted makes of it is always asked about.

Without arguments it lists what can be called. The exit code is 1 if the call
failed or was not made.`,
		Example: `  knack exec deploy-checker run_checks
  knack exec deploy-checker check_url --dry-run
  knack exec weather report city=Bergen
  knack exec calculator expression="2^10 / 3"`,
		ValidArgsFunction: f.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.args = args
			return runExec(cmd.Context(), f, opt)
		},
	}
	cmd.Flags().StringVar(&opt.arguments, "args", "", "the arguments as one JSON object")
	cmd.Flags().BoolVar(&opt.dryRun, "dry-run", false, "show what would be done, and do nothing")
	cmd.Flags().BoolVar(&opt.yes, "yes", false, "answer yes to what would be asked")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	return cmd
}

func runExec(ctx context.Context, f *factory, opt execOptions) error {
	if len(opt.args) > 0 && strings.HasPrefix(opt.args[0], "/") {
		return f.execSlash(ctx, opt)
	}
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	if len(opt.args) == 0 {
		return f.listTools(ctx, engine, opt)
	}
	s, call, err := f.execCall(ctx, engine, opt)
	if err != nil {
		return err
	}
	if opt.dryRun {
		preview, err := s.Preview(ctx, call)
		if err != nil {
			return err
		}
		return f.printPreview(preview, opt.json)
	}
	result, err := s.Call(ctx, call)
	if err != nil {
		return err
	}
	return f.printResult(result, opt.json)
}

// execSession is a session that nothing is active in.
func (f *factory) execSession(ctx context.Context, engine *knack.Engine, opt execOptions) (*knack.Session, error) {
	if f.home() == "" {
		return nil, &hintedError{err: errors.New("there is no place for the audit log, without which nothing is called"), hint: "set HOME or KNACK_HOME, or pass --home DIR"}
	}
	defer f.working("reading skills")()
	return engine.NewSession(ctx, knack.SessionOptions{Toolbox: f.toolbox(engine, opt.yes)})
}

// execCall finds the tool that is meant, and what it is given.
func (f *factory) execCall(ctx context.Context, engine *knack.Engine, opt execOptions) (*knack.Session, knack.Call, error) {
	call := knack.Call{Caller: knack.CalledByUser}
	s, err := f.execSession(ctx, engine, opt)
	if err != nil {
		return nil, call, err
	}
	first, rest := opt.args[0], opt.args[1:]
	entry, err := f.lookup(s.Skills(), first)
	if alone := len(rest) == 0 || strings.Contains(rest[0], "="); alone && (err != nil || builtIn(ctx, s, first)) {
		call.Tool = first // the session knows all its names, and says which may be meant
	} else {
		if err != nil {
			return nil, call, err
		}
		if len(rest) == 0 {
			return nil, call, f.whichTool(s, entry.Name, "")
		}
		name := rest[0]
		if call.Tool, rest = callable(s.SkillTools(entry.Name), name), rest[1:]; call.Tool == "" {
			return nil, call, f.whichTool(s, entry.Name, name)
		}
		if a := s.Activate(ctx, entry.Name, knack.ByPinning)[0]; !a.OK {
			return nil, call, &hintedError{err: errors.New(a.Message), hint: "knack why " + entry.Name}
		}
	}
	call.Arguments, err = execArguments(rest, opt.arguments, lists(ctx, s, call.Tool))
	return s, call, err
}

// lists are the arguments of a tool that are lists or objects, which are typed as
// JSON.
func lists(ctx context.Context, s *knack.Session, name string) map[string]bool {
	out := map[string]bool{}
	for _, d := range s.Tools(ctx) {
		var schema struct {
			Properties map[string]struct{ Type string }
		}
		if d.Tool.Name == name && json.Unmarshal(d.Tool.Schema, &schema) == nil {
			for key, p := range schema.Properties {
				out[key] = p.Type == "array" || p.Type == "object"
			}
		}
	}
	return out
}

// callable is the name by which the tool of a skill is called: the skill's own name
// for it counts before that.
func callable(tools []knack.SkillToolName, name string) string {
	for _, t := range tools {
		if t.Declared == name {
			return t.Name
		}
	}
	for _, t := range tools {
		if t.Name == name {
			return name
		}
	}
	return ""
}

func builtIn(ctx context.Context, s *knack.Session, name string) bool {
	return slices.ContainsFunc(s.Tools(ctx), func(d knack.ToolDecision) bool { return d.Tool.Skill == "" && d.Tool.Name == name })
}

// whichTool says which tools a skill has.
func (f *factory) whichTool(s *knack.Session, skill, wanted string) error {
	var names []string
	for _, t := range s.SkillTools(skill) {
		names = append(names, term.Clean(t.Declared))
	}
	skill = term.Clean(skill)
	switch {
	case len(names) == 0:
		return &hintedError{err: fmt.Errorf("%s brings no tools along", skill), hint: "knack show " + skill}
	case wanted == "":
		return &usageError{err: fmt.Errorf("name a tool of %s: %s", skill, strings.Join(names, ", "))}
	}
	err := fmt.Errorf("%s has no tool named %q; it has %s", skill, term.Clean(wanted), strings.Join(names, ", "))
	if meant := near.Best(wanted, names); meant != "" {
		return &hintedError{err: err, hint: "did you mean knack exec " + skill + " " + meant + "?"}
	}
	return err
}

// execArguments makes one JSON object of what was typed.
func execArguments(pairs []string, asJSON string, lists map[string]bool) (json.RawMessage, error) {
	if asJSON != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(asJSON), &object); err != nil || object == nil {
			return nil, &usageError{err: errors.New(`--args is not a JSON object, such as '{"city": "Bergen"}'`)}
		}
		if len(pairs) > 0 {
			return nil, &usageError{err: errors.New("arguments are given either as KEY=VALUE or with --args")}
		}
		return json.RawMessage(asJSON), nil
	}
	object := map[string]any{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, &usageError{err: fmt.Errorf("%q is not KEY=VALUE", pair)}
		}
		if _, twice := object[key]; twice {
			return nil, &usageError{err: fmt.Errorf("%s is given twice", term.Clean(key))}
		}
		object[key] = value
		if lists[key] {
			if !json.Valid([]byte(value)) {
				return nil, &usageError{err: fmt.Errorf(`%s is a list; write it as JSON, such as %s='["status", "--short"]'`, term.Clean(key), term.Clean(key))}
			}
			object[key] = json.RawMessage(value)
		}
	}
	return json.Marshal(object)
}

// execSlash runs a slash command that goes straight to a tool.
func (f *factory) execSlash(ctx context.Context, opt execOptions) error {
	if opt.dryRun || opt.arguments != "" {
		return &usageError{err: errors.New("a slash command takes text, and neither --args nor --dry-run")}
	}
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	s, err := f.execSession(ctx, engine, opt)
	if err != nil {
		return err
	}
	typed := strings.Join(opt.args, " ")
	switch in := s.Read(ctx, typed); {
	case in.Problem != "":
		return errors.New(in.Problem)
	case in.Dispatch == nil:
		return &hintedError{err: fmt.Errorf("%s is no command that goes straight to a tool", term.Clean(opt.args[0])), hint: "knack prompt " + opt.args[0] + " shows what it says to a model"}
	default:
		result, err := s.Dispatch(ctx, in.Dispatch)
		if err != nil {
			return err
		}
		return f.printResult(result, opt.json)
	}
}

// toolText is what a skill says of its tool, and the names of its arguments.
func toolText(tools []skill.ToolDecl, name string) string {
	for _, t := range tools {
		if t.Name != name {
			continue
		}
		text := ": " + term.Text(t.Description)
		for _, a := range t.Args {
			text += " " + term.Clean(a.Name) + "=…"
		}
		return text
	}
	return ""
}

// listTools shows what can be called.
func (f *factory) listTools(ctx context.Context, engine *knack.Engine, opt execOptions) error {
	s, err := f.execSession(ctx, engine, opt)
	if err != nil {
		return err
	}
	type row struct {
		Skill       string `json:"skill,omitempty"`
		Tool        string `json:"tool"`
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	rows := []row{}
	for _, e := range s.Skills().Entries() {
		for _, t := range s.SkillTools(e.Name) {
			rows = append(rows, row{e.Name, t.Declared, t.Name, t.Kind + toolText(e.Tools, t.Declared)})
		}
	}
	for _, d := range s.Tools(ctx) {
		if d.Tool.Skill == "" {
			rows = append(rows, row{Tool: d.Tool.Name, Name: d.Tool.Name, Description: d.Tool.Description})
		}
	}
	if opt.json {
		return f.printJSON(map[string]any{"tools": rows})
	}
	table := term.Table{Headers: []string{"SKILL", "TOOL", "WHAT IT DOES"}}
	for _, r := range rows {
		table.Rows = append(table.Rows, []string{term.Clean(r.Skill), term.Clean(r.Tool), term.Clean(r.Description)})
	}
	f.stdout().Table(table)
	return nil
}
