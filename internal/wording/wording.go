// Package wording puts strangers' names into sentences and commands that people
// read and paste, so that a name can neither mislead the reader nor become a
// second command.
package wording

import (
	"strconv"
	"strings"
	"unicode"
)

// longest keeps one name on one line of a terminal.
const longest = 100

// Name makes a name fit for a message: nothing that steers a terminal, reorders
// what is read, or is endless.
func Name(name string) string {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if len(name) <= longest && !strings.ContainsFunc(name, odd) {
		return name // as nearly all are
	}
	name = visible(strings.ToValidUTF8(name, "\ufffd"))
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return name
}

// visible drops what a reader does not see.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, s)
}

// Quote puts a name or path between quotation marks. One that could mislead a
// reader or steer a terminal is escaped.
func Quote(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return r == '"' || r == unicode.ReplacementChar || r != ' ' && !unicode.IsGraphic(r)
	}) {
		return strconv.Quote(s)
	}
	return `"` + s + `"`
}

// ShellWord writes text so that a shell takes it for one word and nothing else,
// and a program for an argument, not an option.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/", r)
	}
	if s != "" && s[0] != '-' && strings.TrimFunc(s, plain) == "" {
		return s
	}
	s = visible(strings.ToValidUTF8(s, "\ufffd"))
	word := "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	if strings.HasPrefix(s, "-") {
		return "-- " + word
	}
	return word
}
