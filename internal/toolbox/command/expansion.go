package command

import (
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// longestName keeps looking for the end of a placeholder short.
const longestName = 256

// mostValues is how many places a command may have: each is held against all
// words before it.
const mostValues = 500

// placeholder tells which argument is named between double braces at a position,
// and how long that is; zero if none.
func (r *reader) placeholder(at int) (argument, size int) {
	rest := r.text[at:]
	if !strings.HasPrefix(rest, "{{") {
		return 0, 0
	}
	name, _, ok := strings.Cut(rest[2:min(len(rest), longestName)], "}}")
	if !ok {
		return 0, 0
	}
	for i, n := range r.names {
		if strings.TrimSpace(name) == n {
			return i, len(name) + 4
		}
	}
	return 0, 0
}

// unread refuses placeholders in a text that is not read any further, and
// parameters that hold a value.
func (r *reader) unread(text, where string, parameters bool) error {
	inner := reader{source: source{text: text}, names: r.names}
	for at := range len(text) {
		if argument, size := inner.placeholder(at); size > 0 {
			return refused("{{"+r.names[argument]+"}}", where)
		}
	}
	for _, m := range parameter().FindAllStringSubmatch(text, -1) {
		if r.mention(m[1], len(r.names), true) && !parameters {
			return refused(m[0], where)
		}
	}
	return nil
}

func refused(what, where string) error {
	return fmt.Errorf("%s stands %s, where it cannot be kept one word of the command: let it be a word, or stand between quotes", wording.Name(what), where)
}

// place takes a placeholder in a word or between double quotes.
func (r *reader) place(argument, size int) error {
	f := r.top()
	if f.quoted {
		return r.quotedPlace(argument, size, '"')
	}
	return r.quotedPlace(argument, size, 0)
}

func (r *reader) quotedPlace(argument, size int, quote byte) error {
	if err := r.misplaced("{{" + r.names[argument] + "}}"); err != nil {
		return err
	}
	r.bare[argument] = r.bare[argument] || r.isBare()
	r.places = append(r.places, place{start: r.at, end: r.at + size, argument: argument, quote: quote})
	r.top().expanded()
	r.at += size
	return nil
}

// misplaced refuses a value that would be a program, or source, or many words.
func (r *reader) misplaced(what string) error {
	f := r.top()
	begin := string(f.word)
	program := len(f.words) == 0 || awaitsName(f.words) && !strings.HasPrefix(begin, "-")
	r.values++
	switch {
	case r.values > mostValues:
		return fmt.Errorf("the command has more than %d places for arguments; put it into a script", mostValues)
	case program && !f.after && !isAssignment(begin) && !strings.Contains(begin, "/"):
		return refused(what, "in the place of the program")
	case isSource(f.words, begin):
		return refused(what, "in the source of another shell or interpreter")
	case f.split:
		return refused(what, "within $( ) without quotes around it")
	}
	return nil
}

// isBare reports whether a program could take a hyphen here for an option's.
func (r *reader) isBare() bool {
	f := r.top()
	return !f.dashes && !f.after && (f.expands || len(f.word) == 0)
}

// backslash reads it and what it is before.
func (r *reader) backslash() error {
	f := r.top()
	if argument, size := r.placeholder(r.at + 1); size > 0 {
		return refused("{{"+r.names[argument]+"}}", "behind a backslash")
	}
	if r.at+1 == len(r.text) {
		r.lose()
		return nil
	}
	next := r.text[r.at+1]
	switch {
	case next == '\n': // the line goes on, within anything that is longer than a character
		if r.at > 0 && strings.IndexByte("$`<>&|;(){}\\", r.text[r.at-1]) >= 0 {
			r.lose()
			return nil
		}
	case f.quoted && strings.IndexByte("$`\"\\", next) < 0:
		f.literal('\\')
		r.at++
		return nil
	default:
		f.solid = false
		f.literal(next)
	}
	r.at += 2
	return nil
}

// dollar reads an expansion.
func (r *reader) dollar() error {
	f, rest := r.top(), r.text[r.at+1:]
	switch {
	case strings.HasPrefix(rest, "(("):
		return r.arithmetic()
	case strings.HasPrefix(rest, "("):
		split := f.split || !f.keeps()
		f.inWord, f.solid = true, false
		r.frames = append(r.frames, frame{split: split})
		r.at += 2
	case strings.HasPrefix(rest, "{"):
		return r.braces()
	case strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "\\\n") || !f.quoted && strings.HasPrefix(rest, "'"):
		r.lose()
	case rest != "" && strings.IndexByte("@*#?-$!0123456789", rest[0]) >= 0:
		return r.parameter(rest[:1], 2)
	default:
		if name := identifier(rest); name != "" {
			return r.parameter(name, 1+len(name))
		}
		f.solid = false
		f.literal('$')
		r.at++
	}
	return nil
}

