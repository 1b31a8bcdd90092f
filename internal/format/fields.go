package format

import (
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// field numbers the fields of a skill in the order in which they are read:
// metadata before the keys that it outranks, activation before keywords.
type field uint8

const (
	fieldMetadata field = iota
	fieldNamespace
	fieldRequires
	fieldOS
	fieldEnv
	fieldAlways
	fieldPrimaryEnv
	fieldSkillKey
	fieldInstall
	fieldName
	fieldDescription
	fieldVersion
	fieldAuthor
	fieldCategory
	fieldLicense
	fieldHomepage
	fieldEmoji
	fieldTags
	fieldTriggers
	fieldCompatibility
	fieldPermissions
	fieldAllowedTools
	fieldDisallowedTools
	fieldArgumentHint
	fieldUserInvocable
	fieldModelInvocation
	fieldDispatch
	fieldDispatchTool
	fieldDispatchMode
	fieldActivation
	fieldKeywords
	fieldTable
	fieldTools
	fieldPrompts
	fieldRecipes
	fieldCount
)

// fieldRule says how a field is spelled and read. Exactly one of text, list
// and read is set.
type fieldRule struct {
	// names are the documented spellings, the one that wins first. Hyphens may
	// also be underscores.
	names []string
	text  func(*skill.Skill) *string   // a scalar
	list  func(*skill.Skill) *[]string // a list, or a scalar with commas
	read  func(*reading, *tree.Member) // anything else
	// gate marks what restricts a skill: it counts however it is spelled and
	// wherever it is repeated, and if it is lost the skill is gated.
	gate bool
	// compare reports when two manifests disagree.
	compare bool
	// inMetadata marks what the standard's flat metadata may say as well.
	inMetadata bool
	// tomlOnly marks what only SKILL.toml defines.
	tomlOnly bool
}

var fieldRules = [fieldCount]fieldRule{
	fieldMetadata:   {names: []string{"metadata"}, read: (*reading).metadata, gate: true},
	fieldNamespace:  {read: (*reading).topNamespace, gate: true}, // named by the rules
	fieldRequires:   {names: []string{"requires"}, read: (*reading).topRequires, gate: true, inMetadata: true},
	fieldOS:         {names: []string{"os"}, read: (*reading).topOS, gate: true, inMetadata: true},
	fieldEnv:        {names: []string{"env"}, read: (*reading).topEnv},
	fieldAlways:     {names: []string{"always"}, read: (*reading).topAlways, inMetadata: true},
	fieldPrimaryEnv: {names: []string{"primaryEnv", "primary-env"}, read: (*reading).topPrimaryEnv, inMetadata: true},
	fieldSkillKey:   {names: []string{"skillKey", "skill-key"}, read: (*reading).topSkillKey, inMetadata: true},
	fieldInstall:    {names: []string{"install"}, read: (*reading).topInstall, inMetadata: true},

	fieldName: {names: []string{"name"}, compare: true,
		text: func(s *skill.Skill) *string { return &s.Name }},
	fieldDescription: {names: []string{"description", "summary"}, read: (*reading).description, compare: true},
	fieldVersion: {names: []string{"version"}, compare: true, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.Version }},
	fieldAuthor: {names: []string{"author", "authors"}, read: (*reading).author, inMetadata: true},
	fieldCategory: {names: []string{"category"}, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.Category }},
	fieldLicense: {names: []string{"license", "licence"}, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.License }},
	fieldHomepage: {names: []string{"homepage", "website", "url"}, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.Homepage }},
	fieldEmoji: {names: []string{"emoji"}, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.Emoji }},
	fieldTags: {names: []string{"tags"}, inMetadata: true,
		list: func(s *skill.Skill) *[]string { return &s.Tags }},
	fieldTriggers: {names: []string{"triggers"}, inMetadata: true,
		list: func(s *skill.Skill) *[]string { return &s.Triggers }},
	fieldCompatibility: {names: []string{"compatibility"}, read: (*reading).compatibility},

	fieldPermissions:     {names: []string{"permissions"}, read: (*reading).allPermissions, gate: true},
	fieldAllowedTools:    {names: []string{"allowed-tools"}, read: (*reading).allowedTools},
	fieldDisallowedTools: {names: []string{"disallowed-tools"}, read: (*reading).disallowedTools, gate: true},

	fieldArgumentHint:    {names: []string{"argument-hint"}, read: (*reading).argumentHint},
	fieldUserInvocable:   {names: []string{"user-invocable"}, read: (*reading).userInvocable},
	fieldModelInvocation: {names: []string{"disable-model-invocation"}, read: (*reading).modelInvocation, gate: true},
	fieldDispatch:        {names: []string{"command-dispatch"}, read: (*reading).dispatch},
	fieldDispatchTool:    {names: []string{"command-tool"}, read: (*reading).dispatchTool},
	fieldDispatchMode:    {names: []string{"command-arg-mode"}, read: (*reading).dispatchMode},

	fieldActivation: {names: []string{"activation"}, read: (*reading).activation},
	fieldKeywords:   {names: []string{"keywords"}, read: (*reading).keywords, inMetadata: true},

	fieldTable:   {names: []string{"skill"}, read: (*reading).table, tomlOnly: true},
	fieldTools:   {names: []string{"tools"}, read: (*reading).tools, tomlOnly: true},
	fieldPrompts: {names: []string{"prompts"}, read: (*reading).prompts, tomlOnly: true},
	fieldRecipes: {names: []string{"install-recipes"}, read: (*reading).recipes, tomlOnly: true},
}

// spelling is one way to write a field. Of several in one map the lowest rank
// counts.
type spelling struct {
	field field
	rank  uint8
}

// oddRank is that of spellings nobody documents, such as Name or allowedTools.
const oddRank = 100

func (p *Parser) resolveFields() error {
	p.fields = &fieldRules
	p.spellings, p.folded = map[string]spelling{}, map[string]spelling{}
	for f := range fieldCount {
		p.addNames(f, fieldRules[f].names)
	}
	for _, name := range p.rules.Namespaces {
		if _, taken := p.spelled(name); taken || name == "" {
			return fmt.Errorf("format.namespaces has %q, which is empty, twice there or the name of a field", name)
		}
	}
	p.addNames(fieldNamespace, p.rules.Namespaces)
	p.foreign = make(map[string]bool, len(foreignKeys))
	for _, key := range foreignKeys {
		p.foreign[fold(key)] = true
	}
	return nil
}

func (p *Parser) addNames(f field, names []string) {
	for i, name := range names {
		s := spelling{f, uint8(i)}
		p.spellings[name] = s
		p.spellings[strings.ReplaceAll(name, "-", "_")] = s
		p.names = append(p.names, name)
		if fieldRules[f].gate {
			p.gates = append(p.gates, name)
		}
		s.rank += oddRank
		if _, taken := p.folded[fold(name)]; !taken {
			p.folded[fold(name)] = s
		}
	}
}

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
		r.oddKey(&s, member)
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
