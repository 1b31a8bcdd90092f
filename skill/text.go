package skill

import (
	"encoding/binary"
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

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// continuationBytes counts the bytes 10xxxxxx, many at a time: it runs over
// every body at load, where a rune loop would cost as much as reading the file.
func continuationBytes(s string) int {
	n, b := 0, unsafe.Slice(unsafe.StringData(s), len(s))
	const high = 0x8080808080808080 // no byte of plain ASCII has that bit
	for ; len(b) >= 32; b = b[32:] {
		w := [4]uint64{load(b), load(b[8:]), load(b[16:]), load(b[24:])}
		if (w[0]|w[1]|w[2]|w[3])&high == 0 {
			continue
		}
		for _, w := range w {
			n += bits.OnesCount64((w >> 7) &^ (w >> 6) & (high >> 7))
		}
	}
	for _, c := range b {
		if !utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
