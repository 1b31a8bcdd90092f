package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/llm"
)

// mostHeld is how much of a stream waits for the rest of its word, in bytes: more
// than keys have.
const mostHeld = 200

// held is the end of a stream that is not told yet: it may be the beginning of a
// secret, which only the whole of it shows to be one.
type held struct {
	text    string
	thought bool // it is of the reasoning
}

// stream passes on the pieces of an answer.
func (t *turn) stream(e llm.Event) {
	piece := e.Text + e.Reasoning // one of them is set
	if piece == "" || t.held.thought != (e.Text == "") {
		t.letGo()
	}
	t.held.thought = e.Text == ""
	t.held.text += piece
	t.tellPiece(t.held.take(t.redact))
	if e.Retry != nil {
		t.notice(fmt.Sprintf("asking again in %s (attempt %d): %s", e.Retry.After, e.Retry.Attempt, e.Retry.Why))
	}
}

// letGo tells what was held back: no more comes to it.
func (t *turn) letGo() {
	text := t.redact(t.held.text)
	t.held.text = ""
	t.tellPiece(text)
}

func (t *turn) tellPiece(text string) {
	switch {
	case text == "":
	case t.held.thought:
		t.tell(Event{Reasoning: text})
	default:
		t.tell(Event{Text: text})
	}
}

// take is what can be told: whole words, or, of a word without an end, what is
// longer than a secret.
func (h *held) take(redact func(string) string) string {
	end := strings.LastIndexAny(h.text, " \t\r\n") + 1
	if len(h.text)-end > mostHeld {
		h.text = redact(h.text) // else the end could part one that is whole
		for end = max(0, len(h.text)-mostHeld); end > 0 && !utf8.RuneStart(h.text[end]); end-- {
		}
	}
	told := redact(h.text[:end])
	h.text = h.text[end:]
	return told
}
