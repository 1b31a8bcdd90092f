package format

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// place is where in a document a value stands, put into words only when there
// is something to say about it: that is rare, and the words would cost more
// than the reading.
type place struct {
	up    *place
	key   string
	index int // in a list, where key is empty
}

// path is the place as its author wrote it.
func (p *place) path() string { return p.join(func(key string) string { return key }) }

// text is the place in a message.
func (p *place) text() string { return p.join(shown) }

func (p *place) join(show func(key string) string) string {
	switch {
	case p.key == "" && p.up != nil:
		return p.up.join(show) + "[" + strconv.Itoa(p.index) + "]"
	case p.up == nil:
		return show(p.key)
	default:
		return p.up.join(show) + "." + show(p.key)
	}
}

// shown is a stranger's word in a message: as it is if it is plain.
func shown(word string) string {
	if isPlain(word, "._- ", 60) {
		return word
	}
	return quoted(word)
}

// quoted shows a stranger's text in a message: short, and without anything
// that a terminal would obey.
func quoted(text string) string {
	const enough = 60 // characters; a message stays on one or two lines
	text = strings.TrimSpace(text)
	if isPlain(text, "._-/: ", enough) {
		return `"` + text + `"`
	}
	if utf8.RuneCountInString(text) > enough {
		text = string([]rune(text[:min(len(text), enough*utf8.UTFMax)])[:enough-1]) + "…"
	}
	return strconv.Quote(text)
}
