// Package edit changes one field of a document and nothing else: comments,
// order, indentation, line endings and every other byte stay as they are.
//
// [TOML], [JSON5] and their counterparts [DeleteTOML] and [DeleteJSON5] work on
// a whole document that is valid before and after, as do [ListTOML] and
// [ListJSON5], which change a list item by item. They read the result again
// and refuse it if anything but the field has changed; the property tests hold
// them to the same.
//
// [YAMLField] works on the frontmatter of a SKILL.md. That may be broken, and
// the field to be set may be the one that breaks it, so it goes by lines and
// indentation.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/knackhq/knack/internal/tree"
)

// limits bound the documents that are edited. They are configuration files and
// manifests, read before under tighter bounds; these keep a wrong file from
// taking the process down.
var limits = tree.Limits{Depth: 100, Nodes: 100_000}

// errChanged says that an edit would have changed more than its field.
var errChanged = errors.New("the edit would change other values too; please change the file by hand")

// splitBOM separates the byte-order mark that some editors write.
func splitBOM(doc []byte) (bom, rest []byte) {
	mark := []byte("\ufeff")
	if rest, ok := bytes.CutPrefix(doc, mark); ok {
		return mark, rest
	}
	return nil, doc
}

// lineEnd returns the line ending in use at an offset: that of the line above,
// or else of the line itself.
func lineEnd(doc []byte, at int) string {
	i := bytes.LastIndexByte(doc[:at], '\n')
	if i < 0 {
		i = bytes.IndexByte(doc, '\n')
	}
	if i > 0 && doc[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// splice replaces a range of a document by a text, and copies.
func splice(doc []byte, start, end int, text string) []byte {
	return slices.Concat(doc[:start], []byte(text), doc[end:])
}

// startOfLine returns where the line of an offset starts.
func startOfLine(doc []byte, at int) int {
	return bytes.LastIndexByte(doc[:at], '\n') + 1
}

// nextLine returns where the line after that of an offset starts.
func nextLine(doc []byte, at int) int {
	if i := bytes.IndexByte(doc[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(doc)
}

// isBlank reports whether a line has nothing on it.
func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// same reports whether two values are equal as data: kinds and texts, and maps
// whatever their order.
func same(a, b *tree.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Text != b.Text || len(a.List) != len(b.List) || len(a.Map) != len(b.Map) {
		return false
	}
	for i := range a.List {
		if !same(a.List[i], b.List[i]) {
			return false
		}
	}
	for _, m := range a.Map {
		if !same(m.Value, b.Get(m.Key)) {
			return false
		}
	}
	return true
}

// with returns n with the value at a path replaced, or removed if value is nil.
func with(n *tree.Node, path []string, value *tree.Node) *tree.Node {
	if len(path) == 0 {
		return value
	}
	if value == nil && n.Kind != tree.Map {
		return n // nothing is at the path
	}
	out := &tree.Node{Kind: tree.Map}
	found := false
	if n != nil {
		for _, m := range n.Map {
			if m.Key == path[0] {
				found = true
				m.Value = with(m.Value, path[1:], value)
			}
			if m.Value != nil {
				out.Map = append(out.Map, m)
			}
		}
	}
	if !found && value != nil {
		out.Map = append(out.Map, tree.Member{Key: path[0], Value: with(nil, path[1:], value)})
	}
	return out
}

// withoutEmpty returns n without the maps that hold nothing, at any depth.
func withoutEmpty(n *tree.Node) *tree.Node {
	if n.Kind != tree.Map {
		return n
	}
	out := &tree.Node{Kind: tree.Map}
	for _, m := range n.Map {
		m.Value = withoutEmpty(m.Value)
		if m.Value.Kind != tree.Map || len(m.Value.Map) > 0 {
			out.Map = append(out.Map, m)
		}
	}
	return out
}

// readTOML reads a document that is to be edited.
func readTOML(doc []byte) (*tree.Node, error) {
	n, err := tree.TOML(doc, limits)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid TOML, so it is left alone: %w", err)
	}
	return n, nil
}
