package format

import (
	"slices"

	"github.com/knackhq/knack/internal/tree"
)

// tomlDialect reads the root of a TOML manifest. It names what has to be there
// and is not; the file then has no effect.
type tomlDialect func(r *reading, root *tree.Node) (missing string)

// tableKey is the table that holds a skill's fields.
const tableKey = "skill"

// isTable reports the [skill] table.
func (p *Parser) isTable(m tree.Member) bool {
	return p.word(m.Key) == tableKey && m.Value.Kind == tree.Map
}

// flatAndTable accepts fields at the root and in a [skill] table, which wins.
func flatAndTable(r *reading, root *tree.Node) (missing string) {
	for _, m := range root.Map {
		if r.parser.isTable(m) {
			r.fields(m.Value)
		}
	}
	r.fields(root)
	return ""
}

// flatOnly accepts fields at the root. The [skill] table, which a manifest.toml
// is known by, counts there.
func flatOnly(r *reading, root *tree.Node) (missing string) {
	if r.kind == inManifestTOML {
		return flatAndTable(r, root)
	}
	r.fields(r.part(nil, root, func(m *tree.Member) bool { return !r.parser.isTable(*m) }))
	return ""
}

// tableOnly accepts fields in the [skill] table, which has to name the skill,
// and tools and prompts beside it.
func tableOnly(r *reading, root *tree.Node) (missing string) {
	at := slices.IndexFunc(root.Map, r.parser.isTable)
	if at < 0 {
		return tableKey
	}
	table := &root.Map[at]
	if name, _ := table.Value.Get("name").Scalar(); name == "" {
		return "name"
	}
	isBeside := func(m *tree.Member) bool {
		f := r.parser.spellings[m.Key].field
		return f == fieldTools || f == fieldPrompts
	}
	r.fields(r.part(&place{key: table.Key}, table.Value, func(m *tree.Member) bool {
		return !isBeside(m) && r.parser.spellings[m.Key].field != fieldRecipes
	}))
	r.fields(r.part(nil, root, func(m *tree.Member) bool { return isBeside(m) || m == table }))
	return ""
}

// part is a map with those of its members that are wanted. The others have no
// effect, and that is said.
func (r *reading) part(top *place, m *tree.Node, wanted func(*tree.Member) bool) *tree.Node {
	kept := *m
	kept.Map, kept.Dup = r.store.Members(len(m.Map)), nil
	for i := range m.Map {
		if member := &m.Map[i]; wanted(member) {
			kept.Map = append(kept.Map, *member)
		} else {
			r.ignore(&place{up: top, key: member.Key}, member, "")
		}
	}
	for i := range m.Dup {
		if member := &m.Dup[i]; wanted(member) {
			kept.Dup = append(kept.Dup, *member)
		} else {
			r.stray(&place{up: top, key: member.Key}, member)
		}
	}
	return &kept
}

// table is met while the root is read: as a table it was read before, as
// anything else it is wrong.
func (r *reading) table(m *tree.Member) {
	if m.Value.Kind != tree.Map {
		r.tableGates(m)
		r.wrongShape(&place{key: m.Key}, m.Value, "a [skill] table")
	}
}

// tableGates gates the skill for requirements in what should be a table.
func (r *reading) tableGates(m *tree.Member) {
	if r.parser.statesGate(m.Value.Source()) {
		r.unreadable(m.Line, m.Key+" is "+shape(m.Value)+", so the requirements in it are unknown", "write one [skill] table")
	}
}
