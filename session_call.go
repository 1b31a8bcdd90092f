package knack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/toolbox"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// Caller is who wants a tool to be called.
type Caller string

// The callers.
const (
	CalledByModel Caller = "model"
	CalledByUser  Caller = "user"  // by name, with these arguments
	CalledBySlash Caller = "slash" // by a command that a skill sends to a tool
)

// Call is a call of a tool.
type Call struct {
	// Tool is its name, or that which another dialect has for it.
	Tool      string
	Arguments json.RawMessage
	Caller    Caller // empty is CalledByModel
	// Skill is the skill that sends a slash command to the tool, and Typed what the
	// user typed behind it, which takes the place of Arguments.
	Skill string
	Typed string
}

// Preview is what would become of a call.
type Preview struct {
	Tool tool.Spec `json:"tool"`
	// Verdict is allowed, asked or denied, and Why the reason. Hint says what the
	// user can do about a denial.
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
	Hint    string `json:"hint,omitempty"`
	// Plan is what it would do.
	Plan tool.Plan `json:"plan"`
	// Hosts may be reached, and every public one if Anywhere.
	Hosts    []string `json:"hosts"`
	Anywhere bool     `json:"anywhere,omitempty"`
	// Contained tells that it runs only where files and network are contained.
	Contained bool `json:"contained"`
}

// ErrNoToolbox is what a session without a toolbox answers to a call.
var ErrNoToolbox = errors.New("knack: the session has no toolbox")

// Preview says what would become of a call, without making it. An error is for
// calls that make no sense.
func (s *Session) Preview(ctx context.Context, call Call) (Preview, error) {
	a, err := s.assess(ctx, call)
	if err != nil {
		return Preview{}, err
	}
	return Preview{
		Tool: a.decision.Tool, Verdict: string(a.verdict), Why: a.why, Hint: a.hint, Plan: a.plan,
		Hosts: nonNil(slices.Clone(a.terms.Hosts)), Anywhere: a.terms.Anywhere, Contained: a.terms.Contained,
	}, nil
}

// Call calls a tool: policy decides whether it may be called, the user is asked
// where that is needed, what it runs is contained, and the audit log has it. What
// a model can recover from is a result that failed; an error is for the rest. A
// result that comes with one was made, and only its record is not whole.
func (s *Session) Call(ctx context.Context, call Call) (tool.Result, error) {
	result, _, err := s.call(ctx, call)
	return result, err
}

// call is [Session.Call]; made tells whether the tool was called.
func (s *Session) call(ctx context.Context, call Call) (result tool.Result, made bool, err error) {
	a, err := s.assess(ctx, call)
	if unusable := (*callError)(nil); errors.As(err, &unusable) {
		if a != nil { // which tool is meant is known, and that it was tried is worth knowing
			err = s.box.log.Begin(a.record(toolbox.NewID(), s.engine.opt.Now(), s.secrets()))
			return tool.Result{Failed: true, Text: unusable.text}, false, err
		}
		return tool.Result{Failed: true, Text: unusable.text}, false, nil
	}
	if err == nil && a.verdict != toolbox.Allowed {
		a, err = s.consent(ctx, a)
	}
	if err != nil {
		return tool.Result{}, false, err
	}
	record := a.record(toolbox.NewID(), s.engine.opt.Now(), s.secrets())
	if err := s.box.log.Begin(record); err != nil {
		return tool.Result{}, false, err
	}
	if a.verdict == toolbox.Denied {
		return tool.Result{Failed: true, Text: a.refusal()}, false, nil
	}
	result, err = a.tool.Run(a.terms.With(ctx), a.call.Arguments)
	result.Text = s.secrets().Known(result.Text)
	end := tool.RecordEnd{Time: s.engine.opt.Now(), Failed: result.Failed || err != nil, Bytes: len(result.Text)}
	if result.Sandbox != nil {
		end.Layer = result.Sandbox.Layer
	}
	if err != nil {
		end.Error = s.secrets().Text(err.Error())
	}
	return result, true, errors.Join(err, s.box.log.Finish(record.ID, end)) // it was made, whatever becomes of its record
}

// Dispatch calls the tool that a slash command goes to, as [Session.Read] told,
// and answers with what the user is told. The skill chose the tool, so it is called as
// if the skill were active.
func (s *Session) Dispatch(ctx context.Context, d *Dispatch) (tool.Result, error) {
	result, made, err := s.call(ctx, Call{Tool: d.Tool, Caller: CalledBySlash, Skill: d.Skill, Typed: d.Command})
	if err != nil && !made {
		return tool.Result{}, err
	}
	end := Refused
	if made {
		end = Answered
	}
	result.Text = s.Reply(d, end, result.Text)
	return result, err
}

// asTyped are the arguments of a tool that is given what the user typed as it is,
// under the name that is meant for that: the command of a shell, the only thing
// that another tool needs.
func asTyped(spec tool.Spec, typed string) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	_ = json.Unmarshal(spec.Schema, &schema) // a tool without a schema takes what it gets
	name := "input"
	for _, candidate := range append(append([]string{"command"}, schema.Required...), "args") {
		if _, has := schema.Properties[candidate]; has {
			name = candidate
			break
		}
	}
	data, _ := json.Marshal(map[string]string{name: typed}) // texts always marshal
	return data
}

// membersOf are the skills that count for a call: the active ones, and the one that
// sends a slash command to a tool.
func (s *Session) membersOf(ctx context.Context, call Call) ([]session.Member, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call.Skill == "" {
		return s.active.Members(), nil
	}
	return s.withSkill(ctx, call.Skill)
}

// specs describes tools.
func specs(tools []tool.Tool) []tool.Spec {
	out := make([]tool.Spec, len(tools))
	for i, t := range tools {
		out[i] = t.Spec()
	}
	return out
}

// Redact leaves out of a text what is known to be secret: what the configuration
// keeps, and what the environment has under the name of a secret.
func (s *Session) Redact(text string) string { return s.secrets().Known(text) }

// distinct refuses two tools of one name: what is decided about one would hold for
// the other. Names that begin like those of skills' tools are theirs.
func distinct(specs []tool.Spec) error {
	seen := map[string]bool{}
	for _, spec := range specs {
		if seen[spec.Name] || strings.HasPrefix(spec.Name, ownPrefix) && !slices.Contains(ownTools[:], spec.Name) {
			return fmt.Errorf("knack: a tool cannot be named %s: another one is, or could be", wording.Quote(spec.Name))
		}
		seen[spec.Name] = true
	}
	return nil
}

// ownPrefix begins the names of the tools that skills bring along.
const ownPrefix = "skill_"

// ownTools are Knack's own that begin so.
var ownTools = [...]string{"skill_search", "skill_show"}
