package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source is an author's command, read as far as arguments have to know it.
type source struct {
	text   string
	places []place
	// positional are the arguments that $1, $2 … name; all is for $@ and $*,
	// counted for $#.
	positional   map[int]bool
	all, counted bool
	// bare are the arguments of which a reference stands where a program could
	// take a hyphen for an option's.
	bare map[int]bool
	// named: a variable of an argument is named.
	named bool
	// simple: it is one simple command; dashes that it has a word --.
	simple, dashes bool
}

// place is where a value goes.
type place struct {
	start, end int // in the text
	argument   int
	quote      byte // what it stands between: a quotation mark, or 0
}

// references reports whether the command itself says where values go.
func (s *source) references() bool {
	return len(s.places) > 0 || s.all || s.counted || len(s.positional) > 0 || s.named
}

// appends reports whether values go to the end of the command.
func (s *source) appends() bool { return s.simple && !s.references() }

// dashSafe reports whether no program can take an argument for an option.
func (s *source) dashSafe(argument int) bool {
	if s.appends() {
		return s.dashes
	}
	return (s.all || s.positional[argument] || s.placed(argument)) && !s.bare[argument]
}

// placed reports whether an argument has a place.
func (s *source) placed(argument int) bool {
	return slices.ContainsFunc(s.places, func(p place) bool { return p.argument == argument })
}

// fill puts something into each place.
func (s *source) fill(with func(place) string) string {
	var out strings.Builder
	at := 0
	for _, p := range s.places {
		out.WriteString(s.text[at:p.start])
		out.WriteString(with(p))
		at = p.end
	}
	out.WriteString(s.text[at:])
	return out.String()
}

// mention notes a parameter of the shell by its name, such as 1, @ or
// KNACK_ARG_X, and reports whether it holds a value. bare: a program could take
// its hyphen for an option's.
func (s *source) mention(name string, arguments int, bare bool) (value bool) {
	switch {
	case name == "#":
		s.counted = true
		return false
	case name == "@" || name == "*":
		s.all = true
		for i := range arguments {
			s.bare[i] = s.bare[i] || bare
		}
		return true
	case strings.HasPrefix(name, variablePrefix):
		s.named = true
		return true
	case name != "" && '0' <= name[0] && name[0] <= '9':
		if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= arguments {
			s.positional[n-1] = true
			s.bare[n-1] = s.bare[n-1] || bare
			return true
		}
	}
	return false
}

var parameter = regexp.MustCompile(`\$\{?[#!]?([@*#]|[0-9]+|[A-Za-z_][A-Za-z_0-9]*)`)

// interpreters have options whose value is source.
var interpreters = map[string]string{
	"sh": "c", "bash": "c", "dash": "c", "ash": "c", "ksh": "c", "mksh": "c", "zsh": "c", "fish": "c",
	"python": "c", "python2": "c", "python3": "c", "perl": "eE", "ruby": "e", "node": "ep", "bun": "ep", "php": "r", "lua": "e", "osascript": "e",
}

// evaluators take all of their words for source; those of the second line do so
// with what looks like an element of an array.
var evaluators = map[string]bool{
	"eval": true, "trap": true, "watch": true, "su": true, "script": true,
	"let": true, "[[": true, "declare": true, "typeset": true, "unset": true, "read": true,
}

// programmed take their first operand for source. awk can start programs.
var programmed = map[string]bool{"awk": true, "gawk": true, "mawk": true, "nawk": true}

// isSource reports whether the word that follows these, and begins as it does, is
// source of something.
func isSource(words []string, begin string) bool {
	for i, word := range words {
		name := word[strings.LastIndexByte(word, '/')+1:]
		letters, rest := interpreters[name], words[i+1:]
		if evaluators[name] || programmed[name] && awaitsProgram(rest) || letters != "" && awaitsSource(rest, begin, letters) {
			return true
		}
	}
	return false
}

// awaitsSource reports whether the option for source was given and not its value.
// Behind the name of a script, options are the script's.
func awaitsSource(rest []string, begin, letters string) bool {
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.HasPrefix(rest[0], "+") {
		return false
	}
	has := func(word string) bool {
		return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.ContainsAny(word, letters)
	}
	for i := len(rest) - 1; i >= 0; i-- {
		if has(rest[i]) {
			return true
		}
		if rest[i] == "" || rest[i][0] != '-' && rest[i][0] != '+' {
			return false
		}
	}
	return has(begin)
}

// awaitsProgram reports whether none of awk's words is its program yet.
func awaitsProgram(rest []string) bool {
	for i := 0; i < len(rest); i++ {
		switch word := rest[i]; {
		case strings.HasPrefix(word, "-f"):
			return false
		case word == "-v" || word == "-F":
			if i++; i == len(rest) {
				return false // the next is that option's
			}
		case word == "" || word[0] != '-':
			return false
		}
	}
	return true
}
