package format

import (
	"strings"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

// mapping returns a member's value as a map. Authors also write the map as a
// text in JSON, JSON5 or YAML. An empty value is a null. A key that stands
// twice in such a text leaves open which of its values holds.
func (r *reading) mapping(m *tree.Member) (*tree.Node, bool) {
	block, ok := r.textMap(m)
	if ok && m.Value.Kind == tree.String {
		if key, line := lostDuplicate(block); key != "" {
			r.unreadable(line, shown(key)+" is written twice in "+shown(m.Key)+" with different values; neither is relied on",
				"keep one of them")
		}
	}
	return block, ok
}

// textMap is mapping without a word.
func (r *reading) textMap(m *tree.Member) (*tree.Node, bool) {
	n := m.Value
	switch {
	case n.Kind == tree.Map:
		return n, true
	case isEmpty(n), n.Kind == tree.List && len(n.List) == 0:
		return &tree.Node{Line: n.Line}, true
	case n.Kind != tree.String:
		return nil, false
	}
	line := n.Line
	if strings.Contains(strings.TrimSpace(n.Text), "\n") {
		line++ // a block scalar starts below its key
	}
	if block, err := json5.ParseIn(&r.store, n.Text, line, r.parser.limits()); err == nil && block.Kind == tree.Map {
		return block, true
	}
	if r.parser.exact {
		return nil, false // JSON is all that is documented
	}
	block, err := tree.WholeYAML([]byte(n.Text), line, r.parser.limits())
	return block, err == nil && block.Kind == tree.Map && isSound(block, n.Text, line)
}
