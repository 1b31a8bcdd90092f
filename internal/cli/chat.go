package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	if full && !opt.yes {
		ask = func(ctx context.Context, q knack.Question) (knack.Consent, error) { return talk.Approve(ctx, q) }
	}
	c, err := f.converse(ctx, opt.agentOptions, ask)
	if err != nil {
		return err
	}
	defer c.close()
	talk = chat.New(f.chatOptions(c, opt))
	c.renamed = talk.SetModel
	if full {
		return talk.Run(ctx)
	}
	return talk.Lines(ctx)
}

// chatOptions are what the chat shows and does besides talking.
func (f *factory) chatOptions(c *conversing, opt chatOptions) chat.Options {
	o := chat.Options{
		Agent: c.agent, Title: knack.NativeHost, Workspace: f.short(f.workspace()), Model: c.name(), Usage: c.agent.Usage(), Unasked: "pass --yes to allow it",
		Skills: c.session.Active, Run: c.command(f), Plain: opt.plain, NoColor: f.getenv("NO_COLOR") != "",
		Input: f.env.Stdin, Output: screen(f.env.Stdout), Environ: f.env.Environ, Now: f.env.Now,
		Hint:        fmt.Sprintf("Try: %s  ·  /skills lists what is there  ·  /help", sampleMessage),
		SaveHistory: f.saveHistory, History: f.history(),
	}
	for _, cmd := range chatCommands() {
		o.Commands = append(o.Commands, chat.Command{Name: cmd.name, Help: cmd.help})
	}
	for _, cmd := range c.session.Commands() {
		o.Commands = append(o.Commands, chat.Command{Name: cmd.Name, Help: term.Text(cmd.Description)})
	}
	if c.resumed != nil {
		for _, m := range c.resumed.Messages {
			if m.Text != "" {
				o.Messages = append(o.Messages, chat.Shown{Role: m.Role, Text: m.Text})
			}
		}
	}
	for _, notice := range c.notices {
		o.Messages = append(o.Messages, chat.Shown{Role: "notice", Text: notice})
	}
	return o
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
	for _, c := range slices.Backward(all) {
		table.Rows = append(table.Rows, []string{
			c.ID, c.Changed.UTC().Format(time.DateTime), fmt.Sprint(c.Turns), term.Clean(c.Model), term.Clean(f.short(c.Workspace)), term.Truncate(term.Clean(c.Title), 60),
		})
	}
	f.stdout().Table(table)
	return nil
}

// keptHistory is how many lines a person may want to go back.
const keptHistory = 500

func (f *factory) historyFile() string { return filepath.Join(f.home(), "history") }

// history is what was typed before, oldest first. One that cannot be read is as
// good as none.
func (f *factory) history() []string {
	if f.home() == "" {
		return nil
	}
	data, err := os.ReadFile(f.historyFile())
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return lines[max(0, len(lines)-keptHistory):]
}

func (f *factory) saveHistory(text string) {
	if f.home() == "" || strings.TrimSpace(text) == "" {
		return
	}
	file, err := os.OpenFile(f.historyFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return // a history is a convenience
	}
	_, _ = file.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
	_ = file.Close()
}
