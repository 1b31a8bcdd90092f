package markdown

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/knackhq/knack/internal/term"
)

// tab is how wide a tab is drawn in code.
const tab = "    "

// columns is the width of one character, with everything that combines with it.
func columns(char string) int {
	if len(char) == 1 {
		return 1
	}
	return term.Width(char)
}

// Fold breaks one line of text into lines of at most width columns. Nothing of it
// is lost or moved, other than with [term.Wrap]: for code and commands, where
// spaces count. A character wider than width stands alone on its line.
func Fold(text string, width int) []string {
	text = strings.ReplaceAll(text, "\t", tab)
	var out []string
	start, used := 0, 0
	chars := graphemes.FromString(text)
	for chars.Next() {
		w := columns(chars.Value())
		if used+w > width && chars.Start() > start {
			out = append(out, text[start:chars.Start()])
			start, used = chars.Start(), 0
		}
		used += w
	}
	return append(out, text[start:])
}

// wrapper fills lines with words.
type wrapper struct {
	width     int
	out       []Line
	line      Line
	used      int
	word      Line
	wordWidth int
	space     bool // stands between line and word
	spaceOf   Style
}

// wrap breaks spans into lines at spaces, between ideographs, and inside of words
// that are too long. A newline is a break that has to be.
func wrap(spans []Span, width int) []Line {
	w := wrapper{width: width}
	for _, s := range spans {
		chars := graphemes.FromString(s.Text)
		for chars.Next() {
			w.char(chars.Value(), s.Style)
		}
	}
	w.endWord()
	if len(w.line) > 0 {
		w.endLine()
	}
	return w.out
}

func (w *wrapper) char(char string, style Style) {
	switch char {
	case "\n":
		w.endWord()
		w.endLine()
		return
	case " ":
		w.endWord()
		w.space, w.spaceOf = len(w.line) > 0, style
		return
	}
	n := columns(char)
	if n > 1 || w.wordWidth+n > w.width {
		w.endWord()
	}
	w.word = join(w.word, char, style)
	w.wordWidth += n
	if n > 1 {
		w.endWord()
	}
}

// join adds text to the end of a line.
func join(l Line, text string, style Style) Line {
	if n := len(l); n > 0 && l[n-1].Style == style {
		l[n-1].Text += text
		return l
	}
	return append(l, Span{text, style})
}

func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	gap := 0
	if w.space {
		gap = 1
	}
	if w.used > 0 && w.used+gap+w.wordWidth > w.width {
		w.endLine()
		gap = 0
	}
	if gap > 0 {
		w.line = join(w.line, " ", w.spaceOf)
	}
	for _, s := range w.word {
		w.line = join(w.line, s.Text, s.Style)
	}
	w.used += gap + w.wordWidth
	w.word, w.wordWidth, w.space = nil, 0, false
}

func (w *wrapper) endLine() {
	w.out = append(w.out, fit(w.line, w.width)...)
	w.line, w.used, w.space = nil, 0, false
}

// fit breaks a line that is wider than the sum of its characters: spans that
// follow each other can combine into other characters.
func fit(l Line, width int) []Line {
	if len(l) < 2 || l.Width() <= width {
		return []Line{l}
	}
	var out []Line
	for _, text := range Fold(l.Text(), width) {
		out = append(out, Line{{text, l[0].Style}})
	}
	return out
}

// prefixed puts spans before lines: one before the first, another before the
// others. lay makes the lines for the width that is left. Where the prefix would
// take more than half, there is none.
func prefixed(first, rest Span, width int, lay func(width int) []Line) []Line {
	n := max(term.Width(first.Text), term.Width(rest.Text))
	if n > width/2 || width-n < minWidth {
		return lay(width)
	}
	lines := lay(width - n)
	for i, l := range lines {
		p := rest
		if i == 0 {
			p = first
		}
		if len(l) > 0 || strings.TrimSpace(p.Text) != "" {
			lines[i] = append(Line{p}, l...)
		}
	}
	return lines
}
