package chat

import (
	"sort"

	"github.com/knackhq/knack/internal/markdown"
)

// entry is one thing that was said or done.
type entry interface {
	// lay makes the lines for a width. It is called before every look, and does
	// nothing if nothing changed.
	lay(width int, unfolded bool)
	// len and line are of the lines that lay made last.
	len() int
	line(i int) markdown.Line
	// settled is how many of them stay as they are.
	settled() int
	// small entries stand close to each other.
	small() bool
}

// transcript is what was said and done, in order.
type transcript struct {
	entries []entry
	starts  []int // the first line of each entry, and the end
}

func (t *transcript) add(e entry) { t.entries = append(t.entries, e) }

// last is the last entry; nil if there is none.
func (t *transcript) last() entry {
	if len(t.entries) == 0 {
		return nil
	}
	return t.entries[len(t.entries)-1]
}

// gap is how many empty lines stand before an entry.
func (t *transcript) gap(i int) int {
	if i == 0 || t.entries[i-1].small() && t.entries[i].small() {
		return 0
	}
	return 1
}

// lay lays everything out and returns how many lines there are.
func (t *transcript) lay(width int, unfolded bool) int {
	t.starts = t.starts[:0]
	n := 0
	for i, e := range t.entries {
		e.lay(width, unfolded)
		if e.len() > 0 {
			n += t.gap(i)
		}
		t.starts = append(t.starts, n)
		n += e.len()
	}
	return n
}

// lines are count lines, from one on.
func (t *transcript) lines(from, count int) []markdown.Line {
	out := make([]markdown.Line, 0, count)
	i := max(sort.SearchInts(t.starts, from+1)-1, 0)
	for ; i < len(t.entries) && len(out) < count; i++ {
		e, start := t.entries[i], t.starts[i]
		for at := from + len(out); at < start && len(out) < count; at++ {
			out = append(out, nil)
		}
		for n := from + len(out) - start; n >= 0 && n < e.len() && len(out) < count; n++ {
			out = append(out, e.line(n))
		}
	}
	return out
}

// fixed is an entry whose lines are made at once.
type fixed struct {
	make  func(width int, unfolded bool) []markdown.Line
	tight bool
	lines []markdown.Line
	// These are what lines were made for.
	width    int
	unfolded bool
	open     bool // it may still change
	stale    bool
}

func (f *fixed) lay(width int, unfolded bool) {
	if f.stale || f.width != width || f.unfolded != unfolded || f.lines == nil {
		f.lines, f.width, f.unfolded, f.stale = f.make(width, unfolded), width, unfolded, false
	}
}

func (f *fixed) len() int                 { return len(f.lines) }
func (f *fixed) line(i int) markdown.Line { return f.lines[i] }
func (f *fixed) small() bool              { return f.tight }

func (f *fixed) settled() int {
	if f.open {
		return 0
	}
	return len(f.lines)
}

// said is what the user typed.
func said(text string) entry {
	return &fixed{make: func(width int, _ bool) []markdown.Line {
		return before(markdown.Span{Text: "> ", Style: mine}, wrapped(markdown.Strong, text, width-2))
	}}
}

// notice is something that the user should know.
func notice(text string) entry {
	return &fixed{tight: true, make: func(width int, _ bool) []markdown.Line {
		return before(markdown.Span{Text: "! ", Style: warn}, wrapped(dim, text, width-2))
	}}
}

// failure is what went wrong.
func failure(err error) entry {
	return &fixed{tight: true, make: func(width int, _ bool) []markdown.Line {
		return before(markdown.Span{Text: "✗ ", Style: bad}, wrapped(bad, err.Error(), width-2))
	}}
}

// output is what a command of the chat answered. It may be a table.
func output(text string) entry {
	return &fixed{make: func(width int, _ bool) []markdown.Line { return folded(0, text, width) }}
}

// answer is what the model says.
type answer struct {
	stream *markdown.Stream
	ended  bool
}

func newAnswer(frames bool) *answer { return &answer{stream: markdown.NewStream(frames)} }

func (a *answer) end() {
	if !a.ended {
		a.ended = true
		a.stream.Close()
	}
}

func (a *answer) lay(width int, _ bool)    { a.stream.Layout(width) }
func (a *answer) len() int                 { return a.stream.Len() }
func (a *answer) line(i int) markdown.Line { return a.stream.Line(i) }
func (a *answer) settled() int             { return a.stream.Settled() }
func (a *answer) small() bool              { return false }
