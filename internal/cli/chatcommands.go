package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/chat"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// chatCommand is a command of the chat itself.
type chatCommand struct {
	name, help string
	run        func(f *factory, ctx context.Context, c *conversing, args string) (string, error)
}

// chatCommands are all of them. It is a function because one lists them.
func chatCommands() []chatCommand {
	return []chatCommand{
		{"skills", "the skills there are, and which are active", (*factory).chatSkills},
		{"why", "NAME: why a skill is or is not usable", (*factory).chatWhy},
		{"activate", "NAME: make a skill active", (*factory).chatActivate},
		{"deactivate", "NAME: make a skill inactive", (*factory).chatDeactivate},
		{"tools", "the tools that may be called now", (*factory).chatTools},
		{"reload", "look at the files of skills again", (*factory).chatReload},
		{"model", "the model that is asked, or another one from now on", (*factory).chatModel},
		{"cost", "how many tokens this conversation took", (*factory).chatCost},
		{"sessions", "the conversations that are kept", (*factory).chatSessions},
		{"help", "this list", (*factory).chatHelp},
		{"quit", "leave", nil},
	}
}

// command answers the chat's own commands.
func (c *conversing) command(f *factory) func(ctx context.Context, name, args string) (string, bool, error) {
	return func(ctx context.Context, name, args string) (string, bool, error) {
		for _, cmd := range chatCommands() {
			if cmd.name == name && cmd.run != nil {
				text, err := cmd.run(f, ctx, c, strings.TrimSpace(args))
				return text, true, err
			}
		}
		return "", false, nil
	}
}

func (f *factory) chatSkills(_ context.Context, c *conversing, _ string) (string, error) {
	active := map[string]knack.ActiveSkill{}
	for _, a := range c.session.Active() {
		active[a.Name] = a
	}
	var b strings.Builder
	for _, e := range c.session.Skills().Entries() {
		if e.Status != skill.Ready {
			continue
		}
		mark := " "
		if a, ok := active[e.Name]; ok {
			mark = "●"
			fmt.Fprintf(&b, "%s %s (%s, %d tokens): %s\n", mark, term.Clean(e.Name), a.Why, a.Tokens, term.Truncate(term.Text(e.Description), 70))
			continue
		}
		fmt.Fprintf(&b, "%s %s: %s\n", mark, term.Clean(e.Name), term.Truncate(term.Text(e.Description), 70))
	}
	for _, a := range c.session.Lingering() {
		fmt.Fprintf(&b, "○ %s: %s; /deactivate %s ends that\n", term.Clean(a.Name), chat.StillCounts, term.Clean(a.Name))
	}
	if b.Len() == 0 {
		return "there are no skills; put one into .knack/skills/NAME/SKILL.md", nil
	}
	return b.String(), nil
}

func (f *factory) chatWhy(_ context.Context, c *conversing, name string) (string, error) {
	if name == "" {
		return "/why NAME", nil
	}
	e, err := f.lookup(c.session.Skills(), name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s (%s, %s)\n", term.Clean(e.Name), e.Status, e.Trust, term.Clean(f.short(e.Path)))
	for _, r := range e.Reasons {
		fmt.Fprintf(&b, "  %s\n", term.Clean(r.Message))
		if r.Hint != "" {
			fmt.Fprintf(&b, "    %s\n", term.Clean(r.Hint))
		}
	}
	for _, a := range c.session.Active() {
		if a.Name == e.Name {
			fmt.Fprintf(&b, "  active: %s, %d tokens\n", a.Why, a.Tokens)
		}
	}
	return b.String(), nil
}

func (f *factory) chatActivate(ctx context.Context, c *conversing, name string) (string, error) {
	var lines []string
	for _, a := range c.session.Activate(ctx, name, knack.BySlash) {
		lines = append(lines, term.Clean(a.Message))
	}
	return strings.Join(lines, "\n"), nil
}

func (f *factory) chatDeactivate(_ context.Context, c *conversing, name string) (string, error) {
	return term.Clean(c.session.Deactivate(name).Message), nil
}

func (f *factory) chatTools(ctx context.Context, c *conversing, _ string) (string, error) {
	var b strings.Builder
	for _, d := range c.session.Tools(ctx) {
		if d.Allowed {
			fmt.Fprintf(&b, "✓ %s\n", term.Clean(d.Tool.Name))
		} else {
			fmt.Fprintf(&b, "✗ %s: %s\n", term.Clean(d.Tool.Name), term.Clean(d.Reason.Message))
		}
	}
	return b.String(), nil
}

func (f *factory) chatReload(ctx context.Context, c *conversing, _ string) (string, error) {
	changed, lost, err := c.session.Reload(ctx)
	switch {
	case err != nil:
		return "", err
	case !changed:
		return "nothing changed", nil
	}
	if c.shown != nil {
		c.shown.SetCommands(c.commands())
	}
	lines := []string{"skills were read again"}
	for _, a := range lost {
		lines = append(lines, term.Clean(a.Message))
	}
	return strings.Join(lines, "\n"), nil
}

func (f *factory) chatModel(_ context.Context, c *conversing, name string) (string, error) {
	if name != "" {
		if err := c.chooseModel(f, name); err != nil {
			return "", err
		}
		if c.agent.Use(c.model); c.shown != nil {
			c.shown.SetModel(c.name())
		}
	}
	return fmt.Sprintf("%s (%s)", c.name(), c.choice.From), nil
}

func (f *factory) chatCost(_ context.Context, c *conversing, _ string) (string, error) {
	u := c.agent.Usage()
	return fmt.Sprintf("%d tokens read, %d written, %d from the cache, %d to it", u.Input, u.Output, u.CacheRead, u.CacheWrite), nil
}

// mostSessions are listed, the latest: knack chat --list has all.
const mostSessions = 20

func (f *factory) chatSessions(context.Context, *conversing, string) (string, error) {
	all, _ := f.store().List()
	if len(all) == 0 {
		return "no conversations are kept", nil
	}
	var b strings.Builder
	for _, c := range all[:min(len(all), mostSessions)] {
		fmt.Fprintf(&b, "%s  %d turns  %s\n", c.ID, c.Turns, term.Truncate(term.Clean(c.Title), 60))
	}
	return b.String() + "knack chat --resume NAME takes one up", nil
}

func (f *factory) chatHelp(_ context.Context, c *conversing, _ string) (string, error) {
	var b strings.Builder
	for _, cmd := range chatCommands() {
		fmt.Fprintf(&b, "/%-11s %s\n", cmd.name, cmd.help)
	}
	for _, cmd := range c.session.Commands() {
		fmt.Fprintf(&b, "/%-11s %s\n", term.Clean(cmd.Name), term.Truncate(term.Text(cmd.Description), 60))
	}
	return b.String(), nil
}
