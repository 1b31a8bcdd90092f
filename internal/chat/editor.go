package chat

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
)

// mostInput bounds what is typed or pasted; a longer text belongs into a file.
const mostInput = 1 << 20

// editor is the text that is being typed. Its position is always between two
// whole characters.
type editor struct {
	text string
	pos  int // in bytes
}

func (e *editor) set(text string) { e.text, e.pos = text, len(text) }

// insert adds what was typed or pasted.
func (e *editor) insert(text string) {
	text = term.CleanLines(text)
	if len(e.text)+len(text) > mostInput {
		return
	}
	e.text = e.text[:e.pos] + text + e.text[e.pos:]
	e.pos += len(text)
}

func (e *editor) remove(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.pos = from
}

// lineStart and lineEnd are of the line that the position is in.
func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.pos], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.pos:], '\n'); i >= 0 {
		return e.pos + i
	}
	return len(e.text)
}

// prev and next are the positions of the neighbours.
func (e *editor) prev() int {
	start := e.lineStart()
	if start == e.pos {
		return max(e.pos-1, 0)
	}
	last := start
	chars := graphemes.FromString(e.text[start:e.pos])
	for chars.Next() {
		last = start + chars.Start()
	}
	return last
}

func (e *editor) next() int {
	chars := graphemes.FromString(e.text[e.pos:])
	if chars.Next() {
		return e.pos + chars.End()
	}
	return e.pos
}

const blanks = " \t\n"

func (e *editor) wordStart() int {
	head := strings.TrimRight(e.text[:e.pos], blanks)
	return strings.LastIndexAny(head, blanks) + 1
}

func (e *editor) wordEnd() int {
	rest := e.text[e.pos:]
	skipped := len(rest) - len(strings.TrimLeft(rest, blanks))
	if i := strings.IndexAny(rest[skipped:], blanks); i >= 0 {
		return e.pos + skipped + i
	}
	return len(e.text)
}

// edits are what keys do to the text.
var edits = map[string]func(*editor){
	"left":          func(e *editor) { e.pos = e.prev() },
	"ctrl+b":        func(e *editor) { e.pos = e.prev() },
	"right":         func(e *editor) { e.pos = e.next() },
	"ctrl+f":        func(e *editor) { e.pos = e.next() },
	"ctrl+left":     func(e *editor) { e.pos = e.wordStart() },
	"alt+left":      func(e *editor) { e.pos = e.wordStart() },
	"alt+b":         func(e *editor) { e.pos = e.wordStart() },
	"ctrl+right":    func(e *editor) { e.pos = e.wordEnd() },
	"alt+right":     func(e *editor) { e.pos = e.wordEnd() },
	"alt+f":         func(e *editor) { e.pos = e.wordEnd() },
	"home":          func(e *editor) { e.pos = e.lineStart() },
	"ctrl+a":        func(e *editor) { e.pos = e.lineStart() },
	"end":           func(e *editor) { e.pos = e.lineEnd() },
	"ctrl+e":        func(e *editor) { e.pos = e.lineEnd() },
	"backspace":     func(e *editor) { e.remove(e.prev(), e.pos) },
	"ctrl+h":        func(e *editor) { e.remove(e.prev(), e.pos) },
	"delete":        func(e *editor) { e.remove(e.pos, e.next()) },
	"ctrl+w":        func(e *editor) { e.remove(e.wordStart(), e.pos) },
	"alt+backspace": func(e *editor) { e.remove(e.wordStart(), e.pos) },
	"ctrl+u":        func(e *editor) { e.remove(e.lineStart(), e.pos) },
	"ctrl+k":        func(e *editor) { e.remove(e.pos, e.lineEnd()) },
	"alt+enter":     func(e *editor) { e.insert("\n") },
	"shift+enter":   func(e *editor) { e.insert("\n") },
	"ctrl+j":        func(e *editor) { e.insert("\n") },
}

// row is a line of the input as it is drawn.
type row struct {
	text  string
	start int // of its first byte in the text
}

// rows are the lines of the input, and the row and column of the position.
func (e *editor) rows(width int) (rows []row, y, x int) {
	start := 0
	for line := range strings.SplitSeq(e.text, "\n") {
		at := start
		for _, part := range markdown.Fold(strings.ReplaceAll(line, "\t", " "), width) {
			if e.pos >= at && e.pos <= at+len(part) {
				y, x = len(rows), term.Width(part[:e.pos-at])
			}
			rows = append(rows, row{part, at})
			at += len(part)
		}
		start += len(line) + 1
	}
	if x >= width { // behind the last column is the first of the next row
		rows, x = append(rows[:y+1], append([]row{{"", e.pos}}, rows[y+1:]...)...), 0
		y++
	}
	return rows, y, x
}

// move goes up or down by rows; false if there is none.
func (e *editor) move(by, width int) bool {
	rows, y, x := e.rows(width)
	if y += by; y < 0 || y >= len(rows) {
		return false
	}
	r := rows[y]
	e.pos = r.start + len(r.text)
	chars, used := graphemes.FromString(r.text), 0
	for chars.Next() {
		if used >= x {
			e.pos = r.start + chars.Start()
			break
		}
		used += term.Width(chars.Value())
	}
	return true
}

// history is what was typed before.
type history struct {
	entries []string
	at      int    // len(entries) is the draft
	draft   string // what was typed before looking back
}

func newHistory(entries []string) history {
	return history{entries: append([]string(nil), entries...), at: len(entries)}
}

func (h *history) add(text string) {
	if n := len(h.entries); n == 0 || h.entries[n-1] != text {
		h.entries = append(h.entries, text)
	}
	h.at = len(h.entries)
}

// look goes back or forth and returns what was typed there.
func (h *history) look(by int, current string) (string, bool) {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = current
	}
	if h.at = to; to == len(h.entries) {
		return h.draft, true
	}
	return term.CleanLines(h.entries[to]), true
}
