package format

import (
	"strings"
	"unicode"

	"github.com/knackhq/knack/skill"
)

// identity decides what a skill is called: by its declared name, which may be
// empty, or its folder's.
type identity func(declared, slug string) string

func declaredElseFolder(declared, slug string) string {
	if declared == "" {
		return slug
	}
	return declared
}

// identify gives the skill its name.
func (r *reading) identify() {
	s := &r.result.Skill
	declared, by := s.Name, r.owner[fieldName]
	s.Name = r.parser.nameOf(declared, s.Slug)
	r.file = by.file
	if s.Format == "" {
		return // there is worse to report than its name
	}
	if by.file == "" {
		r.file, _, _ = strings.Cut(s.Format, "+")
	}
	if declared == "" {
		r.add(skill.NameMissing, 0, "no name is declared; the folder's name "+quoted(s.Slug)+" is used", "add name: "+shown(s.Slug))
	}
	if r.parser.name != nil && !r.parser.name.MatchString(s.Name) {
		r.add(skill.NameInvalid, by.line,
			"the name "+quoted(s.Name)+" does not match "+r.parser.rules.Limits.NamePattern,
			"use letters, digits and hyphens")
	}
}

// cleanName removes what cannot be seen from a name and makes every run of
// white space one space.
func cleanName(name string) string {
	if isPlain(name, "._- ", len(name)) && !strings.Contains(name, "  ") {
		return name
	}
	name = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			return -1
		}
		return c
	}, name)
	return strings.Join(strings.Fields(name), " ")
}
