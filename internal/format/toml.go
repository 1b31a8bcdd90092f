package format

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// toml reads SKILL.toml or manifest.toml and reports whether it could.
func (r *reading) toml(source Source) outcome {
	data := bytes.TrimPrefix(source.Data, []byte("\ufeff"))
	root, err := tree.TOML(data, r.parser.limits())
	if err != nil {
		r.brokenTOML(data, err)
		return wasBroken
	}
	if r.kind == inManifestTOML && !slices.ContainsFunc(root.Map, r.parser.isTable) {
		for i := range root.Map {
			if m := &root.Map[i]; r.parser.word(m.Key) == tableKey {
				r.tableGates(m)
			}
		}
		r.report(skill.TOMLForeign, 0, "the file has no [skill] table, so it is not read as a skill's manifest",
			"if it is meant for the skill, put its keys under [skill]")
		return wasForeign
	}
	if missing := r.parser.dialect(r, root); missing != "" {
		r.lostTOML(data, skill.TOMLInvalid, 1, "missing field "+missing)
		return wasBroken
	}
	return wasRead
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
	r.lostTOML(data, code, line, message)
}

// lostTOML reports a TOML file that is not used.
func (r *reading) lostTOML(data []byte, code skill.Code, line int, problem string) {
	r.report(code, line, r.parser.words("toml", problem, "the file cannot be read: "+problem),
		"mend this line; until then the file has no effect")
	// The next manifest is used, but it may be this one that states what the
	// skill needs. A text that is not even UTF-8 cannot be searched for that.
	text := string(data)
	if !utf8.Valid(data) || strings.IndexByte(text, 0) >= 0 || r.parser.statesGate(text) {
		r.unreadable(line, "the file may state requirements, but it cannot be read, so the skill is gated", "mend the file")
	}
	if r.parser.states(text, func(f field) bool { return f == fieldModelInvocation }) {
		r.skill().Invocation.ModelDisabled = true
	}
}

// statesGate reports whether a text that cannot be read has the keys of
// requirements in it.
func (p *Parser) statesGate(text string) bool {
	return p.states(text, func(f field) bool { return p.fields[f].gate && f != fieldModelInvocation })
}

// states reports whether the key of such a field stands in a text the way keys
// do: as a word with an equals sign, colon, dot or bracket behind it.
func (p *Parser) states(text string, wanted func(field) bool) bool {
	for at := 0; at < len(text); at++ {
		end := at
		for end < len(text) && isKeyByte(text[end]) {
			end++
		}
		// 64 bytes are more than any key has.
		if end > at && end-at <= 64 && endsKey(text[end:]) {
			s, ok := p.spelled(text[at:end])
			switch word := letters(text[at:end]); {
			case ok:
			case isRequires(word):
				s, ok = spelling{field: fieldRequires}, true
			case isSlip(word, "metadata"):
				s, ok = spelling{field: fieldMetadata}, true
			}
			if ok && wanted(s.field) {
				return true
			}
		}
		at = end
	}
	return false
}

func endsKey(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\"'")
	return rest != "" && strings.IndexByte("=:.]", rest[0]) >= 0
}

func isKeyByte(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '-' }
