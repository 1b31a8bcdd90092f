package config

import (
	"strings"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
)

// mask stands for every secret.
const mask = `"***"`

// secretWords make a string secret when they are in the name of a key that is
// not Knack's. Showing one too few costs the user more than one too many.
var secretWords = [...]string{"apikey", "token", "secret", "passw", "credential", "privatekey", "authorization"}

// show makes a place with a value fit for people.
func (p *place) show(path []string) Value {
	hide := p.key != nil && p.key.Type == Secret
	if p.key == nil || p.key.Type == Any {
		for _, part := range path {
			hide = hide || isSecretName(part)
		}
	}
	var b strings.Builder
	if hide && p.key != nil && p.key.refers {
		b.WriteString(mask) // a table that says where a secret is, too
	} else {
		render(&b, p.value, hide)
	}
	return Value{Key: FormatKey(path), Value: b.String(), Origin: p.origin}
}

func isSecretName(name string) bool {
	name = fold(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// format writes a value as TOML on one line.
func format(n *tree.Node) string {
	var b strings.Builder
	render(&b, n, false)
	return b.String()
}

// render writes a value as TOML on one line, with strings hidden if asked or
// if the name of a table's key asks for it.
func render(b *strings.Builder, n *tree.Node, hide bool) {
	switch n.Kind {
	case tree.Bool:
		b.WriteString(n.Text)
	case tree.Number:
		b.WriteString(tomlNumber(n.Text))
	case tree.Null:
		b.WriteString(`""`)
	case tree.List:
		b.WriteByte('[')
		for i, item := range n.List {
			if i > 0 {
				b.WriteString(", ")
			}
			render(b, item, hide)
		}
		b.WriteByte(']')
	case tree.Map:
		b.WriteString("{")
		for i, m := range n.Map {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + FormatKey([]string{m.Key}) + " = ")
			render(b, m.Value, hide || isSecretName(m.Key))
		}
		b.WriteString(" }")
	default:
		if hide {
			b.WriteString(mask)
		} else {
			b.WriteString(edit.QuoteTOML(n.Text))
		}
	}
}
