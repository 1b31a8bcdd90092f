package format

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// tomlDialect reads the root of a TOML manifest.
type tomlDialect func(r *reading, root *tree.Node)

// flatAndTable accepts fields at the root and in a [skill] table, which wins.
func flatAndTable(r *reading, root *tree.Node) {
	if table := root.Get(tableKey); table != nil && table.Kind == tree.Map {
		r.fields(table)
	}
	r.fields(root)
}

// tableKey is the table that holds a skill's fields.
const tableKey = "skill"

// table is met while the root is read: as a table it was read before, as
// anything else it is wrong.
func (r *reading) table(m *tree.Member) {
	if m.Value.Kind != tree.Map {
		r.wrongShape(&place{key: m.Key}, m.Value, "a [skill] table")
	}
}

// toml reads SKILL.toml or manifest.toml and reports whether it could.
func (r *reading) toml(source Source) bool {
	data := bytes.TrimPrefix(source.Data, []byte("\ufeff"))
	root, err := tree.TOML(data, r.parser.limits())
	if err != nil {
		r.brokenTOML(data, err)
		return false
	}
	if r.kind == inManifestTOML {
		if table := root.Get(tableKey); table == nil || table.Kind != tree.Map {
			r.report(skill.TOMLForeign, 0, "the file has no [skill] table, so it is not read as a skill's manifest",
				"if it is meant for the skill, put its keys under [skill]")
			return false
		}
		flatAndTable(r, root)
		return true
	}
	r.parser.dialect(r, root)
	return true
}

func (r *reading) brokenTOML(data []byte, err error) {
	code, line, message := skill.TOMLInvalid, 1, err.Error()
	var at *tree.Error
	if errors.As(err, &at) {
		line, message = at.Line, at.Msg
	}
	if errors.Is(err, tree.ErrLimit) {
		code = skill.FrontmatterTooDeep
	}
	r.report(code, line, "the file cannot be read: "+message, "mend this line; until then the file has no effect")
	// The next manifest is used, but it may be this one that states what the
	// skill needs. A text that is not even UTF-8 cannot be searched for that.
	text := string(data)
	if !utf8.Valid(data) || strings.IndexByte(text, 0) >= 0 || r.parser.statesGate(text) {
		r.unreadable(line, "the file may state requirements, but it cannot be read, so the skill is gated", "mend the file")
	}
	if states(text, "disable-model-invocation") || states(text, "disable_model_invocation") {
		r.skill().Invocation.ModelDisabled = true
	}
}

// statesGate reports whether a text that cannot be read has the keys of
// requirements in it.
func (p *Parser) statesGate(text string) bool {
	for f := range p.fields {
		if !p.fields[f].gate || field(f) == fieldModelInvocation {
			continue
		}
		for _, name := range p.fields[f].names {
			if states(text, name) || states(text, strings.ReplaceAll(name, "-", "_")) {
				return true
			}
		}
	}
	for _, name := range p.rules.Namespaces {
		if states(text, name) {
			return true
		}
	}
	return false
}

// states reports whether a word stands in a text the way a key does: with an
// equals sign, colon, dot or bracket behind it, in any letter case.
func states(text, key string) bool {
	for at := 0; at+len(key) <= len(text); at++ {
		next := strings.IndexByte(text[at:], key[0])
		if upper := strings.IndexByte(text[at:], key[0]&^0x20); next < 0 || upper >= 0 && upper < next {
			next = upper // 0x20 tells the cases of ASCII letters apart
		}
		if next < 0 || at+next+len(key) > len(text) {
			return false
		}
		at += next
		if strings.EqualFold(text[at:at+len(key)], key) && (at == 0 || !isKeyByte(text[at-1])) && endsKey(text[at+len(key):]) {
			return true
		}
	}
	return false
}

func endsKey(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\"'")
	return rest != "" && strings.IndexByte("=:.]", rest[0]) >= 0
}

func isKeyByte(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '-' }
