package format

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// foreignKeys are written by authors for other tools, or for features that
// skills do not have. They are no mistakes.
var foreignKeys = [...]string{
	"access", "agent", "aliases", "allow-implicit-invocation", "api-base", "api-version", "arguments", "attribution",
	"auto-activate", "auto-invoke", "background", "base-url", "bins", "changelog", "color", "command", "commands",
	"config", "context", "contributors", "created", "credentials", "cron", "date", "dependencies", "disabled",
	"display-name", "documentation", "domain", "effort", "enabled", "entrypoint", "examples", "features",
	"formats", "gating", "globs", "hooks", "icon", "id", "inputs", "invocable", "language", "last-updated", "library",
	"locale", "logo", "maintainer", "mcp", "model", "models", "mode", "namespace", "notes", "output-format", "outputs",
	"package", "paths", "platform", "platforms", "plugins", "pricing", "priority", "privacy", "provider", "read-when",
	"readme", "references", "related-skills", "repo", "repository", "requirements", "role", "runtime", "scope",
	"scripts", "shell", "slug", "source", "status", "subcategory", "subtitle", "support", "title", "trigger", "type",
	"updated", "usage", "visibility", "when", "when-to-use",
	"author-url", "short-description", "logo-dark", "match", "forge", "setup-marker",
}

// word is a key of an inner map in the one spelling that its readers know,
// empty for a spelling that does not count.
func (p *Parser) word(key string) string {
	if p.exact && !isDocumented(key) {
		return ""
	}
	return fold(key)
}

// isDocumented reports a key of an inner map in its documented spelling.
func isDocumented(key string) bool {
	switch key {
	case tableKey, "requires", "bins", "anyBins", "env", "config", "os", "always", "skillKey", "primaryEnv",
		"emoji", "homepage", "install",
		"keywords", "exclude_keywords", "tags", "patterns", "max_context_tokens":
		return true
	}
	return false
}

// undocumented deals with a key that has no effect where spellings are exact.
func (r *reading) undocumented(m *tree.Member) {
	hint := ""
	if known, ok := r.parser.folded[fold(m.Key)]; ok && !r.misplaced(known.field) {
		hint = "write " + r.parser.fields[known.field].spelled()[0]
	}
	r.ignore(&place{key: m.Key}, m, hint)
}

// oddKey deals with a key that is not spelled as any documented one.
func (r *reading) oddKey(s *slots, m *tree.Member) {
	at := &place{key: m.Key}
	known, ok := r.parser.folded[fold(m.Key)]
	switch {
	case ok && !r.misplaced(known.field):
		r.oddSpelling(s, known, m)
	case ok:
		r.ignore(at, m, "only SKILL.toml declares "+m.Key)
	case r.parser.foreign[fold(m.Key)]:
		r.ignore(at, m, r.requirementHint(m.Key))
	default:
		r.unknownKey(s, m)
	}
}

// oddSpelling accepts a spelling such as Name, unless the right one is there.
func (r *reading) oddSpelling(s *slots, known spelling, m *tree.Member) {
	usual := r.parser.usualKey(known)
	if have := s.member[known.field]; have != nil && !r.parser.allCount(known.field) {
		r.keep(&place{key: m.Key}, m)
		r.report(skill.KeyUnknown, m.Line, m.Key+" has no effect beside "+have.Key, "delete it")
		return
	}
	r.unusual(&place{key: m.Key}, m, usual)
	r.place(s, known, m)
}

// allCount reports a field of which every statement counts: what restricts
// does so wherever it stands, and what passes gates must be said by all.
func (p *Parser) allCount(f field) bool { return p.fields[f].gate || f == fieldAlways }

// usualKey is the documented spelling of an odd one.
func (p *Parser) usualKey(s spelling) string {
	names := p.fields[s.field].names
	if s.field == fieldNamespace {
		names = p.rules.Namespaces
	}
	return names[s.rank%oddRank]
}

// unknownKey reports a key that no dialect knows. One that looks like a gate
// with a typing error counts as that gate: it must not open for a typo.
func (r *reading) unknownKey(s *slots, m *tree.Member) {
	at := &place{key: m.Key}
	meant, ok := spelling{}, false
	// Beyond the remarks that are shown, only what restricts is searched for.
	if r.remarks < maxRemarks {
		meant, ok = r.parser.nearest(m.Key)
	} else if best := near.Best(m.Key, r.parser.gates); best != "" {
		meant, ok = r.parser.spelled(best)
	}
	hint := ""
	switch {
	case ok && r.parser.fields[meant.field].gate && !m.Value.IsScalar() && !r.misplaced(meant.field):
		r.unusual(at, m, r.parser.usualKey(meant))
		r.place(s, meant, m)
		return
	case ok:
		hint = "did you mean " + r.parser.usualKey(meant) + "?"
	}
	r.report(skill.KeyUnknown, m.Line, quoted(m.Key)+" is no known key and has no effect", hint)
	r.keep(at, m)
}

// nearest finds the known key that somebody may have meant.
func (p *Parser) nearest(key string) (spelling, bool) {
	if best := near.Best(key, p.names); best != "" {
		return p.spelled(best)
	}
	return spelling{}, false
}

// spelled finds the field of a key in any spelling.
func (p *Parser) spelled(key string) (spelling, bool) {
	s, ok := p.spellings[key]
	if !ok && !p.exact {
		s, ok = p.folded[fold(key)]
	}
	return s, ok
}

// lost takes note of a key whose value could not be read. said is what its
// reader has reported.
func (r *reading) lost(lost lostKey, said []skill.Diagnostic) {
	known, ok := r.parser.spelled(lost.key)
	switch {
	case isNamespace(lost.key):
		known, ok = spelling{field: fieldNamespace}, true
	case !ok:
		known, ok = r.parser.nearest(lost.key)
	}
	switch {
	case !ok || !r.parser.fields[known.field].gate:
	case known.field == fieldModelInvocation:
		r.skill().Invocation.ModelDisabled = true
	default:
		r.skill().Requires.Unreadable = true
		if !slices.ContainsFunc(said, func(d skill.Diagnostic) bool { return d.Code == skill.MetadataUnreadable }) {
			r.unreadable(lost.line, lost.key+" could not be read, so the requirements in it are unknown", "mend the frontmatter")
		}
	}
}

// fold makes spellings equal that differ in case, hyphens and underscores.
func fold(key string) string {
	if strings.IndexFunc(key, isFolded) < 0 {
		return key
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c == '-' || c == '_' || c == ' ':
			return -1
		case c >= 'A' && c <= 'Z':
			return c + ('a' - 'A')
		}
		return c
	}, key)
}

func isFolded(c rune) bool { return c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == ' ' }
