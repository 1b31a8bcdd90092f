package format

import (
	"strings"
	"unicode"
)

// span is where the frontmatter stands in a text.
type span struct {
	start, end int    // the frontmatter without its fences
	body       int    // where the body starts
	line       int    // of start
	lead       string // prose in front of the opening line
	leadAt     int
	closed     bool
	fence      fence
}

// fence is what surrounds a frontmatter.
type fence uint8

const (
	noFence fence = iota // bare keys at the top of the file
	dashes               // ---
	pluses               // +++, for TOML
	code                 // a Markdown code block
)

// nearTop is how many lines of prose may stand in front of a frontmatter. Those
// seen have up to five; further down, keys between two rules are an example.
const nearTop = 20

// isRule reports a line of three or more of a sign and nothing but blanks
// behind them.
func isRule[T string | []byte](line T, sign byte) bool {
	n := 0
	for n < len(line) && line[n] == sign {
		n++
	}
	if n < 3 {
		return false
	}
	for ; n < len(line); n++ {
		if line[n] != ' ' && line[n] != '\t' {
			return false
		}
	}
	return true
}

// closes reports whether a line ends a frontmatter: a rule, or the three dots
// with which YAML ends a document.
func closes[T string | []byte](line T) bool {
	return isRule(line, '-') || isRule(line, '.') && (len(line) == 3 || line[3] != '.')
}

// findHead looks for the frontmatter of a text. What it finds may still turn
// out to be none when it is read; see [headRead.prose].
func findHead(text string) (span, bool) {
	at, line := 0, 1
	for {
		at, line = skipBlank(text, at, line)
		if !strings.HasPrefix(text[at:], "<!--") {
			break
		}
		end := strings.Index(text[at:], "-->")
		if end < 0 {
			return span{}, false
		}
		line += strings.Count(text[at:at+end], "\n")
		at += end + len("-->")
	}
	first, next := lineAt(text, at)
	switch {
	case isRule(first, '-'):
		// Two rules in a row open one frontmatter, not an empty one.
		if again, after := lineAt(text, next); isRule(again, '-') && startsHead(text, after) {
			if s, ok := between(text, after, line+2, dashes); ok {
				return s, true
			}
		}
		s, _ := between(text, next, line+1, dashes)
		return s, true
	case isRule(first, '+'):
		return between(text, next, line+1, pluses)
	case isCodeFence(first):
		if s, ok := wrapped(text, next, line+1, true); ok {
			return s, true
		}
	}
	if k, ok := keyLine(first); ok && (k.key == "name" || k.key == "description") {
		s, _ := between(text, at, line, noFence)
		return s, true
	}
	return behindProse(text, at, line)
}

// between makes the span from an offset to the line that closes it. Without
// such a line the span runs to the end and is not closed.
func between(text string, start, line int, by fence) (span, bool) {
	s := span{start: start, end: len(text), body: len(text), line: line, fence: by}
	for at := start; at < len(text); {
		row, next := lineAt(text, at)
		if by == pluses && isRule(row, '+') || by == code && isCodeFence(row) ||
			by != pluses && closes(row) {
			s.end, s.body, s.closed = at, next, true
			return s, true
		}
		at = next
	}
	return s, false
}

// wrapped reads the inside of a code block: keys between rules or, if bare,
// without them.
func wrapped(text string, at, line int, bare bool) (span, bool) {
	at, line = skipBlank(text, at, line)
	if row, next := lineAt(text, at); isRule(row, '-') {
		at, line, bare = next, line+1, true
	}
	if !bare || !startsHead(text, at) {
		return span{}, false
	}
	s, ok := between(text, at, line, code)
	if ok && text[s.end] == '-' {
		// The code block ends behind the frontmatter, or with the file.
		after, _ := skipBlank(text, s.body, 0)
		if row, next := lineAt(text, after); isCodeFence(row) && strings.Trim(row, "`~ \t") == "" {
			s.body = next
		}
	}
	return s, ok
}

// behindProse looks for a frontmatter that has a few lines in front of it. It
// must be closed and start with a key that skills use: a rule in a document is
// no frontmatter.
func behindProse(text string, start, line int) (span, bool) {
	inCode := false
	for at := start; at < len(text) && line <= nearTop; line++ {
		row, next := lineAt(text, at)
		switch {
		case isCodeFence(row):
			if !inCode {
				if s, ok := wrapped(text, next, line+1, false); ok {
					s.lead, s.leadAt = text[start:at], start
					return s, true
				}
			}
			inCode = !inCode
		case !inCode && isRule(row, '-') && startsHead(text, next):
			if s, ok := between(text, next, line+1, dashes); ok {
				s.lead, s.leadAt = text[start:at], start
				return s, true
			}
		}
		at = next
	}
	return span{}, false
}

// startsHead reports whether the next line that says something is a known key.
func startsHead(text string, at int) bool {
	for at < len(text) {
		row, next := lineAt(text, at)
		if !isBlank(row) && row[0] != '#' {
			k, ok := keyLine(row)
			return ok && isKnown(k.key)
		}
		at = next
	}
	return false
}

// skipBlank goes behind blank lines. It looks no further than to the first
// sign, for it is called again and again on lines that may be long.
func skipBlank(text string, at, line int) (int, int) {
	blank := text[at : len(text)-len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))]
	if at+len(blank) < len(text) {
		blank = blank[:strings.LastIndexByte(blank, '\n')+1]
	} else if blank != "" && blank[len(blank)-1] != '\n' {
		line++ // the last line has no end
	}
	return at + len(blank), line + strings.Count(blank, "\n")
}

// isCodeFence reports a line that opens or closes a Markdown code block.
func isCodeFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}
