package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/skill"
)

// CommandRules are the knobs of slash commands and mentions, as a host profile
// sets them under [command].
type CommandRules struct {
	// Reserved are words that no skill's command may be, in any letter case.
	Reserved []string `toml:"reserved"`
	// MaxLength is the longest name of a command, in letters.
	MaxLength int `toml:"max_length"`
	// TrimEnd takes away the underscore that a cut may leave at the end.
	TrimEnd bool `toml:"trim_end"`
	// Lookup is the command that takes a skill's name as its first word; it is
	// reserved. Empty is none.
	Lookup string `toml:"lookup"`
	// Match names how a word finds its command: "first" or "closest".
	Match string `toml:"match"`
	// Unavailable names which skills are known though they cannot be used:
	// "filtered" or "any".
	Unavailable string `toml:"unavailable"`
	// Body names what the model is given as the request: "rest" or "list".
	Body string `toml:"body"`
	// MaxMentions is how many skills one text may mention; with zero, mentions
	// are not read.
	MaxMentions int `toml:"max_mentions"`
	// MaxLine and MaxIntro bound what "list" puts before the user's text, each
	// skill's line and all of it, in UTF-16 units; zero is no bound.
	MaxLine  int `toml:"max_line"`
	MaxIntro int `toml:"max_intro"`
	// Text is the host's fixed wording.
	Text CommandText `toml:"text"`
}

// CommandText is what commands say. {skill} stands for a skill's name, {path}
// for its manifest, {reason} for why not, {tool} for a tool, {max} for the limit
// that is exceeded, {skills} for the lines of all skills, {text} for what the
// user wrote.
type CommandText struct {
	// Request is the body of "list", Skill the line of one skill in it, and
	// Unlisted that of a skill which the model does not see otherwise.
	Request  string `toml:"request"`
	Skill    string `toml:"skill"`
	Unlisted string `toml:"unlisted"`
	// Arguments is put behind a template that has no place for them.
	Arguments string `toml:"arguments"`
	// What the user is told when nothing is done.
	Unavailable string `toml:"unavailable"`
	TooMany     string `toml:"too_many"`
	LongLine    string `toml:"long_line"`
	LongIntro   string `toml:"long_intro"`
	// What the user is told of a tool that a command was sent to.
	Done    string `toml:"done"`
	NoTool  string `toml:"no_tool"`
	Refused string `toml:"refused"`
}

// shortestLimit leaves room for a letter and the number of the millionth skill
// of one name.
const shortestLimit = 10

// CommandSet is the slash commands of a snapshot under one set of rules.
type CommandSet struct {
	rules    CommandRules
	reserved map[string]bool
	find     matcher
	body     renderer
	known    func(*skill.Entry) bool

	commands []*Command
	usable   *names // finds commands
	barred   *names // finds those of skills that cannot be used
}

// Command is something the user can call.
type Command struct {
	Name  string // without the slash
	Skill string // the name of its skill
	// Entry is the skill; nil if the command is a template.
	Entry *skill.Entry
	// Template is a request with $ARGUMENTS in it; empty if it is a skill.
	Template string
}

// Template is a request that the user keeps under a name.
type Template struct{ Name, Text string }

// NewCommands checks the rules. The set has no commands yet; [CommandSet.With]
// gives it those of a snapshot.
func NewCommands(rules CommandRules) (*CommandSet, error) {
	c := &CommandSet{rules: rules, reserved: map[string]bool{}}
	var err error
	if c.find, err = strategy.Pick("command.match", rules.Match, matchers[:]); err != nil {
		return nil, err
	}
	if c.known, err = strategy.Pick("command.unavailable", rules.Unavailable, unavailables[:]); err != nil {
		return nil, err
	}
	if c.body, err = strategy.Pick("command.body", rules.Body, renderers[:]); err != nil {
		return nil, err
	}
	switch {
	case rules.MaxLength < shortestLimit:
		return nil, fmt.Errorf("command.max_length is %d; it must be at least %d", rules.MaxLength, shortestLimit)
	case rules.MaxMentions < 0 || rules.MaxLine < 0 || rules.MaxIntro < 0:
		return nil, errors.New("command.max_mentions, max_line and max_intro must not be negative")
	case rules.Lookup != strings.ToLower(rules.Lookup):
		return nil, fmt.Errorf("command.lookup is %q; it must be in lower case", rules.Lookup)
	case rules.Body == listBody && !strings.Contains(rules.Text.Request, "{text}"):
		return nil, errors.New("command.text.request has no {text}, so what the user wrote would be lost")
	}
	if err := rules.Text.check(&rules); err != nil {
		return nil, err
	}
	for _, word := range slices.Concat(rules.Reserved, []string{rules.Lookup}) {
		c.reserved[strings.ToLower(word)] = true
	}
	return c.With(nil), nil
}

