package command

import (
	"errors"
	"slices"
	"strings"
)

// reader reads shell source just far enough to know for each placeholder what it
// stands in. Where shells differ, or more would have to be understood, it is lost:
// from there on no placeholder is taken.
type reader struct {
	source
	names  []string // of the arguments
	at     int
	frames []frame // commands within commands; the last is being read
	values int     // places and parameters for values so far
	lost   bool
	// document: it is a here-document that it was lost at, in which parameters are
	// never source.
	document bool
	// compound: it is more than one simple command.
	compound bool
}

// frame is a command being read: the whole, or one within $( ).
type frame struct {
	quoted bool // between double quotes
	split  bool // what it prints becomes many words
	parens int  // open ones in it
	// words are those of the simple command so far, from the program's name on, as
	// far as they are literal.
	words  []string
	dashes bool // one of them is --
	// The word being read: what of it is literal, whether there is one, whether
	// it is all literal and unquoted, whether something literal follows its last
	// expansion, whether it is the target of a redirection.
	word                          []byte
	inWord, expands, solid, after bool
}

// read reads a command. An error names a placeholder that cannot be kept one word.
func read(text string, names []string) (*source, error) {
	r := &reader{source: source{text: text, positional: map[int]bool{}, bare: map[int]bool{}}, names: names, frames: make([]frame, 1)}
	for r.at < len(text) && !r.lost {
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	if r.lost {
		if err := r.unread(text[r.at:], "behind something that shells read in different ways", r.document); err != nil {
			return nil, err
		}
	}
	r.endWord()
	f := r.top()
	open := len(r.frames) > 1 || f.quoted
	if open && len(r.places) > 0 && !r.lost {
		return nil, errors.New("quotes or parentheses of the command do not close, so that no {{placeholder}} in it is certain")
	}
	r.simple = !r.compound && !r.lost && !open && !f.after && len(f.words) > 0 && !slices.Contains(openers, f.words[0])
	r.dashes = f.dashes
	return &r.source, nil
}

// openers begin what is not a simple command. prefixes stand before one, passing
// before the program of one.
var (
	openers  = []string{"for", "case", "select", "function", "[["}
	prefixes = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"}
	passing  = []string{"exec", "command", "builtin"}
)

// isAssignment reports a word that begins with NAME= or NAME+=.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	name = strings.TrimSuffix(name, "+")
	for i := range len(name) {
		letter := name[i] == '_' || 'a' <= name[i]|0x20 && name[i]|0x20 <= 'z'
		if !letter && (i == 0 || name[i] < '0' || name[i] > '9') {
			return false
		}
	}
	return ok && name != ""
}

func (r *reader) top() *frame { return &r.frames[len(r.frames)-1] }

// lose gives up on what follows.
func (r *reader) lose() { r.lost = true }

// step reads one thing.
func (r *reader) step() error {
	if argument, size := r.placeholder(r.at); size > 0 {
		return r.place(argument, size)
	}
	f, c := r.top(), r.text[r.at]
	switch {
	case c == '\\':
		return r.backslash()
	case c == '$':
		return r.dollar()
	case c == '`':
		return r.backquotes()
	case c == '"':
		f.quoted, f.inWord, f.solid = !f.quoted, true, false
	case f.quoted:
		f.literal(c)
	case c == '\'':
		return r.singleQuotes()
	case c == ' ' || c == '\t':
		r.endWord()
	case strings.IndexByte("\n;&|", c) >= 0:
		r.endCommand()
	case c == '(' || c == ')':
		r.paren(c)
	case c == '<' || c == '>':
		r.redirection(c)
	case c == '#' && !f.inWord:
		r.comment()
		return nil
	default:
		if !f.inWord {
			f.solid = true
		}
		f.literal(c)
	}
	if !r.lost {
		r.at++
	}
	return nil
}

// literal takes a character for the word.
func (f *frame) literal(c byte) {
	f.word, f.inWord, f.expands = append(f.word, c), true, false
}

// expanded tells that a part of the word is not known, and may be nothing.
func (f *frame) expanded() { f.inWord, f.expands, f.solid = true, true, false }

func (r *reader) endWord() {
	f := r.top()
	if !f.inWord {
		return
	}
	word, solid, target := string(f.word), f.solid, f.after
	f.word, f.inWord, f.expands, f.solid, f.after = nil, false, false, false, false
	switch {
	case target:
		return
	case solid && word == "alias" || solid && word == "case" && len(r.frames) > 1:
		// An alias changes what is read next, and the parentheses of case close
		// nothing.
		r.lose()
	case len(f.words) == 0 && solid && slices.Contains(prefixes, word):
		r.compound = r.compound || len(r.frames) == 1
		return
	case len(f.words) == 0 && solid && slices.Contains(passing, word):
		return
	case len(f.words) == 0 && isAssignment(word):
		return
	}
	f.words = append(f.words, word)
	f.dashes = f.dashes || word == "--"
}

func (r *reader) endCommand() {
	r.endWord()
	f := r.top()
	f.words, f.dashes, f.after = nil, false, false
	if len(r.frames) == 1 {
		r.compound = true
	}
}

func (r *reader) paren(c byte) {
	r.endCommand()
	f := r.top()
	switch {
	case r.lost:
	case c == '(' && strings.HasPrefix(r.text[r.at+1:], "("):
		r.lose() // arithmetic, or not
	case c == '(':
		f.parens++
	case f.parens > 0:
		f.parens--
	case len(r.frames) > 1:
		r.frames = r.frames[:len(r.frames)-1]
		r.top().expanded()
	}
}

// redirection reads the operator. A number before it belongs to it.
func (r *reader) redirection(c byte) {
	f := r.top()
	if f.solid && strings.Trim(string(f.word), "0123456789") == "" {
		f.word, f.inWord, f.solid = nil, false, false
	}
	r.endWord()
	rest := r.text[r.at+1:]
	if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, `\`) || c == '<' && strings.HasPrefix(rest, "<") {
		r.lose() // a process, a line that goes on, or a here-document
		r.document = strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, "<<")
		return
	}
	if rest != "" && strings.IndexByte("&|>", rest[0]) >= 0 {
		r.at++
	}
	f.after = true
}

func (r *reader) comment() {
	if len(r.frames) == 1 {
		r.compound = true
	}
	n := strings.IndexByte(r.text[r.at:], '\n')
	if n < 0 {
		n = len(r.text) - r.at
	}
	r.at += n
}

func (r *reader) singleQuotes() error {
	f := r.top()
	f.inWord, f.solid = true, false
	for r.at++; r.at < len(r.text); r.at++ {
		if argument, size := r.placeholder(r.at); size > 0 {
			if err := r.quotedPlace(argument, size, '\''); err != nil {
				return err
			}
			r.at--
			continue
		}
		if r.text[r.at] == '\'' {
			r.at++
			return nil
		}
		f.literal(r.text[r.at])
	}
	r.at, f.quoted = len(r.text), true // it does not close
	return nil
}
