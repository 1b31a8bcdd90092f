package format

import (
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// isSimpleText reports a text without tabs, controls and the characters that
// YAML takes for line ends or refuses.
func isSimpleText(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c < 0x7f || c == '\n' {
			continue
		}
		if c < 0x80 {
			return false
		}
		rest := s[i:min(i+3, len(s))]
		switch c {
		case 0xc2: // C1 controls, among them the line end U+0085
			if len(rest) > 1 && rest[1] < 0xa0 {
				return false
			}
		case 0xe2: // line and paragraph separator
			if rest == "\u2028" || rest == "\u2029" {
				return false
			}
		case 0xef:
			if rest == "\ufeff" || rest == "\ufffe" || rest == "\uffff" {
				return false
			}
		}
	}
	return true
}

// plainKind tells what YAML takes a scalar without quotes for; false if it is
// none, goes on in another way, or is one of the rarer spellings of numbers.
func plainKind(s string) (tree.Kind, bool) {
	if strings.IndexByte("!&*-?:,[]{}#|>@`\"'%", s[0]) >= 0 || s[len(s)-1] == ':' {
		return 0, false
	}
	for i := 1; i < len(s); i++ {
		if s[i] == ' ' && s[i-1] == ':' || s[i] == '#' && s[i-1] == ' ' {
			return 0, false
		}
	}
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return tree.Bool, true
	case "~", "null", "Null", "NULL":
		return tree.Null, true
	}
	if c := s[0]; c >= '0' && c <= '9' || c == '+' || c == '.' {
		return numberKind(s)
	}
	return tree.String, true
}

// numberKind tells numbers from texts that start like one, such as versions,
// dates and sentences.
func numberKind(s string) (tree.Kind, bool) {
	dots, signs := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
		case c == '.':
			dots++
		case c == '-' && i > 0:
			signs++
		case c == ' ' || c >= 'g' && c <= 'w' && c != 'o' && c != 'i' && c != 'n' && c != 'p':
			return tree.String, true // in no number
		default:
			return 0, false
		}
	}
	switch {
	case dots+signs > 1:
		return tree.String, true
	case signs == 1 || s[0] == '.':
		return 0, false
	}
	// Digits with one dot or none. A leading zero can make an octal number,
	// and 18 digits are what an int64 is sure to hold.
	if dots == 0 && (len(s) > 18 || s[0] == '0' && len(s) > 1) {
		return 0, false
	}
	return tree.Number, true
}

// unquoteDouble decodes what stands between double quotes. It knows the common
// escapes; false means one of the others, or a quote.
func unquoteDouble(s string) (string, bool) {
	at := strings.IndexAny(s, `\"`)
	if at < 0 {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for {
		if s[at] == '"' || at+1 == len(s) {
			return "", false
		}
		out = append(out, s[:at]...)
		switch s[at+1] {
		case '"', '\\':
			out = append(out, s[at+1])
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		default:
			return "", false
		}
		s = s[at+2:]
		if at = strings.IndexAny(s, `\"`); at < 0 {
			return string(append(out, s...)), true
		}
	}
}

// unquoteSingle decodes what stands between single quotes.
func unquoteSingle(s string) (string, bool) {
	if strings.IndexByte(s, '\'') < 0 {
		return s, true
	}
	plain := strings.ReplaceAll(s, "''", "\x00")
	if strings.IndexByte(plain, '\'') >= 0 {
		return "", false
	}
	return strings.ReplaceAll(plain, "\x00", "'"), true
}

// isPlainJSON reports text that JSON5 and YAML read alike if either can:
// strings in double quotes with the escapes both have, positive numbers, true,
// false, null and brackets.
func isPlainJSON(s string) bool {
	str, long := false, false // the token before is a string; too long for a key
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			start := i
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					if i++; i == len(s) || strings.IndexByte(`"\ntrbf`, s[i]) < 0 {
						return false
					}
				}
			}
			// YAML refuses keys beyond 1024 characters.
			str, long = true, i-start > 1000
			continue
		case ' ':
			continue
		case ':':
			if !str || long {
				return false
			}
		case '{', '}', '[', ']', ',', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
			't', 'r', 'u', 'e', 'f', 'a', 'l', 's', 'n':
		default:
			return false
		}
		str = false
	}
	return true
}
