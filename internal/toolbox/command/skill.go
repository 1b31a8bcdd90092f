package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// SkillTool is a tool of kind shell that a skill brings along.
type SkillTool struct {
	Name        string // as it is called by
	Skill       string // its skill
	Description string
	Command     string // the author's
	Args        []Arg
	Dir         string // the skill's folder
}

// effects of everything that runs programs.
var effects = tool.Effects{Read: true, Write: true, Run: true, Network: true}

type skillTool struct {
	Options
	SkillTool
	source *source
	broken error // why it cannot run
}

// Skill makes a skill's tool. One that [Check] refuses says so at every call.
func Skill(o Options, t SkillTool) tool.Planner {
	if len(t.Args) == 0 {
		t.Args = []Arg{undeclared}
	}
	src, err := parse(t)
	return &skillTool{Options: o, SkillTool: t, source: src, broken: err}
}

// Check says what is wrong with the command or the arguments of a tool; nil is
// nothing.
func Check(t SkillTool) error {
	if len(t.Args) == 0 {
		t.Args = []Arg{undeclared}
	}
	_, err := parse(t)
	return err
}

func parse(t SkillTool) (*source, error) {
	text := strings.TrimSpace(t.Command)
	switch {
	case text == "":
		return nil, errEmpty
	case strings.IndexByte(text, 0) >= 0:
		return nil, errNUL
	case len(text) > longestWord/2: // with room for what goes into it
		return nil, errTooLong
	}
	if err := checkArguments(t.Args); err != nil {
		return nil, err
	}
	names := make([]string, len(t.Args))
	for i, arg := range t.Args {
		names[i] = arg.Name
	}
	return read(text, names)
}

func (t *skillTool) Spec() tool.Spec {
	return tool.Spec{Name: t.Name, Description: t.Description, Schema: form(t.Args).Schema(), Effects: effects, Skill: t.Skill}
}

func (t *skillTool) Plan(ctx context.Context, arguments json.RawMessage) (tool.Plan, error) {
	spec, shown, err := t.call(ctx, arguments)
	if err != nil {
		return tool.Plan{}, err
	}
	return t.planned(ctx, spec, shown), nil
}

func (t *skillTool) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	spec, _, err := t.call(ctx, arguments)
	if err != nil {
		return failure(err.Error()), nil
	}
	return t.answer(ctx, spec, t.timeout(), t.advice())
}

func (t *skillTool) advice() string {
	return fmt.Sprintf("files outside of the workspace and hosts that were not granted are out of its reach; "+
		"see knack doctor sandbox; grant hosts with knack grant %s %s --net HOST", wording.ShellWord(t.Skill), wording.ShellWord(t.Name))
}

// call is what a call would run, and the command as people read it.
func (t *skillTool) call(ctx context.Context, arguments json.RawMessage) (spec sandbox.Spec, shown string, err error) {
	if t.broken != nil {
		return spec, "", t.broken
	}
	all, err := t.values(arguments)
	if err != nil {
		return spec, "", err
	}
	if err := t.checkDashes(all); err != nil {
		return spec, "", err
	}
	terms := tool.TermsOf(ctx)
	own := map[string]string{"WORKSPACE": t.Workspace, "SKILL_DIR": t.Dir}
	for i, arg := range t.Args {
		if all[i].ok {
			own[variable(arg.Name)] = all[i].value
		}
	}
	spec = t.spec(terms, own)
	t.online(&spec, terms)
	spec.Dir = t.Dir
	spec.Read = append(spec.Read, t.Dir)
	if within(t.Workspace, t.Dir) {
		spec.Keep = append(spec.Keep, t.Dir)
	}
	script := t.script()
	if len(script) >= longestWord {
		return spec, "", errTooLong
	}
	spec.Argv = append(append(append([]string{}, t.shell()...), "-c", script, "sh"), words(all)...)
	return spec, t.shown(all), nil
}

// checkDashes refuses values that a program would take for options.
func (t *skillTool) checkDashes(all []given) error {
	for i, arg := range t.Args {
		if strings.HasPrefix(all[i].value, "-") && !arg.Dash && !t.source.dashSafe(i) {
			return fmt.Errorf("argument %s begins with a hyphen: the command could take it for an option, and the skill does not declare that it may", wording.Quote(wording.Name(arg.Name)))
		}
	}
	return nil
}

// script is what the shell gets: values are in variables, which mean the same in
// functions and behind shift.
func (t *skillTool) script() string {
	text := t.source.fill(func(p place) string {
		value := "${" + variable(t.Args[p.argument].Name) + "-}"
		switch p.quote {
		case '"':
			return value
		case '\'':
			return `'"` + value + `"'`
		}
		return `"` + value + `"`
	})
	if t.source.appends() {
		text += ` "$@"`
	}
	return interpreted(t.Dir, text, t.shell())
}

// shown is the command with the values in it, as a shell would read it. Every value
// that was given is in it, those that are in the environment only as well: it is
// what people are asked about, and what they allow for longer.
func (t *skillTool) shown(all []given) string {
	text := t.source.fill(func(p place) string {
		value := all[p.argument].value
		switch p.quote {
		case '"':
			return withinDouble(value)
		case '\'':
			return withinSingle(value)
		}
		return quoted(value)
	})
	positional := t.source.all || t.source.counted || len(t.source.positional) > 0
	before := ""
	for i, arg := range t.Args {
		seen := t.source.appends() || positional || t.source.placed(i)
		if all[i].ok && (t.source.named || !seen) {
			before += variable(arg.Name) + "=" + quoted(all[i].value) + " "
		}
	}
	// Variables before a command are for its program alone: neither what the shell
	// expands nor a second command would have them.
	if positional || before != "" && (!t.source.simple || strings.ContainsAny(t.source.text, "$`")) {
		text = "sh -c " + quoted(text)
	}
	if positional {
		text += " sh"
	}
	if positional || t.source.appends() {
		for _, word := range words(all) {
			text += " " + quoted(word)
		}
	}
	return before + text
}

type unsupported struct {
	spec tool.Spec
	kind string
}

// Unsupported makes a tool of a kind that cannot run: it says so at every call.
func Unsupported(t SkillTool, kind string) tool.Tool {
	return unsupported{tool.Spec{Name: t.Name, Description: t.Description, Schema: form(t.Args).Schema(), Effects: effects, Skill: t.Skill}, kind}
}

func (u unsupported) Spec() tool.Spec { return u.spec }

func (u unsupported) Run(context.Context, json.RawMessage) (tool.Result, error) {
	return failure("Unsupported skill tool kind: " + wording.Name(u.kind)), nil
}
