package files

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
)

// subject is a text to replace parts of. Where lines end in CR LF, parts are
// looked for as if they ended in LF, for that is how models see them.
type subject struct {
	raw   []byte
	plain []byte // with CR LF as LF
	// ends are the positions in plain of the line ends that are CR LF in raw.
	ends []int
}

func newSubject(raw []byte) subject {
	s := subject{raw: raw, plain: raw}
	if !bytes.Contains(raw, []byte("\r\n")) {
		return s
	}
	s.plain = make([]byte, 0, len(raw))
	for rest := raw; ; {
		i := bytes.Index(rest, []byte("\r\n"))
		if i < 0 {
			s.plain = append(s.plain, rest...)
			return s
		}
		s.plain = append(s.plain, rest[:i]...)
		s.ends = append(s.ends, len(s.plain))
		s.plain = append(s.plain, '\n')
		rest = rest[i+2:]
	}
}

// at is where a position in plain is in raw. The position of a line end is that
// of its CR.
func (s subject) at(pos int) int {
	return pos + sort.SearchInts(s.ends, pos)
}

// isCRLF reports whether the first line end from a position on is CR LF; behind
// the last one, whether the one before is.
func (s subject) isCRLF(pos int) bool {
	i := bytes.IndexByte(s.plain[pos:], '\n')
	if i >= 0 {
		i += pos
	} else if i = bytes.LastIndexByte(s.plain[:pos], '\n'); i < 0 {
		return false
	}
	n := sort.SearchInts(s.ends, i)
	return n < len(s.ends) && s.ends[n] == i
}

// change is one replacement, by positions in raw.
type change struct {
	from, to int
	with     []byte
}

// find looks for old and makes the changes to new. What has a CR in it is taken
// as it is, if it is there so. Matches that overlap count: which of them was
// meant is open.
func (s subject) find(old, new string, all bool) (changes []change, overlap bool) {
	if strings.Contains(old+new, "\r") {
		exact := subject{raw: s.raw, plain: s.raw}
		if changes, overlap = exact.search(old, new, all); len(changes) > 0 {
			return changes, overlap
		}
		old, new = strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(new, "\r\n", "\n")
	}
	return s.search(old, new, all)
}

func (s subject) search(old, new string, all bool) (changes []change, overlap bool) {
	for pos := 0; pos <= len(s.plain); {
		i := bytes.Index(s.plain[pos:], []byte(old))
		if i < 0 {
			break
		}
		i += pos
		with := new
		if s.isCRLF(i) {
			with = strings.ReplaceAll(strings.ReplaceAll(new, "\r\n", "\n"), "\n", "\r\n")
		}
		changes = append(changes, change{from: s.at(i), to: s.at(i + len(old)), with: []byte(with)})
		pos = i + len(old)
		if !all && len(changes) == 1 {
			next := bytes.Index(s.plain[i+1:], []byte(old))
			overlap = next >= 0 && i+1+next < pos
		}
	}
	return changes, overlap
}

// apply makes the changes.
func (s subject) apply(changes []change) []byte {
	var out []byte
	pos := 0
	for _, c := range changes {
		out = append(append(out, s.raw[pos:c.from]...), c.with...)
		pos = c.to
	}
	return append(out, s.raw[pos:]...)
}

// mostCompared is how many lines are compared with one that is not there: those
// of the longest sources.
const mostCompared = 50_000

// nearest is the line that looks most like the first one of a text that was not
// found: its number, 0 if none does, and whether only its blanks differ.
func (s subject) nearest(old string) (line int, text string, blanks bool) {
	wanted := ""
	for l := range strings.SplitSeq(old, "\n") {
		if wanted = strings.TrimSpace(l); wanted != "" {
			break
		}
	}
	if wanted == "" {
		return 0, "", false
	}
	words, best, n := wordsOf(wanted), 0.5, 0 // less than half alike is another line
	for l := range strings.SplitSeq(string(s.plain), "\n") {
		if n++; n > mostCompared {
			break
		}
		if strings.Join(strings.Fields(l), " ") == strings.Join(strings.Fields(wanted), " ") {
			return n, l, true
		}
		if likeness := alikeness(words, l); likeness > best {
			best, line, text = likeness, n, l
		}
	}
	return line, text, false
}

// wordsOf counts the words of a line.
func wordsOf(line string) map[string]int {
	words := map[string]int{}
	for _, w := range fields(line) {
		words[w]++
	}
	return words
}

func fields(line string) []string {
	if len(line) > longestLine {
		line = line[:longestLine]
	}
	return strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// alikeness is the share of words that two lines have in common.
func alikeness(words map[string]int, line string) float64 {
	other := wordsOf(line)
	common, all := 0, 0
	for w, n := range other {
		common += min(n, words[w])
		all += n
	}
	for _, n := range words {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(common) / float64(all)
}
