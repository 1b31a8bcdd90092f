package chat

import (
	tea "charm.land/bubbletea/v2"

	"github.com/knackhq/knack/internal/markdown"
)

// printer writes a transcript onto the terminal's own screen, in plain mode: what
// is settled is printed once, above what is still alive.
type printer struct {
	entry int  // the first that is not printed whole
	lines int  // how many lines of it are
	width int  // that those lines were made for
	busy  bool // one print at a time: two might overtake each other
	begun bool // something was printed
}

// printedMsg tells that a print is done.
type printedMsg struct{}

// next prints what is settled and not printed yet; nil if there is nothing.
func (p *printer) next(s *screen) tea.Cmd {
	if p.busy || s.width <= 0 || s.ended {
		return nil
	}
	lines := p.collect(s, false)
	if len(lines) == 0 {
		return nil
	}
	p.busy = true
	return tea.Sequence(tea.Println(s.paint.lines(lines)), func() tea.Msg { return printedMsg{} })
}

// rest prints everything, at the end.
func (p *printer) rest(s *screen) tea.Cmd {
	lines := p.collect(s, true)
	if len(lines) == 0 {
		return nil
	}
	return tea.Println(s.paint.lines(lines))
}

func (p *printer) collect(s *screen, all bool) []markdown.Line {
	var out []markdown.Line
	for p.entry < len(s.transcript.entries) {
		e := s.transcript.entries[p.entry]
		p.lay(s, e)
		upto := e.settled()
		if all {
			upto = e.len()
		}
		for ; p.lines < upto; p.lines++ {
			if p.lines == 0 && p.begun && s.transcript.gap(p.entry) > 0 {
				out = append(out, nil)
			}
			out, p.begun = append(out, e.line(p.lines)), true
		}
		if p.lines < e.len() || open(e) && !all {
			break
		}
		p.entry, p.lines = p.entry+1, 0
	}
	return out
}

// open reports an entry that more may come to.
func open(e entry) bool {
	switch e := e.(type) {
	case *answer:
		return !e.ended
	case *thought:
		return e.open
	case *call:
		return e.open
	}
	return false
}

// lay lays an entry out. One that is printed in part keeps its width: its lines
// are counted.
func (p *printer) lay(s *screen, e entry) {
	if p.lines == 0 {
		p.width = s.width
	}
	e.lay(p.width, s.unfolded)
}

// live are the last lines of what is not printed yet.
func (p *printer) live(s *screen, height int) []markdown.Line {
	var out []markdown.Line
	for i := p.entry; i < len(s.transcript.entries); i++ {
		e, from := s.transcript.entries[i], 0
		if i == p.entry {
			p.lay(s, e)
			from = p.lines
		} else {
			e.lay(s.width, s.unfolded)
		}
		if from == 0 && s.transcript.gap(i) > 0 {
			out = append(out, nil)
		}
		for n := from; n < e.len(); n++ {
			out = append(out, e.line(n))
		}
	}
	if !p.begun && len(out) == 0 {
		out = s.welcome(s.width, height)
	}
	if len(out) > 0 {
		out = append(out, nil)
	}
	return out[max(len(out)-max(height, 0), 0):]
}
