package knack

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

// SkillTool is the tool by which a model activates and deactivates skills. Its
// answer is in words; what changes is the prompt.
func (s *Session) SkillTool() tool.Tool { return skillTool{s} }

type skillTool struct{ session *Session }

// skillForm is what a model writes.
var skillForm = arguments.Form{
	Fields: []arguments.Field{
		{Name: "skill", Required: true, Filled: true, Help: "the exact name of the skill"},
		{Name: "action", Of: []string{"activate", "deactivate"}, Help: "activate if left out"},
	},
	Example: `{"skill": "auto-coder"}`,
}

func (skillTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "Skill", Schema: skillForm.Schema(),
		Description: "Activate a skill so that its instructions are in force, or deactivate it when it is no longer needed.",
	}
}

func (t skillTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := skillForm.Read("Skill", raw)
	if err != nil {
		return tool.Result{Failed: true, Text: "Skill needs the name of a skill, and may be told an action: " + err.Error()}, nil
	}
	var answers []Answer
	if name := given.Text("skill"); given.Text("action") == "deactivate" {
		answers = []Answer{t.session.deactivateByModel(name)}
	} else {
		answers = t.session.Activate(ctx, name, ByModel)
	}
	var texts []string
	for _, a := range answers {
		texts = append(texts, a.Message)
	}
	return tool.Result{Text: strings.Join(texts, "\n"), Failed: !answers[0].OK}, ctx.Err()
}
