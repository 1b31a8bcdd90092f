package web

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

const (
	// longestText is where reading a page ends: addresses that are short in a
	// page can be long in its text.
	longestText = 2 << 20
	// longestLink is left out; links that long are data.
	longestLink = 2000
	// deepest is how far lists are indented and quotations are marked.
	deepest = 8
)

// breaks are the elements that begin and end lines, and how many ends of lines
// stand between them and what is around: one, or two for an empty line.
var breaks = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"address": 2, "article": 2, "aside": 2, "blockquote": 2, "body": 2, "details": 2, "dl": 2, "fieldset": 2, "figure": 2, "footer": 2, "form": 2,
		"h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "header": 2, "hr": 2, "main": 2, "nav": 2, "p": 2, "pre": 2, "section": 2, "table": 2,
		"title": 2, "xmp": 2,
		"br": 1, "caption": 1, "dd": 1, "div": 1, "dt": 1, "figcaption": 1, "legend": 1, "li": 1, "ol": 1, "option": 1, "summary": 1, "tr": 1, "ul": 1,
	}
})

// dropped are elements that say nothing to readers.
var dropped = []string{
	"script", "style", "template", "svg", "math", "iframe", "canvas", "object", "noembed", "noframes",
	"datalist",
}

// readPage makes text of a page: headings, lists, links, code and tables as in
// Markdown, everything else as paragraphs. Links are completed from base.
func readPage(page string, base *url.URL) string {
	w := &writer{base: base}
	if len(base.String()) > longestLink {
		w.base = nil // no link would be shorter
	}
	z := &tokenizer{page: page}
	for len(w.out) < longestText {
		t := z.next()
		switch t.kind {
		case endOfPage:
			return w.end()
		case textToken:
			w.text(t.text)
		case startTag:
			w.start(t)
		case endTag:
			w.finish(t.name)
		}
	}
	return w.end()
}

// writer writes the text of a page.
type writer struct {
	base *url.URL
	out  []byte

	broken int    // ends of lines wanted before the next text
	space  bool   // so is a space
	before string // what the next text is preceded by, such as "# "

	lists  []int // the lists that are open: how many items they have; -1 has no numbers
	quotes int
	pre    int
	cells  int // of this row so far

	drop string // the element that is dropped
	deep int    // how often it is open

	link   string // where the open link leads, as the page says it
	linkAt int    // where in out its text begins; -1 if there is none yet
}

func (w *writer) text(text string) {
	switch {
	case w.drop != "":
	case w.pre > 0:
		w.verbatim(text)
	default:
		w.words(text)
	}
}

// words writes text with every run of white space as one space.
func (w *writer) words(text string) {
	text = strings.ReplaceAll(text, "\u00a0", " ")
	if text != "" && space(text[0]) {
		w.space = true
	}
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && space(byte(r)) }) {
		w.space = w.space || i > 0
		w.put(word)
	}
	if text != "" && space(text[len(text)-1]) {
		w.space = true
	}
}

func (w *writer) verbatim(text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.out = append(w.out, '\n')
			w.quote()
		}
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			w.put(line)
		}
	}
}

// put writes text, after what was wanted before it.
func (w *writer) put(text string) {
	if w.broken > 0 {
		if len(w.out) > 0 {
			w.out = append(w.out, "\n\n"[:w.broken]...)
		}
		w.quote()
		w.broken, w.space = 0, false
	}
	if w.space && len(w.out) > 0 && w.pre == 0 && w.before == "" {
		w.out = append(w.out, ' ')
	}
	w.space = false
	w.out = append(w.out, w.before...)
	w.before = ""
	if w.linkAt < 0 {
		w.linkAt = len(w.out)
	}
	w.out = append(w.out, text...)
}

// quote begins a line.
func (w *writer) quote() {
	for range min(w.quotes, deepest) {
		w.out = append(w.out, "> "...)
	}
}

func (w *writer) want(lines int) {
	w.broken = max(w.broken, lines)
	w.space = false
}

func (w *writer) start(t token) {
	if w.drop != "" {
		if t.name == w.drop && !t.self {
			w.deep++
		}
		return
	}
	if slices.Contains(dropped, t.name) {
		if !t.self || slices.Contains(rawElements, t.name) {
			w.drop, w.deep = t.name, 1
		}
		return
	}
	if lines := breaks()[t.name]; lines > 0 {
		w.closeLink()
		if len(w.lists) > 0 {
			lines = 1
		}
		w.want(lines)
	}
	switch t.name {
	case "title", "h1", "h2", "h3", "h4", "h5", "h6":
		w.heading(t.name)
	case "ul", "ol":
		w.openList(t.name)
	case "li":
		w.before = w.item()
	case "hr":
		w.put("---")
		w.want(2)
	case "pre", "xmp":
		w.put("```\n")
		w.pre++
	case "code", "kbd", "samp":
		w.mark("`")
	case "blockquote":
		w.quotes++
	case "tr":
		w.cells = 0
	case "td", "th":
		if w.cells++; w.cells > 1 {
			w.space = true
			w.put("|")
			w.space = true
		}
	case "img":
		if alt := strings.TrimSpace(t.alt); alt != "" {
			w.words("[image: " + alt + "]")
		}
	case "a":
		w.closeLink()
		w.openLink(t.href)
	}
}

func (w *writer) finish(name string) {
	if w.drop != "" {
		if name == w.drop {
			if w.deep--; w.deep == 0 {
				w.drop = ""
			}
		}
		return
	}
	switch name {
	case "ul", "ol":
		if len(w.lists) > 0 {
			w.lists = w.lists[:len(w.lists)-1]
		}
	case "pre", "xmp":
		if w.pre > 0 {
			w.pre--
			if len(w.out) > 0 && w.out[len(w.out)-1] != '\n' {
				w.out = append(w.out, '\n')
			}
			w.put("```")
		}
	case "code", "kbd", "samp":
		w.mark("`")
	case "a":
		w.closeLink()
	}
	if lines := breaks()[name]; lines > 0 {
		w.closeLink()
		if len(w.lists) > 0 {
			lines = 1
		} else if name == "ul" || name == "ol" {
			lines = 2
		}
		w.want(lines)
		w.before = ""
	}
	if name == "blockquote" && w.quotes > 0 {
		w.quotes--
	}
}

func (w *writer) end() string {
	w.closeLink()
	if w.pre > 0 {
		w.out = append(w.out, "\n```"...)
	}
	return strings.TrimSpace(string(w.out))
}
