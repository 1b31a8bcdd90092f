package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s as one line of visible text. Escape sequences and control
// characters go, together with what an escape sequence carries (the title in an
// OSC). White space around a line break becomes one space, a tab too.
// Characters that reverse the direction of text, and bytes that are no UTF-8,
// become U+FFFD, for there was something a reader should know of. Other
// invisible characters go, except for joiners and variation selectors where
// scripts and emoji need them.
func Clean(s string) string { return clean(s, false, false) }

// CleanLines is [Clean] with tabs and line breaks kept; every kind of line
// break becomes a newline.
func CleanLines(s string) string { return clean(s, true, false) }

// cleanCell is [Clean] for text that may hold the styles of this package.
func cleanCell(s string) string { return clean(s, false, true) }

func clean(s string, lines, keepStyles bool) string {
	if isPlain(s) {
		return s
	}
	c := cleaner{lines: lines}
	c.out.Grow(len(s))
	for i := 0; i < len(s); {
		if keepStyles {
			if style := leadingStyle(s[i:]); style != "" {
				c.out.WriteString(style)
				i += len(style)
				continue
			}
		}
		if n := escapeLen(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		c.add(r)
		i += size
	}
	if c.broke { // a break at the end separates nothing
		return strings.TrimSuffix(c.out.String(), " ")
	}
	return c.out.String()
}

// isPlain reports whether s is printable ASCII, as nearly all names are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

type cleaner struct {
	out   strings.Builder
	lines bool
	prev  rune // the last rune written
	// broke is set after a line break that became a space, until text follows.
	broke bool
}

func (c *cleaner) add(r rune) {
	switch {
	case isBreak(r):
		c.addBreak(r)
	case r == '\t':
		if c.lines {
			c.write(r)
		} else {
			c.add(' ')
		}
	case unicode.IsControl(r):
		// C0, DEL and C1.
	case isBidi(r):
		c.write(utf8.RuneError)
	case r == zwj || r == zwnj:
		// Joiners belong between letters of scripts that join and between
		// emoji. After Latin letters they only make two names look alike.
		if c.prev >= firstJoining && c.prev != zwj && c.prev != zwnj {
			c.write(r)
		}
	case r == textStyle || r == emojiStyle:
		if c.prev > ' ' && c.prev != textStyle && c.prev != emojiStyle {
			c.write(r)
		}
	case isInvisible(r):
	case r == ' ' && c.broke:
	default:
		c.write(r)
	}
}

func (c *cleaner) addBreak(r rune) {
	switch {
	case c.lines:
		if r == '\n' && c.prev == '\r' {
			c.prev = '\n' // the break was written for the CR
			return
		}
		c.write('\n')
		if r == '\r' {
			c.prev = r
		}
	case c.prev != 0: // nor does one at the start
		if c.prev != ' ' {
			c.write(' ')
		}
		c.broke = true
	}
}

func (c *cleaner) write(r rune) {
	c.out.WriteRune(r)
	c.prev = r
	c.broke = false
}

const (
	zwnj       = '\u200c'
	zwj        = '\u200d'
	textStyle  = '\ufe0e'
	emojiStyle = '\ufe0f'
	// firstJoining is where combining marks and the scripts beyond Latin start.
	firstJoining = '\u0300'
)

func isBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// isBidi reports the characters that make text read otherwise than it is
// stored: embeddings, overrides and isolates.
func isBidi(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// isInvisible reports characters that leave no trace on a screen and can carry
// hidden text or make two names look alike: the format characters, tags among
// them, fillers that Unicode counts as letters, and variation selectors other
// than the two that emoji use.
func isInvisible(r rune) bool {
	const brailleBlank = '\u2800'
	return r == brailleBlank || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// leadingStyle returns the style that s starts with, if any.
func leadingStyle(s string) string {
	if s == "" || s[0] != esc {
		return ""
	}
	for _, style := range styles {
		if strings.HasPrefix(s, style) {
			return style
		}
	}
	return ""
}

const (
	esc = 0x1b
	bel = 0x07
)

// escapeLen is the length of the escape sequence s starts with, 0 if with none.
// A sequence that is cut off or malformed ends where it stops making sense; the
// rest is text, which a terminal might have swallowed and a reader should see.
func escapeLen(s string) int {
	n, kind := introducer(s)
	if n == 0 {
		return 0
	}
	switch kind {
	case '[': // CSI: parameters, intermediates, one final byte
		end := n + span(s[n:], 0x30, 0x3f)
		end += span(s[end:], 0x20, 0x2f)
		if end < len(s) && s[end] >= 0x40 && s[end] <= 0x7e {
			return end + 1
		}
		return n
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: up to a terminator
		for i := n; i < len(s); i++ {
			switch {
			case s[i] == bel:
				return i + 1
			case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
				return i + 2
			case s[i] == esc, s[i] == '\n', isC1(s[i:]):
				// Never closed. Looking no further also keeps a long row of
				// openings from being searched to the end again and again.
				return n
			}
		}
	}
	return n
}

// introducer recognises how an escape sequence starts: ESC and a byte, or the
// one character of the C1 set that means the same.
func introducer(s string) (n int, kind byte) {
	switch {
	case s[0] == esc:
		end := 1 + span(s[1:], 0x20, 0x2f)
		if end >= len(s) || s[end] < 0x30 || s[end] > 0x7e {
			return 1, 0
		}
		if end > 1 {
			return end + 1, 0 // such as ESC ( B
		}
		return 2, s[1]
	case isC1(s) && s[1] != 0x85: // U+0085 is a line break
		return 2, s[1] - 0x40
	}
	return 0, 0
}

// isC1 reports whether s starts with a control character of the C1 set.
func isC1(s string) bool {
	return len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f
}

// span counts the leading bytes of s from low to high.
func span(s string, low, high byte) int {
	n := 0
	for n < len(s) && s[n] >= low && s[n] <= high {
		n++
	}
	return n
}
