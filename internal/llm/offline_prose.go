package llm

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// longestProse is how much of a message is read as sentences. What somebody asks
// for stands at its beginning; a pasted file follows.
const longestProse = 8 << 10

// prose is the part of a message that is read as sentences.
func prose(message string) string {
	if len(message) <= longestProse {
		return message
	}
	end := longestProse
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end]
}

// pattern is compiled when it is first asked for: most runs read no message.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	urlIn    = pattern(`(?i)\b(?:https?|ssh|git)://[^\s<>"'` + "`" + `]+|\bgit@[\w.-]+:[\w./-]+`)
	numberIn = pattern(`(?:^|[\s(=])(-?\d+(?:\.\d+)?)(?:[\s).,;:?!%]|$)`)
	// marks are the quotation marks of several languages. An apostrophe is one only
	// around words, not within one.
	marks = pattern(`"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|「([^」\n]+)」|『([^』\n]+)』|` +
		"`([^`\n]+)`" + `|(?:^|[\s(])'([^'\n]+)'(?:$|[\s).,;:?!])`)
)

// quotedTexts are the texts in quotation marks, in their order.
func quotedTexts(message string) []string {
	var out []string
	for _, found := range marks().FindAllStringSubmatch(message, -1) {
		if inner := strings.TrimSpace(strings.Join(found[1:], "")); inner != "" {
			out = append(out, inner)
		}
	}
	return out
}

func firstURL(message string) string {
	return strings.TrimRight(urlIn().FindString(message), ".,;:!?)")
}

func firstNumber(message string) string {
	if found := numberIn().FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return ""
}

// pathLike are words that look like a file: one with an ending that has a letter,
// or a way through folders.
var pathLike = pattern(`^(?:~|\.{1,2})?(?:/?[\pL\pN_.@+-]+)*/?[\pL\pN_@+-]*\.[\pN]{0,4}\pL[\pL\pN]{0,7}$|^(?:~|\.{1,2})?/?[\pL\pN_.@+-]+(?:/[\pL\pN_.@+-]+)+/?$`)

// bareFiles have no ending and are files all the same.
var bareFiles = []string{"CHANGELOG", "Dockerfile", "LICENSE", "Makefile", "README"}

// firstPath is the first word that looks like a file.
func firstPath(message string) string {
	for _, q := range quotedTexts(message) {
		if looksLikePath(strings.ReplaceAll(q, " ", "_")) {
			return q
		}
	}
	for _, word := range strings.Fields(message) {
		if word = strings.Trim(word, "`'\",;:?!()"); looksLikePath(strings.TrimRight(word, ".")) {
			return strings.TrimRight(word, ".")
		}
	}
	return ""
}

func looksLikePath(word string) bool {
	// Nobody writes a path longer than a line; a number, a version and a date have no letter.
	return len(word) <= 200 && !strings.Contains(word, "://") && strings.ContainsFunc(word, unicode.IsLetter) &&
		(slices.Contains(bareFiles, word) || pathLike().MatchString(word))
}

// readingVerbs ask for the text of a file.
var readingVerbs = pattern(`(?i)(?:^|\s)(?:read|show|open|cat|print|display|view|contents? of|what(?:'s| is) in|what does)\s`)

// fileToRead is the file that a message asks to read; empty if it asks for none.
func fileToRead(message string) string {
	message = prose(message)
	verb := readingVerbs().FindStringIndex(message)
	if verb == nil {
		return ""
	}
	line, _, _ := strings.Cut(message[verb[1]-1:], "\n")
	return firstPath(line)
}

var (
	// introducing words stand before a place or a name.
	introducing = []string{"in", "for", "of", "at", "about"}
	// ending words follow it.
	ending = []string{
		"and", "or", "but", "please", "right", "now", "today", "tomorrow", "tonight", "this", "next", "on", "is", "are", "was", "will",
		"be", "like", "currently", "later", "from", "to", "with", "if", "when", "so", "because",
	}
	// times and references stand where a place could, and are none.
	noPlace = []string{
		"it", "me", "you", "us", "him", "her", "them", "that", "this", "these", "those", "my", "your", "our", "all", "any", "some", "what",
		"which", "general", "detail", "morning", "afternoon", "evening", "night", "noon", "midnight", "week", "weekend", "weeks", "month",
		"months", "year", "years", "day", "days", "hour", "hours", "minute", "minutes", "once", "least", "most", "monday", "tuesday",
		"wednesday", "thursday", "friday", "saturday", "sunday",
	}
)

// mostNameWords make up a name: "the Republic of the Marshall Islands" has six.
const mostNameWords = 6

// lastObject is the place or name that a message is about: the words behind the
// last of the introducing ones. One that is written like a name comes first.
func lastObject(message string) string {
	words := strings.Fields(message)
	last, proper := "", ""
	for i := 0; i < len(words); i++ {
		if !slices.Contains(introducing, strings.ToLower(words[i])) {
			continue
		}
		name, used := nameAt(words[i+1:])
		if name == "" {
			continue
		}
		i += used
		last = name
		if isProper(name) {
			proper = name
		}
	}
	if proper != "" {
		return proper
	}
	return last
}

// nameAt is the name that words begin with, and how many of them it has; empty if
// they begin with none.
func nameAt(words []string) (name string, used int) {
	var out []string
	if len(words) > 1 && words[0] == "the" {
		words, used = words[1:], 1
	}
	for i, w := range words {
		bare := strings.ToLower(strings.TrimRight(w, ".,;:?!)"))
		joins := bare == "of" && len(out) > 0 && isProper(out[len(out)-1]) && i+1 < len(words) && isProper(words[i+1])
		if !joins && (slices.Contains(introducing, bare) || slices.Contains(ending, bare)) {
			break
		}
		out = append(out, w)
		next := i+1 < len(words) && isProper(words[i+1])
		if len(out) == mostNameWords || endsSentence(w) || strings.HasSuffix(w, ",") && !next {
			break
		}
	}
	name = strings.Trim(strings.Join(out, " "), ".,;:?!()\"'“”«»„")
	first, _, _ := strings.Cut(strings.ToLower(name), " ")
	if name == "" || slices.Contains(noPlace, first) || unicode.IsDigit([]rune(name)[0]) || !strings.ContainsFunc(name, unicode.IsLetter) {
		return "", 0
	}
	return name, used + len(out)
}

// endsSentence reports a word with a mark behind it that ends more than an
// abbreviation, which has three letters at most ("St.").
func endsSentence(w string) bool {
	return strings.ContainsAny(w[len(w)-1:], "?!;:)") || strings.HasSuffix(w, ".") && len(w) > 4
}

// isProper reports a word that is written like a name: it does not begin with a
// small letter.
func isProper(w string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, "\"'“«„("))
	return unicode.IsLetter(r) && !unicode.IsLower(r)
}
