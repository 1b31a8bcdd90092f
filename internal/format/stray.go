package format

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/tree"
)

// strayGate is a requirement that stands where none is read.
type strayGate struct {
	place string
	line  int
	value *tree.Node
}

// stray looks in a member that has no effect for what a person would take for
// a requirement: a misspelled key, a namespace that is not read, the wrong
// depth. Such a skill is gated, for its author meant it to be.
func (r *reading) stray(at *place, m *tree.Member) {
	if line, value := strayMember(m, false); value != nil {
		r.addStray(at, line, value)
	}
}

// strayValue is stray for a value that is dropped for its shape.
func (r *reading) strayValue(at *place, n *tree.Node) {
	if line, value := strayNode(n, false); value != nil {
		r.addStray(at, line, value)
	}
}

func (r *reading) addStray(at *place, line int, value *tree.Node) {
	if r.parser.full != nil {
		return // which looks for strays itself
	}
	if len(r.strays) == maxAlike {
		r.skill().Requires.Unreadable = true // that is enough to say
		return
	}
	r.strays = append(r.strays, strayGate{at.text(), line, value})
}

// endStrays gates the skill for the strays of a file. One that was read in
// another place, by an alias to its anchor, is none.
func (r *reading) endStrays() {
	for _, s := range r.strays {
		if slices.Contains(r.stated, spot{s.value.Line, s.value.Column}) {
			continue
		}
		r.unreadable(s.line, s.place+" looks like a requirement, but stands where it is not read",
			"move it to metadata."+r.parser.namespaceName()+".requires, or delete it")
	}
}

// spot is where a value stands. That of an alias is the place of its anchor.
type spot struct{ line, column int }

// strayMember reports where a requirement stands in a member, key included.
// The bins of an installer are what it brings, not what it needs.
func strayMember(m *tree.Member, installer bool) (line int, value *tree.Node) {
	if isEmpty(m.Value) {
		return 0, nil
	}
	for part := range strings.SplitSeq(m.Key, ".") {
		switch word := letters(part); {
		case isRequires(word) && m.Value.Kind != tree.Bool && m.Value.Kind != tree.Number,
			(word == "bins" || word == "anybins") && !installer && (m.Value.Kind == tree.List || m.Value.Kind == tree.String):
			return m.Line, m.Value
		case strings.HasPrefix(word, "install"):
			installer = true
		}
	}
	return strayNode(m.Value, installer)
}

func strayNode(n *tree.Node, installer bool) (line int, value *tree.Node) {
	if n == nil {
		return 0, nil
	}
	if n.Kind == tree.String && strayText(n.Text) {
		return n.Line, n
	}
	for _, members := range [...][]tree.Member{n.Map, n.Dup} {
		for i := range members {
			if line, value = strayMember(&members[i], installer); value != nil {
				return line, value
			}
		}
	}
	for _, item := range n.List {
		if line, value = strayNode(item, installer); value != nil {
			return line, value
		}
	}
	return 0, nil
}

// strayText reports a text that holds data, as text metadata does, with the
// key of requirements in it.
func strayText(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' {
		return false
	}
	for at := 0; at < len(text); at++ {
		end := at
		for end < len(text) && isKeyByte(text[end]) {
			end++
		}
		if isRequires(letters(text[at:end])) && endsKey(text[end:]) {
			return true
		}
		at = end
	}
	return false
}

// isRequires reports the word requires, or one that is one slip away from it.
// "required" is a word of its own: schemas list under it what must be given.
func isRequires(word string) bool {
	return word != "required" && isSlip(word, "requires")
}

// isSlip reports whether at most one letter is wrong in a word.
func isSlip(word, want string) bool {
	if len(word) < len(want)-1 || len(word) > len(want)+1 {
		return false
	}
	edits, ok := near.Edits(word, want)
	return ok && edits <= 1
}

// letters are the ASCII letters of a key in lower case: what is left when an
// editor has put quotes, blanks or signs without width into it.
func letters(key string) string {
	const longest = 64 // bytes, more than any key has
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c
		case c >= 'A' && c <= 'Z':
			return c + ('a' - 'A')
		}
		return -1
	}, key[:min(len(key), longest)])
}
