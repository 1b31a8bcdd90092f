package format

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// readable are the keys of a manifest that have an effect.
type readable struct {
	top map[string]bool
	// within are the keys of metadata's namespaces, those of requires with
	// requires. in front of them, and someRequires if there are any of those;
	// nil if nothing in metadata is left out.
	within map[string]bool
}

// everything stands in within for all keys of a namespace.
const (
	everything   = "*"
	someRequires = "requires."
)

func (p *Parser) resolveReads() error {
	p.reads = make([]*readable, len(p.manifests))
	for _, file := range slices.Sorted(maps.Keys(p.rules.Reads)) {
		rank := slices.Index(p.rules.Manifests, file)
		if rank < 0 {
			return fmt.Errorf("format.reads has %q, which format.manifests has not", file)
		}
		keys := &readable{top: map[string]bool{}}
		for _, key := range p.rules.Reads[file] {
			inner, isInner := strings.CutPrefix(key, "metadata.")
			switch known, ok := p.spellings[key]; {
			case isInner && isNamespaceKey(inner):
				if keys.within == nil {
					keys.within = map[string]bool{}
				}
				keys.within[inner], keys.top["metadata"] = true, true
				if strings.HasPrefix(inner, someRequires) {
					keys.within[someRequires] = true
				}
			case ok && known.field != fieldNamespace:
				keys.top[key] = true
			default:
				return fmt.Errorf("format.reads.%q has %q, which is no key of a manifest", file, key)
			}
		}
		if slices.Contains(p.rules.Reads[file], "metadata") {
			keys.within = nil
		}
		p.reads[rank] = keys
	}
	return nil
}

// isNamespaceKey reports a key that namespaces have, as rules write it.
func isNamespaceKey(key string) bool {
	if inner, ok := strings.CutPrefix(key, someRequires); ok {
		return slices.Contains(requirementKeys[:], inner)
	}
	switch key {
	case everything, "requires", "os", "always", "skillKey", "primaryEnv", "emoji", "homepage", "install":
		return true
	}
	return false
}

// narrow leaves out the keys that have no effect in the file being read.
func (r *reading) narrow(m *tree.Node) *tree.Node {
	m = r.part(nil, m, func(member *tree.Member) bool {
		return r.keys.top[member.Key] || r.kind != inMarkdown && r.parser.isTable(*member)
	})
	if r.keys.within == nil {
		return m
	}
	for _, members := range [...][]tree.Member{m.Map, m.Dup} {
		for i := range members {
			if member := &members[i]; member.Key == "metadata" {
				member.Value = r.narrowMap(nil, member, r.narrowNamespace)
			}
		}
	}
	return m
}

// narrowNamespace decides on a key of metadata.
func (r *reading) narrowNamespace(top *place, m *tree.Member) bool {
	if !slices.Contains(r.parser.rules.Namespaces, m.Key) {
		return false
	}
	m.Value = r.narrowMap(top, m, r.narrowKey)
	return true
}

// narrowKey decides on a key of a namespace.
func (r *reading) narrowKey(top *place, m *tree.Member) bool {
	within := r.keys.within
	if within[everything] || within[m.Key] {
		return true
	}
	if m.Key != "requires" || !within[someRequires] {
		return false
	}
	m.Value = r.narrowMap(top, m, func(_ *place, part *tree.Member) bool { return within[someRequires+part.Key] })
	return true
}

// narrowMap leaves out what is not wanted in a value that is a map, or a text
// that holds one. wanted may replace the value of the member it is given.
func (r *reading) narrowMap(top *place, m *tree.Member, wanted func(at *place, m *tree.Member) bool) *tree.Node {
	block, ok := r.textMap(m)
	if !ok || block.Kind != tree.Map {
		return m.Value // whoever reads it says what is wrong
	}
	at := &place{up: top, key: m.Key}
	own := *block
	own.Map, own.Dup = slices.Clone(block.Map), slices.Clone(block.Dup)
	return r.part(at, &own, func(member *tree.Member) bool { return wanted(at, member) })
}
