package format

import (
	"slices"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// metadata reads the namespaces of the metadata block. Its other keys are read
// by flatMetadata, after the fields that outrank them.
func (r *reading) metadata(m *tree.Member) {
	block, ok := r.mapping(m)
	if !ok {
		r.unreadable(m.Line, m.Key+" is "+shape(m.Value)+", so the requirements in it are unknown",
			"write a map, such as "+m.Key+`: {"`+r.parser.namespaceName()+`": {"requires": {"bins": ["git"]}}}`)
		return
	}
	top := &place{key: m.Key}
	var first *tree.Member
	for _, name := range r.parser.rules.Namespaces {
		for _, members := range [...][]tree.Member{block.Map, block.Dup} {
			for i := range members {
				if key := members[i].Key; key == name || !r.parser.exact && fold(key) == fold(name) {
					first = r.nextNamespace(top, first, &members[i])
				}
			}
		}
	}
}

// nextNamespace reads a namespace; first is the one that counts, nil so far.
func (r *reading) nextNamespace(top *place, first, m *tree.Member) *tree.Member {
	before := r.skill().Requires
	if !r.namespace(&place{up: top, key: m.Key}, m, first == nil) {
		return first
	}
	if first == nil {
		return m
	}
	if after := r.skill().Requires; !sameLists(&before, &after) {
		r.report(skill.ManifestConflict, m.Line,
			m.Key+" and "+first.Key+" state different requirements; all of them count",
			"make the two agree, or delete "+m.Key)
	}
	return first
}

// topNamespace reads a namespace that stands where metadata should.
func (r *reading) topNamespace(m *tree.Member) {
	if r.namespace(&place{key: m.Key}, m, true) {
		r.honoured(m)
	}
}

// honoured tells that other hosts look elsewhere for what was read.
func (r *reading) honoured(m *tree.Member) {
	if r.kind == inMarkdown {
		within := "metadata"
		if r.parser.spellings[m.Key].field != fieldNamespace {
			within += "." + r.parser.namespaceName()
		}
		r.report(skill.KeyMisplaced, m.Line, m.Key+" counts here, but most hosts read it only inside "+within,
			"move it into "+within)
	}
}

// namespaceName is the namespace that is written today.
func (p *Parser) namespaceName() string {
	if len(p.rules.Namespaces) == 0 {
		return "NAMESPACE"
	}
	return p.rules.Namespaces[0]
}

// namespace reads one namespace and reports whether it is a map. Only the
// first that is one sets more than requirements.
func (r *reading) namespace(at *place, m *tree.Member, counts bool) bool {
	block, ok := r.mapping(m)
	switch {
	case ok && block.Kind == tree.Map:
		var stated skill.Requirements
		r.namespaceKeys(at, block, &stated, counts)
		r.require(&stated, m.Line)
		return true
	case ok: // empty
	case !m.Value.IsScalar() || r.parser.statesGate(m.Value.Text):
		r.unreadable(m.Line, at.text()+" is "+shape(m.Value)+", so the requirements in it are unknown", "write a map")
	default: // false, 1.0 and the like state nothing
		r.wrongShape(at, m.Value, "a map")
	}
	return false
}

func (r *reading) namespaceKeys(top *place, block *tree.Node, stated *skill.Requirements, counts bool) {
	s, seen := r.skill(), false // whether always was there: all its spellings must agree
	for i := range block.Map {
		m := &block.Map[i]
		if r.parser.exact && m.Key == "skillKey" && m.Value.Kind == tree.String {
			if counts {
				stated.SkillKey = m.Value.Text // it is looked up as it is written, blanks and all
			}
			continue
		}
		if isEmpty(m.Value) {
			continue
		}
		at, usual := &place{up: top, key: m.Key}, m.Key
		switch r.parser.word(m.Key) {
		case "requires", "require":
			usual = "requires"
			r.requires(at, m, stated)
		case "os":
			usual = "os"
			r.systems(at, m.Value, stated)
		case "always":
			usual = "always"
			value := r.always(at, m)
			stated.Always, seen = value && (stated.Always || !seen), true
		case "skillkey":
			r.namespaceText(&stated.SkillKey, at, m, counts)
		case "primaryenv":
			r.namespaceText(&stated.PrimaryEnv, at, m, counts)
		case "emoji":
			r.namespaceText(&s.Emoji, at, m, counts)
		case "homepage":
			r.namespaceText(&s.Homepage, at, m, counts)
		case "install":
			if counts && len(s.Installers) == 0 {
				s.Installers = r.parser.installers(r, at, m)
			}
		default:
			r.ignore(at, m, r.requirementHint(m.Key))
		}
		if m.Key != usual {
			r.unusual(at, m, usual)
		}
	}
	for i := range block.Dup {
		switch m := &block.Dup[i]; r.parser.word(m.Key) {
		case "requires":
			r.requires(&place{up: top, key: m.Key}, m, stated)
		case "os":
			r.systems(&place{up: top, key: m.Key}, m.Value, stated)
		}
	}
}

// namespaceText fills a text that only the first namespace may set.
func (r *reading) namespaceText(text *string, at *place, m *tree.Member, counts bool) {
	value, ok := m.Value.Scalar()
	switch {
	case !ok:
		r.wrongShape(at, m.Value, "a text")
	case counts && *text == "":
		*text = value
	}
}

// always must be a real boolean: it opens gates, so nothing is guessed.
func (r *reading) always(at *place, m *tree.Member) bool {
	if m.Value.Kind != tree.Bool {
		r.wrongShape(at, m.Value, "true or false, without quotes")
		return false
	}
	value, _ := m.Value.Bool()
	return value
}

// flatMetadata reads what stands in metadata outside of any namespace: the
// standard puts author and version there, and some authors put everything.
func (r *reading) flatMetadata(parent *tree.Member) {
	block, ok := r.textMap(parent)
	if !ok {
		return
	}
	top := &place{key: parent.Key}
	for i := range block.Map {
		m := &block.Map[i]
		known, ok := r.parser.spelled(m.Key)
		switch {
		case ok && known.field == fieldNamespace, isEmpty(m.Value):
		case r.parser.exact && slices.Contains(r.parser.rules.Namespaces, m.Key):
		case ok && r.parser.fields[known.field].inMetadata:
			r.setFlat(known.field, m)
		default:
			r.ignore(&place{up: top, key: m.Key}, m, r.requirementHint(m.Key))
		}
	}
}

// setFlat sets a field that nobody who outranks metadata has set.
func (r *reading) setFlat(f field, m *tree.Member) {
	if r.parser.fields[f].compare && r.owner[f].file != "" {
		return // metadata repeats it; that is no conflict of manifests
	}
	r.set(f, m)
}

// requirementHint helps authors who put the parts of requires beside it.
func (r *reading) requirementHint(key string) string {
	switch fold(key) {
	case "bins", "anybins", "env", "config":
		return "a requirement belongs into metadata." + r.parser.namespaceName() + ".requires"
	}
	return ""
}
