package policy

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// command is a shell command as far as it can be read without being a shell.
type command struct {
	words []word
	// compound: it has operators, so it is not one simple command.
	compound bool
	// odd: it holds what only a shell can resolve, such as $HOME, or what no
	// shell takes.
	odd bool
	// glued: a word is put together from quoted parts, as in r""m.
	glued bool
	// braced: a word stands for several, as in {r,}m.
	braced bool
}

type word struct {
	text string
	// first and last tell its place in a simple command.
	first, last bool
}

// readCommand splits a text into words the way shells do, and notes where that
// is not the whole truth.
func readCommand(text string) command {
	r := commandReader{first: true}
	if len(text) > longestArguments || !utf8.ValidString(text) {
		r.odd = true
		return r.command
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			r.endWord()
		case strings.IndexByte("\n;|&<>()", c) >= 0:
			r.endCommand()
			r.compound = true
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				r.odd = true
				return r.command
			}
			r.quoted(c, text[i+1:i+1+n])
			i += n + 1
			r.glued = r.glued || i+1 < len(text) && strings.IndexByte(" \t\n;|&<>()", text[i+1]) < 0
		default:
			r.odd = r.odd || c < ' ' || c == 0x7f || c == '$' || c == '`' || c == '\\'
			r.brace(c)
			r.text, r.inWord = append(r.text, c), true
		}
	}
	r.endCommand()
	return r.command
}

type commandReader struct {
	command
	text   []byte
	inWord bool // a word may be empty between quotes
	first  bool
	open   bool // there is a brace in the word
}

// brace notes a list or a range in braces.
func (r *commandReader) brace(c byte) {
	n := len(r.text)
	r.open = c == '{' || r.open && r.inWord
	r.braced = r.braced || r.open && (c == ',' || c == '.' && n > 0 && r.text[n-1] == '.')
}

// quoted takes what stands between two marks. Double ones leave a shell things
// to resolve.
func (r *commandReader) quoted(mark byte, inner string) {
	if n := len(r.text); n > 0 && strings.IndexByte("=:,", r.text[n-1]) < 0 {
		r.glued = true
	}
	r.odd = r.odd || strings.ContainsFunc(inner, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }) ||
		mark == '"' && strings.ContainsAny(inner, "$`\\!")
	r.text, r.inWord = append(r.text, inner...), true
}

func (r *commandReader) endWord() {
	if r.inWord {
		r.words = append(r.words, word{text: string(r.text), first: r.first})
		r.text, r.inWord, r.first = r.text[:0], false, false
	}
}

func (r *commandReader) endCommand() {
	r.endWord()
	if n := len(r.words); n > 0 {
		r.words[n-1].last = true
	}
	r.first = true
}

// climbs reports whether a word leads out of the folder it starts in, or may
// when a shell has made others of it: .* and .? are .. as well.
func (c *command) climbs() bool {
	return c.braced || slices.ContainsFunc(c.words, func(w word) bool {
		parts := strings.FieldsFunc(w.text, func(r rune) bool { return r == '/' || r == '=' || r == ':' })
		return slices.ContainsFunc(parts, func(part string) bool {
			return part == ".." || part[0] == '.' && strings.ContainsAny(part, "*?[")
		})
	})
}

// shells run commands that they are handed, which then are not among the words.
var shells = [...]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "csh", "tcsh", "fish", "pwsh", "powershell", "pwsh.exe", "powershell.exe"}

// hides reports whether the words do not tell which programs run: a program's
// name is itself a pattern, or a shell is handed more commands. A shell with a
// script is a program like any other.
func (c *command) hides() bool {
	for i, w := range c.words {
		name := w.text[strings.LastIndexByte(w.text, '/')+1:]
		switch {
		case w.text == "eval", w.first && (w.text == "." || w.text == "source"):
			return true
		case w.first && strings.ContainsAny(w.text, "*?[{") && w.text != "[" && w.text != "[[" && w.text != "{":
			return true
		case slices.Contains(shells[:], name) && (w.last || strings.HasPrefix(c.words[i+1].text, "-")), name == "cmd.exe":
			return true
		}
	}
	return false
}
