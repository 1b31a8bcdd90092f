package config

import (
	"cmp"
	"slices"
	"strings"
)

// List is a list of names that decides which skills may be used.
type List struct {
	Key string // dotted
	// Names are those that the file of Origin puts on it, and no other file.
	Names []string
	// Origin is where the name that was asked about was put on the list; of a
	// name that is not on it, where the list is.
	Origin Origin
	// ByHand says that no key leads to it, so that [Set] cannot change it.
	ByHand bool
}

// Excluding finds the list that excludes a skill by one of its names, in any
// letter case: skills.excluded, or what the agent in force is denied. Name is as
// the list has it.
func (s *Settings) Excluding(names ...string) (list List, name string, ok bool) {
	for _, path := range append([][]string{{"skills", "excluded"}}, s.deniedPaths()...) {
		p := s.effective(path...)
		if p == nil {
			continue
		}
		for _, part := range p.layers() {
			for i, word := range part.words() {
				if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, word) }) {
					list := s.list(path, part)
					list.Origin.Line = cmp.Or(part.value.List[i].Line, list.Origin.Line)
					return list, word, true
				}
			}
		}
	}
	return List{}, "", false
}

// OnlyList is the list behind [Skills.Only].
func (s *Settings) OnlyList() List {
	path, _ := s.onlyPath()
	return s.list(path, s.effective(path...))
}

// BundledList is the list behind [Skills.AllowBundled].
func (s *Settings) BundledList() List {
	path := []string{"skills", "allow_bundled"}
	return s.list(path, s.effective(path...))
}

func (s *Settings) list(path []string, p *place) List {
	list := List{Key: FormatKey(path), Names: p.names()}
	if p != nil {
		list.Origin, list.ByHand = p.origin, s.inAgentList(path)
	}
	return list
}

// Has reports whether the host's own file can have a key, so that [SetHost]
// would write it.
func (h Host) Has(key string) bool {
	in, err := h.form(key, "set")
	if err != nil {
		return false
	}
	path, err := ParseKey(key)
	if err != nil || checkKey(path) != nil {
		return false
	}
	info, path, _ := lookup(path)
	_, err = in.spell(info, path)
	return err == nil
}
