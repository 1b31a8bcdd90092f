package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// maxInteger bounds every integer, so that it is one on every machine.
const maxInteger = math.MaxInt32

// number reads a value of an Integer or Number and writes it as plain digits;
// false if it is none, or out of the key's bounds.
func (k *KeyInfo) number(n *tree.Node) (string, bool) {
	if n.Kind != tree.Number {
		return "", false
	}
	f, ok := parseNumber(n.Text)
	most := k.most
	if most == 0 {
		most = maxInteger
	}
	if !ok || !(f >= k.least && f <= most) || k.Type == Integer && f != math.Trunc(f) {
		return "", false
	}
	return strconv.FormatFloat(f+0, 'f', -1, 64), true // + 0 takes the sign off a zero
}

// bounds says what numbers the key takes.
func (k *KeyInfo) bounds() string {
	plain := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	if k.Type == Integer {
		return "a whole number, " + plain(k.least) + " or more"
	}
	return "a number from " + plain(k.least) + " to " + plain(k.most)
}

// otherKind says what stands in the place of a number, unless it is a number
// too: then the bounds say enough.
func otherKind(n *tree.Node) string {
	if n.Kind == tree.Number {
		return ""
	}
	return ", not " + describe(n)
}

// parseNumber reads a number of TOML or JSON5.
func parseNumber(text string) (float64, bool) {
	digits := strings.ReplaceAll(text, "_", "")
	if whole, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return float64(whole), true
	}
	if strings.EqualFold(strings.TrimLeft(digits, "+-"), "nan") {
		return math.NaN(), true
	}
	// What is too large for the type is infinite, as in both languages.
	f, err := strconv.ParseFloat(digits, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// tomlNumber writes a number so that TOML reads it; documents of JSON5 have
// numbers that it would not.
func tomlNumber(text string) string {
	if plainNumber(text) {
		return text
	}
	if _, err := tree.TOML([]byte("x = "+text), limits); err == nil {
		return text
	}
	f, _ := parseNumber(text)
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'f', -1, 64)), "+")
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

// jsonNumber writes a number so that JSON reads it; false if it cannot.
func jsonNumber(text string) (string, bool) {
	digits := strings.ReplaceAll(text, "_", "")
	if whole, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return strconv.FormatInt(whole, 10), true
	}
	f, ok := parseNumber(text)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return "", false
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

// choice finds a word among those of a Choice, in any letter case.
func (k *KeyInfo) choice(text string) (string, bool) {
	word := strings.ToLower(strings.TrimSpace(text))
	return word, slices.Contains(k.choices, word)
}

// orList writes words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// plainNumber reports digits alone, which are the same in every syntax.
func plainNumber(text string) bool {
	return len(text) <= 18 && strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
