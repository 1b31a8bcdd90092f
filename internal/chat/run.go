package chat

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

// longestGoodbye is how long the end of a chat waits for a turn that was told to
// end: for the conversation to be kept, not for a program that hangs.
const longestGoodbye = 5 * time.Second

// Run shows the chat on the terminal until the user ends it, or ctx does, whose
// error it returns then. A terminal that obeys nothing gets lines, and its user
// is asked there.
func (c *Chat) Run(ctx context.Context) error {
	if dumb(c.opt.Environ) {
		return c.lines(ctx, true)
	}
	s := newScreen(ctx, c.opt)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithEnvironment(append([]string{}, c.opt.Environ...))}
	if c.opt.Input != nil {
		options = append(options, tea.WithInput(c.opt.Input))
	}
	if c.opt.Output != nil {
		options = append(options, tea.WithOutput(c.opt.Output))
	}
	if c.opt.Width > 0 && c.opt.Height > 0 {
		options = append(options, tea.WithWindowSize(c.opt.Width, c.opt.Height))
	}
	program := tea.NewProgram(s, options...)
	ended := make(chan struct{})
	s.feed.tell = program.Send
	detach := c.attach(program.Send, asking(program.Send, ended))
	defer detach()
	_, err := program.Run()
	close(ended)
	if s.turn != nil {
		s.turn.cancel()
		s.turn.wait(longestGoodbye)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrInterrupted):
		return nil
	}
	return err
}
