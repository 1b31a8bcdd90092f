package format

import (
	"fmt"
	"strings"

	"github.com/knackhq/knack/skill"
)

// splitter takes a head apart into the blocks of its keys.
type splitter struct {
	r      *headRead
	blocks []block
	out    strings.Builder // the head with what does not belong left blank
	line   int
	gap    bool // blank lines stand in front
	depth  int  // open brackets of the current value
	kept   int  // lines below the current key
	// conflict is the side of a merge conflict that the line is on, origin how
	// many blocks there were in front of it, and fresh whether this side has
	// had no key yet, so that it goes on with the block in front.
	conflict side
	origin   int
	fresh    bool
	dropped  int // lines left out in a row
}

// split finds the keys of a head. Lines that belong to none are reported.
func (r *headRead) split(region string, line int) []block {
	s := splitter{r: r, line: line}
	indent := -1
	for at := 0; at < len(region); s.line++ {
		row, next := lineAt(region, at)
		at = next
		if indent < 0 && !isBlank(row) && row[0] != '#' {
			indent = baseIndent(row)
		}
		if n := min(indentation(row), max(indent, 0)); strings.Trim(row[:n], " ") == "" {
			row = row[n:]
		}
		s.row(row)
		s.out.WriteByte('\n')
	}
	text := s.out.String()
	for i := range s.blocks {
		end := len(text)
		if i+1 < len(s.blocks) {
			end = s.blocks[i+1].start
		}
		s.blocks[i].text = text[s.blocks[i].start:end]
	}
	return s.blocks
}

// baseIndent is how far a whole head is indented, judged by its first line.
func baseIndent(row string) int {
	n := indentation(row)
	if _, ok := keyLine(row[n:]); ok {
		return n
	}
	return 0
}

// current is the block that a line would go on with.
func (s *splitter) current() *block {
	if len(s.blocks) == 0 {
		return nil
	}
	return &s.blocks[len(s.blocks)-1]
}

// row files one line under its key.
func (s *splitter) row(row string) {
	if isBlank(row) {
		s.gap = true
		return
	}
	if s.inConflict(row) {
		return
	}
	cur, rest := s.current(), strings.TrimLeft(row, " \t")
	k, isKey := keyLine(rest)
	indented := len(rest) < len(row)
	switch {
	case row[0] == '#':
		return
	case isDocumentMark(row):
		s.r.report(skill.FrontmatterDropped, s.line, fmt.Sprintf("%q starts a second document; it was left out", clip(row, 40)),
			"delete this line; a frontmatter is one document")
	case indented && cur != nil && !(isKey && isKnown(k.key) && cur.isLineOfText()):
		s.keep(row)
	case indented && (!isKey || !isKnown(k.key)):
		s.drop(row)
	case s.depth > 0 && (strings.IndexByte("\"'{}[],", row[0]) >= 0 || isKey && !isKnown(k.key)):
		s.keep(row)
	case cur != nil && cur.value == "" && s.kept == 0 && (row[0] == '{' || row[0] == '['):
		s.keep(row)
		s.depth = brackets(row)
	case isKey:
		s.open(rest, k, indented)
	case cur != nil && isItem(row) && cur.value == "":
		s.keep(row)
	case cur != nil && takesProse(cur.key) && !s.gap && !isItem(row) && gateWord(row) == "":
		s.keep(row)
	default:
		s.drop(row)
	}
}

// isDocumentMark reports a line that ends a document of YAML but, for what
// stands behind its signs, not the frontmatter.
func isDocumentMark(row string) bool {
	return (strings.HasPrefix(row, "---") || strings.HasPrefix(row, "...")) && len(row) > 3 && (row[3] == ' ' || row[3] == '\t')
}

// isLineOfText reports a value that ends on the key's own line unless it is
// folded: below it, a known key with indentation is one that slipped.
func (b *block) isLineOfText() bool {
	if b.value == "" || b.isData() {
		return false
	}
	switch q := b.value[0]; q {
	case '|', '>', '{', '[':
		return false
	case '"', '\'':
		return len(b.value) > 1 && b.value[len(b.value)-1] == q
	}
	return true
}

