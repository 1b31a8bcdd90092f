package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// YAML reads the first document of data. line is the line of the file on which
// data starts, so that nodes and errors name lines of the file.
//
// Plain scalars keep their text whatever their type: 1.0, 0x1F and 2025-10-20
// stay so, and dates are strings. Aliases are expanded and keep the place of
// their anchor. Merge keys (<<) are expanded behind the map's own keys, which
// win. Of a key written twice the last counts; see [Node].Dup. An empty
// document is a null. Errors are of type [*Error].
func YAML(data []byte, line int, lim Limits) (*Node, error) {
	return readYAML(data, line, lim, false)
}

// WholeYAML is [YAML] for data whose every line counts: a second document in it
// is an error, unless it is empty, for nobody would read what stands there.
func WholeYAML(data []byte, line int, lim Limits) (*Node, error) {
	return readYAML(data, line, lim, true)
}

func readYAML(data []byte, line int, lim Limits, whole bool) (node *Node, err error) {
	line = max(line, 1)
	defer func() {
		// The library panics on some malformed input instead of returning.
		if r := recover(); r != nil {
			node, err = nil, &Error{Line: line, Msg: fmt.Sprintf("not readable as YAML: %v", r)}
		}
	}()
	data, line = trimHead(data, line)
	var doc yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	if err := documents.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, yamlError(data, line, err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return &Node{Line: line, Column: 1}, nil
	}
	if whole {
		if err := noMore(documents, data, line); err != nil {
			return nil, err
		}
	}
	r := yamlReader{line: line, budget: lim.Budget(), open: map[*yaml.Node]bool{}}
	return r.node(doc.Content[0])
}

// noMore refuses documents behind the first that hold anything.
func noMore(documents *yaml.Decoder, data []byte, line int) error {
	for {
		var doc yaml.Node
		switch err := documents.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return yamlError(data, line, err)
		}
		if len(doc.Content) > 0 && scalarKind(doc.Content[0]) != Null {
			return &Error{Line: line + max(doc.Line, 1) - 1, Column: max(doc.Column, 1),
				Msg: "a line of --- or ... starts a second document; remove that line"}
		}
	}
}

// yamlReader converts the library's nodes.
type yamlReader struct {
	line   int // of the file, where the document starts
	budget Budget
	open   map[*yaml.Node]bool // anchors whose value is being read
}

func (r *yamlReader) errorf(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: r.fileLine(n), Column: n.Column, Msg: fmt.Sprintf(format, args...)}
}

func (r *yamlReader) fileLine(n *yaml.Node) int { return n.Line + r.line - 1 }

func (r *yamlReader) node(n *yaml.Node) (*Node, error) {
	if n.Kind == yaml.AliasNode {
		return r.alias(n)
	}
	if n.Anchor != "" {
		r.open[n] = true
		defer delete(r.open, n)
	}
	out := &Node{Line: r.fileLine(n), Column: n.Column}
	if err := r.budget.Value(out.Line, out.Column); err != nil {
		return nil, err
	}
	if n.Kind == yaml.ScalarNode {
		out.Kind, out.Text = scalarKind(n), n.Value
		return out, nil
	}
	if err := r.budget.Enter(out.Line, out.Column); err != nil {
		return nil, err
	}
	defer r.budget.Leave()
	if n.Kind == yaml.MappingNode {
		return r.mapping(n, out)
	}
	out.Kind = List
	out.List = make([]*Node, 0, len(n.Content))
	for _, child := range n.Content {
		item, err := r.node(child)
		if err != nil {
			return nil, err
		}
		out.List = append(out.List, item)
	}
	return out, nil
}

// alias reads the anchor again for each alias, so that each costs its full
// size and a document that multiplies itself runs out of budget.
func (r *yamlReader) alias(n *yaml.Node) (*Node, error) {
	if r.open[n.Alias] {
		return nil, r.errorf(n, "the alias *%s stands inside its own anchor; write the value out", n.Value)
	}
	return r.node(n.Alias)
}

func (r *yamlReader) mapping(n *yaml.Node, out *Node) (*Node, error) {
	out.Kind = Map
	build := Builder{Node: out}
	out.Map = make([]Member, 0, len(n.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			merges = append(merges, value)
			continue
		}
		name := key
		if name.Kind == yaml.AliasNode {
			name = name.Alias
		}
		if name.Kind != yaml.ScalarNode {
			return nil, &Error{Line: r.fileLine(key), Column: key.Column, Err: ErrKey,
				Msg: "a key must be a word, not a list or map; quote it if it is text"}
		}
		member := Member{Key: name.Value, Line: r.fileLine(key)}
		var err error
		if member.Value, err = r.node(value); err != nil {
			return nil, err
		}
		build.Add(member)
	}
	for _, merge := range merges {
		if err := r.merge(merge, &build); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// merge adds the members of a map, or of each map of a list, that the target
// lacks.
func (r *yamlReader) merge(value *yaml.Node, build *Builder) error {
	source, err := r.node(value)
	if err != nil {
		return err
	}
	sources := []*Node{source}
	if source.Kind == List {
		sources = source.List
	}
	for _, source := range sources {
		if source.Kind != Map {
			return r.errorf(value, "the merge key << needs a map or a list of maps")
		}
		for _, m := range source.Map {
			if build.Find(m.Key) < 0 {
				build.Add(m)
			}
		}
	}
	return nil
}

// scalarKind tells a scalar's kind from its tag. A tag that was written out
// counts only if the text agrees with it.
func scalarKind(n *yaml.Node) Kind {
	kind := kindOfTag(n.ShortTag())
	if n.Style&yaml.TaggedStyle == 0 || kind == String {
		return kind
	}
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	if kindOfTag(plain.ShortTag()) != kind {
		return String
	}
	return kind
}

func kindOfTag(tag string) Kind {
	switch tag {
	case "!!bool":
		return Bool
	case "!!int", "!!float":
		return Number
	case "!!null":
		return Null
	}
	return String
}
