package term

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// cells counts columns the same way on every machine: characters of ambiguous
// width count one, whatever the locale says.
func cells() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// Width is the number of columns s takes on a terminal. Styles take none.
func Width(s string) int { return cells().StringWidth(plain(s)) }

// plain returns s without the styles of this package.
func plain(s string) string {
	if strings.IndexByte(s, esc) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if style := leadingStyle(s[i:]); style != "" {
			i += len(style)
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// Truncate shortens s to at most width columns, with "…" in place of what was
// cut. A style that was open is closed.
func Truncate(s string, width int) string { return truncate(s, width, glyphs[Ellipsis].unicode) }

func truncate(s string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	text, c := plain(s), cells()
	if c.StringWidth(text) <= width {
		return s
	}
	if c.StringWidth(tail) > width {
		tail = ""
	}
	head := c.Truncate(text, width-c.StringWidth(tail), "")
	// A tail can merge with the character before it into a wider one.
	for head != "" && c.StringWidth(head+tail) > width {
		_, size := utf8.DecodeLastRuneInString(head)
		head = head[:len(head)-size]
	}
	n, open := textOffset(s, len(head))
	if open {
		tail += styleReset
	}
	return s[:n] + tail
}

// textOffset is where in s its first keep bytes of text, not counting styles,
// end, and whether a style is open there.
func textOffset(s string, keep int) (offset int, open bool) {
	for offset < len(s) && keep > 0 {
		if style := leadingStyle(s[offset:]); style != "" {
			offset += len(style)
			open = style != styleReset
			continue
		}
		offset++
		keep--
	}
	return offset, open
}

// tabs is how wide a tab is drawn in wrapped text.
const tabs = "    "

// Wrap breaks s into lines of at most width columns, at spaces where it can.
// Every line leaves room for indent columns on its left; lines after the first
// are indented by spaces, while the first one's place is the caller's (a label,
// a bullet). Line breaks in s are kept. With a width of 0 or less s is returned
// with only its own breaks indented. A character wider than the room stands
// alone on its line.
func Wrap(s string, width, indent int) string {
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		if width <= 0 {
			lines = append(lines, paragraph)
			continue
		}
		lines = append(lines, wrapLine(paragraph, max(width-indent, 1))...)
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", max(indent, 0)))
}

// wrapLine fills lines of room columns with the words of s. A line that fits is
// left as it is; the continuation of an indented one is indented as well.
func wrapLine(s string, room int) []string {
	s = strings.ReplaceAll(strings.TrimRight(s, " \t"), "\t", tabs)
	if Width(s) <= room {
		return []string{s}
	}
	margin := s[:len(s)-len(strings.TrimLeft(s, " "))]
	if len(margin) > room/2 {
		margin = ""
	}
	room -= len(margin)
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		w := Width(word)
		if line != "" && used+1+w <= room {
			line += " " + word
			used += 1 + w
			continue
		}
		if line != "" {
			lines = append(lines, margin+line)
		}
		for w > room {
			n := breakWord(word, room)
			if n == len(word) {
				break
			}
			lines = append(lines, margin+word[:n])
			word = word[n:]
		}
		line, used = word, Width(word)
	}
	if line != "" {
		lines = append(lines, margin+line)
	}
	return lines
}

// breakWord is how much of a word's start fits, at least one character. It looks
// at no more of the word than can fit, so that a megabyte without a space costs
// a megabyte and not its square: few characters take more than windowFactor
// bytes a column, and one that does may be split.
func breakWord(word string, room int) int {
	const windowFactor = 64
	window := word[:min(len(word), windowFactor*room)]
	for len(window) < len(word) && !utf8.RuneStart(word[len(window)]) {
		window = word[:len(window)+1]
	}
	text := plain(window)
	head := ""
	for ; head == "" && text != ""; room++ {
		head = cells().Truncate(text, room, "")
	}
	if len(head) == len(text) && len(window) == len(word) {
		return len(word) // with the styles that follow the text
	}
	n, _ := textOffset(word, max(len(head), 1))
	return n
}
