package chat

import (
	"fmt"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// panel shows the question that waits. Its keys are always there; of a body that
// does not fit, the rest can be scrolled to.
func (s *screen) panel() []markdown.Line {
	p := s.questions[0]
	body := questionLines(p.question, s.width)
	title := "approve?"
	if n := len(s.questions) - 1; n > 0 {
		title += fmt.Sprintf(" · %d more after this", n)
	}
	room := max(s.height-3, 1) // title, keys and status
	if s.height > 16 {
		room -= 4 // what led to the question stays in sight
	}
	p.top = min(p.top, max(len(body)-room, 0))
	var below string
	if left := len(body) - p.top - room; left > 0 {
		below = fmt.Sprintf(" · %d more lines, down shows them", left)
	} else if p.top > 0 {
		below = " · up shows what is above"
	}
	head := markdown.Line{{Text: "── ", Style: warn}, {Text: title, Style: warn | markdown.Strong}, {Text: below + " ", Style: warn}}
	if s.opt.Plain {
		head = head[1:]
	}
	lines := []markdown.Line{s.ruled(head, warn)}
	lines = append(lines, body[p.top:min(len(body), p.top+room)]...)
	return append(lines, cut(questionKeys(p.question), s.width), s.status())
}

// why says for what reason a skill is active, and since which other one.
func why(a knack.ActiveSkill) string {
	text := term.Clean(string(a.Why))
	if a.From != "" {
		text += " with " + term.Clean(a.From)
	}
	if a.Trust.Below(skill.Trusted) {
		text += ", " + term.Clean(string(skill.Installed))
	}
	return text
}

// StillCounts is said of a skill that is not active and takes tools away.
const StillCounts = "still counts: the model has read it"

// skillLine is the skills that count on one line.
func skillLine(active, lingering []knack.ActiveSkill) markdown.Line {
	line := styled(dim, "skills ")
	add := func(a knack.ActiveSkill, about string) {
		if len(line) > 1 {
			line = append(line, markdown.Span{Text: " · ", Style: dim})
		}
		line = append(line, markdown.Span{Text: term.Clean(a.Name), Style: markdown.Strong}, markdown.Span{Text: " " + about, Style: dim})
	}
	for _, a := range active {
		add(a, why(a)+", "+tokens(a.Tokens))
	}
	for _, a := range lingering {
		add(a, StillCounts)
	}
	return line
}

// skillLines are the skills that count in a column.
func (s *screen) skillLines(width int) []markdown.Line {
	lines := []markdown.Line{styled(markdown.Heading, "active skills"), nil}
	if len(s.skills) == 0 {
		lines = append(lines, styled(dim, "none"), nil)
	}
	add := func(a knack.ActiveSkill, about string) {
		lines = append(lines, cut(styled(markdown.Strong, term.Clean(a.Name)), width))
		lines = append(lines, before(markdown.Span{Text: "  "}, wrapped(dim, about, width-2))...)
	}
	sum := 0
	for _, a := range s.skills {
		sum += a.Tokens
		add(a, why(a))
		lines = append(lines, styled(dim, "  "+tokens(a.Tokens)), nil)
	}
	if len(s.skills) > 1 {
		lines = append(lines, styled(dim, tokens(sum)+" together"), nil)
	}
	for _, a := range s.lingering {
		add(a, StillCounts)
		lines = append(lines, nil)
	}
	return lines
}