// check finds texts that are needed and missing: a problem without words would
// be silence.
func (t *CommandText) check(rules *CommandRules) error {
	for _, need := range []struct {
		key, text string
		needed    bool
	}{
		{"unavailable", t.Unavailable, true}, {"arguments", t.Arguments, true},
		{"done", t.Done, true}, {"no_tool", t.NoTool, true}, {"refused", t.Refused, true},
		{"skill", t.Skill, rules.Body == listBody}, {"unlisted", t.Unlisted, rules.Body == listBody},
		{"too_many", t.TooMany, rules.MaxMentions > 0},
		{"long_line", t.LongLine, rules.MaxLine > 0}, {"long_intro", t.LongIntro, rules.MaxIntro > 0},
	} {
		if need.needed && need.text == "" {
			return fmt.Errorf("command.text.%s is missing", need.key)
		}
	}
	return nil
}

// With is the set for these skills, in their order, and these templates after
// them.
func (c *CommandSet) With(entries []*skill.Entry, templates ...Template) *CommandSet {
	set := *c
	set.commands = c.named(entries, templates, callable)
	set.usable = index(set.commands)
	// Names are given anew, for a skill may be asked for by the name that its
	// command would have if it could be used.
	all := c.named(entries, templates, func(e *skill.Entry) bool {
		return callable(e) || !e.Invocation.UserDisabled && c.known(e)
	})
	set.barred = index(slices.DeleteFunc(all, func(cmd *Command) bool { return cmd.Entry == nil || callable(cmd.Entry) }))
	return &set
}

// Commands are those of the set: skills in the order of the snapshot, then
// templates.
func (c *CommandSet) Commands() []*Command { return c.commands[:len(c.commands):len(c.commands)] }

// Names are the commands' names, by skill.
func (c *CommandSet) Names() map[*skill.Entry]string {
	out := make(map[*skill.Entry]string, len(c.commands))
	for _, cmd := range c.commands {
		if cmd.Entry != nil {
			out[cmd.Entry] = cmd.Name
		}
	}
	return out
}

func (c *CommandSet) named(entries []*skill.Entry, templates []Template, has func(*skill.Entry) bool) []*Command {
	var out []*Command
	n := newNaming(c.rules.MaxLength, c.rules.TrimEnd, c.reserved)
	for _, e := range entries {
		if has(e) {
			out = append(out, &Command{Name: n.name(e.Name), Skill: e.Name, Entry: e})
		}
	}
	for _, t := range templates {
		out = append(out, &Command{Name: n.name(t.Name), Skill: t.Name, Template: t.Text})
	}
	return out
}

// callable reports whether the user may call a skill.
func callable(e *skill.Entry) bool { return e.Status == skill.Ready && !e.Invocation.UserDisabled }

// unavailables say which skills that cannot be used are known to users.
var unavailables = [...]strategy.Named[func(*skill.Entry) bool]{
	{Name: "filtered", Do: onlyFiltered},
	{Name: "any", Do: func(e *skill.Entry) bool { return e.Status == skill.Gated || e.Status == skill.Disabled }},
}

// onlyFiltered reports whether nothing but the agent's list of skills is in the
// way.
func onlyFiltered(e *skill.Entry) bool {
	for _, r := range e.Reasons {
		if r.Code != skill.ReasonFiltered {
			return false
		}
	}
	return e.Status == skill.Disabled && len(e.Reasons) > 0
}
