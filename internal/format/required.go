package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/skill"
)

// What rules may require of a skill.
const (
	needFrontmatter = "frontmatter"
	needName        = "name"
	needDescription = "description"
	needBody        = "body"
)

func (p *Parser) resolveRequired() error {
	needs := []string{needFrontmatter, needName, needDescription, needBody}
	wrongs := []string{"yaml", "toml", "name_pattern", "size", "budget"}
	p.required = make(map[string]bool, len(p.rules.Required))
	for _, need := range p.rules.Required {
		if !slices.Contains(needs, need) {
			return fmt.Errorf("format.required has %q; it can have %s", need, strings.Join(needs, ", "))
		}
		p.required[need] = true
	}
	for about := range p.rules.Says {
		if all := slices.Concat(needs, wrongs); !slices.Contains(all, about) {
			return fmt.Errorf("format.says has %q; it can have %s", about, strings.Join(all, ", "))
		}
	}
	return nil
}

// hasWords reports whether the host has words of its own for what is wrong.
func (p *Parser) hasWords(about string) bool { return p.rules.Says[about] != "" }

// words is how the host says what is wrong, or else how Knack does.
func (p *Parser) words(about, detail, ours string) string {
	says := p.rules.Says[about]
	if says == "" {
		return ours
	}
	return strings.ReplaceAll(says, "{detail}", plainly(detail))
}

// plainly is a stranger's text in the middle of a host's sentence, which brings
// its own quotes: on one line, short, and with nothing a terminal would obey.
func plainly(text string) string {
	const enough = 200 // characters: a sentence, not a file
	text = text[:min(len(text), 2*enough*utf8.UTFMax)]
	return cutWords(strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c):
			return unicode.ReplacementChar
		}
		return c
	}, text), enough)
}

// drop gives the skill up and says why: an error, whatever the code's own
// severity is where such a skill is used all the same.
func (r *reading) drop(code skill.Code, line int, message, hint string) {
	d := code.New(r.file, line, message, hint)
	d.Severity = skill.Error
	r.result.Diagnostics = append(r.result.Diagnostics, d)
	r.dropped = true
}

// lacks drops the skill for something that is required.
func (r *reading) lacks(need string, code skill.Code, hint string) {
	r.drop(code, 0, r.parser.words(need, r.skill().Slug, "the skill has no "+need+"; without one it is not used"), hint)
}

// refuse reports a SKILL.md that its reader gave up. Where the reader has said
// so, its place stands and the host's words take over.
func (r *reading) refuse(h *head) {
	code, about, message := skill.FrontmatterInvalid, "yaml", "the frontmatter cannot be read: "+plainly(h.refused)
	if h.missing {
		code, about, message = skill.FrontmatterMissing, needFrontmatter, "the file has no frontmatter, so it is not used"
	}
	d := code.New(r.file, 1, "", "start the file with a line ---, then keys in valid YAML, then another line ---")
	said := slices.IndexFunc(r.result.Diagnostics, func(d skill.Diagnostic) bool {
		return d.File == r.file && (d.Code == code || d.Code == skill.FrontmatterTooDeep || d.Code == skill.FrontmatterUnclosed)
	})
	if said >= 0 {
		d = r.result.Diagnostics[said]
		message = d.Message
		r.result.Diagnostics = slices.Delete(r.result.Diagnostics, said, said+1)
	}
	d.Severity, d.Message = skill.Error, r.parser.words(about, h.refused, message)
	r.result.Diagnostics = append(r.result.Diagnostics, d)
}

// headless is told that a SKILL.md has no frontmatter.
func (r *reading) headless() {
	if !r.parser.required[needFrontmatter] {
		return
	}
	// The reader has said so, but not that it matters.
	r.result.Diagnostics = slices.DeleteFunc(r.result.Diagnostics, func(d skill.Diagnostic) bool {
		return d.Code == skill.FrontmatterMissing && d.File == r.file
	})
	r.lacks(needFrontmatter, skill.FrontmatterMissing, "start it with a line ---, then name: and description:, then another line ---")
}