// keeps reports whether an expansion is not split into words here.
func (f *frame) keeps() bool {
	return f.quoted || len(f.words) == 0 && isAssignment(string(f.word)) || len(f.words) == 1 && f.words[0] == "case"
}

// parameter reads $name or ${name}, of this size. One that holds a value is held
// to what placeholders are.
func (r *reader) parameter(name string, size int) error {
	f := r.top()
	if r.mention(name, len(r.names), r.isBare()) {
		if err := r.misplaced("$" + name); err != nil {
			return err
		}
		if !f.keeps() {
			return fmt.Errorf("$%s stands without quotes, where a value could become many words of the command: write \"$%s\"", name, name)
		}
	}
	f.expanded()
	r.at += size
	return nil
}

// identifier is the name that a text begins with.
func identifier(text string) string {
	n := 0
	for n < len(text) && (text[n] == '_' || 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' || n > 0 && '0' <= text[n] && text[n] <= '9') {
		n++
	}
	return text[:n]
}

// braces reads ${name} and ${name:-plain text}.
func (r *reader) braces() error {
	inner := r.text[r.at+2:]
	if _, size := r.placeholder(r.at + 1); size > 0 {
		return r.unread(r.text[r.at+1:], "behind a $", false)
	}
	n := strings.IndexAny(inner, "}'\"`\\$(){\n<>&|;")
	if n < 0 || inner[n] != '}' {
		if n >= 0 && inner[n] == '{' {
			if argument, size := r.placeholder(r.at + 2 + n); size > 0 {
				return refused("{{"+r.names[argument]+"}}", "within ${ }")
			}
		}
		r.lose()
		return nil
	}
	name, length := inner[:n], strings.HasPrefix(inner, "#")
	name = strings.TrimLeft(name, "#!")
	switch {
	case length || name == "": // a number
		name = "#"
	case strings.IndexByte("@*", name[0]) >= 0:
		name = name[:1]
	case '0' <= name[0] && name[0] <= '9':
		name = name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	default:
		name = identifier(name)
	}
	return r.parameter(name, n+3)
}

// arithmetic reads $(( )) that every shell takes for it.
func (r *reader) arithmetic() error {
	depth := 0
	for at := r.at + 3; at < len(r.text); at++ {
		c := r.text[at]
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')' && strings.HasPrefix(r.text[at+1:], ")"):
			return r.skip(at+2, "within arithmetic")
		case c == '{':
			if argument, size := r.placeholder(at); size > 0 {
				return refused("{{"+r.names[argument]+"}}", "within arithmetic")
			}
			r.lose()
			return nil
		case c >= 0x80 || strings.IndexByte(" _$+-*/%=!<>?:0123456789", c) < 0 && identifier(string(rune(c))) == "":
			r.lose()
			return nil
		}
	}
	r.lose()
	return nil
}

// backquotes reads a command between them, which follows rules of its own.
func (r *reader) backquotes() error {
	for at := r.at + 1; at < len(r.text); at++ {
		switch r.text[at] {
		case '\\':
			at++
		case '`':
			return r.skip(at+1, "between backquotes")
		}
	}
	r.lose()
	return nil
}

// skip passes over what no value may be in.
func (r *reader) skip(end int, where string) error {
	err := r.unread(r.text[r.at:end], where, false)
	r.top().expanded()
	r.at = end
	return err
}
