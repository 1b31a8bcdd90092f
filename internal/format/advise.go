package format

import (
	"fmt"
	"path"
	"strings"

	"github.com/knackhq/knack/skill"
)

// What good practice advises at most: above it a skill fires where it should
// not, or crowds out the conversation.
const (
	adviceKeywords = 10
	adviceTokens   = 2000
)

// Advise returns hints of good practice for a skill that was loaded whole.
func Advise(s *skill.Skill) []skill.Diagnostic {
	var advice []skill.Diagnostic
	file := markdownFile(s)
	if s.Name != s.Slug && s.Slug != "" {
		advice = append(advice, skill.NameDiffers.New(file, 0,
			"the name "+quoted(s.Name)+" is not the folder's name "+quoted(s.Slug),
			"the standard wants them equal: rename one of them"))
	}
	if n := len(s.Activation.Keywords); n >= adviceKeywords {
		advice = append(advice, skill.AdviceKeywords.New(file, 0,
			fmt.Sprintf("the skill has %d keywords; with %d or more it fires where it should not", n, adviceKeywords),
			"keep the words that only its users write"))
	}
	if s.Tokens > adviceTokens {
		advice = append(advice, skill.AdviceTokens.New(file, 0,
			fmt.Sprintf("the instructions have about %d tokens; %d are advised", s.Tokens, adviceTokens),
			"move detail into files that the instructions refer to"))
	}
	if len(s.Tools) == 0 && hasToolSection(s.Body.Raw()) {
		advice = append(advice, skill.AdviceSections.New(file, 0,
			`the section "## Tools" is prose for the model; it declares no tools`,
			"tools that can be called are declared in SKILL.toml as [[tools]]"))
	}
	return advice
}

// markdownFile is the file that the instructions came from.
func markdownFile(s *skill.Skill) string {
	for _, m := range s.Manifests {
		if path.Ext(strings.ToLower(m.File)) == ".md" {
			return m.File
		}
	}
	return ""
}

func hasToolSection(body string) bool {
	for lines := (markdownLines{rest: body}); lines.next(); {
		if rest, ok := strings.CutPrefix(lines.line, "## "); ok && strings.EqualFold(strings.Trim(rest, " \t#:"), "tools") {
			return true
		}
	}
	return false
}
