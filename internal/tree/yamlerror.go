package tree

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// yamlError gives the library's message, "yaml: line 3: did not find …", its
// place in the file.
func yamlError(data []byte, first int, err error) *Error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if digits, text, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				line, msg = n, text
			}
		}
	}
	switch {
	case line == 0:
		line = guessLine(data, msg)
	case slices.Contains(parserMessages[:], msg):
		line++
	}
	line = min(max(line, 1), 1+bytes.Count(data, []byte{'\n'}))
	out := &Error{Line: first + line - 1, Msg: msg}
	if strings.HasPrefix(msg, "exceeded max depth") {
		return tooDeep(out.Line, 0)
	}
	return out
}

// trimHead drops blank and comment lines before a document. The library places
// many errors where the map around them starts, unless that is the first line.
func trimHead(data []byte, line int) ([]byte, int) {
	for {
		first, rest, more := bytes.Cut(data, []byte{'\n'})
		text := bytes.Trim(first, " \r")
		if !more || len(text) > 0 && text[0] != '#' || !utf8.Valid(text) || bytes.ContainsFunc(text, endsLine) {
			return data, line
		}
		data, line = rest, line+1
	}
}

// parserMessages come from the library's parser, which counts lines from 0; its
// scanner, from which all others come, counts from 1.
var parserMessages = [...]string{
	"did not find expected <document start>",
	"did not find expected node content",
	"did not find expected '-' indicator",
	"did not find expected key",
	"did not find expected ',' or ']'",
	"did not find expected ',' or '}'",
	"found undefined tag handle",
	"found duplicate %YAML directive",
	"found incompatible YAML document",
	"found duplicate %TAG directive",
}

// guessLine finds the line of an error that the library left without one: a
// byte it cannot read, an unknown alias, or something on the first line.
func guessLine(data []byte, msg string) int {
	at := 0
	switch name, isAlias := strings.CutPrefix(msg, "unknown anchor '"); {
	case isAlias:
		name, _, _ = strings.Cut(name, "'")
		at = bytes.Index(data, []byte("*"+name))
	case strings.Contains(msg, "control characters"):
		at = bytes.IndexFunc(data, isForbidden)
	case strings.Contains(msg, "UTF-8"):
		for at < len(data) {
			r, size := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
	}
	return 1 + bytes.Count(data[:max(at, 0)], []byte{'\n'})
}

// endsLine reports characters that end a comment, or that the library refuses.
func endsLine(r rune) bool {
	return r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 || isForbidden(r)
}

// isForbidden reports characters that YAML does not allow in a document.
func isForbidden(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return false
	}
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff
}
