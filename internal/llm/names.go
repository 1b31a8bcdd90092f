package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/knackhq/knack/tool"
)

// longestName is what both protocols allow for the name of a tool.
const longestName = 64

// names maps the names of tools to those that the protocols allow, and back.
type names struct {
	there map[string]string // ours to theirs
	back  map[string]string
}

// namesOf maps the tools of a request, and those that were called before, which
// need not be there any more.
func namesOf(tools []tool.Spec, messages []Message) names {
	n := names{map[string]string{}, map[string]string{}}
	var odd []string
	add := func(name string) {
		switch {
		case n.there[name] != "":
		case safeName(name):
			n.there[name], n.back[name] = name, name
		default:
			odd = append(odd, name)
		}
	}
	for _, t := range tools {
		add(t.Name)
	}
	for _, m := range messages {
		for _, c := range m.Calls {
			add(c.Tool)
		}
	}
	// After all that keep theirs, so that no two become one.
	for _, name := range odd {
		if n.there[name] != "" {
			continue
		}
		theirs := strings.Map(safeRune, strings.ToValidUTF8(name, "_"))
		if _, taken := n.back[theirs]; taken || !safeName(theirs) {
			sum := sha256.Sum256([]byte(name))
			suffix := "_" + hex.EncodeToString(sum[:4])
			theirs = theirs[:min(len(theirs), longestName-len(suffix))] + suffix
		}
		n.there[name], n.back[theirs] = theirs, name
	}
	return n
}

// ours returns the tool that a model means. A name that nobody gave it stays.
func (n names) ours(theirs string) string {
	if name, ok := n.back[theirs]; ok {
		return name
	}
	return theirs
}

func safeName(s string) bool {
	return s != "" && len(s) <= longestName && strings.Map(safeRune, s) == s
}

func safeRune(r rune) rune {
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
		return r
	}
	return '_'
}
