package knack

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// ShowTool is the tool by which a model looks at a skill before it activates it:
// what it is for, how far it is trusted, what it brings along and needs, and why it
// cannot be used if so. Instructions are not shown: those come with activation,
// and with what that takes away.
func (s *Session) ShowTool() tool.Tool { return showTool{s} }

type showTool struct{ session *Session }

// showForm is what a model writes.
var showForm = arguments.Form{
	Fields:  []arguments.Field{{Name: "skill", Required: true, Filled: true, Help: "the name of the skill"}},
	Example: `{"skill": "auto-coder"}`,
}

func (showTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "skill_show", Schema: showForm.Schema(), Effects: tool.Effects{Read: true},
		Description: "Show what is known of a skill: description, trust, tools, files, requirements, and why it cannot be used. Its instructions come with activating it.",
	}
}

// mostFiles are listed: enough for what people put together by hand.
const mostFiles = 100

// shown is the answer. JSON writes < and > as escapes, so that no text of a skill
// can close or forge a tag of the prompt.
type shown struct {
	Name        string       `json:"name"`
	Description skill.Text   `json:"description"`
	Version     string       `json:"version,omitempty"`
	Author      string       `json:"author,omitempty"`
	Trust       skill.Trust  `json:"trust"`
	Status      skill.Status `json:"status"`
	Active      bool         `json:"active"`
	// Lingering tells that a model deactivated it and it takes tools away all the
	// same.
	Lingering     bool               `json:"lingering,omitempty"`
	Why           []skill.Reason     `json:"why,omitempty"`
	Tokens        int                `json:"tokens"`
	Tags          []string           `json:"tags,omitempty"`
	Compatibility skill.Text         `json:"compatibility,omitzero"`
	Requires      skill.Requirements `json:"requires,omitzero"`
	Permissions   []string           `json:"permissions,omitempty"`
	Companions    []string           `json:"companions,omitempty"`
	Tools         []shownTool        `json:"tools,omitempty"`
	Files         []string           `json:"files,omitempty"`
	MoreFiles     int                `json:"more_files,omitempty"`
}

// shownTool is a tool that the skill brings along; Name is what it is called by,
// empty for a skill that cannot be used.
type shownTool struct {
	Name        string     `json:"name,omitempty"`
	Declared    string     `json:"declared"`
	Kind        string     `json:"kind"`
	Description skill.Text `json:"description"`
}

func (t showTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := showForm.Read("skill_show", raw)
	if err != nil {
		return tool.Result{Failed: true, Text: "skill_show needs the name of a skill: " + err.Error()}, nil
	}
	name := given.Text("skill")
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	// Names that are near are not told: some of them a model is not to know.
	listed, err := s.snap.Find(name)
	switch {
	case err != nil:
		return tool.Result{Failed: true, Text: "there is no one skill named " + wording.Quote(wording.Name(name)) + "; skill_search finds skills by what they do"}, nil
	case listed.Invocation.ModelDisabled:
		return tool.Result{Failed: true, Text: "skill " + wording.Name(listed.Name) + " can only be started by the user, with its slash command"}, nil
	}
	text, err := json.Marshal(s.show(ctx, listed))
	if err == nil {
		err = ctx.Err()
	}
	return tool.Result{Text: string(text)}, err
}

// show is what a model is told of a skill. One that cannot be read whole is shown
// as it is listed.
func (s *Session) show(ctx context.Context, listed *skill.Entry) shown {
	e, names := listed, s.own[listed]
	if listed.Status == skill.Ready {
		if whole, err := s.loader()(ctx, listed); err == nil {
			e = whole
		}
	}
	out := shown{
		Name: e.Name, Description: e.Description, Version: e.Version, Author: e.Author, Trust: e.Trust, Status: e.Status,
		Active: s.active.Has(e.Name), Lingering: slices.ContainsFunc(s.lingering, func(m session.Member) bool { return m.Entry.Name == e.Name }), Why: e.Reasons, Tokens: e.Tokens, Tags: e.Tags, Compatibility: e.Compatibility,
		Requires: e.Requires, Permissions: e.Permissions, Companions: e.Companions,
	}
	for i, decl := range e.Tools {
		declared := shownTool{Declared: decl.Name, Kind: decl.Kind, Description: decl.Description}
		if i < len(names) {
			declared.Name = names[i]
		}
		out.Tools = append(out.Tools, declared)
	}
	for _, m := range e.Manifests {
		out.Files = append(out.Files, m.File)
	}
	for _, r := range e.Resources {
		out.Files = append(out.Files, r.Path)
	}
	if n := len(out.Files); n > mostFiles {
		out.Files, out.MoreFiles = out.Files[:mostFiles], n-mostFiles
	}
	return out
}
