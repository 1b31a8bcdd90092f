package agent

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// In whichever pieces a secret comes, none of them is told, and everything else is.
func TestHeldTellsNoPartOfASecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Z0-9]{6,60}`).Draw(t, "secret")
		redact := func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }
		words := rapid.SliceOfN(rapid.OneOf(rapid.Just(secret), rapid.StringMatching(`[a-zäöü,]{0,12}[ \n]?`), rapid.Just(strings.Repeat("ü", 150))), 0, 20).Draw(t, "words")
		text := strings.Join(words, "")
		var h held
		var told []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 30)).Draw(t, "piece")
			h.text += rest[:n]
			rest = rest[n:]
			told = append(told, h.take(redact))
			if len(h.text) > mostHeld+4 {
				t.Fatalf("%d bytes are held back", len(h.text))
			}
		}
		told = append(told, redact(h.text))
		if got := strings.Join(told, ""); got != redact(text) {
			t.Fatalf("%q became %q", redact(text), got)
		}
	})
}

// What is told is told as soon as it is known.
func TestHeldTellsWords(t *testing.T) {
	var h held
	var told []string
	for _, piece := range []string{"Hel", "lo wor", "ld. ", strings.Repeat("x", mostHeld+10)} {
		h.text += piece
		told = append(told, h.take(func(s string) string { return s }))
	}
	if want := []string{"", "Hello ", "world. ", strings.Repeat("x", 10)}; !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}
