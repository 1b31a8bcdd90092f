package format

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// structuredKeys hold data, not text. What is wrong with them is never guessed
// away: a guess could lose a requirement and so open a gate.
var structuredKeys = [...]string{"metadata", "requires", "activation", "install", "tools", "credentials"}

// textKeys are the other keys that skills are known to use. They tell a head
// from prose where its fences do not, and are text if all else fails.
var textKeys = [...]string{
	"name", "description", "version", "author", "license", "homepage", "compatibility",
	"allowed-tools", "disallowed-tools", "argument-hint", "user-invocable",
	"disable-model-invocation", "command-dispatch", "command-tool", "command-arg-mode",
	"title", "summary", "slug", "tags", "triggers", "keywords", "category", "permissions",
	"emoji", "website", "url", "repository", "model", "read_when", "when_to_use",
	"context", "agent", "hooks", "display_name", "displayName", "authors", "type", "icon", "licence",
	"os", "env", "always", "primaryEnv", "primary-env", "skillKey", "skill-key",
}

func isStructured(key string) bool {
	return slices.Contains(structuredKeys[:], strings.ToLower(key)) || isNamespace(key)
}

// isNamespace reports the name of a system of this family. Each of them calls
// its block of requirements after itself, and those to come will do the same,
// so what is not read under such a name is never passed over.
func isNamespace(key string) bool {
	key = strings.ToLower(key)
	return strings.HasPrefix(key, "claw") || strings.HasSuffix(key, "claw") || key == "moltbot"
}

// gateKeys restrict a skill, so none may get lost on the way.
var gateKeys = [...]string{"metadata", "requires", "os", "permissions", "disallowed-tools", "disable-model-invocation"}

// isGate reports a key that restricts the skill, in any spelling that counts.
func isGate(key string) bool {
	return key != "" && (slices.Contains(gateKeys[:], key) || isNamespace(key) ||
		slices.Contains(gateKeys[:], strings.ReplaceAll(strings.ToLower(key), "_", "-")))
}

func isTextKey(key string) bool { return slices.Contains(textKeys[:], key) }

func isKnown(key string) bool { return isTextKey(key) || isStructured(key) }

// keyed is a line that starts with a key.
type keyed struct {
	key   string // without quotes, decoration and escapes
	value string // what follows the colon on the line, trimmed
	at    int    // offset of value in the line
	// sound is false when YAML would not take the line for a key as it stands.
	sound bool
}

// keyLine reads a line as "key: value". Any word or two make a key when YAML's
// own spelling is used; a line that lacks the space behind the colon, or has
// Markdown around the key, counts only if the key is a known one.
func keyLine(line string) (keyed, bool) {
	if line == "" {
		return keyed{}, false
	}
	if c := line[0]; c == '"' || c == '\'' {
		return quotedKey(line)
	}
	if at := colon(line); at > 0 && isKeyText(line[:at]) {
		raw := strings.TrimRight(line[:at], " \t")
		key := plainKey(raw)
		return newKeyed(line, key, at+1, key == raw), key != ""
	}
	return looseKey(line)
}

func newKeyed(line, key string, from int, sound bool) keyed {
	from += indentation(line[from:])
	return keyed{key: key, value: strings.TrimRight(line[from:], " \t"), at: from, sound: sound}
}

// colon finds the first colon that ends a key: one with a blank or nothing
// behind it.
func colon(line string) int {
	for at := 0; ; at++ {
		next := strings.IndexByte(line[at:], ':')
		if next < 0 {
			return -1
		}
		if at += next; at+1 == len(line) || line[at+1] == ' ' || line[at+1] == '\t' {
			return at
		}
	}
}

// isKeyText reports whether text in front of a colon is a key rather than the
// start of a sentence: up to three words of letters, digits and few signs.
func isKeyText(s string) bool {
	s = strings.TrimRight(s, " \t")
	// 64 bytes are twice the longest key in published skills.
	if s == "" || len(s) > 64 || strings.Count(s, " ") > 2 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '\\', c >= utf8.RuneSelf:
		case i > 0 && strings.IndexByte("-. /:", c) >= 0:
		default:
			return false
		}
	}
	return true
}

func quotedKey(line string) (keyed, bool) {
	end := strings.IndexByte(line[1:], line[0])
	if end <= 0 {
		return keyed{}, false
	}
	at := end + 2
	at += indentation(line[at:])
	if at == len(line) || line[at] != ':' {
		return keyed{}, false
	}
	sound := at+1 == len(line) || line[at+1] == ' ' || line[at+1] == '\t'
	key := plainKey(line[1 : end+1])
	return newKeyed(line, key, at+1, sound && key == line[1:end+1]), sound || isKnown(key)
}

// looseKey recognises the known keys in what YAML does not take for one.
func looseKey(line string) (keyed, bool) {
	start := len(line) - len(strings.TrimLeft(line, "*_`"))
	at := start
	for at < len(line) {
		c, size := utf8.DecodeRuneInString(line[at:])
		if c != '_' && c != '-' && c != '\\' && !unicode.IsLetter(c) && !isInvisible(c) {
			break
		}
		at += size
	}
	key := plainKey(line[start:at])
	if !isKnown(key) {
		return keyed{}, false
	}
	rest := strings.TrimLeft(line[at:], "*_` \t")
	for _, sign := range [...]string{":", "\uff1a", "= "} {
		if after, ok := strings.CutPrefix(rest, sign); ok {
			if start > 0 {
				after = strings.TrimLeft(after, "*_`")
			}
			return newKeyed(line, key, len(line)-len(after), false), true
		}
	}
	return keyed{}, false
}

// plainKey removes from a key what an editor put there unseen: backslashes in
// front of punctuation, and characters without width.
func plainKey(key string) string {
	if strings.IndexByte(key, '\\') >= 0 {
		key = unescapeMarkdown(key)
	}
	if strings.IndexFunc(key, isInvisible) >= 0 {
		key = strings.Map(func(c rune) rune {
			if isInvisible(c) {
				return -1
			}
			return c
		}, key)
	}
	return strings.TrimRight(key, " \t")
}

// isInvisible reports characters that show as nothing or as a space.
func isInvisible(c rune) bool {
	return c == 0xa0 || c == 0xad || c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e ||
		c >= 0x2060 && c <= 0x2064 || c == 0xfeff
}

// unescapeMarkdown removes the backslashes that Markdown editors put in front
// of punctuation. Quotes are left out: their backslashes may be JSON's.
func unescapeMarkdown(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("_*[]{}()#+-.!<>`~|", s[i+1]) >= 0 {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
