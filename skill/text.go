package skill

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Text is text that somebody else wrote for a model to read.
//
// It has no String method, and formatting it prints its size instead of its
// content, so that untrusted words do not reach a prompt, a log or a terminal
// unless a package that knows how to escape them asks with [Text.Raw]. JSON is
// a data encoding and may carry it.
type Text struct{ raw string }

// NewText marks s as untrusted.
func NewText(s string) Text { return Text{raw: s} }

// Raw returns the text as it was written. Only the packages that escape,
// index or rewrite it may call this; a test holds the list.
func (t Text) Raw() string { return t.raw }

// Len is the length in bytes.
func (t Text) Len() int { return len(t.raw) }

// IsZero reports whether there is no text.
func (t Text) IsZero() bool { return t.raw == "" }

// IsBlank reports whether there is nothing but white space.
func (t Text) IsBlank() bool { return strings.TrimSpace(t.raw) == "" }

// Equal compares two texts; go-cmp uses it too.
func (t Text) Equal(u Text) bool { return t.raw == u.raw }

// Format implements [fmt.Formatter]: every verb prints the size only.
func (t Text) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, fmt.Sprintf("(text of %d bytes)", len(t.raw)))
}

// MarshalJSON encodes the text as a JSON string. C1 controls, which JSON would
// pass and some terminals obey, are escaped as well.
func (t Text) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(t.raw)
	if err != nil || !strings.ContainsFunc(t.raw, isC1) {
		return data, err
	}
	var b strings.Builder
	for _, r := range string(data) {
		if isC1(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String()), nil
}

// UnmarshalJSON decodes a JSON string.
func (t *Text) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &t.raw) }

// AppendBinary implements [encoding.BinaryAppender]: the bytes as they are, for
// those who store text as data.
func (t Text) AppendBinary(b []byte) ([]byte, error) { return append(b, t.raw...), nil }

func isC1(r rune) bool { return r >= 0x80 && r <= 0x9f }

// Tokens estimates what the text costs a model. English runs at four bytes a
// token, scripts that UTF-8 spells in two bytes at about 1.5 characters a
// token, and ideographs at one: each rune counts a quarter, each continuation
// byte two fifths.
func (t Text) Tokens() int {
	extra := continuationBytes(t.raw)
	runes := len(t.raw) - extra
	return (5*runes + 8*extra + 19) / 20
}

// continuationBytes counts the bytes 10xxxxxx, eight at a time: it runs over
// every body at load, where a rune loop would cost as much as reading the file.
func continuationBytes(s string) int {
	n, b := 0, unsafe.Slice(unsafe.StringData(s), len(s))
	for ; len(b) >= 8; b = b[8:] {
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		n += bits.OnesCount64((w >> 7) &^ (w >> 6) & 0x0101010101010101)
	}
	for _, c := range b {
		if !utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
