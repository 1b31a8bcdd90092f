package policy

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/hostname"
)

const (
	// longestPattern is far beyond what authors write; matching costs its
	// length times that of the arguments.
	longestPattern = 256
	// longestArguments is what Windows takes for a command line.
	longestArguments = 32 << 10
	// wordEnd stands between words when they are matched: no word has it.
	wordEnd = 0
)

// Matches reports whether a pattern lets a call with these arguments through:
//
//	git:*            git, and git with anything behind it; so does "git *"
//	git * main       * stands for anything
//	src/*, src/**    in a word with a slash, * stays below it, and both in the word
//	domain:a.org     addresses of that host; domain:*.a.org of those below it
//	make test        exactly that
//
// Where the pattern leaves something open, a call that is more than one simple
// command, that expands anything, or that climbs out of a path is not let
// through: git:* approves neither "git log; reboot" nor "git log $(reboot)".
// Nor is anything by a pattern that is not understood.
func Matches(pattern, arguments string) bool {
	pattern, arguments = strings.TrimSpace(pattern), strings.TrimSpace(arguments)
	if !understood(pattern) {
		return false
	}
	if domain, ok := strings.CutPrefix(pattern, domainPrefix); ok {
		host, ok := hostOf(arguments)
		return ok && domainHas(domain, host)
	}
	if !strings.Contains(pattern, "*") {
		return arguments == pattern
	}
	c := readCommand(arguments)
	if c.odd || c.compound || strings.Contains(pattern, "/") && c.climbs() {
		return false
	}
	words := make([]string, len(c.words))
	for i, w := range c.words {
		words[i] = relative(w.text, i)
	}
	g := compile(pattern)
	return g.matches(strings.Join(words, string(rune(wordEnd))))
}

// Forbids reports whether a pattern stops a call with these arguments. It takes
// the pattern of [Matches], and stops what has the pattern's words in it in
// their order, wherever they are and in any letter case: rm:* stops "sudo rm x"
// and "echo; /bin/rm x", and "echo rm" as well. It also stops what it does not
// understand, be it the pattern or the call.
func Forbids(pattern, arguments string) bool {
	pattern, arguments = strings.TrimSpace(pattern), strings.TrimSpace(arguments)
	if !understood(pattern) || !utf8.ValidString(arguments) {
		return true
	}
	pattern, arguments = strings.ToLower(pattern), strings.ToLower(arguments)
	if domain, ok := strings.CutPrefix(pattern, domainPrefix); ok {
		h, _ := hostname.Parse(domain) // it is understood
		host, ok := hostOf(arguments)
		return !ok || host == h.Name() || strings.HasSuffix(host, "."+h.Name())
	}
	c := readCommand(arguments)
	if c.odd || c.glued || c.braced || c.hides() || strings.Contains(pattern, "/") && c.climbs() {
		return true
	}
	wanted := slices.DeleteFunc(pieces(strings.TrimSuffix(pattern, ":*")), func(p string) bool { return strings.Trim(p, "*") == "" })
	for _, piece := range pieces(arguments) {
		if len(wanted) > 0 && isPiece(wanted[0], piece) {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}

// relative leaves out that a path starts here. Of the first word that would make
// another program of it: ./git is not git.
func relative(word string, at int) string {
	rest := strings.TrimPrefix(word, "./")
	if at == 0 && !strings.Contains(rest, "/") {
		return word
	}
	return rest
}

// understood reports whether a pattern means something to us.
func understood(pattern string) bool {
	if domain, ok := strings.CutPrefix(pattern, domainPrefix); ok {
		h, err := hostname.Parse(domain)
		return err == nil && h.Port() == ""
	}
	fixed := strings.TrimSuffix(pattern, ":*")
	open := strings.Contains(pattern, "*")
	switch {
	case strings.TrimSpace(fixed) == "" || len(pattern) > longestPattern || !utf8.ValidString(pattern):
		return false
	case strings.ContainsFunc(pattern, unicode.IsControl) || pattern[0] == '(' || strings.Contains(fixed, ":*"):
		return false
	}
	// An open pattern in another language, such as [ab]*, is not ours to guess.
	return !open || !strings.ContainsAny(pattern, "()[]{}<>?;|&$`\\'\"")
}

// pieces are the words of a text, however it strings them together.
func pieces(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`;|&<>(){}=,", r) })
}

// isPiece reports whether a piece of a call is one of a prohibition. What it
// names may be written with the path to it.
func isPiece(pattern, piece string) bool {
	for _, start := range [...]string{"./", "~/", "/"} {
		if rest, ok := strings.CutPrefix(pattern, start); ok && (start != "/" || strings.HasPrefix(rest, "/")) {
			pattern = rest
		}
	}
	g := glob{below: true}
	g.add(pattern, starAny, starAny)
	return g.matches(piece) || mayBecome(piece, pattern)
}

// mayBecome reports whether a shell could make the word of a piece that is a
// pattern of file names. One without a letter in it stands for too much to be
// meant for one.
func mayBecome(piece, word string) bool {
	name := piece[strings.LastIndexByte(piece, '/')+1:]
	if !strings.ContainsAny(name, "*?[") || !strings.ContainsFunc(name, unicode.IsLetter) {
		return false
	}
	open := bracketed().ReplaceAllString(name, "?")
	match, err := path.Match(open, word)
	return err != nil || match
}

// bracketed is one of several characters.
var bracketed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]+\]`) })

