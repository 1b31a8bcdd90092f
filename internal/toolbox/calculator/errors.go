package calculator

import (
	"errors"
	"strings"
	"unicode"
)

var (
	errEmpty    = errors.New("there is no expression")
	errLong     = errors.New("the expression is too long; 4096 bytes at most")
	errDeep     = errors.New("too many levels of parentheses; 100 at most")
	errBig      = errors.New("the number is too large to be exact; about 5000 digits at most")
	errOverflow = errors.New("the number is too large")
	errZero     = errors.New("division by zero")
	errDomain   = errors.New("not a real number")
	errWhole    = errors.New("this takes a whole number from 0 to 1000")
)

// mistake is an error at a place of the expression.
type mistake struct {
	source []rune
	at     int // index of the rune
	err    error
}

// around is how much of a long expression is shown on either side of a mistake:
// both together fit a line of a terminal.
const around = 36

func (m *mistake) Error() string {
	from, to := max(m.at-around, 0), min(m.at+around, len(m.source))
	var b strings.Builder
	b.WriteString(m.err.Error())
	b.WriteString("\n  ")
	for _, r := range m.source[from:to] {
		if !unicode.IsGraphic(r) {
			r = ' ' // one for one, so that the caret stays in its place
		}
		b.WriteRune(r)
	}
	b.WriteString("\n  ")
	b.WriteString(strings.Repeat(" ", m.at-from))
	b.WriteString("^")
	return b.String()
}

func (m *mistake) Unwrap() error { return m.err }
