package format

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/knackhq/knack/skill"
)

// cleanText makes a file plain: UTF-8 without byte-order mark and NUL bytes,
// lines ended by LF. A file that is so already, as nearly all are, is returned
// as it came, not copied.
func (r *headRead) cleanText(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		data = r.decodeUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		data = r.decodeUTF16(data[2:], binary.BigEndian)
	}
	for bytes.HasPrefix(data, []byte("\ufeff")) { // twice, where files were joined
		data = data[3:]
	}
	if !utf8.Valid(data) {
		line := 1 + bytes.Count(data[:firstInvalid(data)], []byte{'\n'})
		r.report(skill.FileNotUTF8, line, "the file is not valid UTF-8; the bytes that are not were replaced",
			"save it as UTF-8")
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		r.report(skill.FileHasNUL, 1+bytes.Count(data[:at], []byte{'\n'}),
			"the file has NUL bytes; they were removed", "save it as plain text in UTF-8")
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
	if bytes.IndexByte(data, '\r') >= 0 {
		data = unixLines(data)
	}
	if bytes.IndexByte(data, '\v') >= 0 || bytes.IndexByte(data, '\f') >= 0 {
		// They move to another line, so what stands behind them is on it.
		data = bytes.Map(func(c rune) rune {
			if c == '\v' || c == '\f' {
				return '\n'
			}
			return c
		}, data)
	}
	return data
}

func (r *headRead) decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	r.report(skill.FileNotUTF8, 1, "the file is UTF-16; it was converted", "save it as UTF-8")
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

func firstInvalid(data []byte) int {
	at := 0
	for at < len(data) {
		c, size := utf8.DecodeRune(data[at:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// unixLines turns CRLF and lone CR into LF, also where a file mixes them.
func unixLines(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for {
		at := bytes.IndexByte(data, '\r')
		if at < 0 {
			return append(out, data...)
		}
		out = append(append(out, data[:at]...), '\n')
		data = data[at+1:]
		if len(data) > 0 && data[0] == '\n' {
			data = data[1:]
		}
	}
}

// reportControls says where a head has characters that YAML refuses. line is
// the head's first line.
func (r *headRead) reportControls(text string, line int) {
	if at := strings.IndexFunc(text, isForbidden); at >= 0 {
		r.report(skill.FileControl, line+strings.Count(text[:at], "\n"),
			"the frontmatter has control characters; they were removed", "delete them; most editors can show them")
	}
}

// stripControls copies a head without the characters that YAML refuses, so
// that one stray byte does not cost the whole head.
func stripControls(text string) string {
	if strings.IndexFunc(text, isForbidden) < 0 {
		return strings.Clone(text)
	}
	return strings.Map(func(c rune) rune {
		if isForbidden(c) {
			return -1
		}
		return c
	}, text)
}

// isForbidden reports the characters that YAML does not allow, and the
// byte-order mark, which it allows at the start only.
func isForbidden(c rune) bool {
	switch {
	case c >= 0x20 && c < 0x7f, c == '\t', c == '\n', c == 0x85:
		return false
	case c < 0xa0, c == 0xfeff, c == 0xfffe, c == 0xffff:
		return true
	}
	return false
}

// lineAt returns the line that starts at an offset, without its end, and where
// the next one starts.
func lineAt(text string, at int) (line string, next int) {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return text[at : at+end], at + end + 1
	}
	return text[at:], len(text)
}

// isBlank reports a line of nothing but white space.
func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// indentation is how many spaces and tabs a line starts with.
func indentation(line string) int {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return n
}
