package knack

import (
	"context"
	"fmt"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Dispatch is a slash command that goes straight to a tool.
type Dispatch struct {
	Tool    string `json:"tool"`
	Command string `json:"command"` // the arguments as they were typed
	Name    string `json:"commandName"`
	Skill   string `json:"skillName"`
}

// End is how a dispatched command ended.
type End int

// The ends of a dispatch.
const (
	Answered End = iota // the tool answered
	NoTool              // there is no such tool
	Refused             // it was not allowed to run
)

// Reply is what the user is told of a dispatch: text is what the tool answered,
// or why it did not run.
func (s *Session) Reply(d *Dispatch, end End, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commands.Reply(&session.Dispatch{Tool: d.Tool}, session.DispatchEnd(end), text)
}

// refusal says why a command does not go to its tool; "" if it does. The skill
// chose the tool, so it may be called as if the skill were active.
func (s *Session) refusal(ctx context.Context, d *session.Dispatch) string {
	members, err := s.withSkill(ctx, d.Input.SkillName)
	if err != nil {
		return s.commands.Reply(d, session.ToolRefused, err.Error())
	}
	wanted, _ := policy.Canonical(d.Tool)
	for _, t := range s.decide(ctx, members) {
		if called, _ := policy.Canonical(t.Tool.Name); called != wanted || t.Tool.Skill != "" && t.Tool.Name != d.Tool {
			continue
		}
		switch {
		case !t.Allowed:
			return s.commands.Reply(d, session.ToolRefused, t.Reason.Message+"; "+t.Reason.Hint)
		case !t.May(d.Input.Command):
			return s.commands.Reply(d, session.ToolRefused, "it may not be called with these arguments")
		}
		return ""
	}
	if s.opt.Tools == nil { // there is nothing to decide about
		return ""
	}
	return s.commands.Reply(d, session.ToolMissing, "")
}

// withSkill are the active skills with one more, as if it were active.
func (s *Session) withSkill(ctx context.Context, name string) ([]session.Member, error) {
	members := s.active.Members()
	if s.active.Has(name) {
		return members, nil
	}
	listed := s.listed(name)
	if listed == nil {
		return nil, fmt.Errorf("there is no usable skill named %s any more", wording.Quote(wording.Name(name)))
	}
	whole, err := s.loader()(ctx, listed)
	if err != nil {
		return nil, err
	}
	return append(members, session.Member{Entry: whole, Reason: session.Slash}), nil
}

// SlashCommand is a command that a skill can be called by.
type SlashCommand struct {
	Name        string     `json:"name"` // without the slash
	Skill       string     `json:"skill"`
	Description skill.Text `json:"description"`
}

// Commands lists the slash commands of usable skills.
func (s *Session) Commands() []SlashCommand {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []SlashCommand
	for _, c := range s.commands.Commands() {
		if c.Entry != nil {
			out = append(out, SlashCommand{Name: c.Name, Skill: c.Entry.Name, Description: c.Entry.Description})
		}
	}
	return out
}
