package web

import (
	"html"
	"slices"
	"strings"
)

// token is a piece of a page.
type token struct {
	kind tokenKind
	name string // of a tag, in lower case
	text string // of text, with entities resolved
	href string // of a start tag: where it leads
	alt  string // and what it says instead
	self bool   // a start tag that ends itself: <svg/>
}

type tokenKind byte

const (
	endOfPage tokenKind = iota
	textToken
	startTag
	endTag
)

// tokenizer takes a page apart as browsers do, mistakes included: what is no tag
// is text, and what never ends goes on to the end. It looks at every byte a fixed
// number of times.
type tokenizer struct {
	page string
	at   int
	raw  string // the element whose content has no tags, until its end
}

// rawElements have content without tags in it.
var rawElements = []string{
	"script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp",
}

func (z *tokenizer) next() token {
	if z.raw != "" {
		name := z.raw
		z.raw = ""
		if end := z.rawEnd(name); end > z.at {
			text := z.page[z.at:end]
			z.at = end
			if name == "title" || name == "textarea" {
				text = html.UnescapeString(text)
			}
			return token{kind: textToken, text: text}
		}
	}
	for z.at < len(z.page) {
		if z.page[z.at] != '<' {
			return z.text(z.at)
		}
		rest := z.page[z.at+1:]
		switch {
		case rest != "" && letter(rest[0]):
			return z.tag(startTag, z.at+1)
		case len(rest) > 1 && rest[0] == '/' && letter(rest[1]):
			return z.tag(endTag, z.at+2)
		case strings.HasPrefix(rest, "!--"):
			z.skipPast("-->", z.at+4)
		case rest != "" && strings.IndexByte("!?/", rest[0]) >= 0:
			z.skipPast(">", z.at+1)
		default:
			return z.text(z.at + 1) // the < is text
		}
	}
	return token{kind: endOfPage}
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// text ends where something else may begin, at from or later.
func (z *tokenizer) text(from int) token {
	end := len(z.page)
	if i := strings.IndexByte(z.page[from:], '<'); i >= 0 {
		end = from + i
	}
	t := token{kind: textToken, text: html.UnescapeString(z.page[z.at:end])}
	z.at = end
	return t
}

func (z *tokenizer) skipPast(what string, from int) {
	from = min(from, len(z.page))
	if i := strings.Index(z.page[from:], what); i >= 0 {
		z.at = from + i + len(what)
	} else {
		z.at = len(z.page)
	}
}

// rawEnd is where the end tag of an element begins.
func (z *tokenizer) rawEnd(name string) int {
	for at := z.at; ; {
		i := strings.Index(z.page[at:], "</")
		if i < 0 {
			return len(z.page)
		}
		at += i
		behind := z.page[at+2:]
		if len(behind) >= len(name) && strings.EqualFold(behind[:len(name)], name) &&
			(len(behind) == len(name) || space(behind[len(name)]) || behind[len(name)] == '>' || behind[len(name)] == '/') {
			return at
		}
		at += 2
	}
}

// tag reads a tag whose name begins at from.
func (z *tokenizer) tag(kind tokenKind, from int) token {
	at := from
	for at < len(z.page) && !space(z.page[at]) && z.page[at] != '>' && z.page[at] != '/' {
		at++
	}
	t := token{kind: kind, name: strings.ToLower(z.page[from:at])}
	for {
		for at < len(z.page) && (space(z.page[at]) || z.page[at] == '/') {
			t.self = z.page[at] == '/'
			at++
		}
		if at >= len(z.page) { // a tag without an end is none
			z.at = at
			return token{kind: endOfPage}
		}
		if z.page[at] == '>' {
			z.at = at + 1
			if kind == startTag && slices.Contains(rawElements, t.name) {
				z.raw = t.name
			}
			return t
		}
		t.self = false
		var name, value string
		name, value, at = attribute(z.page, at)
		switch {
		case name == "href" && t.href == "":
			t.href = strings.TrimSpace(html.UnescapeString(value))
		case name == "alt" && t.alt == "":
			t.alt = html.UnescapeString(value)
		}
	}
}

// attribute reads a name, and a value if there is one. It takes one byte at least.
func attribute(page string, at int) (name, value string, end int) {
	from := at
	at++ // even = begins a name
	for at < len(page) && !space(page[at]) && strings.IndexByte("=>/", page[at]) < 0 {
		at++
	}
	name = strings.ToLower(page[from:at])
	behind := at
	for behind < len(page) && space(page[behind]) {
		behind++
	}
	if behind >= len(page) || page[behind] != '=' {
		return name, "", at
	}
	at = behind + 1
	for at < len(page) && space(page[at]) {
		at++
	}
	if at < len(page) && (page[at] == '"' || page[at] == '\'') {
		quote := page[at]
		from = at + 1
		if i := strings.IndexByte(page[from:], quote); i >= 0 {
			return name, page[from : from+i], from + i + 1
		}
		return name, "", len(page)
	}
	from = at
	for at < len(page) && !space(page[at]) && page[at] != '>' {
		at++
	}
	return name, page[from:at], at
}
