package format

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/skill"
)

// Loss is something a skill's author wrote that a host does not get.
type Loss struct {
	Field string // as it is documented: "tags", "requires.bins"
	File  string // where it stands, if that is known
	Line  int
	Why   string // in plain words
}

// Losses tells what a host makes of less than its author wrote, by comparing
// its own reading with the full one. Its order is always the same. There are
// none for a parser that was not made by [NewAs].
func (p *Parser) Losses(slug string, sources []Source) []Loss {
	if p.full == nil {
		return nil
	}
	var places fieldPlaces
	host, full := p.parse(slug, sources, nil), p.full.parse(slug, sources, &places)
	if !host.Usable {
		return dropped(&host, &full)
	}
	defaults := p.defaults(slug)
	var losses []Loss
	for i := range comparisons {
		c := &comparisons[i]
		value := c.value(&host.Skill)
		why := difference(value, c.value(&full.Skill))
		if why != "" && reflect.DeepEqual(value, c.value(&defaults)) {
			why = NotRead
		}
		if why == "" || c.lackOnly && why != NotRead {
			continue
		}
		at := places.first(c.stands)
		losses = append(losses, Loss{Field: c.field, File: at.file, Line: at.line, Why: why})
	}
	return losses
}

// defaults is a skill of which nothing was read.
func (p *Parser) defaults(slug string) skill.Skill {
	return skill.Skill{
		Name: slug, Version: p.rules.DefaultVersion, Description: skill.NewText(p.rules.DefaultDescription),
		Activation: skill.Activation{MaxContextTokens: p.rules.Limits.DefaultBudget},
	}
}

// dropped is the loss of the whole skill.
func dropped(host, full *Result) []Loss {
	if !full.Usable {
		return nil
	}
	for _, d := range host.Diagnostics {
		if d.Severity == skill.Error && d.Code != skill.MetadataUnreadable {
			return []Loss{{Field: "skill", File: d.File, Line: d.Line, Why: "dropped: " + d.Message}}
		}
	}
	return []Loss{{Field: "skill", Why: "dropped"}}
}

// fieldPlaces are where fields were first read.
type fieldPlaces struct {
	fields [fieldCount]owner
	tools  []owner // of each tool of the skill
}

func (p *fieldPlaces) note(f field, file string, line int) {
	if p.fields[f].file == "" {
		p.fields[f] = owner{file, line}
	}
}

// first is the place of the first of some fields that has one.
func (p *fieldPlaces) first(fields []field) owner {
	for _, f := range fields {
		if p.fields[f].file != "" {
			return p.fields[f]
		}
	}
	return owner{}
}

// comparison is a field of a skill that two readings may differ in.
type comparison struct {
	field  string
	stands []field // that may have set it
	value  func(*skill.Skill) any
	// lackOnly: every host cuts it out differently, so that only its absence
	// is a loss.
	lackOnly bool
}

// inMetadata are the fields under which a key of metadata may stand.
func inMetadata(own field) []field {
	return []field{own, fieldRequires, fieldMetadata, fieldNamespace}
}

