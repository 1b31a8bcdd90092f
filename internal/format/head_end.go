package format

import "strings"

// headEnd walks from the start of a frontmatter to where it stops looking like
// one, and returns that offset: the first heading, code block or sentence, or
// the first blank line that no known key follows. It is how a frontmatter ends
// that nobody closed. torn is the key of a block whose lines are cut off by
// text right below them, "" if there is none.
func headEnd(text string, start int) (end int, torn string) {
	end, gap := start, false
	// unsure: behind a blank line came keys that skills do not use. They belong
	// to the frontmatter if one that they use follows.
	unsure := false
	var current keyed
	for at := start; at < len(text); {
		line, next := lineAt(text, at)
		at = next
		if isBlank(line) {
			gap = true
			continue
		}
		k, isKey := keyLine(strings.TrimLeft(line, " "))
		switch {
		case isCodeFence(line):
			return end, ""
		case line[0] == '#':
			// A comment has a key right below it; a heading has not.
			below, _ := lineAt(text, next)
			if _, ok := keyLine(below); gap || !ok {
				return end, ""
			}
		case isKey && (line[0] != ' ' || end == start):
			unsure = (unsure || gap && end > start) && !isKnown(k.key)
			current = k
		case line[0] == ' ' || line[0] == '\t':
			if end == start || gap && !current.opensBlock() {
				return end, ""
			}
		case isItem(line):
			if end == start || !current.opensBlock() {
				return end, ""
			}
		case isConflict(line), isBracket(line):
			if gap && !current.opensBlock() {
				return end, ""
			}
		default:
			if !gap && end > start && takesProse(current.key) {
				break
			}
			if !gap && current.opensBlock() && (isGate(current.key) || !isTextKey(current.key)) {
				torn = current.key
			}
			return end, torn
		}
		if !unsure {
			end = next
		}
		gap = false
	}
	return end, ""
}

// opensBlock reports whether lines below the key may be its value although
// blank lines or no indentation separate them: a list, a map, a block of text
// or brackets that are still open.
func (k keyed) opensBlock() bool {
	if k.value == "" {
		return k.key != ""
	}
	return strings.IndexByte("|>{[#", k.value[0]) >= 0
}

// takesProse reports whether a line without indentation may go on with the
// key's value. Names and versions are never that long.
func takesProse(key string) bool {
	switch key {
	case "description", "summary", "compatibility", "when_to_use", "read_when":
		return true
	}
	return false
}

// isItem reports an entry of a list.
func isItem(line string) bool {
	return line[0] == '-' && (len(line) == 1 || line[1] == ' ' || line[1] == '\t')
}

// isBracket reports a line of JSON that starts or ends something.
func isBracket(line string) bool { return strings.IndexByte("{}[],", line[0]) >= 0 }

// isProse reports whether the text behind headEnd reads like a document rather
// than like more keys: it starts behind a blank line or with a heading, and
// most of its lines are neither keys nor what belongs to them. Headings count
// for neither side, since comments look the same. One or two sentences alone
// are a slip of the pen, not a document.
func isProse(text string) bool {
	keys, prose, heading := 0, 0, false
	count, inCode, list := &keys, false, false
	if first, _ := lineAt(text, 0); !isBlank(first) && first[0] != '#' {
		return false
	}
	for at := 0; at < len(text); {
		line, next := lineAt(text, at)
		at = next
		if isBlank(line) || line[0] == '#' && !inCode {
			heading = heading || line != "" && line[0] == '#'
			continue
		}
		k, isKey := keyLine(line)
		switch {
		case isCodeFence(line):
			inCode, count = !inCode, &prose
		case inCode:
			count = &prose
		case line[0] == ' ' || line[0] == '\t': // as the line above
		case isKey:
			count, list = &keys, k.value == ""
		case isItem(line) && list || isConflict(line) || isBracket(line):
			count = &keys
		default:
			count, list = &prose, false
		}
		*count++
	}
	return prose > keys && (heading || prose > 2)
}

// findGate looks in text that is not read as frontmatter for requirements, and
// returns their key and how many lines in front of it. Code blocks are examples.
func findGate(text string) (key string, line int) {
	inCode := false
	for at, n := 0, 0; at < len(text); n++ {
		row, next := lineAt(text, at)
		at = next
		if isCodeFence(row) {
			inCode = !inCode
			continue
		}
		k, ok := keyLine(row)
		if inCode || !ok || !isGate(k.key) {
			continue
		}
		below, _ := lineAt(text, next)
		switch {
		case k.value == "" && (indentation(below) == 0 || isBlank(below)):
		case k.value != "" && isStructured(k.key) && strings.IndexByte("{\"'|>&!", k.value[0]) < 0: // a sentence
		default:
			return k.key, n
		}
	}
	return "", 0
}
