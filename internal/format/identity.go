package format

import (
	"strings"
	"unicode"

	"github.com/knackhq/knack/skill"
)

// identify gives the skill its name: the declared one if that counts, else its
// folder's.
func (r *reading) identify() {
	s := &r.result.Skill
	declared, by := s.Name, r.owner[fieldName]
	if declared == "" || !r.parser.declared {
		s.Name = s.Slug
	}
	r.file = by.file
	if s.Format == "" || r.dropped {
		return // there is worse to report than its name
	}
	if by.file == "" {
		r.file, _, _ = strings.Cut(s.Format, "+")
	}
	switch {
	case declared == "" && r.parser.required[needName]:
		r.lacks(needName, skill.NameMissing, "add name: "+shown(s.Slug))
	case declared == "" && r.parser.declared:
		r.add(skill.NameMissing, 0, "no name is declared; the folder's name "+quoted(s.Slug)+" is used", "add name: "+shown(s.Slug))
	}
	if r.parser.name == nil || r.parser.name.MatchString(s.Name) {
		return
	}
	message, hint := "the name "+quoted(s.Name)+" does not match "+r.parser.rules.Limits.NamePattern, "use letters, digits and hyphens"
	if r.parser.required[needName] && r.parser.hasWords("name_pattern") {
		r.drop(skill.NameInvalid, by.line, r.parser.words("name_pattern", s.Name, message), hint)
		return
	}
	r.add(skill.NameInvalid, by.line, message, hint)
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
