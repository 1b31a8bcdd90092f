package format

import (
	"fmt"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// slots are the members of one map by field.
type slots struct {
	member [fieldCount]*tree.Member
	rank   [fieldCount]uint8
	again  []repeated // gates that are stated more than once
}

type repeated struct {
	field  field
	member *tree.Member
}

// fields reads a map of fields: the frontmatter, or a table of a TOML file.
func (r *reading) fields(m *tree.Node) {
	if r.keys != nil {
		m = r.narrow(m)
	}
	var s slots
	var odd []*tree.Member
	for i := range m.Map {
		member := &m.Map[i]
		if known, ok := r.parser.spellings[member.Key]; ok && !r.misplaced(known.field) {
			r.place(&s, known, member)
		} else {
			odd = append(odd, member)
		}
	}
	for _, member := range odd {
		if r.parser.exact {
			r.undocumented(member)
		} else {
			r.oddKey(&s, member)
		}
	}
	for i := range m.Dup {
		member := &m.Dup[i]
		if known, ok := r.parser.spellings[member.Key]; ok && r.parser.allCount(known.field) {
			s.again = append(s.again, repeated{known.field, member})
		} else {
			r.stray(&place{key: member.Key}, member)
		}
	}
	r.command = skill.Dispatch{}
	for f, member := range s.member {
		if member != nil {
			r.set(field(f), member)
		}
	}
	for _, more := range s.again {
		r.set(more.field, more.member)
	}
	r.endDispatch(&s)
	if member := s.member[fieldMetadata]; member != nil {
		r.flatMetadata(member)
	}
	for _, more := range s.again {
		if more.field == fieldMetadata {
			r.flatMetadata(more.member)
		}
	}
}

// place keeps a member for its field, unless a better spelling is there.
func (r *reading) place(s *slots, known spelling, member *tree.Member) {
	if isEmpty(member.Value) {
		return
	}
	f := known.field
	var loser *tree.Member
	switch have := s.member[f]; {
	case have == nil:
		s.member[f], s.rank[f] = member, known.rank
		return
	case r.parser.allCount(f):
		s.again = append(s.again, repeated{f, member})
		return
	case known.rank < s.rank[f]:
		s.member[f], s.rank[f], loser = member, known.rank, have
	default:
		loser = member
	}
	r.keep(&place{key: loser.Key}, loser)
	r.report(skill.KeyIgnored, loser.Line, loser.Key+" has no effect beside "+s.member[f].Key,
		"delete one of the two")
}

// misplaced reports whether a field means nothing in the file being read.
func (r *reading) misplaced(f field) bool {
	return r.parser.fields[f].tomlOnly && r.kind == inMarkdown
}

// set reads a field from its member.
func (r *reading) set(f field, m *tree.Member) {
	rule := &r.parser.fields[f]
	if r.places != nil {
		r.places.note(f, r.file, m.Line)
	}
	if rule.list != nil || f == fieldAuthor || f == fieldCompatibility { // which take less than a map says
		r.strayValue(&place{key: m.Key}, m.Value)
	}
	switch {
	case rule.text != nil:
		r.setText(f, rule, m)
	case rule.list != nil:
		if list := rule.list(r.skill()); len(*list) == 0 {
			*list = r.words(&place{key: m.Key}, m.Value)
		}
	default:
		rule.read(r, m)
	}
}

func (r *reading) setText(f field, rule *fieldRule, m *tree.Member) {
	value, ok := m.Value.Scalar()
	if !ok {
		r.wrongShape(&place{key: m.Key}, m.Value, "a text")
		return
	}
	if f == fieldName {
		value = cleanName(value)
	}
	r.claim(f, rule.text(r.skill()), value, m)
}

// claim sets a text unless it is set, and tells when two places disagree.
func (r *reading) claim(f field, text *string, value string, m *tree.Member) {
	switch {
	case value == "" || value == *text:
	case *text == "":
		*text, r.owner[f] = value, owner{r.file, m.Line}
	case r.parser.fields[f].compare:
		r.report(skill.ManifestConflict, m.Line,
			fmt.Sprintf("%s %s is ignored: %s:%d says %s", m.Key, quoted(value), r.owner[f].file, r.owner[f].line, quoted(*text)),
			"make the two agree, or delete one")
	}
}

// isEmpty reports a value that says nothing.
func isEmpty(n *tree.Node) bool {
	return n == nil || n.Kind == tree.Null || n.Kind == tree.String && isBlank(n.Text)
}
