package prompt

import (
	"regexp"
	"strconv"
	"strings"
)

// placeholder finds every place that could be filled in. The first group are
// backslashes before it.
var placeholder = regexp.MustCompile(`(\\*)(\{baseDir\}|\$\{[A-Za-z0-9_]*SKILL_DIR\}|\$ARGUMENTS\[[0-9]+\]|\$[0-9]+|\$[A-Za-z_][A-Za-z0-9_-]*)`)

// filling is what goes into the instructions of one skill.
type filling struct {
	item  Item
	words []string       // of the arguments
	named map[string]int // which word has which name
	used  bool           // there was a place for arguments
}

// substitute fills in placeholders, in one pass.
func substitute(texts []string, item Item) []string {
	f := filling{item: item}
	if item.Slash {
		f.words = split(item.Args)
		f.named = argumentNames(item)
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		if out[i] = text; strings.ContainsAny(text, "${") { // most have neither
			out[i] = placeholder.ReplaceAllStringFunc(text, f.fill)
		}
	}
	if args := strings.TrimSpace(item.Args); item.Slash && !f.used && args != "" {
		out = append(out, "ARGUMENTS: "+args)
	}
	return out
}

// fill returns what comes in the place of a match.
func (f *filling) fill(match string) string {
	place := strings.TrimLeft(match, `\`)
	slashes := match[:len(match)-len(place)]
	if place[0] == '{' || strings.HasSuffix(place, "SKILL_DIR}") {
		if f.item.Dir == "" {
			return match
		}
		return slashes + f.item.Dir
	}
	value, rest, ok := f.argument(place)
	switch {
	case !ok:
		return match
	case slashes == `\`: // kept by its author
		return place
	}
	return slashes + value + rest
}

// argument is what a place for arguments holds, and the part of the match that
// is not of the place. Names end where they end: $fileName is not $file.
func (f *filling) argument(place string) (value, rest string, ok bool) {
	if !f.item.Slash {
		return "", "", false
	}
	name, index, indexed := strings.Cut(strings.TrimSuffix(place[1:], "]"), "[")
	if !indexed && name[0] >= '0' && name[0] <= '9' {
		index, indexed = name, true
	}
	if indexed {
		f.used = true
		n, err := strconv.Atoi(index)
		if err != nil || n >= len(f.words) {
			return "", "", false
		}
		return f.words[n], "", true
	}
	for {
		if n, declared := f.named[name]; declared || name == "ARGUMENTS" {
			f.used = true
			switch {
			case !declared:
				value = f.item.Args
			case n < len(f.words):
				value = f.words[n]
			}
			return value, place[1+len(name):], true
		}
		at := strings.LastIndexByte(name, '-') // "$file-old" is $file and "-old"
		if at < 0 {
			return "", "", false
		}
		name = name[:at]
	}
}

// argumentNames are the names that the author gave to words, in whatever shape a
// list was written.
func argumentNames(item Item) map[string]int {
	names := map[string]int{}
	for _, field := range item.Skill.Extra {
		if field.Key != "arguments" {
			continue
		}
		for _, word := range strings.FieldsFunc(field.Value.Raw(), func(r rune) bool { return strings.ContainsRune(" \t\n,[]\"'", r) }) {
			if word != "-" {
				names[word] = len(names)
			}
		}
	}
	return names
}

// split makes words of arguments as a shell does: quotation marks keep spaces,
// and a backslash keeps the next character. A quotation mark without its
// counterpart reaches to the end.
func split(args string) []string {
	var (
		words  []string
		word   strings.Builder
		inWord bool
		quote  rune
		kept   bool
	)
	for _, r := range args {
		switch {
		case kept:
			word.WriteRune(r)
			kept = false
		case r == '\\' && quote != '\'':
			kept, inWord = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
