package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
)

// call is a tool that is being called, or was.
type call struct {
	fixed
	event  agent.CallEvent
	short  string
	result *agent.ResultEvent
}

func newCall(e agent.CallEvent) *call {
	c := &call{event: e, short: shortArguments(e.Arguments)}
	c.fixed = fixed{make: c.draw, tight: true, open: true}
	return c
}

func (c *call) answered(r *agent.ResultEvent) {
	c.result, c.open, c.stale = r, false, true
}

// abandon ends a call that nobody answered.
func (c *call) abandon() {
	if c.result == nil {
		c.open, c.stale = false, true
	}
}

func (c *call) draw(width int, unfolded bool) []markdown.Line {
	lines := []markdown.Line{c.head(width)}
	switch {
	case unfolded:
		lines = append(lines, c.details(width)...)
	case c.result != nil && c.result.Result.Failed:
		first, _, _ := strings.Cut(strings.TrimSpace(lined(head(c.result.Result.Text))), "\n")
		lines = append(lines, before(markdown.Span{Text: "  "}, []markdown.Line{cut(styled(bad, first), width-2)})...)
	}
	return lines
}

// head is the one line that a call is folded to: what is at its end stays, what
// it is called with is cut.
func (c *call) head(width int) markdown.Line {
	mark := markdown.Span{Text: "✗ ", Style: dim}
	end := ""
	switch {
	case c.result != nil:
		if mark = (markdown.Span{Text: "✓ ", Style: good}); c.result.Result.Failed {
			mark = markdown.Span{Text: "✗ ", Style: bad}
		}
		if box := c.result.Result.Sandbox; box != nil {
			end += " · " + term.Clean(box.Layer)
		}
		end += " · " + duration(c.result.Duration)
	case c.open:
		mark, end = markdown.Span{Text: "… ", Style: warn}, " · running"
	default:
		end = " · no answer"
	}
	line := markdown.Line{mark, {Text: term.Clean(c.event.Tool), Style: markdown.Strong}}
	if c.short != "" {
		line = append(line, markdown.Span{Text: "  " + c.short, Style: markdown.Code})
	}
	if room := width - term.Width(end); room > width/3 {
		return append(cut(line, room), markdown.Span{Text: end, Style: dim})
	}
	return cut(line, width)
}

// mostOutput bounds what is shown of one answer, in bytes. It is some screens;
// the whole is in the audit log's call, not here.
const mostOutput = 16 << 10

func head(text string) string { return text[:min(len(text), mostOutput)] }

func (c *call) details(width int) []markdown.Line {
	body := folded(markdown.Code, head(c.event.Arguments), width-4)
	if c.result != nil {
		r := c.result.Result
		body = append(body, folded(0, strings.TrimRight(head(r.Text), "\n"), width-4)...)
		if n := len(r.Text) - mostOutput; n > 0 {
			body = append(body, styled(dim, fmt.Sprintf("… and %d bytes more", n)))
		}
		if r.Cut {
			body = append(body, styled(dim, "… cut: there was more"))
		}
		if r.Sandbox != nil {
			for _, row := range sandboxRows(r.Sandbox) {
				body = append(body, wrapped(dim, row[0]+": "+row[1], width-4)...)
			}
		}
	}
	for i, l := range body {
		body[i] = append(markdown.Line{{Text: "  │ ", Style: markdown.Frame}}, l...)
	}
	return body
}

// longestArgument is how much of one argument is shown, and mostArguments how
// many are: enough for one line of a wide screen.
const (
	longestArgument = 120
	mostArguments   = 8
)

// shortArguments shows arguments on one line: the only one, or name=value.
func shortArguments(arguments string) string {
	dec := json.NewDecoder(strings.NewReader(arguments))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return shorten(arguments)
	}
	var names, values []string
	for dec.More() && len(names) < mostArguments {
		name, err := dec.Token()
		if err != nil {
			return shorten(arguments)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return shorten(arguments)
		}
		names = append(names, fmt.Sprint(name))
		values = append(values, argument(value))
	}
	if len(values) == 1 {
		return values[0]
	}
	for i, name := range names {
		values[i] = shorten(name) + "=" + values[i]
	}
	return strings.Join(values, " ")
}

func argument(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return shorten(text)
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return shorten(string(value))
	}
	return shorten(b.String())
}

func shorten(text string) string {
	return term.Truncate(term.Clean(text[:min(len(text), 8*longestArgument)]), longestArgument)
}

// duration is short enough for a glance.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// thought is what a model thinks before it answers.
type thought struct {
	fixed
	text  strings.Builder
	began time.Time
	took  time.Duration
}

func newThought(now time.Time) *thought {
	t := &thought{began: now}
	t.fixed = fixed{make: t.draw, tight: true, open: true}
	return t
}

func (t *thought) write(text string) {
	t.text.WriteString(text)
	t.stale = true
}

func (t *thought) end(now time.Time) {
	if t.open {
		t.took, t.open, t.stale = now.Sub(t.began), false, true
	}
}

func (t *thought) draw(width int, unfolded bool) []markdown.Line {
	mark := markdown.Span{Text: "~ ", Style: dim}
	text := strings.TrimSpace(t.text.String())
	switch {
	case unfolded:
		return before(mark, wrapped(dim, text, width-2))
	case t.open:
		// The end of it tells what is going on now.
		tail := text[max(0, len(text)-4*width):]
		line := strings.ToValidUTF8(tail[strings.LastIndexByte(tail, '\n')+1:], "")
		return before(mark, []markdown.Line{cut(styled(dim, "thinking: "+term.Clean(line)), width-2)})
	}
	return before(mark, []markdown.Line{cut(styled(dim, "thought for "+duration(t.took)+" · ctrl+o shows it"), width-2)})
}
