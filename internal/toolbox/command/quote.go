package command

import "strings"

// quoted writes a text as one word of sh, every byte of it: what rules are held
// against must not be tidied up.
func quoted(text string) string { return "'" + withinSingle(text) + "'" }

// withinSingle and withinDouble write a text so that it can stand between quotes
// of that kind.
func withinSingle(text string) string { return strings.ReplaceAll(text, "'", `'\''`) }

func withinDouble(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(text)
}

// plainWord reports a text that sh takes for one word as it is.
func plainWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+@%,:") == ""
}

// line joins words to a command line.
func line(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		if out[i] = word; !plainWord(word) {
			out[i] = quoted(word)
		}
	}
	return strings.Join(out, " ")
}
