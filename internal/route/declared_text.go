package route

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// message is one message in the forms that skills are compared with.
type message struct {
	raw    string
	low    *searched       // in lower case
	folded *searched       // for the literals of patterns
	words  map[string]bool // of low: what is between white space, bare of punctuation
}

func readMessage(raw string) *message {
	low := lower(raw)
	m := &message{raw: raw, low: newSearched(low), words: map[string]bool{}}
	if m.folded = m.low; !isASCII(raw) {
		m.folded = newSearched(fold(raw))
	}
	for word := range strings.FieldsSeq(low) {
		m.words[strings.TrimFunc(word, isBreak)] = true
	}
	return m
}

// parts are the runs of letters and digits that may say something of a skill:
// three bytes and more.
func parts(low string) []string {
	words := strings.FieldsFunc(low, isBreak)
	kept := words[:0]
	for _, word := range words {
		if len(word) > 2 {
			kept = append(kept, word)
		}
	}
	return kept
}

func isBreak(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Other_Alphabetic, r)
}

// lower is the lower case of Unicode. The standard library maps rune by rune,
// which is another thing for the two capitals whose lower case depends on what
// is around them, or is more than a rune.
func lower(s string) string {
	if strings.ContainsAny(s, "İΣ") {
		return cases.Lower(language.Und).String(s)
	}
	return strings.ToLower(s)
}

// fold makes runes equal that a pattern takes for equal when it ignores case.
func fold(s string) string { return strings.Map(foldRune, s) }

func foldRune(r rune) rune {
	if r < utf8.RuneSelf && !('A' <= r && r <= 'Z') {
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A' // so that folded ASCII is lower-cased ASCII
	}
	return least
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// searched is a text in which many terms are looked for. It knows which three
// bytes follow each other anywhere, so that nearly all terms that it lacks cost
// a look instead of a search.
type searched struct {
	text  string
	grams [1 << 10]uint64 // 65,536 bits: prose of that many bytes has some 6,000 such triples
}

func newSearched(text string) *searched {
	s := &searched{text: text}
	for i := 2; i < len(text); i++ {
		g := gram(text[i-2], text[i-1], text[i])
		s.grams[g>>6] |= 1 << (g & 63)
	}
	return s
}

func gram(a, b, c byte) uint16 {
	return uint16((uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 0x9e3779b1 >> 16)
}

func (s *searched) mayHave(g uint16) bool { return s.grams[g>>6]&(1<<(g&63)) != 0 }

// has says whether the term is anywhere in the text.
func (s *searched) has(t *term) bool {
	if len(t.text) > 2 && !(s.mayHave(t.first) && s.mayHave(t.last)) {
		return false
	}
	return strings.Contains(s.text, t.text)
}

// term is a text to look for.
type term struct {
	text, written string
	first, last   uint16 // its first and last three bytes, if it has as many
}

func newTerm(text, written string) term {
	t := term{text: text, written: written}
	if n := len(text); n > 2 {
		t.first, t.last = gram(text[0], text[1], text[2]), gram(text[n-3], text[n-2], text[n-1])
	}
	return t
}

// terms are the words that a skill declares, in lower case. One that is
// repeated counts again; a blank one, which every message has, does not.
func terms(words []string) []term {
	out := make([]term, 0, len(words))
	for _, word := range words {
		if strings.TrimSpace(word) != "" {
			out = append(out, newTerm(lower(word), word))
		}
	}
	return out
}
