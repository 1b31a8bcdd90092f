package web

import (
	"strconv"
	"strings"
)

func (w *writer) openList(name string) {
	if len(w.lists) == 0 {
		w.want(2)
	}
	count := -1
	if name == "ol" {
		count = 0
	}
	if len(w.lists) < 1000 { // no page has more; unclosed ones need not be held
		w.lists = append(w.lists, count)
	}
}

// heading marks the next text as one, in an item of a list if that has no text yet.
func (w *writer) heading(name string) {
	level := 1
	if name[0] == 'h' {
		level = int(name[1] - '0')
	}
	if strings.Contains(w.before, "#") {
		w.before = ""
	}
	w.before += strings.Repeat("#", level) + " "
}

// item is what the next item of a list is preceded by.
func (w *writer) item() string {
	if len(w.lists) == 0 {
		return "- "
	}
	indent := strings.Repeat("  ", min(len(w.lists)-1, deepest))
	last := &w.lists[len(w.lists)-1]
	if *last < 0 {
		return indent + "- "
	}
	*last++
	return indent + strconv.Itoa(*last) + ". "
}

// mark writes the sign at either end of code in a line.
func (w *writer) mark(sign string) {
	if w.pre == 0 {
		w.put(sign)
	}
}

// openLink begins a link, if it can lead to another page.
func (w *writer) openLink(href string) {
	if w.base != nil && href != "" && href[0] != '#' && len(href) <= longestLink {
		w.link, w.linkAt = href, -1
	}
}

// closeLink puts the text since the link began into brackets, and behind it where
// it leads.
func (w *writer) closeLink() {
	href := w.link
	if w.link = ""; href == "" || w.linkAt < 0 {
		w.linkAt = 0
		return
	}
	to, err := w.base.Parse(href)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.User != nil {
		return
	}
	link := strings.NewReplacer("(", "%28", ")", "%29").Replace(to.String())
	if text := string(w.out[w.linkAt:]); len(link) <= longestLink {
		w.out = append(w.out[:w.linkAt], "["+text+"]("+link+")"...)
	}
}
