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
	// exact are the spellings that count where only the documented ones do, if
	// those are not names as they stand.
	exact []string
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
	fieldPrimaryEnv: {names: []string{"primaryEnv", "primary-env"}, exact: []string{"primaryEnv"}, read: (*reading).topPrimaryEnv, inMetadata: true},
	fieldSkillKey:   {names: []string{"skillKey", "skill-key"}, exact: []string{"skillKey"}, read: (*reading).topSkillKey, inMetadata: true},
	fieldInstall:    {names: []string{"install"}, read: (*reading).topInstall, inMetadata: true},

	fieldName: {names: []string{"name"}, compare: true,
		text: func(s *skill.Skill) *string { return &s.Name }},
	fieldDescription: {names: []string{"description", "summary"}, exact: []string{"description"},
		read: (*reading).description, compare: true},
	fieldVersion: {names: []string{"version"}, compare: true, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.Version }},
	fieldAuthor: {names: []string{"author", "authors"}, exact: []string{"author"}, read: (*reading).author, inMetadata: true},
	fieldCategory: {names: []string{"category"}, inMetadata: true,
		text: func(s *skill.Skill) *string { return &s.Category }},
	fieldLicense: {names: []string{"license", "licence"}, exact: []string{"license"}, inMetadata: true,
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
	fieldDispatch:        {names: []string{"command-dispatch"}, exact: []string{"command-dispatch", "command_dispatch"}, read: (*reading).dispatch},
	fieldDispatchTool:    {names: []string{"command-tool"}, exact: []string{"command-tool", "command_tool"}, read: (*reading).dispatchTool},
	fieldDispatchMode:    {names: []string{"command-arg-mode"}, exact: []string{"command-arg-mode", "command_arg_mode"}, read: (*reading).dispatchMode},

	fieldActivation: {names: []string{"activation"}, read: (*reading).activation},
	fieldKeywords:   {names: []string{"keywords"}, read: (*reading).keywords, inMetadata: true},

	fieldTable:   {names: []string{"skill"}, read: (*reading).table, tomlOnly: true},
	fieldTools:   {names: []string{"tools"}, read: (*reading).tools, tomlOnly: true},
	fieldPrompts: {names: []string{"prompts"}, read: (*reading).prompts, tomlOnly: true},
	fieldRecipes: {names: []string{"install-recipes"}, exact: []string{"install_recipes"}, read: (*reading).recipes, tomlOnly: true},
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
	if p.exact {
		p.exactSpellings()
	}
	for _, name := range p.rules.Namespaces {
		if _, taken := p.spelled(name); taken || name == "" {
			return fmt.Errorf("format.namespaces has %q, which is empty, twice there or the name of a field", name)
		}
	}
	if !p.exact {
		p.addNames(fieldNamespace, p.rules.Namespaces)
	}
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

// exactSpellings leaves only the documented spellings.
func (p *Parser) exactSpellings() {
	clear(p.spellings)
	for f := range fieldCount {
		for i, name := range fieldRules[f].spelled() {
			p.spellings[name] = spelling{f, uint8(i)}
		}
	}
}

// spelled are the documented spellings of a field.
func (rule *fieldRule) spelled() []string {
	if rule.exact != nil {
		return rule.exact
	}
	return rule.names
}
