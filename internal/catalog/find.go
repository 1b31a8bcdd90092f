package catalog

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/skill"
)

// Find looks a skill up by name, then slug, exactly, then in any letter case,
// or by the path of its folder or of its file in a root that it shares. It
// returns a *[NotFoundError] if there is none and an *[AmbiguousError] if
// several skills answer to it in the same way. A shadowed skill is only found
// if none that is not shadowed is.
func (s *Snapshot) Find(name string) (*skill.Entry, error) {
	for _, answers := range [...]func(*skill.Entry) bool{
		func(e *skill.Entry) bool { return e.Name == name },
		func(e *skill.Entry) bool { return e.Slug == name },
		func(e *skill.Entry) bool {
			return e.Path == name || filepath.IsAbs(name) && (e.Path == filepath.Clean(name) || isFile(e, filepath.Clean(name)))
		},
		func(e *skill.Entry) bool { return strings.EqualFold(e.Name, name) },
		func(e *skill.Entry) bool { return strings.EqualFold(e.Slug, name) },
	} {
		var found []*skill.Entry
		for _, e := range s.Entries {
			if answers(e) {
				found = append(found, e)
			}
		}
		if found = best(found); len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, &AmbiguousError{Name: name, Candidates: found}
		}
	}
	return nil, &NotFoundError{Name: name, Near: s.near(name)}
}

// isFile reports whether path is that of a manifest of e in a root that e shares
// with others, so that its folder does not tell which skill it is.
func isFile(e *skill.Entry, path string) bool {
	return e.Path == e.Root && slices.ContainsFunc(e.Manifests, func(m skill.Manifest) bool {
		return path == filepath.Join(e.Path, m.File)
	})
}

// best keeps the entries that can be used best: those that won their name,
// else broken ones, else shadowed ones.
func best(found []*skill.Entry) []*skill.Entry {
	rank := func(e *skill.Entry) int {
		switch e.Status {
		case skill.Shadowed:
			return 2
		case skill.Invalid:
			return 1
		}
		return 0
	}
	least := 3
	for _, e := range found {
		least = min(least, rank(e))
	}
	return slices.DeleteFunc(found, func(e *skill.Entry) bool { return rank(e) != least })
}

// maxNear is how many suggestions fit on a line.
const maxNear = 3

// near returns names that were perhaps meant: misspelled, then those that the
// word is only the beginning or another part of, the shortest first, for the
// least is missing from it. One letter is part of most names.
func (s *Snapshot) near(name string) []string {
	var known []string
	for _, e := range s.Entries {
		known = append(known, e.Name)
		if e.Slug != e.Name {
			known = append(known, e.Slug)
		}
	}
	close := near.Words(name, known, maxNear)
	part := strings.ToLower(name)
	if utf8.RuneCountInString(part) < 2 {
		return close
	}
	var longer []string
	for _, k := range known {
		if strings.Contains(strings.ToLower(k), part) && !slices.Contains(close, k) {
			longer = append(longer, k)
		}
	}
	inner := func(k string) int {
		if strings.HasPrefix(strings.ToLower(k), part) {
			return 0
		}
		return 1
	}
	slices.SortFunc(longer, func(a, b string) int {
		return cmp.Or(cmp.Compare(inner(a), inner(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	close = append(close, slices.Compact(longer)...)
	return close[:min(len(close), maxNear)]
}
