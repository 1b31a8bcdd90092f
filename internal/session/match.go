package session

import (
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/strategy"
)

// names finds commands by what people call them. Where several answer, the
// first one of the snapshot does.
type names struct {
	command map[string]*Command // by the command's name
	spelt   map[string]*Command // by the skill's name as it is written
	alike   map[string]*Command // by either, as alike makes them
	near    map[string]*Command // by the skill's name or slug, as near makes them
}

func index(commands []*Command) *names {
	n := &names{
		command: make(map[string]*Command, len(commands)), spelt: make(map[string]*Command, len(commands)),
		alike: make(map[string]*Command, 2*len(commands)), near: make(map[string]*Command, len(commands)),
	}
	add := func(to map[string]*Command, key string, c *Command) {
		if _, taken := to[key]; !taken && key != "" {
			to[key] = c
		}
	}
	for _, c := range commands {
		add(n.command, c.Name, c)
		add(n.spelt, c.Skill, c)
		add(n.alike, alike(c.Name), c)
		add(n.alike, alike(c.Skill), c)
		add(n.near, near(c.Skill), c)
	}
	for _, c := range commands {
		if c.Entry != nil { // the names of all come before the slug of any
			add(n.spelt, c.Entry.Slug, c)
			add(n.near, near(c.Entry.Slug), c)
		}
	}
	return n
}

// matcher is how a word finds its command: slash that behind a slash, name that
// of a look-up or a mention.
type matcher struct {
	slash, name func(n *names, word string) *Command
}

var matchers = [...]strategy.Named[matcher]{
	// Behind a slash stands a command's name; elsewhere the first skill answers
	// that is called alike.
	{Name: "first", Do: matcher{
		slash: func(n *names, word string) *Command { return n.command[strings.ToLower(word)] },
		name:  func(n *names, word string) *Command { return n.alike[alike(word)] },
	}},
	// Skills answer to their own names everywhere; one that is called exactly so
	// comes before one that is called alike. What stands behind a slash may be a
	// path, so punctuation counts there.
	{Name: "closest", Do: matcher{slash: closest, name: func(n *names, word string) *Command {
		if c := closest(n, word); c != nil {
			return c
		}
		return n.near[near(word)]
	}}},
}

func closest(n *names, word string) *Command {
	for _, c := range []*Command{n.command[strings.ToLower(word)], n.spelt[word], n.alike[alike(word)]} {
		if c != nil {
			return c
		}
	}
	return nil
}

// alike makes names equal that differ in letter case, or in what stands between
// their words.
func alike(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(strings.TrimFunc(name, blank)) {
		if r == '_' || blank(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	if gap {
		b.WriteByte('-')
	}
	return b.String()
}

// near makes names equal that differ in punctuation as well: letters and digits
// stay, words are joined by one hyphen.
func near(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '-' || r == '_' || r == '/' || blank(r):
			gap = true
		}
	}
	return b.String()
}

// blank reports whether a character separates words. The mark that some
// editors put at the start of a text counts.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }
