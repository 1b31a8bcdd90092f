package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

var parameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{?[#!]?([@*#]|[0-9]+|[A-Za-z_][A-Za-z_0-9]*)`)
})

// interpreters have options whose value is source: the letters of short ones, then
// the names of long ones. Versions are left off their names.
var interpreters = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"sh": "c", "bash": "c", "dash": "c", "ash": "c", "ksh": "c", "mksh": "c", "zsh": "c", "fish": "cC command init-command",
		"python": "c", "pypy": "c", "perl": "eE", "ruby": "e", "node": "ep eval print", "nodejs": "ep eval print", "bun": "ep eval print",
		"php": "rBRE run process-begin process-code process-end", "lua": "e", "luajit": "e", "osascript": "e", "Rscript": "e", "julia": "eE eval print",
		"elixir": "e eval rpc-eval", "groovy": "e", "pwsh": "c command", "vim": "c cmd", "nvim": "c cmd", "runuser": "c command session-command",
	}
})

// evaluators take all of their words for source; those of the second line do so
// with what looks like an element of an array.
var evaluators = []string{
	"eval", "trap", "watch", "su", "script",
	"let", "[[", "declare", "typeset", "unset", "read",
}

// wrapper is a program that starts the one which its words name.
type wrapper struct {
	operands int    // of its own, before that
	valued   string // the letters of its options that have a word for a value
}

var wrappers = sync.OnceValue(func() map[string]wrapper {
	return map[string]wrapper{
		"chroot": {operands: 1}, "doas": {valued: "uC"}, "env": {valued: "uC"}, "flock": {operands: 1, valued: "wE"}, "ionice": {valued: "cn"},
		"nice": {valued: "n"}, "nohup": {}, "parallel": {valued: "jnNI"}, "setsid": {}, "stdbuf": {valued: "ioe"}, "strace": {valued: "eops"},
		"sudo": {valued: "ugCDhpRrTt"}, "taskset": {operands: 1}, "timeout": {operands: 1, valued: "sk"}, "unshare": {}, "xargs": {valued: "aEdIiLnPs"},
	}
})

// awaitsName reports whether the word that follows these is the name of a program
// that a wrapper starts.
func awaitsName(words []string) (awaits bool) {
	for len(words) > 0 {
		w, ok := wrappers()[programName(words[0])]
		if !ok {
			return false
		}
		words, awaits = w.started(words[1:])
	}
	return awaits
}

// started are the words from the name of the started program on. Without it, awaits
// tells whether it is next.
func (w wrapper) started(words []string) (rest []string, awaits bool) {
	own := w.operands
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case len(word) == 2 && word[0] == '-' && strings.IndexByte(w.valued, word[1]) >= 0:
			if i++; i == len(words) {
				return nil, false // the next is that option's
			}
		case strings.HasPrefix(word, "-") || isAssignment(word):
		case own > 0:
			own--
		default:
			return words[i:], false
		}
	}
	return nil, own == 0
}

// programmed take their first operand for source. awk can start programs.
var programmed = []string{"awk", "gawk", "mawk", "nawk"}

// isSource reports whether the word that follows these, and begins as it does, is
// source of something.
func isSource(words []string, begin string) bool {
	for i, word := range words {
		name, rest := programName(word), words[i+1:]
		options := interpreters()[strings.TrimRight(name, "0123456789.-")]
		if slices.Contains(evaluators, name) || slices.Contains(programmed, name) && awaitsProgram(rest) || options != "" && awaitsSource(rest, begin, options) {
			return true
		}
	}
	return false
}

// programName is that of a program without the folder it is in.
func programName(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

// awaitsSource reports whether the option for source was given and not its value.
// Behind the name of a script, options are the script's.
func awaitsSource(rest []string, begin, options string) bool {
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.HasPrefix(rest[0], "+") {
		return false
	}
	letters, long, _ := strings.Cut(options, " ")
	has := func(word string) bool {
		if name, ok := strings.CutPrefix(word, "--"); ok {
			return slices.Contains(strings.Fields(long), name)
		}
		return len(word) > 1 && word[0] == '-' && strings.ContainsAny(word, letters)
	}
	for i := len(rest) - 1; i >= 0; i-- {
		if has(rest[i]) {
			return true
		}
		if rest[i] == "" || rest[i][0] != '-' && rest[i][0] != '+' {
			return false
		}
	}
	option, _, _ := strings.Cut(begin, "=")
	return has(option)
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
