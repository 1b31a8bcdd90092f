package knack

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/knackhq/knack/tool"
)

// SkillTool is the tool by which a model activates and deactivates skills. Its
// answer is in words; what changes is the prompt.
func (s *Session) SkillTool() tool.Tool { return skillTool{s} }

type skillTool struct{ session *Session }

// skillSchema is what a model writes.
const skillSchema = `{"type":"object","properties":{"skill":{"type":"string","description":"the exact name of the skill"},"action":{"type":"string","enum":["activate","deactivate"],"description":"activate if left out"}},"required":["skill"]}`

func (skillTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "Skill", Schema: json.RawMessage(skillSchema),
		Description: "Activate a skill so that its instructions are in force, or deactivate it when it is no longer needed.",
	}
}

func (t skillTool) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	args := struct{ Skill, Action string }{}
	if err := json.Unmarshal(arguments, &args); err != nil || strings.TrimSpace(args.Skill) == "" {
		return tool.Result{Failed: true, Text: `Skill needs the name of a skill, such as {"skill": "auto-coder"}`}, nil
	}
	var answers []Answer
	switch args.Action {
	case "", "activate":
		answers = t.session.Activate(ctx, args.Skill, ByModel)
	case "deactivate":
		answers = []Answer{t.session.Deactivate(args.Skill)}
	default:
		return tool.Result{Failed: true, Text: `the action of Skill is "activate" or "deactivate"`}, nil
	}
	var texts []string
	for _, a := range answers {
		texts = append(texts, a.Message)
	}
	return tool.Result{Text: strings.Join(texts, "\n"), Failed: !answers[0].OK}, ctx.Err()
}
