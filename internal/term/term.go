// Package term writes to terminals and to the pipes that stand in for them. It
// is the only package that prints text somebody else wrote.
//
// # Untrusted text
//
// Names, descriptions and messages come from files that anyone may have
// written. A terminal obeys some characters instead of showing them: it moves
// the cursor, changes the title, reverses the text. [Clean] leaves what can be
// seen, on one line; [CleanLines] keeps line breaks and tabs; [Text] cleans a
// [skill.Text]. Tables and fields clean their cells once more, so that a
// forgotten call costs colour at most.
//
// # Output
//
// An [Output] knows what its writer can do. On a terminal a [Table] is aligned
// and fitted to the width, and styles colour it. Elsewhere the same table is
// TSV: one line a row, cells whole, separated by tabs, no header, no colour, so
// that cut, awk and spreadsheets read it. Fields, which are labels with values,
// are aligned and wrapped on a terminal, and "label:<tab>value" lines
// elsewhere. A [Progress] draws on a terminal only.
//
// Columns are counted as terminals draw them: an ideograph or emoji takes two,
// a combining mark none ([Width], [Truncate], [Wrap]). The functions that
// measure skip the styles of this package and nothing else.
//
// Writing to an Output reports no error: when the reader of a pipe goes away
// the system ends the process, and nobody is left to be told.
package term

import (
	"io"

	"github.com/knackhq/knack/skill"
)

// Text is a skill's text made safe to print on one line.
func Text(t skill.Text) string { return Clean(t.Raw()) }

// Lines is a skill's text made safe to print, its lines kept.
func Lines(t skill.Text) string { return CleanLines(t.Raw()) }

// Output is a place to print to.
type Output struct {
	w     io.Writer
	tty   bool
	color bool
	width int
	ascii bool // glyphs in ASCII
	dumb  bool // the terminal cannot erase a line
}

// defaultWidth is that of the terminals of old, which a terminal that does not
// tell its size is assumed to have.
const defaultWidth = 80

// New makes an output. tty says that a person reads it, color that it obeys
// styles; width is the number of columns, 0 if unknown.
func New(w io.Writer, tty, color bool, width int) *Output {
	if tty && width <= 0 {
		width = defaultWidth
	}
	return &Output{w: w, tty: tty, color: color, width: width}
}

// ASCII returns a copy of o whose glyphs need no Unicode.
func (o *Output) ASCII() *Output {
	c := *o
	c.ascii = true
	return &c
}

// To returns a copy of o that writes to w, for those who watch what is written.
func (o *Output) To(w io.Writer) *Output {
	c := *o
	c.w = w
	return &c
}

// TTY reports whether a person reads the output.
func (o *Output) TTY() bool { return o.tty }

// Columns is the width of the terminal; without one, 0: nothing is cut.
func (o *Output) Columns() int {
	if !o.tty {
		return 0
	}
	return o.width
}

// The styles are roles, not colours. Without colour they change nothing. They
// do not clean their argument.

// Title marks headings and names.
func (o *Output) Title(s string) string { return o.style(styleTitle, s) }

// Dim marks what may be skipped.
func (o *Output) Dim(s string) string { return o.style(styleDim, s) }

// Good marks success.
func (o *Output) Good(s string) string { return o.style(styleGood, s) }

// Warn marks what deserves a look.
func (o *Output) Warn(s string) string { return o.style(styleWarn, s) }

// Bad marks failure.
func (o *Output) Bad(s string) string { return o.style(styleBad, s) }

// Code marks what can be typed or copied.
func (o *Output) Code(s string) string { return o.style(styleCode, s) }

// The styles use the sixteen colours that every theme defines, and no
// background, so that they can be read on light and dark.
const (
	styleTitle = "\x1b[1m"
	styleDim   = "\x1b[2m"
	styleGood  = "\x1b[32m"
	styleWarn  = "\x1b[33m"
	styleBad   = "\x1b[31m"
	styleCode  = "\x1b[36m"
	styleReset = "\x1b[0m"
)

// styles are the only escape sequences that cells of a table may hold.
var styles = [...]string{styleTitle, styleDim, styleGood, styleWarn, styleBad, styleCode, styleReset}

func (o *Output) style(style, s string) string {
	if !o.color || s == "" {
		return s
	}
	return style + s + styleReset
}

// Glyph is a sign that stands for a state.
type Glyph int

// The glyphs.
const (
	Check Glyph = iota // done, usable
	Cross              // failed, unusable
	Bang               // look at this
	Dot                // neither
	Ellipsis
)

var glyphs = [...]struct{ unicode, ascii string }{
	Check:    {"✓", "+"},
	Cross:    {"✗", "x"},
	Bang:     {"!", "!"},
	Dot:      {"·", "-"},
	Ellipsis: {"…", "..."},
}

// Glyph returns the sign in a form the output can show.
func (o *Output) Glyph(g Glyph) string {
	if o.ascii {
		return glyphs[g].ascii
	}
	return glyphs[g].unicode
}
