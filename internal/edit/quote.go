package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
)

// QuoteTOML writes a text as a TOML string on one line.
func QuoteTOML(s string) string { return tree.Quote(s) }

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
	case strings.ContainsAny(s, `"\`) && strings.IndexFunc(s, tree.Hidden) < 0:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return tree.Quote(s)
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