var comparisons = [...]comparison{
	{field: "name", stands: []field{fieldName}, value: func(s *skill.Skill) any { return s.Name }},
	{field: "description", stands: []field{fieldDescription}, value: func(s *skill.Skill) any { return s.Description }},
	{field: "version", stands: []field{fieldVersion}, value: func(s *skill.Skill) any { return s.Version }},
	{field: "author", stands: []field{fieldAuthor}, value: func(s *skill.Skill) any { return s.Author }},
	{field: "category", stands: []field{fieldCategory}, value: func(s *skill.Skill) any { return s.Category }},
	{field: "license", stands: []field{fieldLicense}, value: func(s *skill.Skill) any { return s.License }},
	{field: "homepage", stands: inMetadata(fieldHomepage), value: func(s *skill.Skill) any { return s.Homepage }},
	{field: "emoji", stands: inMetadata(fieldEmoji), value: func(s *skill.Skill) any { return s.Emoji }},
	{field: "tags", stands: []field{fieldTags}, value: func(s *skill.Skill) any { return s.Tags }},
	{field: "triggers", stands: []field{fieldTriggers}, value: func(s *skill.Skill) any { return s.Triggers }},
	{field: "compatibility", stands: []field{fieldCompatibility}, value: func(s *skill.Skill) any { return s.Compatibility }},
	{field: "permissions", stands: []field{fieldPermissions}, value: func(s *skill.Skill) any { return s.Permissions }},
	{field: "allowed-tools", stands: []field{fieldAllowedTools}, value: func(s *skill.Skill) any { return s.AllowedTools }},
	{field: "requires.skills", stands: []field{fieldRequires, fieldMetadata}, value: func(s *skill.Skill) any { return s.Companions }},
	{field: "disallowed-tools", stands: []field{fieldDisallowedTools}, value: func(s *skill.Skill) any { return s.DisallowedTools }},
	{field: "activation.keywords", stands: []field{fieldActivation, fieldKeywords}, value: func(s *skill.Skill) any { return s.Activation.Keywords }},
	{field: "activation.exclude_keywords", stands: []field{fieldActivation}, value: func(s *skill.Skill) any { return s.Activation.ExcludeKeywords }},
	{field: "activation.patterns", stands: []field{fieldActivation}, value: func(s *skill.Skill) any { return s.Activation.Patterns }},
	{field: "activation.tags", stands: []field{fieldActivation}, value: func(s *skill.Skill) any { return s.Activation.Tags }},
	{field: "activation.max_context_tokens", stands: []field{fieldActivation}, value: func(s *skill.Skill) any { return s.Activation.MaxContextTokens }},
	{field: "os", stands: inMetadata(fieldOS), value: func(s *skill.Skill) any { return s.Requires.OS }},
	{field: "requires.bins", stands: inMetadata(fieldRequires), value: func(s *skill.Skill) any { return s.Requires.Bins }},
	{field: "requires.anyBins", stands: inMetadata(fieldRequires), value: func(s *skill.Skill) any { return s.Requires.AnyBins }},
	{field: "requires.env", stands: inMetadata(fieldEnv), value: func(s *skill.Skill) any { return s.Requires.Env }},
	{field: "requires.config", stands: inMetadata(fieldRequires), value: func(s *skill.Skill) any { return s.Requires.Config }},
	{field: "always", stands: inMetadata(fieldAlways), value: func(s *skill.Skill) any { return s.Requires.Always }},
	{field: "skillKey", stands: inMetadata(fieldSkillKey), value: func(s *skill.Skill) any { return s.Requires.SkillKey }},
	{field: "primaryEnv", stands: inMetadata(fieldPrimaryEnv), value: func(s *skill.Skill) any { return s.Requires.PrimaryEnv }},
	{field: "user-invocable", stands: []field{fieldUserInvocable}, value: func(s *skill.Skill) any { return s.Invocation.UserDisabled }},
	{field: "disable-model-invocation", stands: []field{fieldModelInvocation}, value: func(s *skill.Skill) any { return s.Invocation.ModelDisabled }},
	{field: "argument-hint", stands: []field{fieldArgumentHint}, value: func(s *skill.Skill) any { return s.Invocation.ArgumentHint }},
	{field: "command-dispatch", stands: []field{fieldDispatch}, value: func(s *skill.Skill) any { return s.Dispatch }},
	{field: "tools", stands: []field{fieldTools}, value: func(s *skill.Skill) any { return s.Tools }},
	{field: "prompts", stands: []field{fieldPrompts}, value: func(s *skill.Skill) any { return s.Prompts }},
	{field: "install", stands: inMetadata(fieldInstall), value: func(s *skill.Skill) any { return s.Installers }},
	{field: "install_recipes", stands: []field{fieldRecipes}, value: func(s *skill.Skill) any { return s.Recipes }},
	{field: "body", lackOnly: true, value: func(s *skill.Skill) any { return skill.NewText(strings.TrimSpace(s.Body.Raw())) }},
}

// NotRead is why a field is lost of which the host has nothing.
const NotRead = "not read"

// difference says what became of a value; empty if it is the same or there was
// none.
func difference(host, full any) string {
	was, is := reflect.ValueOf(full), reflect.ValueOf(host)
	isList := was.Kind() == reflect.Slice
	switch {
	case was.IsZero() || isList && was.Len() == 0, reflect.DeepEqual(host, full):
		return ""
	case is.IsZero() || isList && is.Len() == 0:
		return NotRead
	case isList && is.Len() < was.Len() && reflect.DeepEqual(host, was.Slice(0, is.Len()).Interface()):
		return "cut to " + strconv.Itoa(is.Len())
	default:
		return "read as " + quoted(inWords(host))
	}
}

// inWords is a value in a message.
func inWords(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []string:
		return strings.Join(value, ", ")
	case skill.Text:
		return value.Raw()
	case []skill.Text:
		return joinWords(value, skill.Text.Raw)
	case []skill.ToolDecl:
		return joinWords(value, func(t skill.ToolDecl) string { return t.Name })
	case []skill.InstallSpec:
		return joinWords(value, func(s skill.InstallSpec) string { return s.Kind + " " + s.Package + s.URL })
	case skill.Dispatch:
		return value.Kind + " " + value.Tool
	default:
		return fmt.Sprint(value)
	}
}

func joinWords[T any](list []T, word func(T) string) string {
	words := make([]string, 0, len(list))
	for item := range slices.Values(list) {
		words = append(words, word(item))
	}
	return strings.Join(words, ", ")
}
