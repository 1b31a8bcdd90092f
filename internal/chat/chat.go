// Package chat is the terminal that a user talks to an agent in.
//
// [Chat.Run] fills the screen: what was said and done scrolls above, with the
// answer laid out as it comes (package markdown), tools folded to one line each
// with the layer that contained them, and thought folded away. Beside or below it
// are the active skills, why they are active and what they cost; then the input,
// then a line about model, tokens and workspace. In plain mode nothing is framed
// and the terminal's own screen is written on, so that everything can be
// selected, copied and scrolled as usual.
//
// [Chat.Lines] is for when there is no terminal: it takes a line at a time, as
// from a pipe, and prints what becomes of it as plain text. [LineAsker] is how
// somebody who types lines is asked, there and in other commands.
//
// # Keys
//
//	Enter            sends; while an answer is coming it is sent after that
//	Alt+Enter, Ctrl+J  another line
//	Up, Down         lines of the input, then what was sent before
//	/ and Tab        commands, and skills that are commands
//	PgUp, PgDn, wheel  scroll
//	Ctrl+O           unfolds tools and thought, and folds them again
//	Ctrl+C           interrupts; clears the input; when there is none, twice, quits
//	Ctrl+D           quits, with nothing typed
//
// # Questions
//
// The tools of a session ask before they do what they may not simply do. The one
// who makes the toolbox hands [Chat.Approve] to it. A panel shows what exactly
// would happen and takes one key. Keys that were on their way when it appeared
// answer nothing. An interrupt refuses.
//
// # Foreign text
//
// Models, tools, skills and commands are strangers. Their text is cleaned
// (package term) where it comes in, and every piece of text once more where it
// is drawn: the only escape sequences that reach the terminal are those of the
// styles. What is to be approved is shown with everything invisible spelled out,
// since leaving it out would show another command than the one that runs.
package chat

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
)

// Agent is who the user talks to.
type Agent interface {
	// Send runs one turn; events come from other goroutines. It returns soon after
	// ctx ends.
	Send(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error)
}

// Command is something that can be typed after a slash.
type Command struct {
	Name string // without the slash
	Help string // one line
}

// Shown is what somebody said before, in a conversation that is taken up again.
type Shown struct {
	Role llm.Role
	Text string
}

// Options are what a chat is made of. Only Agent has to be there.
type Options struct {
	Agent     Agent
	Title     string
	Model     string
	Workspace string
	// Usage is what the conversation cost before.
	Usage llm.Usage
	// Commands can be completed: those that Run knows, and those of skills.
	Commands []Command
	// Skills are the active ones, Lingering those that are no longer and take tools
	// away all the same.
	Skills, Lingering func() []knack.ActiveSkill
	// Run answers the chat's own slash commands with text. What it does not handle
	// goes to the agent. /quit and /exit never come here.
	Run func(ctx context.Context, name, args string) (text string, handled bool, err error)
	// History is what was typed in earlier chats, oldest first; SaveHistory is told
	// of what is typed in this one.
	History     []string
	SaveHistory func(string)
	// Messages are of a conversation that is taken up again, of so many Turns;
	// Notices are what there is to know about it.
	Messages []Shown
	Turns    int
	Notices  []string
	// Hint is something to try, for an empty screen.
	Hint string
	// Questions is where [Chat.Lines] asks, and whoever types the input can answer
	// there; nil if nobody can.
	Questions io.Writer
	// Unasked says what a user can do about what is refused because nobody can be
	// asked.
	Unasked string
	Plain   bool
	NoColor bool
	Input   io.Reader
	Output  io.Writer
	Environ []string
	Now     func() time.Time
	// Width and Height are for outputs that do not tell their size.
	Width, Height int
}

// Chat is one conversation at a terminal, or at a pipe.
type Chat struct {
	opt Options

	mu sync.Mutex
	// send reaches the screen while there is one; ask puts a question to whoever
	// can answer.
	send func(tea.Msg)
	ask  func(context.Context, knack.Question) knack.Consent
}

// New makes a chat. Nothing is shown yet.
func New(opt Options) *Chat {
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Time{} }
	}
	none := func() []knack.ActiveSkill { return nil }
	if opt.Skills == nil {
		opt.Skills = none
	}
	if opt.Lingering == nil {
		opt.Lingering = none
	}
	if opt.Unasked == "" {
		opt.Unasked = "chat in a terminal to be asked"
	}
	opt.Commands = ownCommands(opt.Commands)
	return &Chat{opt: opt}
}

// ownCommands adds those that the chat answers itself.
func ownCommands(commands []Command) []Command {
	commands = append(slices.Clone(commands), Command{"quit", "end the chat"}, Command{"exit", "end the chat"})
	for i := range commands {
		commands[i].Name = strings.TrimPrefix(commands[i].Name, "/")
	}
	slices.SortStableFunc(commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(commands, func(a, b Command) bool { return a.Name == b.Name })
}

// SetModel says which model answers from now on. It is for [Options.Run].
func (c *Chat) SetModel(name string) {
	c.mu.Lock()
	c.opt.Model = name
	c.mu.Unlock()
	c.tell(modelMsg(name))
}

// SetCommands says what can be completed from now on. It is for [Options.Run].
func (c *Chat) SetCommands(commands []Command) {
	commands = ownCommands(commands)
	c.mu.Lock()
	c.opt.Commands = commands
	c.mu.Unlock()
	c.tell(commandsMsg(commands))
}

// tell sends something to the screen, if there is one.
func (c *Chat) tell(msg tea.Msg) {
	c.mu.Lock()
	send := c.send
	c.mu.Unlock()
	if send != nil {
		send(msg)
	}
}

// Approve puts a question to the user and waits for the answer. Nobody there, an
// interrupt and the end of the chat refuse.
func (c *Chat) Approve(ctx context.Context, q knack.Question) (knack.Consent, error) {
	c.mu.Lock()
	ask := c.ask
	c.mu.Unlock()
	if ask == nil {
		return knack.Refuse, nil
	}
	return ask(ctx, q), nil
}

// attach makes the chat reachable from other goroutines, until the returned
// function is called.
func (c *Chat) attach(send func(tea.Msg), ask func(context.Context, knack.Question) knack.Consent) (detach func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send, c.ask = send, ask
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.send, c.ask = nil, nil
	}
}

// slash takes a slash command apart.
func slash(text string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' })
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], strings.TrimSpace(rest[end:]), end > 0
}

// ends reports whether a text ends the chat.
func ends(text string) bool {
	name, _, ok := slash(text)
	return ok && (name == "quit" || name == "exit")
}
