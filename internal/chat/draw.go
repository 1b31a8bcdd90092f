package chat

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
)

const (
	// sideFrom is how wide a screen must be for skills to stand beside the text,
	// and sideWidth what they take then: the rest is still a line of prose.
	sideFrom  = 100
	sideWidth = 30
	// mostInputRows is how much of the input is shown at once.
	mostInputRows = 8
	// prompt stands before the input.
	prompt = "> "
)

func (s *screen) inputWidth() int { return max(s.width-len(prompt), 4) }

func (s *screen) side() bool { return s.width >= sideFrom && !s.opt.Plain }

func (s *screen) transcriptWidth() int {
	if s.side() {
		return s.width - sideWidth - 3
	}
	return s.width
}

func (s *screen) transcriptHeight() int {
	bottom, _, _ := s.bottom()
	return max(s.height-len(bottom), 0)
}

// View draws the screen.
func (s *screen) View() tea.View {
	if s.width <= 0 || s.height <= 0 || s.ended {
		v := tea.NewView(" ") // an empty one would leave the last frame where it is
		v.AltScreen = !s.opt.Plain
		return v
	}
	bottom, x, y := s.bottom()
	bottom = bottom[max(len(bottom)-s.height, 0):]
	var lines []markdown.Line
	if s.opt.Plain {
		lines = s.printer.live(s, s.height-len(bottom))
	} else {
		lines = s.upper(s.height - len(bottom))
	}
	lines = append(lines, bottom...)
	for i, l := range lines { // what is laid out for more than there is
		lines[i] = cut(l, s.width)
	}
	v := tea.NewView(s.paint.lines(lines))
	v.AltScreen = !s.opt.Plain
	if !s.opt.Plain {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = term.Clean(s.opt.Title)
	if y = len(lines) - y; len(s.questions) == 0 && y >= 0 {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Blink = false
	}
	return v
}

// upper is the part that scrolls, with the skills beside it.
func (s *screen) upper(height int) []markdown.Line {
	if height <= 0 {
		return nil
	}
	width := s.transcriptWidth()
	lines := s.visible(width, height)
	for len(lines) < height {
		lines = append(lines, nil)
	}
	if !s.side() {
		return lines
	}
	side := s.skillLines(sideWidth)
	for i, l := range lines {
		lines[i] = append(fill(l, width), markdown.Span{Text: " │ ", Style: markdown.Frame})
		if i < len(side) {
			lines[i] = append(lines[i], side[i]...)
		}
	}
	return lines
}

// visible are the lines of the transcript that are on the screen.
func (s *screen) visible(width, height int) []markdown.Line {
	if len(s.transcript.entries) == 0 {
		return s.welcome(width, height)
	}
	n := s.transcript.lay(width, s.unfolded)
	last := max(n-height, 0)
	if s.follow || s.top > last {
		s.top = last
	}
	return s.transcript.lines(s.top, height)
}

// welcome is what an empty screen shows.
func (s *screen) welcome(width, height int) []markdown.Line {
	var lines []markdown.Line
	if s.opt.Title != "" {
		lines = append(wrapped(markdown.Heading, s.opt.Title, width), nil)
	}
	if s.opt.Hint != "" {
		lines = append(lines, wrapped(0, s.opt.Hint, width)...)
		lines = append(lines, nil)
	}
	lines = append(lines, wrapped(dim, "/ lists commands and skills, Alt+Enter starts another line, Ctrl+D ends the chat.", width)...)
	return lines[:min(len(lines), height)]
}

// bottom is everything below the transcript. The cursor stands in column x, in
// the line that is y from the end.
func (s *screen) bottom() (lines []markdown.Line, x, y int) {
	if len(s.questions) > 0 {
		return s.panel(), 0, 0
	}
	rows, cursorRow, x := s.input.rows(s.inputWidth())
	most := min(max(s.height/3, 1), mostInputRows)
	from := min(max(0, cursorRow-most+1), max(0, len(rows)-most))
	rows = rows[from:min(len(rows), from+most)]
	for _, text := range s.waiting {
		lines = append(lines, cut(styled(dim, "then: "+term.Clean(text)), s.width))
	}
	if s.completion.open() {
		lines = append(lines, s.completion.lines(s.width, max(s.height-len(rows)-4, 1))...)
	}
	if !s.side() && len(s.skills)+len(s.lingering) > 0 {
		lines = append(lines, cut(skillLine(s.skills, s.lingering), s.width))
	}
	lines = append(lines, s.rule()...)
	for i, r := range rows {
		mark := markdown.Span{Text: "  "}
		if from+i == 0 {
			mark = markdown.Span{Text: prompt, Style: mine}
		}
		lines = append(lines, markdown.Line{mark, {Text: r.text}})
	}
	lines = append(lines, s.status())
	return lines, len(prompt) + x, len(rows) + 1 - (cursorRow - from)
}

// rule stands above the input and says what is going on.
func (s *screen) rule() []markdown.Line {
	text := ""
	switch {
	case s.turn != nil && s.turn.interrupted:
		text = "interrupting"
	case s.turn != nil:
		text = "working " + s.elapsed() + "· ctrl+c interrupts"
	case s.leaving:
		text = "ctrl+c again quits"
	case !s.follow:
		text = "more below · ctrl+end"
	}
	if s.opt.Plain {
		if text == "" {
			return nil
		}
		return []markdown.Line{cut(styled(dim, text), s.width)}
	}
	var line markdown.Line
	if text != "" {
		line = markdown.Line{{Text: "── ", Style: markdown.Frame}, {Text: text + " ", Style: warn}}
	}
	return []markdown.Line{s.ruled(line, markdown.Frame)}
}

// ruled draws a line from the end of a text to the edge.
func (s *screen) ruled(l markdown.Line, style markdown.Style) markdown.Line {
	l = cut(l, s.width)
	if n := s.width - l.Width(); n > 0 && !s.opt.Plain {
		l = append(l, markdown.Span{Text: strings.Repeat("─", n), Style: style})
	}
	return l
}

func (s *screen) elapsed() string {
	d := s.opt.Now().Sub(s.turn.began)
	if d < time.Second {
		return ""
	}
	return d.Truncate(time.Second).String() + " "
}

// status is the last line.
func (s *screen) status() markdown.Line {
	parts := []string{term.Clean(s.model), tokens(s.tokens())}
	if s.requests > 0 {
		parts = append(parts, "step "+strconv.Itoa(s.requests))
	}
	parts = append(parts, term.Clean(s.opt.Workspace))
	var shown []string
	for _, p := range parts {
		if p != "" {
			shown = append(shown, p)
		}
	}
	keys := "ctrl+o unfolds"
	if s.unfolded {
		keys = "ctrl+o folds"
	}
	return spread(styled(dim, strings.Join(shown, " · ")), styled(dim, keys+" · / commands"), s.width)
}

// tokens is a number of them, short.
func tokens(n int) string {
	switch {
	case n == 1:
		return "1 token"
	case n < 10_000:
		return strconv.Itoa(n) + " tokens"
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk tokens", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM tokens", float64(n)/1e6)
}
