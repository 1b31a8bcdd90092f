package config

import (
	"strings"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

// syntax is how a configuration file is written.
type syntax struct {
	name   string // that profiles give it
	parse  func(data []byte) (*tree.Node, error)
	set    func(data []byte, path []string, value string) ([]byte, error)
	unset  func(data []byte, path []string) ([]byte, error)
	list   func(data []byte, path []string, without []int, more []string) ([]byte, error)
	format func(n *tree.Node) string
	equals string // between key and value
	// camel files have the camelCase of the spellings there are.
	camel bool
	// templates are $NAME in place of a secret or in a directory.
	templates bool
	// include is the key that names other files.
	include string
	// hidden parts of a key never lead anywhere: whoever reads such a file
	// takes them for the machinery of objects.
	hidden []string
}

// ownSyntax is that of Knack's own files.
var ownSyntax = syntax{name: "toml-skills", parse: parseTOML, set: edit.TOML, unset: edit.DeleteTOML, list: edit.ListTOML, format: format, equals: " = "}

// syntaxes are those that a host's file can have.
var syntaxes = [...]*syntax{
	{
		name: "json5-entries", parse: parseJSON5, set: edit.JSON5, unset: edit.DeleteJSON5, list: edit.ListJSON5, format: formatJSON, equals: ": ",
		camel: true, templates: true, include: "$include", hidden: []string{"__proto__", "constructor", "prototype"},
	},
	&ownSyntax,
}

func parseTOML(data []byte) (*tree.Node, error) { return tree.TOML(data, limits) }

func parseJSON5(data []byte) (*tree.Node, error) { return json5.Parse(data, 1, limits) }

// syntaxOf finds a syntax by the name of its reader; nil if there is none.
func syntaxOf(reader string) *syntax {
	for _, s := range syntaxes {
		if s.name == reader {
			return s
		}
	}
	return nil
}

// tableHint says how a table is written.
func (s *syntax) tableHint(name string) string {
	if s == &ownSyntax {
		return "write it as [" + name + "], with its keys below"
	}
	return "write it as " + name + s.equals + "{ }, with its keys between the braces"
}

// formatJSON writes a value as JSON on one line. A number that JSON does not
// have is written as text.
func formatJSON(n *tree.Node) string {
	switch n.Kind {
	case tree.Null:
		return "null"
	case tree.Bool:
		return n.Text
	case tree.Number:
		if text, ok := jsonNumber(n.Text); ok {
			return text
		}
		return edit.QuoteJSON(n.Text)
	case tree.List:
		items := make([]string, len(n.List))
		for i, item := range n.List {
			items[i] = formatJSON(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case tree.Map:
		members := make([]string, len(n.Map))
		for i, m := range n.Map {
			members[i] = edit.QuoteJSON(m.Key) + ": " + formatJSON(m.Value)
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	return edit.QuoteJSON(n.Text)
}
