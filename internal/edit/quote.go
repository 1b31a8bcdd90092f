package edit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QuoteTOML writes a text as a TOML string on one line.
func QuoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// hidden reports characters that end a line or show as nothing; they are
// escaped, so that a file says what it holds.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// FormatKey writes a path as a dotted TOML key, parts in quotes where TOML wants
// them.
func FormatKey(path []string) string {
	parts := make([]string, len(path))
	for i, key := range path {
		parts[i] = quoteKey(key)
	}
	return strings.Join(parts, ".")
}

// FormatList writes texts as a TOML list on one line.
func FormatList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = QuoteTOML(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quoteKey writes a TOML key, bare if it can be.
func quoteKey(key string) string {
	bare := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return QuoteTOML(key)
}

// QuoteYAML writes a text as a YAML scalar on one line that every reader takes
// for that text: plain if nothing in it means anything, else in quotes.
func QuoteYAML(s string) string {
	s = validText(s)
	switch {
	case isPlain(s):
		return s
	case strings.ContainsAny(s, `"\`) && strings.IndexFunc(s, hiddenYAML) < 0:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff && hiddenYAML(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		case hiddenYAML(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// hiddenYAML reports characters that YAML does not allow as they are, and
// those that are escaped everywhere.
func hiddenYAML(r rune) bool {
	return hidden(r) || r == 0xfffe || r == 0xffff
}

// isPlain reports whether a text needs no quotes. It is stricter than YAML: a
// text starts with a letter and has no character that means something in any
// place, and is none of the words that one version or another takes for a
// boolean or a null.
func isPlain(s string) bool {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return false
		case unicode.IsDigit(r), strings.ContainsRune("-_./()+", r):
		case r == ' ' && i < len(s)-1:
		default:
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}
