package route

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// longestWord is what is kept of a word, in bytes: no word of a language is
	// longer, and what is (encoded data, a line without spaces) says nothing.
	longestWord = 40
	// longestMessage is what is read of a message. Who writes more has pasted a
	// file, whose subject shows long before.
	longestMessage = 64 << 10
)

// splitter cuts text into stems. Its buffers are used again for every word.
type splitter struct {
	word  []byte // the word at hand, folded to lower case
	parts []int  // where a capital begins a part of it
	emit  func(stem []byte)
	wide  rune // the last ideograph, half of a bigram
	alone bool // it has had no neighbour yet
}

// split calls emit with every stem of text in order. The slice is valid during
// the call only. Words written together with capitals are given whole and in
// parts, ideographs in pairs.
func (s *splitter) split(text string) {
	s.word, s.parts = s.word[:0], s.parts[:0]
	var last rune
	for i := 0; i < len(text); {
		r, w := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRuneInString(text[i:])
			if isWide(r) {
				s.flush()
				s.pair(r)
				last = 0
				i += w
				continue
			}
		}
		s.single()
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			s.add(byte(r))
		case r >= 'A' && r <= 'Z':
			if last >= 'a' && last <= 'z' || last >= 'A' && last <= 'Z' && i+1 < len(text) && text[i+1] >= 'a' && text[i+1] <= 'z' {
				s.parts = append(s.parts, len(s.word))
			}
			s.add(byte(r) | 0x20)
		case r == '\'' || r == '’':
			// "user's" is the user: what follows an apostrophe is an ending.
			if len(s.word) > 0 {
				s.flush()
				for i+w < len(text) && text[i+w] >= 'a' && text[i+w] <= 'z' {
					w++
				}
			}
		case r >= utf8.RuneSelf && unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
			s.fold(r)
		default:
			s.flush()
		}
		last = r
		i += w
	}
	s.flush()
	s.single()
}

func (s *splitter) add(c byte) {
	if len(s.word) < longestWord {
		s.word = append(s.word, c)
	}
}

// fold adds a letter beyond ASCII, in lower case and without its accents.
func (s *splitter) fold(r rune) {
	if len(s.word)+utf8.UTFMax > longestWord || unicode.Is(unicode.Mn, r) {
		return
	}
	r = unicode.ToLower(r)
	var one [utf8.UTFMax]byte
	n := utf8.EncodeRune(one[:], r)
	if d := norm.NFKD.Properties(one[:n]).Decomposition(); d != nil {
		for _, c := range string(d) {
			if unicode.IsLetter(c) && len(s.word)+utf8.UTFMax <= longestWord {
				s.word = utf8.AppendRune(s.word, unicode.ToLower(c))
			}
		}
		return
	}
	s.word = append(s.word, one[:n]...)
}

func (s *splitter) flush() {
	defer func() { s.word, s.parts = s.word[:0], s.parts[:0] }()
	if len(s.parts) > 0 {
		from := 0
		for _, to := range append(s.parts, len(s.word)) {
			if to = min(to, len(s.word)); to-from > 1 {
				var part [longestWord + 4]byte // a stem may be a letter longer
				s.emit(stem(append(part[:0], s.word[from:to]...)))
			}
			from = to
		}
	}
	if len(s.word) > 1 || len(s.word) == 1 && s.word[0] >= '0' && s.word[0] <= '9' {
		s.emit(stem(s.word))
	}
}

// pair emits an ideograph together with the one before it.
func (s *splitter) pair(r rune) {
	if s.wide != 0 {
		var two [2 * utf8.UTFMax]byte
		s.emit(utf8.AppendRune(utf8.AppendRune(two[:0], s.wide), r))
	}
	s.alone = s.wide == 0
	s.wide = r
}

// single emits an ideograph that has no neighbour.
func (s *splitter) single() {
	if s.wide != 0 && s.alone {
		var one [utf8.UTFMax]byte
		s.emit(utf8.AppendRune(one[:0], s.wide))
	}
	s.wide, s.alone = 0, false
}

// isWide reports scripts that put no space between words.
func isWide(r rune) bool {
	return r >= 0x3040 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
