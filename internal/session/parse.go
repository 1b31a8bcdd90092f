package session

import (
	"iter"
	"strings"
)

// Invocation is a command that the user called.
type Invocation struct {
	Command *Command
	// Args is what stands behind the name, without blanks around it.
	Args string
	// Dispatch is set if the command goes to a tool and no model is asked.
	Dispatch *Dispatch
}

// Dispatch is a command that goes to a tool, which is subject to the same
// policy as if a model had called it.
type Dispatch struct {
	Tool  string
	Input DispatchInput
}

// DispatchInput is what the tool is given.
type DispatchInput struct {
	Command     string `json:"command"` // the arguments as the user wrote them
	CommandName string `json:"commandName"`
	SkillName   string `json:"skillName"`
}

// Parse reads a text that starts with a slash. It reports false if that calls
// no command of the set.
func (c *CommandSet) Parse(text string) (Invocation, bool) { return c.parse(c.usable, text) }

func (c *CommandSet) parse(n *names, text string) (Invocation, bool) {
	rest, slash := strings.CutPrefix(strings.TrimFunc(text, blank), "/")
	if !slash {
		return Invocation{}, false
	}
	word, args := firstWord(rest)
	var found *Command
	switch lower := strings.ToLower(word); {
	case word == "":
	case lower == c.rules.Lookup:
		if word, args = firstWord(args); word != "" {
			found = c.find.name(n, word)
		}
	case !c.reserved[lower]:
		found = c.find.slash(n, word)
	}
	if found == nil {
		return Invocation{}, false
	}
	return Invocation{Command: found, Args: args, Dispatch: found.dispatch(args)}, true
}

// firstWord is the text up to the first blank, and the text behind it.
func firstWord(text string) (word, rest string) {
	i := strings.IndexFunc(text, blank)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeftFunc(text[i:], blank)
}

func (c *Command) dispatch(args string) *Dispatch {
	if c.Entry == nil || c.Entry.Dispatch.Kind == "" {
		return nil
	}
	return &Dispatch{
		Tool:  c.Entry.Dispatch.Tool,
		Input: DispatchInput{Command: args, CommandName: c.Name, SkillName: c.Skill},
	}
}

// DispatchEnd is how a dispatched command ended.
type DispatchEnd int

// The ends of a dispatch.
const (
	ToolAnswered DispatchEnd = iota // text is what it answered
	ToolMissing                     // there is no such tool
	ToolRefused                     // policy does not let it run; text is why
)

// Reply is what the user is told of a dispatch.
func (c *CommandSet) Reply(d *Dispatch, end DispatchEnd, text string) string {
	says := &c.rules.Text
	switch {
	case end == ToolMissing:
		return fill(says.NoTool, "{tool}", shown(d.Tool))
	case end == ToolRefused:
		return fill(says.Refused, "{tool}", shown(d.Tool), "{reason}", text)
	case strings.TrimFunc(text, blank) == "":
		return fill(says.Done, "{tool}", shown(d.Tool))
	default:
		return text
	}
}

// mentions are the names in a text that a $ marks, unless a backslash takes the
// mark away or there is no small letter in it: $HOME and $5 mean something else.
func mentions(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i++ {
			if text[i] != '$' {
				continue
			}
			end := i + 1
			for end < len(text) && mentionable(text[end]) {
				end++
			}
			name := strings.TrimRight(text[i+1:end], ":")
			if !escaped(text[:i]) && strings.ContainsFunc(name, small) && !yield(name) {
				return
			}
			i = end - 1
		}
	}
}

func mentionable(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == ':'
}

func small(r rune) bool { return r >= 'a' && r <= 'z' }

// escaped reports whether what follows the text is escaped: a backslash that is
// escaped itself escapes nothing.
func escaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
