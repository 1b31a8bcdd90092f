package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/term"
)

// pieceBytes bounds what is parsed at once. It is many screens of text, and few
// milliseconds even for what parsers are slowest at.
const pieceBytes = 8 << 10

// piece is one or more whole blocks, or a part of one that is too long.
type piece struct {
	text string
	// code tells that the text is inside of a fenced block, whose language it is.
	code     bool
	language string
	// continues tells that it goes on with the block of the piece before, and cut
	// that the next one goes on with its own.
	continues, cut bool
}

// splitter finds out where blocks end, line by line. It knows no more of
// Markdown than that: a block ends at an empty line, unless a list goes on after
// it; headings and fenced code end what is before them.
type splitter struct {
	line  []byte // the start of a line, as it came
	block strings.Builder
	first string // the first line of block
	fence fence
	// blank tells that the line before was empty; goesOn that a piece of the block
	// is done already.
	blank, goesOn bool
	done          []piece
}

func (s *splitter) write(text string) {
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		if room := pieceBytes - len(s.line); len(line) > room {
			line, rest, ended = text[:room], text[room:], false
		}
		s.line = append(s.line, line...)
		text = rest
		switch {
		case ended:
			s.end(len(s.line))
		case len(s.line) >= pieceBytes:
			s.end(breakAt(s.line))
		}
	}
}

// breakAt is where a line that is too long is broken: at a space, or between
// two characters.
func breakAt(line []byte) int {
	for i := len(line); i > len(line)/2; i-- {
		if line[i-1] == ' ' {
			return i
		}
	}
	n := len(line)
	for i := 1; i < utf8.UTFMax && n > 1 && !utf8.RuneStart(line[n-1]); i++ {
		n--
	}
	if r, size := utf8.DecodeRune(line[n-1:]); r != utf8.RuneError && n-1+size == len(line) {
		return len(line)
	}
	return max(n-1, 1)
}

// end takes the first n bytes of the line as a whole one.
func (s *splitter) end(n int) {
	text := term.CleanLines(strings.TrimSuffix(string(s.line[:n]), "\r"))
	s.line = s.line[:copy(s.line, s.line[n:])]
	for line := range strings.SplitSeq(text, "\n") {
		s.add(line)
	}
}

func (s *splitter) close() {
	if len(s.line) > 0 {
		s.end(len(s.line))
	}
	s.finish(false)
	s.fence = fence{}
}

// add takes one clean line.
func (s *splitter) add(line string) {
	switch {
	case s.fence.mark != "":
		if s.fence.closedBy(line) {
			s.finish(false)
			s.fence = fence{}
			return
		}
		s.append(line)
	case strings.TrimSpace(line) == "":
		if s.block.Len() > 0 {
			s.append("")
			s.blank = true
		}
		return
	default:
		f, opens := openingFence(line)
		opens = opens && !s.inList(line)
		if s.block.Len() > 0 && (opens || s.begins(line)) {
			s.finish(false)
		}
		if s.blank = false; opens {
			s.fence = f
			return
		}
		s.append(line)
		if isHeading(line) && s.first == line {
			s.finish(false)
			return
		}
	}
	if n := s.block.Len(); n >= 2*pieceBytes || n >= pieceBytes && (s.fence.mark != "" || indent(line) == 0) {
		s.finish(true)
	}
}

func (s *splitter) append(line string) {
	if s.block.Len() == 0 {
		s.first = line
	}
	s.block.WriteString(line)
	s.block.WriteByte('\n')
}

// begins reports whether a line that is not empty starts another block.
func (s *splitter) begins(line string) bool {
	switch {
	case s.inList(line):
		return false
	case !s.blank:
		return isHeading(line)
	case isItem(s.first) && isItem(line):
		return false
	default:
		return indent(line) < 4 || indent(s.first) < 4 // not indented code with gaps
	}
}

// inList reports whether a line belongs to an item of the list that the block is.
func (s *splitter) inList(line string) bool {
	return s.block.Len() > 0 && isItem(s.first) && indent(line) >= 2
}

// finish makes a piece of the block. cut tells that the block goes on.
func (s *splitter) finish(cut bool) {
	p, ok := s.current()
	if ok || s.fence.mark != "" {
		p.cut = cut
		s.done = append(s.done, p)
	}
	s.block.Reset()
	s.blank = false
	s.goesOn = cut && (s.goesOn || ok)
}

func (s *splitter) current() (piece, bool) {
	p := piece{text: s.block.String(), code: s.fence.mark != "", language: s.fence.language, continues: s.goesOn}
	return p, s.block.Len() > 0
}

// unfinished is the block so far, with the line that is being written.
func (s *splitter) unfinished() (piece, bool) {
	last := splitter{first: s.first, fence: s.fence, blank: s.blank, goesOn: s.goesOn}
	last.block.WriteString(s.block.String())
	if len(s.line) > 0 {
		// A line that would start another block does so once it is whole.
		last.append(strings.ReplaceAll(term.CleanLines(string(s.line)), "\n", " "))
	}
	p, ok := last.current()
	p.cut = true
	return p, ok || p.code
}

// fence is how fenced code starts, and ends.
type fence struct {
	mark     string // three or more of ` or ~
	language string
}

func openingFence(line string) (fence, bool) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" || text[0] != '`' && text[0] != '~' {
		return fence{}, false
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	info := strings.TrimSpace(text[n:])
	if n < 3 || text[0] == '`' && strings.Contains(info, "`") {
		return fence{}, false
	}
	language, _, _ := strings.Cut(info, " ")
	return fence{mark: text[:n], language: language}, true
}

func (f fence) closedBy(line string) bool {
	text := strings.TrimRight(strings.TrimLeft(line, " "), " \t")
	return indent(line) <= 3 && len(text) >= len(f.mark) && strings.Trim(text, f.mark[:1]) == ""
}

func isHeading(line string) bool {
	text := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(text, "#")
	n := len(text) - len(rest)
	return len(line)-len(text) <= 3 && n >= 1 && n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// isItem reports whether a line starts an item of a list.
func isItem(line string) bool {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" {
		return false
	}
	rest := strings.TrimLeft(text, "0123456789")
	if digits := len(text) - len(rest); digits > 0 {
		if digits > 9 || rest == "" || rest[0] != '.' && rest[0] != ')' {
			return false
		}
	} else if !strings.ContainsRune("-*+", rune(rest[0])) {
		return false
	}
	return len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t'
}

// indent is how far a line is indented, a tab counting to the next fourth column.
func indent(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}
