package chat

import (
	"strings"

	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
)

// What the chat says itself has styles beside those of Markdown.
const (
	dim markdown.Style = markdown.Quote << (iota + 1)
	good
	warn
	bad
	mine // what the user typed
	chosen
)

// looks are how styles are drawn: attributes and the sixteen colours that every
// theme defines, without a background, so that light and dark both work.
var looks = [...]struct {
	style markdown.Style
	code  string
}{
	{markdown.Strong, "1"},
	{markdown.Emphasis, "3"},
	{markdown.Strike, "9"},
	{markdown.Code, "36"},
	{markdown.Heading, "1;35"},
	{markdown.Link, "4"},
	{markdown.Address, "2"},
	{markdown.Frame, "2"},
	{markdown.Quote, "3"},
	{dim, "2"},
	{good, "32"},
	{warn, "33"},
	{bad, "31"},
	{mine, "1;34"},
	{chosen, "7"},
}

// painter makes text for a terminal of lines. It is the only way there.
type painter struct{ color bool }

// newPainter decides about colour by what the user said.
func newPainter(opt *Options) painter {
	noColor, _ := environ.Lookup(opt.Environ, "NO_COLOR", "")
	return painter{color: !opt.NoColor && noColor == "" && !dumb(opt.Environ)}
}

// dumb reports a terminal that obeys no escape sequences.
func dumb(env []string) bool {
	name, _ := environ.Lookup(env, "TERM", "")
	return name == "dumb"
}

func (p painter) line(l markdown.Line) string {
	var b strings.Builder
	for _, s := range l {
		text := term.Clean(s.Text)
		codes := p.codes(s.Style)
		if codes == "" || text == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString("\x1b[" + codes + "m" + text + "\x1b[0m")
	}
	return b.String()
}

func (p painter) codes(style markdown.Style) string {
	if !p.color || style == 0 {
		return ""
	}
	var codes []string
	for _, l := range looks {
		if style&l.style != 0 {
			codes = append(codes, l.code)
		}
	}
	return strings.Join(codes, ";")
}

func (p painter) lines(lines []markdown.Line) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = p.line(l)
	}
	return strings.Join(out, "\n")
}

// styled is a line of one style.
func styled(style markdown.Style, text string) markdown.Line {
	return markdown.Line{{Text: text, Style: style}}
}

// cut shortens a line to a width.
func cut(l markdown.Line, width int) markdown.Line {
	if l.Width() <= width {
		return l
	}
	var out markdown.Line
	for _, s := range l {
		room := width - out.Width()
		if w := term.Width(s.Text); w >= room { // something follows, or this is too long
			s.Text = term.Truncate(s.Text+"…", room)
			return append(out, s)
		}
		out = append(out, s)
	}
	return out
}

// fill makes a line exactly as wide as said.
func fill(l markdown.Line, width int) markdown.Line {
	l = cut(l, width)
	if n := width - l.Width(); n > 0 {
		l = append(l[:len(l):len(l)], markdown.Span{Text: strings.Repeat(" ", n)})
	}
	return l
}

// spread puts one line to the left and another to the right, if there is room.
func spread(left, right markdown.Line, width int) markdown.Line {
	gap := width - left.Width() - right.Width()
	if gap < 2 {
		return cut(left, width)
	}
	return append(fill(left, left.Width()+gap), right...)
}

// lined is text whose lines are as wide as they are counted: a tab is drawn as a
// space.
func lined(text string) string { return strings.ReplaceAll(term.CleanLines(text), "\t", " ") }

// wrapped is text of one style, broken at words.
func wrapped(style markdown.Style, text string, width int) []markdown.Line {
	var out []markdown.Line
	for l := range strings.SplitSeq(term.Wrap(lined(text), max(width, 2), 0), "\n") {
		out = append(out, styled(style, l))
	}
	return out
}

// folded is text of one style, broken where it has to be, with every space.
func folded(style markdown.Style, text string, width int) []markdown.Line {
	var out []markdown.Line
	for l := range strings.SplitSeq(lined(text), "\n") {
		for _, part := range markdown.Fold(l, max(width, 2)) {
			out = append(out, styled(style, part))
		}
	}
	return out
}

// before puts a mark before the first line and spaces before the others.
func before(mark markdown.Span, lines []markdown.Line) []markdown.Line {
	space := markdown.Span{Text: strings.Repeat(" ", term.Width(mark.Text))}
	for i, l := range lines {
		lines[i] = append(markdown.Line{space}, l...)
		if i == 0 {
			lines[i][0] = mark
		}
	}
	return lines
}
