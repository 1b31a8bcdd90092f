package session

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Expansion is what a user's text asks for.
type Expansion struct {
	// Body is the request for the model.
	Body string
	// Commands are those that were called or mentioned, in that order, each
	// once.
	Commands []*Command
	// Activate are the skills among them. If OnRead is set, the body tells the
	// model to read them, and they become active when it does.
	Activate []Request
	OnRead   bool
	// Dispatch, if not nil, is to be done instead of asking a model.
	Dispatch *Dispatch
	// Problem, if not empty, tells the user why nothing of the above was done.
	// Body is then the text as it was written.
	Problem string
}

// Expand reads what a user wrote. A text that starts with a slash calls one
// command or none; mentions count in other texts only.
func (c *CommandSet) Expand(text string) Expansion {
	if !strings.HasPrefix(strings.TrimLeftFunc(text, blank), "/") {
		return c.expandMentions(text)
	}
	inv, ok := c.Parse(text)
	if !ok {
		if gone, known := c.parse(c.barred, text); known {
			return c.unavailable(text, gone.Command)
		}
		return Expansion{Body: text}
	}
	switch {
	case inv.Command.Template != "":
		return Expansion{Body: c.fillTemplate(inv), Commands: []*Command{inv.Command}}
	case inv.Dispatch != nil:
		return Expansion{Body: text, Commands: []*Command{inv.Command}, Dispatch: inv.Dispatch}
	}
	return c.body(c, text, []Invocation{inv}, true)
}

func (c *CommandSet) expandMentions(text string) Expansion {
	if c.rules.MaxMentions == 0 {
		return Expansion{Body: text}
	}
	var found []Invocation
	var gone *Command
	seen := map[*Command]bool{}
	for name := range mentions(text) {
		cmd := c.find.name(c.usable, name)
		switch {
		case cmd == nil:
			if gone == nil {
				gone = c.find.name(c.barred, name)
			}
		case cmd.Template == "" && !seen[cmd]:
			seen[cmd] = true
			found = append(found, Invocation{Command: cmd})
		}
	}
	switch {
	case gone != nil:
		return c.unavailable(text, gone)
	case len(found) > c.rules.MaxMentions:
		return Expansion{Body: text, Problem: fill(c.rules.Text.TooMany, "{max}", strconv.Itoa(c.rules.MaxMentions))}
	case len(found) == 0:
		return Expansion{Body: text}
	}
	return c.body(c, text, found, false)
}

func (c *CommandSet) unavailable(text string, cmd *Command) Expansion {
	return Expansion{Body: text, Problem: fill(c.rules.Text.Unavailable,
		"{skill}", shown(cmd.Skill), "{reason}", whyNot(cmd.Entry))}
}

// argumentsMark is where a template wants the arguments.
const argumentsMark = "$ARGUMENTS"

func (c *CommandSet) fillTemplate(inv Invocation) string {
	template := inv.Command.Template
	if strings.Contains(template, argumentsMark) {
		return strings.TrimFunc(strings.ReplaceAll(template, argumentsMark, inv.Args), blank)
	}
	template = strings.TrimFunc(template, blank)
	if inv.Args == "" {
		return template
	}
	return template + fill(c.rules.Text.Arguments, "{text}", inv.Args)
}

// renderer makes the answer of what was called. found is not empty.
type renderer func(c *CommandSet, text string, found []Invocation, slash bool) Expansion

const listBody = "list"

var renderers = [...]strategy.Named[renderer]{
	{Name: "rest", Do: (*CommandSet).restBody},
	{Name: listBody, Do: (*CommandSet).listBody},
}

// restBody activates the skills and leaves what else the user wrote. A command
// without arguments stands for itself, for a model must be asked something.
func (c *CommandSet) restBody(text string, found []Invocation, slash bool) Expansion {
	out := called(found, slash)
	out.Body = text
	if slash && found[0].Args != "" {
		out.Body = found[0].Args
	}
	return out
}

// listBody tells the model which skills to read, and where they are if it does
// not know, and leaves the text as it was written.
func (c *CommandSet) listBody(text string, found []Invocation, slash bool) Expansion {
	says := &c.rules.Text
	lines := make([]string, len(found))
	for i, inv := range found {
		line := says.Skill
		if inv.Command.Entry.Invocation.ModelDisabled {
			line = says.Unlisted
		}
		lines[i] = fill(line, "{skill}", shown(inv.Command.Skill), "{path}", shown(Manifest(inv.Command.Entry)))
		if over(lines[i], c.rules.MaxLine) {
			return Expansion{Body: text, Problem: fill(says.LongLine, "{max}", strconv.Itoa(c.rules.MaxLine))}
		}
	}
	list := strings.Join(lines, "\n")
	if over(fill(says.Request, "{skills}", list, "{text}", ""), c.rules.MaxIntro) {
		return Expansion{Body: text, Problem: fill(says.LongIntro, "{max}", strconv.Itoa(c.rules.MaxIntro))}
	}
	out := called(found, slash)
	out.Body = fill(says.Request, "{skills}", list, "{text}", text)
	out.OnRead = true
	return out
}

// called makes requests of invocations: of a slash command, or of mentions.
func called(found []Invocation, slash bool) Expansion {
	var out Expansion
	for _, inv := range found {
		out.Commands = append(out.Commands, inv.Command)
		out.Activate = append(out.Activate, Request{Name: inv.Command.Skill, Reason: Slash, Args: inv.Args, Called: slash})
	}
	return out
}

// Manifest is the path of the file with a skill's instructions.
func Manifest(e *skill.Entry) string {
	file := ""
	for _, m := range e.Manifests {
		if file == "" || strings.EqualFold(filepath.Ext(m.File), ".md") {
			file = m.File
		}
	}
	return filepath.Join(e.Path, filepath.FromSlash(file))
}

// over reports whether a text has more than limit UTF-16 units, which is how
// the emulated hosts measure.
func over(text string, limit int) bool {
	if limit == 0 || len(text) <= limit {
		return false
	}
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n > limit
}

// shown is a name as it may stand in a line: a stranger's name must not become
// a line of its own.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) }) {
		return wording.Name(name)
	}
	return name
}

// fill puts values into a text in one pass, so that what was put in is not
// searched for marks again.
func fill(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
