package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// target is where a key is to be written: where it stands already, under
// whichever spelling, else in the skill's entry that is there already, else as
// the file spells it.
func (f *form) target(doc *tree.Node, info *KeyInfo, path, spelling []string) []string {
	if written := f.spelled(doc, info, path); len(written) > 0 {
		return written[0]
	}
	if inEntry(spelling) {
		if entry := f.spelled(doc, nil, path[:3]); len(entry) > 0 {
			return append(entry[0], spelling[3:]...)
		}
	}
	return spelling
}

// spelled lists the places in a document that mean a key, the one that counts
// first.
func (f *form) spelled(doc *tree.Node, info *KeyInfo, path []string) [][]string {
	var found []written
	if info == nil {
		found = f.follow(doc, nil, path)
	} else {
		names, _ := match(info.Key, path)
		for spelling := range info.spellings() {
			found = append(found, f.follow(doc, nil, fill(spelling, names))...)
		}
	}
	slices.SortStableFunc(found, func(a, b written) int { return cmp.Compare(a.line, b.line) })
	paths := make([][]string, len(found))
	for i := range found {
		paths[i] = found[i].path
	}
	return paths
}

// written is a key as it stands in a file.
type written struct {
	path []string
	line int
}

// follow finds the rest of a path below a table. The name of a skill's entry
// is found in any letter case, unless that counts.
func (f *form) follow(table *tree.Node, done, rest []string) []written {
	var found []written
	for _, m := range table.Map {
		if m.Key != rest[0] && !(!f.exact && len(done) == 2 && inEntry(append(done, rest...)) && strings.EqualFold(m.Key, rest[0])) {
			continue
		}
		path := append(slices.Clone(done), m.Key)
		if len(rest) == 1 {
			found = append(found, written{path, m.Line})
		} else {
			found = append(found, f.follow(m.Value, path, rest[1:])...)
		}
	}
	return found
}

// inEntry reports whether a path leads to or into the entry of a skill.
func inEntry(path []string) bool {
	return len(path) > 2 && path[0] == "skills" && path[1] == "entries"
}
