package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape is how a renderer makes untrusted text safe between tags. It gets text
// that is [sound].
type escape func(r *Renderer, text string) string

// escapeTags leaves text as it is but for what looks like a tag that holds
// something together.
func escapeTags(r *Renderer, text string) string { return r.tags.neutral(text) }

// escapeXML writes the five characters of XML as entities, and what merely looks
// like any tag of the prompt as well.
func escapeXML(r *Renderer, text string) string {
	return r.elements.neutral(xmlEntities.Replace(text))
}

// escapeHTML is escapeXML with the number for an apostrophe, for which HTML 4
// has no name.
func escapeHTML(r *Renderer, text string) string {
	return r.elements.neutral(htmlEntities.Replace(text))
}

var (
	xmlEntities  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
	htmlEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;")
	// fromXML is the way back.
	fromXML = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")
	// wide are the full-width forms of what ends an attribute.
	wide = strings.NewReplacer("＂", "&quot;", "＇", "&apos;", "＜", "&lt;", "﹤", "&lt;", "＞", "&gt;", "﹥", "&gt;", "＆", "&amp;", "﹠", "&amp;")
)

// attribute makes text fit to stand between quotation marks in a tag.
func (r *Renderer) attribute(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, single(text))
	return r.elements.neutral(wide.Replace(xmlEntities.Replace(text)))
}

// sound drops what no prompt should hold: broken UTF-8, control characters other
// than tabs and line ends, and the tag characters, which spell ASCII that models
// read and people do not see.
func sound(text string) string {
	odd := func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0xe0000 && r <= 0xe007f
	}
	if utf8.ValidString(text) && !strings.ContainsFunc(text, odd) {
		return text
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u0085':
			return '\n'
		case odd(r):
			return -1
		}
		return r
	}, text)
}

// space is what counts as white space in the rules that shorten descriptions.
func space(r rune) bool {
	return r == '\ufeff' || unicode.IsSpace(r) && r != '\u0085' || r == '\u2028' || r == '\u2029'
}

// single makes text one line and changes nothing else that can be seen, for names
// and paths: somebody may look for them.
func single(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\t', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, sound(text))
}

// line makes text one line with single spaces.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(sound(text), space), " ")
}
