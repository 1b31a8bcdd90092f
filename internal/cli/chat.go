package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/chat"
	"github.com/knackhq/knack/internal/term"
)

type chatOptions struct {
	agentOptions
	plain bool
	list  bool
	json  bool
}

func newChat(f *factory) *cobra.Command {
	var opt chatOptions
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to an agent that uses your skills",
		Long: `Talk to an agent in a full-screen chat: it shows which skills are active and why,
which tools are called, what contains them, and asks before anything is done that
nobody has allowed. /help lists its commands; Tab completes them and the skills'
own. Conversations are kept; --list shows them, --resume takes one up.

--plain prints line by line instead, so that everything can be selected and
copied. Without a terminal it reads lines and answers each.`,
		Example: `  knack chat
  knack chat --model ollama/llama3.2 --skill code-review
  knack chat --resume last`,
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runChat(cmd.Context(), f, opt) },
	}
	opt.flags(cmd, f)
	cmd.Flags().BoolVar(&opt.plain, "plain", false, "print line by line instead of using the whole screen")
	cmd.Flags().BoolVar(&opt.list, "list", false, "list the conversations that are kept")
	cmd.Flags().BoolVar(&opt.json, "json", false, "with --list: print JSON")
	return cmd
}

func runChat(ctx context.Context, f *factory, opt chatOptions) error {
	if opt.json && !opt.list {
		return &usageError{err: errors.New("--json goes with --list"), hint: "knack run --output json MESSAGE"}
	}
	if opt.list {
		return f.listConversations(opt.json)
	}
	var talk *chat.Chat
	full := f.asks() && f.stdout().TTY()
	var ask func(context.Context, knack.Question) (knack.Consent, error)
	if !opt.yes {
		ask = func(ctx context.Context, q knack.Question) (knack.Consent, error) { return talk.Approve(ctx, q) }
	}
	c, err := f.converse(ctx, opt.agentOptions, ask)
	if err != nil {
		return err
	}
	defer c.close()
	talk = chat.New(f.chatOptions(c, opt))
	c.shown = talk
	if full {
		return talk.Run(ctx)
	}
	return talk.Lines(ctx)
}

// chatOptions are what the chat shows and does besides talking.
func (f *factory) chatOptions(c *conversing, opt chatOptions) chat.Options {
	o := chat.Options{
		Agent: c.agent, Title: knack.NativeHost, Workspace: f.short(f.workspace()), Model: c.name(), Usage: c.agent.Usage(), Unasked: "pass --yes to allow it",
		Skills: c.session.Active, Lingering: c.session.Lingering, Run: c.command(f), Plain: opt.plain, NoColor: f.getenv("NO_COLOR") != "",
		Input: f.env.Stdin, Output: screen(f.env.Stdout), Environ: f.env.Environ, Now: f.env.Now,
		Hint:     fmt.Sprintf("Try: %s  ·  /skills lists what is there  ·  /help", sampleMessage),
		Commands: c.commands(), Notices: c.notices,
	}
	if f.asks() {
		o.Questions = f.env.Stderr
	}
	if past := f.past(); past.file != "" {
		if o.History = past.lines(); !opt.noSave {
			o.SaveHistory = func(text string) { past.add(c.session.Redact(text)) }
		}
	}
	if c.resumed != nil {
		o.Turns = c.resumed.Turns
		for _, m := range c.resumed.Messages {
			if m.Text != "" {
				o.Messages = append(o.Messages, chat.Shown{Role: m.Role, Text: m.Text})
			}
		}
	}
	return o
}

// commands are all that can be completed: those of the chat, and those of skills as
// they are now.
func (c *conversing) commands() []chat.Command {
	var out []chat.Command
	for _, cmd := range chatCommands() {
		out = append(out, chat.Command{Name: cmd.name, Help: cmd.help})
	}
	for _, cmd := range c.session.Commands() {
		out = append(out, chat.Command{Name: cmd.Name, Help: term.Text(cmd.Description)})
	}
	return out
}

func (f *factory) listConversations(asJSON bool) error {
	all, problems := f.store().List()
	if asJSON {
		return f.printJSON(map[string]any{"conversations": nonNil(all)})
	}
	for _, p := range problems {
		fmt.Fprintf(f.env.Stderr, "note: %s\n", term.Clean(p.Error()))
	}
	if len(all) == 0 {
		fmt.Fprintln(f.env.Stdout, "no conversations yet; knack chat begins one")
		return nil
	}
	table := term.Table{Headers: []string{"NAME", "CHANGED", "TURNS", "MODEL", "WORKSPACE", "ABOUT"}}
	for _, c := range all {
		table.Rows = append(table.Rows, []string{
			c.ID, c.Changed.UTC().Format(time.DateTime), fmt.Sprint(c.Turns), term.Clean(c.Model), term.Clean(f.short(c.Workspace)), term.Truncate(term.Clean(c.Title), 60),
		})
	}
	f.stdout().Table(table)
	return nil
}
