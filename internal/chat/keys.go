package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// pages are the keys that scroll, and by how many halves of a screen.
var pages = map[string]int{"pgup": -1, "pgdown": 1}

// wheelLines is how far one notch of a wheel goes.
const wheelLines = 3

// key takes a key.
func (s *screen) key(msg tea.KeyPressMsg) tea.Cmd {
	if len(s.questions) > 0 {
		s.answerKey(msg)
		return nil
	}
	key := msg.String()
	if key == "ctrl+c" {
		return s.ctrlC()
	}
	s.leaving = false
	if by, ok := pages[key]; ok {
		s.scroll(by * max(s.height/2, 1))
		return nil
	}
	if s.completion.open() && s.completionKey(key) {
		return nil
	}
	switch key {
	case "enter":
		return s.enter()
	case "ctrl+d":
		if s.input.text == "" {
			return s.quit()
		}
		edits["delete"](&s.input)
	case "ctrl+o":
		s.unfolded = !s.unfolded
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+home":
		s.top, s.follow = 0, false
	case "ctrl+end":
		s.follow = true
	case "up":
		s.vertical(-1)
	case "down":
		s.vertical(1)
	default:
		if edit, ok := edits[key]; ok {
			edit(&s.input)
		} else if msg.Text != "" {
			s.input.insert(msg.Text)
		}
	}
	s.completion.update(&s.input)
	return nil
}

func (s *screen) ctrlC() tea.Cmd {
	switch {
	case s.turn != nil:
		s.interrupt()
	case s.input.text != "":
		s.input.set("")
		s.completion.update(&s.input)
	case s.leaving:
		return s.quit()
	default:
		s.leaving = true
	}
	return nil
}

// completionKey takes a key while commands are offered; false leaves it to others.
func (s *screen) completionKey(key string) bool {
	c := &s.completion
	switch {
	case key == "up" || key == "shift+tab":
		c.move(-1)
	case key == "down":
		c.move(1)
	case key == "esc":
		c.close(&s.input)
	case key == "tab", key == "enter" && !c.exact(&s.input):
		c.accept(&s.input)
		c.update(&s.input)
	default:
		return false
	}
	return true
}

func (s *screen) enter() tea.Cmd {
	text := strings.TrimSpace(s.input.text)
	if text == "" {
		return nil
	}
	s.input.set("")
	s.completion.update(&s.input)
	return s.say(text)
}

// vertical moves in the input, and beyond it in what was typed before.
func (s *screen) vertical(by int) {
	if s.input.move(by, s.inputWidth()) {
		return
	}
	if text, ok := s.history.look(by, s.input.text); ok {
		s.input.set(text)
		s.completion.close(&s.input)
	}
}

func (s *screen) wheel(msg tea.MouseWheelMsg) {
	by := wheelLines
	if msg.Button == tea.MouseWheelUp {
		by = -wheelLines
	}
	if len(s.questions) > 0 {
		s.questions[0].top = max(0, s.questions[0].top+by)
		return
	}
	s.scroll(by)
}

// scroll moves what is shown; where the end is reached it follows again.
func (s *screen) scroll(by int) {
	lines, room := s.transcript.lay(s.transcriptWidth(), s.unfolded), s.transcriptHeight()
	last := max(lines-room, 0)
	if s.follow {
		s.top = last
	}
	s.top = min(max(s.top+by, 0), last)
	s.follow = s.top == last
}
