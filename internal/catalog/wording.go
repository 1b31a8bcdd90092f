package catalog

import (
	"strconv"
	"strings"
	"unicode"
)

// quote puts a name or path between quotation marks. One that could mislead a
// reader or steer a terminal is escaped.
func quote(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return r == '"' || r == unicode.ReplacementChar || r != ' ' && !unicode.IsGraphic(r)
	}) {
		return strconv.Quote(s)
	}
	return `"` + s + `"`
}

// shellWord writes a name so that a shell takes it for one word and nothing
// else: names are chosen by strangers, and people paste hints.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/", r)
	}
	if s != "" && s[0] != '-' && strings.TrimFunc(s, plain) == "" {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
	word := "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	if strings.HasPrefix(s, "-") {
		return "-- " + word // else it would be an option
	}
	return word
}

// tomlList writes names as the configuration writes a list.
func tomlList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
