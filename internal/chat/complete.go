package chat

import (
	"strings"

	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
)

// mostOffered is how many commands are listed at once.
const mostOffered = 8

// completion is the list of commands that fit what is typed.
type completion struct {
	commands []Command
	offered  []Command
	at       int
	closed   string // the text for which the user closed it
}

// update offers what fits the text before the position.
func (c *completion) update(e *editor) {
	was := ""
	if c.at < len(c.offered) {
		was = c.offered[c.at].Name
	}
	c.offered, c.at = nil, 0
	word, ok := strings.CutPrefix(e.text, "/")
	if !ok || e.pos != len(e.text) || strings.ContainsAny(word, blanks) || c.closed == e.text {
		return
	}
	c.closed = ""
	word = strings.ToLower(word)
	var inside []Command
	for _, command := range c.commands {
		switch name := strings.ToLower(command.Name); {
		case strings.HasPrefix(name, word):
			c.offered = append(c.offered, command)
		case strings.Contains(name, word):
			inside = append(inside, command)
		}
	}
	c.offered = append(c.offered, inside...)
	for i, command := range c.offered {
		if command.Name == was {
			c.at = i
		}
	}
}

func (c *completion) open() bool { return len(c.offered) > 0 }

func (c *completion) move(by int) { c.at = (c.at + by + len(c.offered)) % len(c.offered) }

func (c *completion) close(e *editor) { c.closed, c.offered = e.text, nil }

// accept puts the chosen command into the text.
func (c *completion) accept(e *editor) { e.set("/" + term.Clean(c.offered[c.at].Name) + " ") }

// exact reports whether the text is a command already.
func (c *completion) exact(e *editor) bool {
	for _, command := range c.offered {
		if "/"+command.Name == e.text {
			return true
		}
	}
	return false
}

func (c *completion) lines(width, most int) []markdown.Line {
	most = min(mostOffered, most)
	from := max(0, c.at-most+1)
	names := 0
	shown := c.offered[from:min(len(c.offered), from+most)]
	for _, command := range shown {
		names = max(names, term.Width(term.Clean(command.Name)))
	}
	var out []markdown.Line
	for i, command := range shown {
		mark, style := "  ", markdown.Code
		if from+i == c.at {
			mark, style = "› ", markdown.Code|chosen
		}
		name := fill(styled(style, "/"+term.Clean(command.Name)), min(names+3, max(width/2, 8)))
		line := append(markdown.Line{{Text: mark}}, name...)
		out = append(out, cut(append(line, markdown.Span{Text: term.Clean(command.Help), Style: dim}), width))
	}
	return out
}
