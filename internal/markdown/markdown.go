// Package markdown lays out Markdown for a terminal, while it is still being
// written.
//
// A [Stream] is written to as a model's answer comes, and has lines of styled
// text at any time. What cannot change any more is laid out once; only the
// unfinished last block is read anew, so that a long answer costs no more at its
// end than at its start. Another width lays everything out again.
//
// Lines are spans of text with a [Style], which says what a text is and not what
// it looks like: colours are up to who draws. The text of a span is clean
// ([term.Clean]), whatever the Markdown holds, entities such as &#27; included;
// and no line is wider than asked, ideographs and emoji counted as terminals
// draw them.
//
// # Bounds
//
// Markdown from models and tools is foreign text. A block is read in pieces of
// at most 8 KiB, nesting beyond sixteen levels is shown as it was written, and
// so is a piece with more brackets and stars than prose ever has: parsers of
// Markdown take time in the square of those.
package markdown

import (
	"strings"

	"github.com/knackhq/knack/internal/term"
)

// Style says what a text is. Styles add up.
type Style uint16

// The styles.
const (
	Strong Style = 1 << iota
	Emphasis
	Strike
	Code    // what can be typed or copied
	Heading // of any level
	Link    // the text of a link
	Address // where a link leads
	Frame   // lines around code, of tables, beside quotes
	Quote   // what somebody else said
)

// Span is text of one style.
type Span struct {
	Text  string
	Style Style
}

// Line is one line on the screen.
type Line []Span

// Text is the line without its styles.
func (l Line) Text() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is how many columns the line takes.
func (l Line) Width() int { return term.Width(l.Text()) }

// minWidth is the narrowest layout: what needs less is drawn as wide as this,
// since a wide character beside a frame needs four columns.
const minWidth = 4

// Render lays out a whole text.
func Render(text string, width int, frames bool) []Line {
	s := NewStream(frames)
	s.Write(text)
	s.Close()
	s.Layout(width)
	return s.settled
}

// Stream is Markdown that is being written. It is for one goroutine.
type Stream struct {
	reader  *reader
	split   splitter
	pieces  []piece
	settled []Line // of pieces, at width
	tail    []Line // of what is unfinished
	laidOut int    // how many pieces are in settled
	width   int
	stale   bool // tail is older than the text
}

// NewStream starts a text. Without frames there are no lines around code and
// tables, so that they can be copied.
func NewStream(frames bool) *Stream {
	return &Stream{reader: newReader(frames)}
}

// Write adds more of the text.
func (s *Stream) Write(text string) {
	s.split.write(text)
	s.take()
}

// Close ends the text. Nothing is unfinished after it.
func (s *Stream) Close() {
	s.split.close()
	s.take()
}

func (s *Stream) take() {
	s.pieces = append(s.pieces, s.split.done...)
	s.split.done = s.split.done[:0]
	s.stale = true
}

// Layout makes the lines for a width. It costs nothing if neither width nor text
// changed.
func (s *Stream) Layout(width int) {
	width = max(width, minWidth)
	if width != s.width {
		s.width, s.settled, s.laidOut, s.stale = width, nil, 0, true
	}
	if !s.stale {
		return
	}
	for ; s.laidOut < len(s.pieces); s.laidOut++ {
		s.settled = s.appendPiece(s.settled, s.pieces[s.laidOut])
	}
	s.tail = nil
	if p, ok := s.split.unfinished(); ok {
		s.tail = s.appendPiece(nil, p)
	}
	s.stale = false
}

// appendPiece adds the lines of a piece, with an empty one between blocks.
func (s *Stream) appendPiece(lines []Line, p piece) []Line {
	more := s.reader.lines(p, s.width)
	if len(more) > 0 && !p.continues && len(s.settled) > 0 {
		lines = append(lines, nil)
	}
	return append(lines, more...)
}

// Settled is how many lines, from the first, stay as they are.
func (s *Stream) Settled() int { return len(s.settled) }

// Len is how many lines there are, at the width of the last [Stream.Layout].
func (s *Stream) Len() int { return len(s.settled) + len(s.tail) }

// Line is the line of that number, from 0.
func (s *Stream) Line(i int) Line {
	if i < len(s.settled) {
		return s.settled[i]
	}
	return s.tail[i-len(s.settled)]
}
