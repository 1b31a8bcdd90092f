package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A model does not read as a parser does: it takes "＜ｓｋｉｌｌ＞", "< /SKILL>" or
// a tag with an invisible character in its middle for the tag it resembles. So
// text is read here the way a model might, one character at a time.

// lookalikes are characters that no normalisation makes plain, but a reader does.
var lookalikes = map[rune]byte{
	// Brackets and slashes.
	'‹': '<', '˂': '<', 'ᐸ': '<', 'ᚲ': '<', '❮': '<', '❬': '<', '❰': '<', '⟨': '<', '〈': '<', '⧼': '<', '𝈶': '<',
	'⁄': '/', '∕': '/', '⧸': '/', '⟋': '/', '╱': '/', '丿': '/', '⼃': '/', '∖': '\\', '⧵': '\\', '⧹': '\\',
	// Letters of other scripts.
	'а': 'a', 'α': 'a', 'ɑ': 'a', 'ь': 'b', 'с': 'c', 'ϲ': 'c', 'ԁ': 'd', 'ɗ': 'd', 'е': 'e', 'ҽ': 'e', 'ε': 'e',
	'ɡ': 'g', 'һ': 'h', 'і': 'i', 'ι': 'i', 'ı': 'i', 'ɩ': 'i', 'ӏ': 'l', 'ا': 'l', 'ו': 'l', '∣': 'l', 'ǀ': 'l',
	'ј': 'j', 'к': 'k', 'κ': 'k', 'ĸ': 'k', 'м': 'm', 'ո': 'n', 'η': 'n', 'п': 'n', 'о': 'o', 'ο': 'o', 'σ': 'o', 'օ': 'o',
	'р': 'p', 'ρ': 'p', 'г': 'r', 'ѕ': 's', 'ꜱ': 's', 'т': 't', 'τ': 't', 'υ': 'u', 'ս': 'u', 'ν': 'v', 'ѵ': 'v',
	'ᴀ': 'a', 'ᴄ': 'c', 'ᴅ': 'd', 'ᴇ': 'e', 'ɪ': 'i', 'ᴋ': 'k', 'ʟ': 'l', 'ɴ': 'n', 'ᴏ': 'o', 'ʀ': 'r', 'ᴛ': 't', 'ᴜ': 'u', 'ᴠ': 'v',
}

// blanks are letters and signs that show nothing.
const blanks = "\u115f\u1160\u2800\u3164\uffa0"

// unseen reports characters that a reader passes over inside a word, be it in
// another form: a half-width voicing mark is a mark.
func unseen(r rune) bool {
	if r < utf8.RuneSelf || shownByNothing(r) {
		return shownByNothing(r)
	}
	for _, part := range norm.NFKD.String(string(r)) {
		if !shownByNothing(part) {
			return false
		}
	}
	return true
}

func shownByNothing(r rune) bool {
	return unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) ||
		r == utf8.RuneError || strings.ContainsRune(blanks, r)
}

// plain is what a character looks like: one or more of ASCII in lower case, or
// nothing if it resembles none or is not seen.
func plain(r rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToLower(r))
	}
	if c, ok := lookalikes[unicode.ToLower(r)]; ok {
		return string(rune(c))
	}
	var b strings.Builder
	for _, part := range norm.NFKD.String(string(r)) {
		part = unicode.ToLower(part)
		if c, ok := lookalikes[part]; ok {
			part = rune(c)
		}
		switch {
		case part < utf8.RuneSelf:
			b.WriteRune(part)
		case !unseen(part):
			return ""
		}
	}
	return b.String()
}

// opens reports a character that looks like the beginning of a tag: one whose
// [plain] form begins with a bracket, listed because every character is asked.
func opens(r rune) bool {
	switch r {
	case '<', '＜', '﹤', '≮', '‹', '˂', 'ᐸ', 'ᚲ', '❮', '❬', '❰', '⟨', '\u2329', '\u3008', '\ufe3f', '⧼', '𝈶':
		return true
	}
	return false
}

// between reports what may stand between the bracket and the name of a tag.
func between(r rune) bool {
	if unicode.IsSpace(r) || unseen(r) || r == '/' || r == '\\' {
		return true
	}
	if r < utf8.RuneSelf {
		return false
	}
	p := plain(r)
	return p != "" && strings.Trim(p, ` /\`) == ""
}

// tags are names of tags as [squeeze] makes them.
type tags []string

// squeeze leaves out what joins the words of a name: a reader takes
// <available-skills> for <available_skills>.
func squeeze(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(name)
}

// begin reports whether text begins like one of the names. Longer names count
// too: <skills> or <skill2> is as good a forgery as <skill>.
func (t tags) begin(text string) bool {
	var read []byte
	for _, r := range text {
		if unseen(r) || len(read) > 0 && (r == '_' || r == '-' || r >= utf8.RuneSelf && unicode.In(r, unicode.Pc, unicode.Pd)) {
			continue // "x <- skill" is no tag
		}
		p := plain(r)
		if p == "" {
			return false
		}
		read = append(read, p...)
		open := false
		for _, name := range t {
			if strings.HasPrefix(string(read), name) {
				return true
			}
			open = open || strings.HasPrefix(name, string(read))
		}
		if !open {
			return false
		}
	}
	return false
}

// neutral makes text out of whatever looks like one of the tags: the bracket
// becomes an entity, everything else stays. A bracket at the end counts as well,
// for what the prompt says next could be taken for the name.
func (t tags) neutral(text string) string {
	var b strings.Builder
	done := 0
	for i, r := range text {
		if !opens(r) {
			continue
		}
		after := i + utf8.RuneLen(r)
		rest := strings.TrimLeftFunc(text[after:], between)
		if rest == "" || t.begin(rest) {
			b.WriteString(text[done:i])
			b.WriteString("&lt;")
			done = after
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}
