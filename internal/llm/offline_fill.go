package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// toolArgument is one that a tool declares.
type toolArgument struct {
	name     string
	kind     string // the type in its schema
	required bool
}

// argumentsOf lists the arguments of a tool: those it requires in their order,
// then the others by name.
func argumentsOf(spec tool.Spec) []toolArgument {
	var schema struct {
		Properties map[string]struct{ Type any }
		Required   []string
	}
	if json.Unmarshal(spec.Schema, &schema) != nil {
		return nil // it takes none, or nobody can tell what
	}
	var out, others []toolArgument
	for _, name := range schema.Required {
		if p, ok := schema.Properties[name]; ok && !slices.ContainsFunc(out, func(a toolArgument) bool { return a.name == name }) {
			kind, _ := p.Type.(string)
			out = append(out, toolArgument{name, kind, true})
		}
	}
	for name, p := range schema.Properties {
		if !slices.ContainsFunc(out, func(a toolArgument) bool { return a.name == name }) {
			kind, _ := p.Type.(string)
			others = append(others, toolArgument{name, kind, false})
		}
	}
	slices.SortFunc(others, func(a, b toolArgument) int { return strings.Compare(a.name, b.name) })
	return append(out, others...)
}

// value writes what the user wrote as the type that is declared. What is not of
// that type stays a text, for the tool to say so.
func (a toolArgument) value(written string) json.RawMessage {
	if written != "" && slices.Contains([]string{"number", "integer", "boolean", "array", "object"}, a.kind) {
		if value, behind, ok := readJSON(written); ok && strings.TrimSpace(behind) == "" {
			return json.RawMessage(canonicalJSON(value))
		}
	}
	return jsonText(written)
}

// meanings are what the name of an argument says its value is, and how that is
// found in a message.
var meanings = []struct {
	words []string
	kinds []string
	find  func(message string) string
}{
	{[]string{"url", "uri", "link", "href", "remote", "endpoint"}, nil, firstURL},
	{[]string{"path", "file", "filename", "dir", "directory", "folder"}, nil, firstPath},
	{[]string{"number", "count", "amount", "limit", "year", "port", "n"}, []string{"number", "integer"}, firstNumber},
}

// meaning finds the value of an argument whose name or type says what it is.
func (a toolArgument) meaning(message string) (value string, special bool) {
	if a.kind == "boolean" || a.kind == "array" || a.kind == "object" {
		return "", true // it has to be given by name
	}
	words := wordsOf(a.name)
	for _, m := range meanings {
		if slices.Contains(m.kinds, a.kind) || slices.ContainsFunc(m.words, func(w string) bool { return slices.Contains(words, w) }) {
			return m.find(message), true
		}
	}
	return "", false
}

// ownTool calls the tool of an active skill whose arguments stand in the message.
// A skill that was not chosen for the message has to be asked for: by naming
// arguments, or with a question that only makes sense as a further one.
func (t *lastTurn) ownTool(chosen []string) (plannedCall, bool) {
	message := prose(t.message)
	follows := furtherQuestion().MatchString(message) && len(strings.Fields(message)) <= 8 && t.oneOwner()
	best, most := plannedCall{}, 0
	for _, spec := range t.tools {
		if spec.Skill == "" {
			continue
		}
		free := follows || slices.Contains(chosen, spec.Skill)
		values, ok := fillArguments(spec, message, free)
		score := 10*len(values) + shared(message, spec)
		if ok && score > most {
			best, most = plannedCall{spec.Name, jsonObject(values)}, score
		}
	}
	return best, most > 0
}

// furtherQuestion is one that goes on from the last.
var furtherQuestion = pattern(`(?i)^\s*(and\s+)?(what\s+about|how\s+about|in|for|at|of)\s`)

// oneOwner reports whether all tools that skills brought are of one skill.
func (t *lastTurn) oneOwner() bool {
	owner := ""
	for _, s := range t.tools {
		switch {
		case s.Skill == "" || s.Skill == owner:
		case owner != "":
			return false
		default:
			owner = s.Skill
		}
	}
	return owner != ""
}

// fillArguments finds the arguments of a tool in a message; ok tells that it can be called
// with them. Unless free, only those count that are given by name.
func fillArguments(spec tool.Spec, message string, free bool) (map[string]json.RawMessage, bool) {
	args := argumentsOf(spec)
	values := map[string]json.RawMessage{}
	if len(args) == 0 {
		return values, free && shared(message, spec) > 0
	}
	var open []toolArgument
	for _, a := range args {
		if value, ok := pairIn(message, a.name); ok {
			values[a.name] = a.value(value)
		} else if a.required || !args[0].required {
			open = append(open, a)
		}
	}
	if free {
		fillOpen(values, open, message)
	}
	missing := slices.ContainsFunc(args, func(a toolArgument) bool { return a.required && values[a.name] == nil })
	return values, !missing && len(values) > 0
}

// fillOpen finds what was not given by name: by what an argument means, else in
// quotation marks, else behind the word that introduces it.
func fillOpen(values map[string]json.RawMessage, open []toolArgument, message string) {
	var plain []toolArgument
	for _, a := range open {
		value, special := a.meaning(message)
		switch {
		case value != "":
			values[a.name] = a.value(value)
		case !special:
			plain = append(plain, a)
		}
	}
	quoted := quotedTexts(message)
	switch {
	case len(plain) == 0:
	case len(quoted) == len(plain):
		for i, a := range plain {
			values[a.name] = a.value(quoted[i])
		}
	case len(plain) == 1 && len(quoted) == 0:
		if value := lastObject(message); value != "" {
			values[plain[0].name] = jsonText(value)
		}
	}
}

// pairIn finds name=value in a text; the value is one word or in quotation marks.
func pairIn(message, name string) (string, bool) {
	for at := 0; ; {
		i := strings.Index(message[at:], name+"=")
		if i < 0 {
			return "", false
		}
		at += i + len(name) + 1
		if before := at - len(name) - 2; before >= 0 && !strings.ContainsRune(" \t\n,;(", rune(message[before])) {
			continue
		}
		if value, _, ok := readQuoted(message[at:]); ok {
			return value, true
		}
		word, _, _ := strings.Cut(message[at:], "\n")
		if i := strings.IndexFunc(word, unicode.IsSpace); i >= 0 {
			word = word[:i]
		}
		if word = strings.TrimRight(word, ",;?!"); word != "" {
			return word, true
		}
	}
}

// shared counts the words that a message has in common with a tool's name and
// description.
func shared(message string, spec tool.Spec) int {
	own := wordsOf(spec.Name + " " + spec.Description)
	n := 0
	for _, w := range wordsOf(message) {
		if telling(w) && slices.Contains(own, w) {
			n++
		}
	}
	return n
}

// telling reports words that say what a message is about. Four letters leave out
// most that do not; scripts that write whole words in two characters have none of
// those.
func telling(word string) bool {
	least := 2
	if word[0] < 0x80 {
		least = 4
	}
	return len([]rune(word)) >= least && !slices.Contains(commonWords, word)
}

var commonWords = []string{
	"about", "been", "call", "could", "does", "done", "find", "from", "give", "have", "help", "into", "just", "know", "like", "look",
	"make", "more", "need", "please", "right", "show", "skill", "some", "tell", "than", "that", "their", "them", "then", "there",
	"these", "they", "this", "tool", "want", "what", "when", "where", "which", "will", "with", "would", "your",
}

// wordsOf are the words of a text in lower case, each once.
func wordsOf(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	return slices.Compact(words)
}

// namesIn are names for a sentence.
func namesIn(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = wording.Name(n)
	}
	return strings.Join(out, ", ")
}
