package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/knackhq/knack/tool"
)

// longestNamed is how long a message may be that names a tool with its arguments:
// a file of ordinary size can stand in it.
const longestNamed = 256 << 10

// leads may stand before a request, verbs before the name of a tool, and links
// between it and its arguments.
var (
	leads = []string{"please", "can", "could", "you", "now"}
	verbs = []string{"use", "call", "run", "invoke"}
	links = []string{"tool", "with", "on", "and", "arguments", "args"}
)

// keyAt is the key that a text begins with, if that is key=value.
func keyAt(text string) string {
	for i, r := range text {
		switch {
		case r == '=':
			return text[:i]
		case unicode.IsLetter(r) || r == '_' || i > 0 && (unicode.IsNumber(r) || r == '.' || r == '-'):
		default:
			return ""
		}
	}
	return ""
}

// namedCall reads a message that names a tool outright: at its very beginning,
// with key=value pairs or a JSON object, or behind a verb ("use TOOL with …"). A
// name further on is only talk, or was pasted.
func namedCall(message string, tools []tool.Spec) (plannedCall, bool) {
	if len(message) > longestNamed {
		return plannedCall{}, false
	}
	rest := skipWords(message, leads)
	behind := skipFirst(rest, verbs)
	verb := behind != rest
	if verb {
		behind = skipWords(behind, []string{"the"})
	}
	word, rest := firstWord(behind)
	spec, ok := toolNamed(strings.Trim(word, "`'\",:;"), tools)
	if !ok {
		return plannedCall{}, false
	}
	with := false
	if verb {
		linked := skipWords(rest, links)
		with = linked != rest
		rest = linked
	}
	arguments, ok := readArguments(spec, rest, with)
	return plannedCall{spec.Name, arguments}, ok
}

// readArguments reads what stands behind the name of a tool. with tells that it
// was announced, so that a single value needs no name.
func readArguments(spec tool.Spec, rest string, with bool) (json.RawMessage, bool) {
	args := argumentsOf(spec)
	switch {
	case rest == "":
		return json.RawMessage(`{}`), !slices.ContainsFunc(args, func(a toolArgument) bool { return a.required })
	case rest[0] == '{':
		value, behind, ok := readJSON(rest)
		return json.RawMessage(canonicalJSON(value)), ok && strings.TrimSpace(behind) == ""
	case keyAt(rest) != "":
		values, ok := readPairs(rest, args)
		return jsonObject(values), ok
	case !with || len(args) == 0 || len(args) > 1 && args[1].required:
		return nil, false
	}
	// What only reads may be called with words as they are. What does more is
	// called with a value that was marked as one: "use git with care" is no call.
	if quoted := quotedTexts(rest); len(quoted) == 1 && len(strings.Fields(rest)) <= 1+len(strings.Fields(quoted[0])) {
		return jsonObject(map[string]json.RawMessage{args[0].name: args[0].value(quoted[0])}), true
	}
	return jsonObject(map[string]json.RawMessage{args[0].name: args[0].value(rest)}), spec.Effects.ReadOnly()
}

// readPairs reads key=value pairs up to the end. A value is in quotation marks, is
// JSON, or goes to the end of its line or the next declared key.
func readPairs(rest string, args []toolArgument) (map[string]json.RawMessage, bool) {
	values := map[string]json.RawMessage{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		key := keyAt(rest)
		if _, twice := values[key]; key == "" || twice {
			return values, false
		}
		arg := toolArgument{name: key}
		if i := slices.IndexFunc(args, func(a toolArgument) bool { return a.name == key }); i >= 0 {
			arg = args[i]
		}
		rest = rest[len(key)+1:]
		value, behind, ok := readQuoted(rest)
		if ok && (behind == "" || unicode.IsSpace(rune(behind[0]))) {
			values[key], rest = arg.value(value), behind
			continue
		}
		if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") {
			if data, behind, ok := readJSON(rest); ok {
				values[key], rest = json.RawMessage(canonicalJSON(data)), behind
				continue
			}
		}
		end := valueEnd(rest, args)
		values[key], rest = arg.value(strings.TrimSpace(rest[:end])), rest[end:]
	}
	return values, true
}

// valueEnd is where a value without quotation marks ends.
func valueEnd(rest string, args []toolArgument) int {
	for i, r := range rest {
		switch {
		case r == '\n':
			return i
		case r == ' ' || r == '\t':
			for _, a := range args {
				if strings.HasPrefix(rest[i+1:], a.name+"=") {
					return i
				}
			}
		}
	}
	return len(rest)
}

// readQuoted reads a text in quotation marks at the very beginning. Within double
// ones a backslash keeps the next mark or backslash.
func readQuoted(s string) (value, behind string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s, false
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return out.String(), s[i+1:], true
		case s[i] == '\\' && s[0] == '"' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		}
		out.WriteByte(s[i])
	}
	return "", s, false
}

// readJSON reads one JSON value at the beginning.
func readJSON(s string) (value json.RawMessage, behind string, ok bool) {
	d := json.NewDecoder(strings.NewReader(s))
	if err := d.Decode(&value); err != nil {
		return nil, s, false
	}
	return value, s[d.InputOffset():], true
}

// toolNamed finds a tool by its name, as written or in another case.
func toolNamed(name string, tools []tool.Spec) (tool.Spec, bool) {
	for _, same := range [...]func(string) bool{
		func(s string) bool { return s == name },
		func(s string) bool { return strings.EqualFold(s, name) },
	} {
		if i := slices.IndexFunc(tools, func(s tool.Spec) bool { return same(s.Name) }); i >= 0 && name != "" {
			return tools[i], true
		}
	}
	return tool.Spec{}, false
}

// firstWord cuts a text behind its first word.
func firstWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// skipFirst cuts off one of these words, in any case and with a comma or a colon.
func skipFirst(s string, words []string) string {
	word, rest := firstWord(s)
	if slices.Contains(words, strings.ToLower(strings.TrimRight(word, ",:"))) {
		return rest
	}
	return strings.TrimSpace(s)
}

// skipWords cuts off all of them.
func skipWords(s string, words []string) string {
	for {
		rest := skipFirst(s, words)
		if len(rest) == len(s) || rest == "" {
			return rest
		}
		s = rest
	}
}
