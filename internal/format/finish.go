package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/skill"
)

// finish completes the skill when its manifests are read.
func (r *reading) finish() {
	s := &r.result.Skill
	r.identify()
	if s.Version == "" {
		s.Version = r.parser.rules.DefaultVersion
	}
	s.Tokens = s.Body.Tokens()
	for _, prompt := range s.Prompts {
		s.Tokens += prompt.Tokens()
	}
	r.file, _, _ = strings.Cut(s.Format, "+")
	r.finishDescription()
	switch {
	case s.Format == "" && !r.failed():
		r.add(skill.NoManifest, 0, "the folder has none of the files that a skill is made of",
			"add a file "+r.parser.markdownName())
	case s.Format == "":
		r.add(skill.ReasonInvalid, 0, "none of the skill's files could be read", "mend the errors reported beside this")
	case s.Description.IsBlank() && s.Body.IsBlank() && len(s.Prompts) == 0 && len(s.Tools) == 0:
		r.add(skill.ReasonInvalid, 0, "the skill says nothing: no description, no instructions, no tools",
			"write a description and what to do below it")
	default:
		r.result.Usable = true
		r.finishBody()
	}
	if len(r.result.Diagnostics) > 1 {
		skill.SortDiagnostics(r.result.Diagnostics)
	}
}

// failed reports whether an error was found so far.
func (r *reading) failed() bool {
	return slices.ContainsFunc(r.result.Diagnostics, func(d skill.Diagnostic) bool { return d.Severity == skill.Error })
}

func (r *reading) finishDescription() {
	s := &r.result.Skill
	if s.Description.IsBlank() {
		prose := firstProse(s.Body.Raw())
		s.Description = skill.NewText(prose)
		if s.Format != "" && prose != "" {
			r.add(skill.DescriptionMissing, 0, "no description is declared; the first line of prose stands in: "+quoted(prose),
				"add a description that says what the skill does and when to use it")
		} else if s.Format != "" {
			r.add(skill.DescriptionMissing, 0, "no description is declared",
				"add a description that says what the skill does and when to use it")
		}
		return
	}
	limit, text := r.parser.rules.Limits.DescriptionChars, s.Description.Raw()
	if limit <= 0 || len(text) <= limit {
		return
	}
	if count := utf8.RuneCountInString(text); count > limit {
		by := r.owner[fieldDescription]
		r.result.Diagnostics = append(r.result.Diagnostics, skill.DescriptionLong.New(by.file, by.line,
			fmt.Sprintf("the description has %d characters; the standard allows %d", count, limit),
			"move detail into the instructions"))
	}
}

func (r *reading) finishBody() {
	s := &r.result.Skill
	if s.Body.IsBlank() && len(s.Prompts) == 0 {
		r.add(skill.BodyMissing, 0, "the skill has no instructions", "write in "+r.parser.markdownName()+" what to do")
	}
	factor, declared := r.parser.rules.Limits.BudgetFactor, s.Activation.MaxContextTokens
	if factor > 0 && declared > 0 && s.Tokens > factor*declared {
		by := r.owner[fieldActivation]
		r.result.Diagnostics = append(r.result.Diagnostics, skill.LimitExceeded.New(by.file, by.line,
			fmt.Sprintf("the instructions have about %d tokens; the limit is %d, %d times max_context_tokens", s.Tokens, factor*declared, factor),
			"shorten them, or raise max_context_tokens"))
	}
}
