package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
)

// maxKeyParts is as deep as a file may nest, see [limits].
const maxKeyParts = 32

// ParseKey splits a dotted key into its parts. A part that holds a dot is
// quoted as in TOML: skills.entries."my.skill".enabled. Other characters, a
// space or an umlaut, do not need quotes here, though they do in the file.
func ParseKey(key string) ([]string, error) {
	if !utf8.ValidString(key) {
		return nil, fmt.Errorf("key %q is not UTF-8", key)
	}
	var parts []string
	for rest := key; ; {
		part, after, err := keyPart(strings.TrimLeft(rest, " "))
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		if parts = append(parts, part); len(parts) > maxKeyParts {
			return nil, fmt.Errorf("key has more than %d parts", maxKeyParts)
		}
		if after == "" {
			return parts, nil
		}
		rest = after[1:] // without the dot
	}
}

// keyPart takes the first part off a key. What is after it is empty or starts
// with a dot.
func keyPart(text string) (part, after string, err error) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		part, after = text, ""
		if dot := strings.IndexByte(text, '.'); dot >= 0 {
			part, after = text[:dot], text[dot:]
		}
		part = strings.TrimRight(part, " ")
		switch {
		case part == "":
			return "", "", fmt.Errorf("a part is empty; write parts separated by single dots")
		case strings.ContainsAny(part, `"'=#[]`) || strings.ContainsFunc(part, unicode.IsControl):
			return "", "", fmt.Errorf("part %q needs quotes", part)
		}
		return part, after, nil
	}
	end := closingQuote(text)
	if end < 0 {
		return "", "", fmt.Errorf("the quote at %s is not closed", text)
	}
	if part, err = unquote(text[:end+1]); err != nil {
		return "", "", err
	}
	if after = strings.TrimLeft(text[end+1:], " "); after != "" && after[0] != '.' {
		return "", "", fmt.Errorf("a dot must follow %s", text[:end+1])
	}
	return part, after, nil
}

// closingQuote finds the end of the quoted string that text starts with.
func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return i
		case text[i] == '\\' && text[0] == '"':
			i++
		}
	}
	return -1
}

// unquote reads one quoted TOML string.
func unquote(quoted string) (string, error) {
	if strings.ContainsAny(quoted, "\n\r") {
		return "", fmt.Errorf("%q holds a line break; write it as \\n", quoted)
	}
	doc, err := tree.TOML([]byte("text = "+quoted), limits)
	if err != nil {
		return "", fmt.Errorf("%s is not a quoted string of TOML", quoted)
	}
	return doc.Get("text").Text, nil
}

// FormatKey joins parts into a dotted key that [ParseKey] splits again and
// that a TOML file may hold.
func FormatKey(parts []string) string { return edit.FormatKey(parts) }