// globAll matches with * for anything at all.
func globAll(pattern, text string) bool {
	g := glob{}
	g.add(pattern, starAny, starAny)
	return g.matches(text)
}

// star says what an asterisk may stand for.
type star byte

const (
	starNone    star = iota // a literal byte
	starAny                 // anything, further words too
	starWord                // the rest of a word
	starSegment             // the same, without slashes
)

// glob is a compiled pattern: bytes, and stars in their places.
type glob struct {
	literal []byte
	stars   []star
	// rest lets further words follow, below a path precede.
	rest, below bool
}

func compile(pattern string) glob {
	g := glob{}
	pattern, g.rest = strings.CutSuffix(pattern, ":*")
	fields := strings.Fields(pattern)
	if n := len(fields) - 1; n > 0 && fields[n] == "*" {
		fields, g.rest = fields[:n], true
	}
	for i, field := range fields {
		if i > 0 {
			g.literal, g.stars = append(g.literal, wordEnd), append(g.stars, starNone)
		}
		field = relative(field, i)
		if strings.Contains(field, "/") {
			g.add(field, starSegment, starWord)
		} else {
			g.add(field, starAny, starAny)
		}
	}
	return g
}

// add appends text with its asterisks, one of which means single, and several
// in a row double.
func (g *glob) add(text string, single, double star) {
	for i := 0; i < len(text); i++ {
		kind := starNone
		if text[i] == '*' {
			kind = single
			for ; i+1 < len(text) && text[i+1] == '*'; i++ {
				kind = double
			}
		}
		g.literal, g.stars = append(g.literal, text[i]), append(g.stars, kind)
	}
}

// matches follows all ways through the pattern at once, so that no text takes
// longer than its length times the pattern's.
func (g *glob) matches(text string) bool {
	end := len(g.stars)
	at, next := make([]bool, end+1), make([]bool, end+1)
	reach := func(set []bool, i int) {
		for set[i] = true; i < end && g.stars[i] != starNone; i++ {
			set[i+1] = true // a star may stand for nothing
		}
	}
	reach(at, 0)
	for k := range len(text) {
		c := text[k]
		if g.rest && at[end] && c == wordEnd {
			return true
		}
		clear(next)
		for i, star := range g.stars {
			switch {
			case !at[i]:
			case star == starNone:
				if g.literal[i] == c {
					reach(next, i+1)
				}
			case star == starAny, c != wordEnd && (star == starWord || c != '/'):
				reach(next, i)
			}
		}
		if g.below && c == '/' {
			reach(next, 0)
		}
		at, next = next, at
	}
	return at[end]
}

// domainPrefix begins a pattern of hosts.
const domainPrefix = "domain:"

// hostOf is the host of an address, in lower case.
func hostOf(address string) (string, bool) {
	if strings.ContainsFunc(address, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == '\\' }) {
		return "", false
	}
	if !strings.Contains(address, "://") {
		address = "//" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || strings.HasSuffix(u.Host, ":") { // a name before the host misleads, and so does http:/host
		return "", false
	}
	if u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" { // what such a host is for is not known
		return "", false
	}
	h, err := hostname.Parse(u.Hostname())
	return h.Name(), err == nil && !h.Below()
}

// domainHas reports whether the host is the domain, or below one like *.a.org.
func domainHas(domain, host string) bool {
	return hostname.Within(host, []string{domain})
}
