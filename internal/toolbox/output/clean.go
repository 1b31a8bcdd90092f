package output

import "unicode/utf8"

// cleaner drops control characters and escape sequences from a stream, wherever
// that is split.
type cleaner struct {
	state    state
	pending  [utf8.UTFMax]byte // the beginning of a character that is not complete
	npending int
	returned bool // a carriage return was the last: a line feed behind it is the same line's end
	replaced bool // U+FFFD for bytes that are no UTF-8 was the last: one stands for a run of them
}

// state is what the next character belongs to.
type state byte

const (
	inText      state = iota
	inEscape          // behind ESC
	inSelect          // an escape sequence with intermediates, such as ESC ( B
	inCSI             // parameters of a control sequence
	inString          // of OSC, DCS, SOS, PM or APC
	inStringEnd       // ESC within a string: the beginning of its end
)

const (
	bel        = '\a'
	cancel     = 0x18
	substitute = 0x1a
	esc        = 0x1b
	st         = 0x9c // the end of a string in one character
)

// control reports C0, DEL and C1.
func control(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f }

func within(r, first, last rune) bool { return first <= r && r <= last }

// write takes bytes and emits the characters that stay.
func (c *cleaner) write(p []byte, emit func(rune)) {
	for len(p) > 0 {
		if c.npending > 0 { // complete the character byte by byte
			c.pending[c.npending] = p[0]
			c.npending++
			p = p[1:]
			c.drain(emit, false)
			continue
		}
		if !utf8.FullRune(p) {
			c.npending = copy(c.pending[:], p)
			return
		}
		r, size := utf8.DecodeRune(p)
		c.next(r, r == utf8.RuneError && size == 1, emit)
		p = p[size:]
	}
}

// end takes the bytes of a character that never was completed for what they are.
func (c *cleaner) end(emit func(rune)) { c.drain(emit, true) }

// drain takes the characters out of what is pending; all of it at the end.
func (c *cleaner) drain(emit func(rune), all bool) {
	for c.npending > 0 && (all || utf8.FullRune(c.pending[:c.npending])) {
		r, size := utf8.DecodeRune(c.pending[:c.npending])
		c.next(r, r == utf8.RuneError && size == 1, emit)
		c.npending = copy(c.pending[:], c.pending[size:c.npending])
	}
}

// next takes one character. A sequence that makes no sense ends where it stops
// making sense: the rest is text.
func (c *cleaner) next(r rune, invalid bool, emit func(rune)) {
	was := c.state
	switch was {
	case inStringEnd, inEscape:
		c.state = inText
		switch {
		case was == inStringEnd && r == '\\':
			return
		case r == '[':
			c.state = inCSI
			return
		case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
			c.state = inString
			return
		case within(r, 0x20, 0x2f):
			c.state = inSelect
			return
		case within(r, 0x30, 0x7e):
			return
		}
	case inSelect, inCSI:
		switch {
		case within(r, 0x20, 0x2f), was == inCSI && within(r, 0x30, 0x3f):
			return
		case within(r, 0x30, 0x7e):
			c.state = inText
			return
		}
		c.state = inText
	case inString:
		switch {
		case r == esc:
			c.state = inStringEnd
			return
		case r == bel || r == st || r == cancel || r == substitute:
			c.state = inText
			return
		case r != '\n' && r != '\r': // no string is longer than a line, lest all that follows be lost
			return
		}
		c.state = inText
	}
	c.text(r, invalid, emit)
}

// text takes a character that is not part of a sequence. The C1 characters only
// go: text that was decoded wrongly is full of them, and would lose much more if
// they began sequences.
func (c *cleaner) text(r rune, invalid bool, emit func(rune)) {
	afterReturn, afterReplaced := c.returned, c.replaced
	c.returned, c.replaced = r == '\r', invalid
	switch {
	case r == '\n' && afterReturn, invalid && afterReplaced:
	case r == '\n' || r == '\r':
		emit('\n')
	case r == esc:
		c.state = inEscape
	case r == '\t' || !control(r):
		emit(r)
	}
}
