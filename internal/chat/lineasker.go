package chat

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

// LineAsker asks somebody who types lines, one question at a time. Nobody else may
// read what is typed.
type LineAsker struct {
	mu    sync.Mutex
	input io.Reader
	in    *lineReader // once something was asked
	w     io.Writer
}

// NewLineAsker asks on out and reads answers from in, from the first question on.
func NewLineAsker(in io.Reader, out io.Writer) *LineAsker { return &LineAsker{input: in, w: out} }

// Ask puts a question and waits for the answer. Whatever is no answer refuses, and
// so does the end of ctx.
func (a *LineAsker) Ask(ctx context.Context, q knack.Question) (knack.Consent, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.in == nil {
		a.in = readLines(a.input)
	}
	for _, l := range questionLines(q, lineWidth) {
		fmt.Fprintln(a.w, term.CleanLines(l.Text()))
	}
	fmt.Fprint(a.w, questionKeys(q).Text()+"? ")
	text, _ := a.in.next(ctx)
	text = strings.ToLower(strings.TrimSpace(text))
	for _, c := range consents {
		if text == c.key+c.text {
			text = c.key
		}
	}
	answer, _ := consent(q, text)
	return answer, ctx.Err() // who interrupts does not want an answer in words
}
