package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// joined are the scripts that write words without spaces between them, or in
// which people look for parts of words.
var joined = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// prolonged is the long vowel of Katakana, which Unicode counts to no script.
const prolonged = 'ー'

func isJoined(r rune) bool {
	return r >= 0x0e00 && (r == prolonged || unicode.In(r, joined...)) // nothing before Thai is
}

// part is a run of one kind: a word, or characters of a script without spaces.
type part struct {
	text   string
	joined bool
}

// parts are the runs of letters, digits and marks of a text, in its order. Forms
// that differ only in width or composition are the same afterwards. It stops
// when yield says no.
func parts(text string, yield func(part) bool) {
	var run []rune
	var runJoined bool
	flush := func() bool {
		if len(run) == 0 {
			return true
		}
		p := part{string(run), runJoined}
		run = run[:0]
		return yield(p)
	}
	for _, r := range norm.NFKC.String(text) {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			if !flush() {
				return
			}
			continue
		}
		if is := isJoined(r); is != runJoined {
			if !flush() {
				return
			}
			runJoined = is
		}
		run = append(run, r)
	}
	flush()
}

// words is a text as it is indexed: words with spaces between them, and a space
// between any two characters of a script without spaces.
func words(text string) string {
	var b strings.Builder
	for p := range func(yield func(part) bool) { parts(text, yield) } {
		if !p.joined {
			b.WriteString(p.text)
			b.WriteByte(' ')
			continue
		}
		for _, r := range p.text {
			b.WriteRune(r)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

const (
	maxTerms  = 64 // more words do not find better
	maxTerm   = 64 // runes of one: longer is no word
	prefixMin = 3  // letters from which a word finds those that begin with it; fewer find everything
)

// match is the query of full-text search for a text: its words as alternatives,
// each quoted, so that none is syntax. It is empty if the text has no words.
func match(text string) string {
	var terms []string
	seen := map[string]bool{}
	add := func(term string) bool {
		if !seen[term] {
			seen[term] = true
			terms = append(terms, term)
		}
		return len(terms) < maxTerms
	}
	parts(text, func(p part) bool {
		runes := []rune(p.text)
		if !p.joined {
			runes = runes[:min(len(runes), maxTerm)]
			term := `"` + string(runes) + `"`
			if len(runes) >= prefixMin {
				term += "*"
			}
			return add(term)
		}
		if len(runes) == 1 {
			return add(`"` + p.text + `"`)
		}
		for i := range len(runes) - 1 {
			if !add(`"` + string(runes[i]) + " " + string(runes[i+1]) + `"`) {
				return false
			}
		}
		return true
	})
	return strings.Join(terms, " OR ")
}

// slug is a key made of the first words of a content.
func slug(content string) string {
	const (
		most    = 4  // words, which tell memories apart
		longest = 32 // runes, which are easily typed
	)
	var kept []string
	parts(content, func(p part) bool {
		kept = append(kept, strings.ToLower(p.text))
		return len(kept) < most
	})
	runes := []rune(strings.Join(kept, "-"))
	if len(runes) == 0 {
		return "memory"
	}
	return strings.TrimRight(string(runes[:min(len(runes), longest)]), "-")
}