func (s *splitter) open(row string, k keyed, slipped bool) {
	s.blocks = append(s.blocks, block{keyed: k, line: s.line, start: s.out.Len(), slipped: slipped})
	s.depth = 0
	if k.value != "" && (k.value[0] == '{' || k.value[0] == '[') {
		s.depth = brackets(k.value)
	}
	s.out.WriteString(row)
	s.gap, s.dropped, s.kept = false, 0, 0
}

func (s *splitter) keep(row string) {
	if s.depth > 0 {
		s.depth += brackets(row)
	}
	s.out.WriteString(row)
	s.kept++
	s.gap, s.dropped = false, 0
}

// drop leaves a line out and says so. What it was part of is torn, and if it
// starts with the name of a key that holds requirements, so are those.
func (s *splitter) drop(row string) {
	if cur := s.current(); cur != nil && (s.depth > 0 || cur.value == "" || strings.IndexByte("{[", cur.value[0]) < 0) {
		cur.torn = true // other than brackets that are all closed
	}
	s.noteGate(row)
	if s.dropped++; s.dropped == 1 {
		s.r.report(skill.FrontmatterDropped, s.line, fmt.Sprintf("%q belongs to no key and was left out", clip(strings.TrimSpace(row), 40)),
			"delete it, or indent it if it goes on with the line above")
	}
}

// noteGate marks requirements as unreadable when a line that is not read names
// them.
func (s *splitter) noteGate(row string) {
	if word := gateWord(row); word != "" {
		s.r.unread(word, s.line)
		s.r.report(skill.FrontmatterInvalid, s.line, word+" could not be read: it stands in a line that was left out",
			"write it as "+word+": with its value behind it")
	}
}

// gateWord returns the key that holds requirements which a line that is not
// written as a key names first, unless a sentence follows it.
func gateWord(row string) string {
	word := strings.TrimLeft(row, " \t\"'*_`-#\\")
	end := 0
	for end < len(word) && isWordByte(word[end]) {
		end++
	}
	rest := strings.TrimLeft(word[end:], " \t\"'*_`\\")
	if !isGate(word[:end]) || rest != "" && strings.IndexByte("{[=:", rest[0]) < 0 {
		return ""
	}
	return word[:end]
}

// brackets counts how many brackets a line leaves open. What stands between
// double quotes does not count.
func brackets(s string) int {
	n, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			n++
		case c == '}' || c == ']':
			n--
		}
	}
	return n
}

// side is a side of a merge conflict.
type side uint8

const (
	noSide side = iota
	ours
	theirs // and the common ancestor, if it is shown
)

// isConflict reports the marker lines of an unfinished merge.
func isConflict(line string) bool {
	return len(line) >= 7 && strings.IndexByte("<=>|", line[0]) >= 0 && strings.Count(line[:7], line[:1]) == 7 &&
		(len(line) == 7 || line[7] == ' ')
}

// inConflict handles marker lines and the side that is not read. A conflict
// that touches data leaves open what holds, so that data is torn.
func (s *splitter) inConflict(row string) bool {
	if isConflict(row) && (row[0] == '<' || s.conflict != noSide) {
		switch row[0] {
		case '<':
			s.conflict, s.origin, s.fresh = ours, len(s.blocks), true
			s.r.report(skill.FrontmatterConflict, s.line, "the frontmatter has the markers of an unfinished merge; the first side was read",
				"finish the merge and delete the lines with <<<<<<<, ======= and >>>>>>>")
		case '>':
			s.conflict = noSide
		default:
			s.conflict, s.fresh = theirs, true
		}
		return true
	}
	if s.conflict == noSide {
		return false
	}
	if k, ok := keyLine(row); ok {
		s.fresh = false
		if isGate(k.key) || !isTextKey(k.key) {
			s.r.unread(k.key, s.line)
		}
	} else if s.fresh && s.origin > 0 {
		s.blocks[s.origin-1].torn = true
	}
	return s.conflict == theirs
}
