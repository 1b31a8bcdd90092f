package config

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
)

// mask stands for every secret.
const mask = `"***"`

// secretWords make a string secret when they are in the name of a key that is
// not Knack's. Showing one too few costs the user more than one too many.
var secretWords = [...]string{"apikey", "token", "secret", "passw", "passphrase", "credential", "privatekey", "authorization", "cookie"}

// show makes a place with a value fit for people.
func (p *place) show(path []string) Value {
	as := public
	switch {
	case p.key != nil && p.key.Type == Secret:
		as = masked
	case p.key != nil && p.key.Type != Any:
	// Nobody here knows what the texts in another system's file are.
	case p.origin.Layer == layerHost && p.origin.File != "", slices.ContainsFunc(path, isSecretName):
		as = masked
	}
	var b strings.Builder
	if as == masked && p.key != nil && p.key.refers {
		b.WriteString(mask) // a table that says where a secret is, too
	} else {
		write(&b, p.value, as)
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
	write(&b, n, plain)
	return b.String()
}

// view is how much of a value is shown.
type view uint8

const (
	plain  view = iota // everything, for files
	public             // texts without what is secret in them
	masked             // no texts
)

// write writes a value as TOML on one line. What is shown of a table's value
// depends on its name, too.
func write(b *strings.Builder, n *tree.Node, as view) {
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
			write(b, item, as)
		}
		b.WriteByte(']')
	case tree.Map:
		b.WriteString("{")
		for i, m := range n.Map {
			if i > 0 {
				b.WriteByte(',')
			}
			below := as
			if as == public && isSecretName(m.Key) {
				below = masked
			}
			b.WriteString(" " + FormatKey([]string{m.Key}) + " = ")
			write(b, m.Value, below)
		}
		b.WriteString(" }")
	default:
		switch as {
		case masked:
			b.WriteString(mask)
		case public:
			b.WriteString(edit.QuoteTOML(publicText(n.Text)))
		default:
			b.WriteString(edit.QuoteTOML(n.Text))
		}
	}
}
