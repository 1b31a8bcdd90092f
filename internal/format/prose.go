package format

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A description that has to be taken from the instructions is one line of them,
// cut to 300 characters: twice what the median author writes.
const proseChars = 300

// firstProse returns the first line of a Markdown text that is a sentence
// rather than a heading, code, a picture or markup; if there is none, the first
// heading.
func firstProse(body string) string {
	// Prose that starts further down describes a part, not the whole.
	const top = 64 << 10
	if len(body) > top {
		body = strings.ToValidUTF8(body[:top], "")
	}
	lines := markdownLines{rest: body}
	heading := ""
	for lines.next() {
		text := proseOf(lines.line)
		if text == "" {
			continue
		}
		if title, ok := atxHeading(lines.line); ok || lines.underlined() {
			if heading == "" {
				heading = strings.TrimSpace(title)
			}
			continue
		}
		return cutWords(text, proseChars)
	}
	return cutWords(proseOf(heading), proseChars)
}

// markdownLines goes through the lines of a text that are neither in a fenced
// block nor in a comment.
type markdownLines struct {
	rest    string
	line    string
	fence   string // the opening fence, while inside a block
	comment bool
}

func (l *markdownLines) next() bool {
	for l.rest != "" {
		l.line, l.rest, _ = strings.Cut(l.rest, "\n")
		trimmed := strings.TrimLeft(l.line, " \t")
		if l.fence != "" {
			if strings.HasPrefix(trimmed, l.fence) && strings.Trim(trimmed, l.fence[:1]+" \t\r") == "" {
				l.fence = ""
			}
			continue
		}
		if l.dropComments(); l.comment && l.line == "" {
			continue
		}
		if mark := fenceOf(trimmed); mark != "" {
			l.fence = mark
			continue
		}
		return true
	}
	return false
}

// dropComments removes <!-- comments --> from the line.
func (l *markdownLines) dropComments() {
	if !l.comment && !strings.Contains(l.line, "<!--") {
		return
	}
	var kept strings.Builder
	for line := l.line; ; {
		if l.comment {
			_, after, ok := strings.Cut(line, "-->")
			if !ok {
				break
			}
			l.comment, line = false, after
		}
		before, after, ok := strings.Cut(line, "<!--")
		kept.WriteString(before)
		if !ok {
			break
		}
		l.comment, line = true, after
	}
	l.line = kept.String()
}

// fenceOf is the fence that a line opens a block with, if it does.
func fenceOf(line string) string {
	for _, mark := range [...]string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

// underlined reports whether the next line makes this one a heading.
func (l *markdownLines) underlined() bool {
	next, _, _ := strings.Cut(l.rest, "\n")
	next = strings.TrimSpace(next)
	return len(next) >= 2 && (strings.Trim(next, "=") == "" || strings.Trim(next, "-") == "")
}

// atxHeading returns the title of a line such as "## Title".
func atxHeading(line string) (title string, ok bool) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "#")
	if level := len(line) - len(rest); level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return line, false
	}
	return strings.TrimSpace(strings.TrimRight(rest, "# \t")), true
}

// proseOf reduces a line to its words. Nothing is left of a line that is only
// pictures, tags, a table or a rule.
func proseOf(line string) string {
	// A longer line is cut in the end anyway.
	const enough = 16 * proseChars
	if len(line) > enough {
		line = strings.ToValidUTF8(line[:enough], "")
	}
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|") || strings.Trim(line, "-=*_ \t") == "" {
		return ""
	}
	for {
		rest := withoutMarker(line)
		if rest == line {
			break
		}
		line = rest
	}
	line = strings.TrimSpace(strings.ReplaceAll(withoutTags(linkText(line)), "**", ""))
	if !strings.ContainsFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
		return ""
	}
	return strings.Join(strings.Fields(line), " ")
}

// withoutMarker removes one mark of a list, task or quotation.
func withoutMarker(line string) string {
	for _, marker := range [...]string{"- ", "* ", "+ ", "> ", "[ ] ", "[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(line, marker); ok {
			return strings.TrimSpace(rest)
		}
	}
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		return strings.TrimSpace(rest)
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits <= 9 && (strings.HasPrefix(line[digits:], ". ") || strings.HasPrefix(line[digits:], ") ")) {
		return strings.TrimSpace(line[digits+2:])
	}
	return line
}

// linkText puts the text of a link in its place and removes pictures. It goes
// through the line once; brackets that are no link stay.
func linkText(line string) string {
	if strings.IndexByte(line, '[') < 0 {
		return line
	}
	var out strings.Builder
	type open struct {
		at      int // in out, where the text starts
		picture bool
	}
	var stack []open
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '!' && i+1 < len(line) && line[i+1] == '[':
			stack = append(stack, open{out.Len(), true})
			i++
		case c == '[':
			stack = append(stack, open{out.Len(), false})
		case c == ']' && len(stack) > 0:
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			text := out.String()
			before, inside := text[:top.at], text[top.at:]
			end := targetEnd(line, i+1)
			switch {
			case end > i+1 && top.picture:
				inside = ""
			case end == i+1 && top.picture:
				inside = "![" + inside + "]"
			case end == i+1:
				inside = "[" + inside + "]"
			}
			out.Reset()
			out.WriteString(before)
			out.WriteString(inside)
			i = end - 1
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// targetEnd returns where the (address) or [reference] that starts at an offset
// ends; the offset itself if there is none.
func targetEnd(line string, at int) int {
	var closing byte
	switch {
	case at < len(line) && line[at] == '(':
		closing = ')'
	case at < len(line) && line[at] == '[':
		closing = ']'
	default:
		return at
	}
	if n := strings.IndexByte(line[at:], closing); n >= 0 {
		return at + n + 1
	}
	return at
}

// withoutTags removes HTML tags. <https://…> is a link and stays as its text.
func withoutTags(line string) string {
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(line, "<")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		tag, rest, closed := strings.Cut(after, ">")
		switch {
		case !closed || tag == "" || !isTagStart(tag[0]):
			out.WriteByte('<')
			line = after
			continue
		case strings.Contains(tag, "://") && !strings.Contains(tag, " "):
			out.WriteString(tag)
		}
		line = rest
	}
}

func isTagStart(c byte) bool { return c == '/' || c == '!' || isAlphanumeric(c) }

// cutWords shortens a text to so many characters, at the end of a word.
func cutWords(text string, chars int) string {
	if utf8.RuneCountInString(text) <= chars {
		return text
	}
	cut := string([]rune(text)[:chars-1])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
