package config

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// SecretRef says where a secret is, for one that is not in the file itself.
type SecretRef struct {
	Source   string // env, file, exec or store; literal if the file has it
	Provider string // of the source, where there are several
	ID       string // its name there; of a literal, the variable that it is for
}

// literal is the source of a secret that the table itself holds.
const literal = "literal"

var sources = [...]string{"env", "file", "exec", "store", literal}

// isReference reports whether a value is a table that says where a secret is.
func isReference(n *tree.Node) bool {
	source := n.Get("source")
	if source == nil || source.Kind != tree.String || !slices.Contains(sources[:], source.Text) {
		return false
	}
	what := "id"
	if source.Text == literal {
		what = "value"
	}
	text, ok := n.Get(what).Scalar()
	return ok && text != ""
}

// secret takes a value apart that was accepted for a secret.
func secret(n *tree.Node) (text string, ref SecretRef) {
	if n.Kind != tree.Map {
		return n.Text, SecretRef{}
	}
	field := func(name string) string {
		text, _ := n.Get(name).Scalar()
		return text
	}
	ref = SecretRef{Source: field("source"), Provider: field("provider"), ID: field("id")}
	if ref.Source == literal {
		text = n.Get("value").Text
	}
	return text, ref
}

// fromTemplate makes the reference of a text that names a variable in place of
// a secret, $NAME or ${NAME}; other texts stay.
func fromTemplate(n *tree.Node) *tree.Node {
	name, ok := strings.CutPrefix(n.Text, "$")
	if inner, braced := strings.CutPrefix(name, "{"); braced {
		name, ok = strings.CutSuffix(inner, "}")
	}
	if !ok || n.Kind != tree.String || !isVariable(name) {
		return n
	}
	text := func(s string) *tree.Node { return &tree.Node{Kind: tree.String, Text: s, Line: n.Line} }
	return &tree.Node{Kind: tree.Map, Line: n.Line, Map: []tree.Member{
		{Key: "source", Line: n.Line, Value: text("env")},
		{Key: "id", Line: n.Line, Value: text(name)},
	}}
}

// isVariable reports capital letters, digits and underscores, a letter first.
func isVariable(name string) bool {
	for i, r := range name {
		if !(r >= 'A' && r <= 'Z' || i > 0 && (r == '_' || r >= '0' && r <= '9')) {
			return false
		}
	}
	return name != ""
}

// HasAPIKey reports whether the entry has a key, wherever it is.
func (e Entry) HasAPIKey() bool {
	return strings.TrimSpace(e.APIKey) != "" || e.Ref.Source != "" && e.Ref.Source != literal
}
