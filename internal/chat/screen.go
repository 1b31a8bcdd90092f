package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/llm"
)

// screen is the state of the terminal. It belongs to one goroutine, which its
// messages come to.
type screen struct {
	opt   Options
	ctx   context.Context // of the chat; turns end with it
	paint painter

	width, height int
	transcript    transcript
	// top is the first line that is shown, unless follow: then the last one is.
	top      int
	follow   bool
	unfolded bool

	input      editor
	history    history
	completion completion

	model     string
	skills    []knack.ActiveSkill
	lingering []knack.ActiveSkill
	usage     llm.Usage // before this turn
	turnUsage llm.Usage // of this turn, as far as known
	requests  int       // in this turn

	feed      *feed
	turn      *turn    // that is running; nil if none
	waiting   []string // typed meanwhile
	questions []*pending
	leaving   bool // the next ctrl+c quits
	ended     bool

	printer printer // in plain mode
}

// The messages that a screen gets besides those of the terminal.
type (
	eventsMsg   struct{}
	skillsMsg   struct{ active, lingering []knack.ActiveSkill }
	modelMsg    string
	commandsMsg []Command
	tickMsg     struct{ of *turn }
	turnMsg     struct {
		of   *turn
		turn agent.Turn
		err  error
	}
	commandMsg struct {
		of      *turn
		typed   string
		text    string
		handled bool
		err     error
	}
)

func newScreen(ctx context.Context, opt Options) *screen {
	s := &screen{
		opt: opt, ctx: ctx, paint: newPainter(&opt), width: opt.Width, height: opt.Height, follow: true,
		history: newHistory(opt.History), completion: completion{commands: opt.Commands},
		model: opt.Model, usage: opt.Usage, feed: &feed{},
	}
	for _, m := range opt.Messages {
		if m.Role == llm.User {
			s.transcript.add(said(m.Text))
			continue
		}
		a := newAnswer(!opt.Plain)
		a.stream.Write(m.Text)
		a.end()
		s.transcript.add(a)
	}
	for _, text := range opt.Notices {
		s.transcript.add(notice(text))
	}
	return s
}

// Init looks which skills are active.
func (s *screen) Init() tea.Cmd { return s.lookAtSkills }

func (s *screen) lookAtSkills() tea.Msg { return skillsMsg{s.opt.Skills(), s.opt.Lingering()} }

// Update takes a message.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := s.update(msg)
	if s.opt.Plain {
		cmd = tea.Batch(cmd, s.printer.next(s))
	}
	return s, cmd
}

func (s *screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 {
			s.width, s.height = msg.Width, msg.Height
		}
	case tea.KeyPressMsg:
		return s.key(msg)
	case tea.PasteMsg:
		if len(s.questions) == 0 {
			s.input.insert(msg.Content)
			s.completion.update(&s.input)
		}
	case tea.MouseWheelMsg:
		s.wheel(msg)
	case eventsMsg:
		return s.take()
	case skillsMsg:
		s.skills, s.lingering = msg.active, msg.lingering
	case modelMsg:
		s.model = string(msg)
	case commandsMsg:
		s.completion.commands = msg
	case *pending:
		msg.since = s.opt.Now()
		s.questions = append(s.questions, msg)
	case withdrawn:
		s.withdraw(msg.pending)
	case tickMsg:
		if s.turn == msg.of && s.turn != nil {
			return s.turn.tick()
		}
	case turnMsg:
		return s.ends(msg)
	case commandMsg:
		return s.commanded(msg)
	case printedMsg:
		s.printer.busy = false
	}
	return nil
}

// say sends what the user typed: to the chat itself, or to the agent.
func (s *screen) say(text string) tea.Cmd {
	s.history.add(text)
	if s.opt.SaveHistory != nil {
		s.opt.SaveHistory(text)
	}
	if ends(text) {
		return s.quit()
	}
	if s.turn != nil {
		s.waiting = append(s.waiting, text)
		return nil
	}
	return s.begin(text)
}

// begin starts what a text asks for.
func (s *screen) begin(text string) tea.Cmd {
	s.follow = true
	s.transcript.add(said(text))
	name, args, ok := slash(text)
	if !ok || s.opt.Run == nil {
		return s.startTurn(text)
	}
	t := s.startWork()
	return tea.Batch(t.tick(), t.run(func(ctx context.Context) tea.Msg {
		answer, handled, err := s.opt.Run(ctx, name, args)
		return commandMsg{t, text, answer, handled, err}
	}))
}

// commanded shows what a command of the chat answered.
func (s *screen) commanded(msg commandMsg) tea.Cmd {
	if msg.of != s.turn {
		return nil
	}
	interrupted := s.turn.interrupted
	s.stopWork()
	switch {
	case msg.err != nil && !interrupted:
		s.transcript.add(failure(msg.err))
	case interrupted:
		s.transcript.add(notice("interrupted"))
	case !msg.handled:
		return s.startTurn(msg.typed)
	case msg.text != "":
		s.transcript.add(output(msg.text))
	}
	return tea.Batch(s.lookAtSkills, s.nextWaiting())
}

// ends is called when a turn ends.
func (s *screen) ends(msg turnMsg) tea.Cmd {
	if msg.of != s.turn {
		return nil
	}
	s.take()
	s.closeOpen()
	if !s.turn.answered && msg.turn.Text != "" {
		s.text(msg.turn.Text)
		s.closeOpen()
	}
	switch {
	case s.turn.interrupted || msg.turn.End == agent.EndInterrupted || errors.Is(msg.err, context.Canceled):
		s.transcript.add(notice("interrupted"))
	case msg.err != nil:
		s.transcript.add(failure(msg.err))
	case msg.turn.End == agent.EndIterations:
		s.transcript.add(notice(fmt.Sprintf("stopped after asking the model %d times; say go on to go on", msg.turn.Iterations)))
	}
	if msg.turn.Usage != (llm.Usage{}) {
		s.turnUsage = msg.turn.Usage
	}
	if msg.turn.Iterations > 0 {
		s.requests = msg.turn.Iterations
	}
	s.usage, s.turnUsage = s.usage.Add(s.turnUsage), llm.Usage{}
	s.stopWork()
	return tea.Batch(s.lookAtSkills, s.nextWaiting())
}

// nextWaiting sends what was typed during a turn.
func (s *screen) nextWaiting() tea.Cmd {
	if len(s.waiting) == 0 {
		return nil
	}
	text := s.waiting[0]
	s.waiting = s.waiting[1:]
	return s.begin(text)
}

func (s *screen) quit() tea.Cmd {
	if s.turn != nil {
		s.turn.cancel()
	}
	s.refuseAll()
	s.ended = true
	if s.opt.Plain {
		return tea.Sequence(s.printer.rest(s), tea.Quit)
	}
	return tea.Quit
}

// tickEvery is how often the time that a turn takes is drawn.
const tickEvery = time.Second
