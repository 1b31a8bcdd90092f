package config

import "github.com/knackhq/knack/internal/tree"

func quote(text string) string {
	return (&tree.Node{Kind: tree.String, Text: text}).Source()
}
