package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/skill"
)

// finish completes the skill when its manifests are read.
func (r *reading) finish() {
	s := &r.result.Skill
	gone := r.dropped // there is nothing more to say about such a skill
	r.identify()
	if s.Version == "" {
		s.Version = r.parser.rules.DefaultVersion
	}
	s.Tokens = s.Body.Tokens()
	for _, prompt := range s.Prompts {
		s.Tokens += prompt.Tokens()
	}
	r.file, _, _ = strings.Cut(s.Format, "+")
	if !gone {
		r.finishDescription()
	}
	switch {
	case gone:
	case s.Format == "" && !r.failed():
		r.add(skill.NoManifest, 0, "the folder has none of the files that a skill is made of",
			"add a file "+r.parser.markdownName())
	case s.Format == "" && r.parser.full != nil: // the host's words suffice
	case s.Format == "":
		r.add(skill.ReasonInvalid, 0, "none of the skill's files could be read", "mend the errors reported beside this")
	case r.saysNothing():
		r.add(skill.ReasonInvalid, 0, "the skill says nothing: no description, no instructions, no tools",
			"write a description and what to do below it")
	default:
		r.finishBody()
		r.result.Usable = !r.dropped
	}
	if len(r.result.Diagnostics) > 1 {
		skill.SortDiagnostics(r.result.Diagnostics)
	}
}

// failed reports whether an error was found so far.
func (r *reading) failed() bool {
	return slices.ContainsFunc(r.result.Diagnostics, func(d skill.Diagnostic) bool { return d.Severity == skill.Error })
}

// saysNothing reports a skill that is of no use to anybody. What another host
// needs of a skill its rules require.
func (r *reading) saysNothing() bool {
	s := &r.result.Skill
	return r.parser.full == nil && s.Description.IsBlank() && s.Body.IsBlank() && len(s.Prompts) == 0 && len(s.Tools) == 0
}

const describeHint = "add a description that says what the skill does and when to use it"

func (r *reading) finishDescription() {
	s := &r.result.Skill
	if s.Description.IsBlank() {
		r.describe()
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

// describe gives a description to a skill that declares none.
func (r *reading) describe() {
	s := &r.result.Skill
	if r.parser.required[needDescription] {
		if s.Description = (skill.Text{}); s.Format != "" {
			r.lacks(needDescription, skill.DescriptionMissing, describeHint)
		}
		return
	}
	prose := r.parser.describe(s.Body.Raw())
	s.Description = skill.NewText(prose)
	switch {
	case s.Format == "":
	case prose != "":
		r.add(skill.DescriptionMissing, 0, "no description is declared; the first line of prose stands in: "+quoted(prose), describeHint)
	default:
		s.Description = skill.NewText(r.parser.rules.DefaultDescription)
		r.add(skill.DescriptionMissing, 0, "no description is declared", describeHint)
	}
}

func (r *reading) finishBody() {
	s := &r.result.Skill
	if s.Body.IsBlank() && len(s.Prompts) == 0 {
		if hint := "write in " + r.parser.markdownName() + " what to do"; r.parser.required[needBody] {
			r.lacks(needBody, skill.BodyMissing, hint)
		} else {
			r.add(skill.BodyMissing, 0, "the skill has no instructions", hint)
		}
	}
	r.finishBudget()
}

// finishBudget compares the instructions with the tokens that they may take.
func (r *reading) finishBudget() {
	s, limits := &r.result.Skill, &r.parser.rules.Limits
	declared, by := &s.Activation.MaxContextTokens, r.owner[fieldActivation]
	if by.file == "" {
		by.file = r.file
		*declared = max(*declared, limits.DefaultBudget)
	}
	bytes := s.Body.Len()
	for _, prompt := range s.Prompts {
		bytes += prompt.Len()
	}
	tokens, most := bytes/4, limits.BudgetFactor**declared
	if most <= 0 || tokens <= most {
		return
	}
	message := fmt.Sprintf("the instructions have about %d tokens; the limit is %d, %d times max_context_tokens", s.Tokens, most, limits.BudgetFactor)
	r.file = by.file
	if hint := "shorten them, or raise max_context_tokens"; r.parser.hasWords("budget") {
		r.drop(skill.LimitExceeded, by.line, r.parser.words("budget", strconv.Itoa(tokens), message), hint)
	} else {
		r.add(skill.LimitExceeded, by.line, message, hint)
	}
}
