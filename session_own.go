package knack

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/hostname"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/toolbox/command"
	"github.com/knackhq/knack/internal/toolbox/web"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// The kinds of tools that skills bring along.
const (
	kindShell = "shell"
	kindHTTP  = "http"
)

// own is a tool that a skill brings along.
type own struct {
	tool  tool.Tool
	entry *skill.Entry
	decl  *skill.ToolDecl
}

// ownTools are the tools that a skill brings along, under the names by which a
// model calls them.
func (s *Session) ownTools(e *skill.Entry) []own {
	var out []own
	names := s.own[s.listed(e.Name)]
	for i := range e.Tools {
		if i < len(names) {
			out = append(out, own{tool: s.ownTool(e, &e.Tools[i], names[i]), entry: e, decl: &e.Tools[i]})
		}
	}
	return out
}

func (s *Session) ownTool(e *skill.Entry, decl *skill.ToolDecl, name string) tool.Tool {
	var requests web.Options
	var commands command.Options
	if s.box != nil { // else the embedder runs it, and what it is can be told all the same
		requests, commands = s.box.web(), s.box.commands()
	}
	switch decl.Kind {
	case kindHTTP:
		return web.Skill(requests, s.engine.httpTool(e, decl, name))
	case kindShell:
		return command.Skill(commands, s.engine.shellTool(e, decl, name))
	}
	said := s.engine.renderer.Described(decl.Description)
	return command.Unsupported(command.SkillTool{Name: name, Skill: e.Name, Description: said}, decl.Kind)
}

// httpTool is a declared tool of that kind, called by this name.
func (e *Engine) httpTool(entry *skill.Entry, decl *skill.ToolDecl, name string) web.SkillTool {
	said := e.renderer.Described
	t := web.SkillTool{Name: name, Skill: entry.Name, Description: said(decl.Description), Method: decl.Method, URL: decl.URL}
	for _, a := range decl.Args {
		t.Args = append(t.Args, web.Arg{Name: a.Name, Description: said(a.Description)})
	}
	return t
}

// shellTool is a declared tool of that kind, called by this name.
func (e *Engine) shellTool(entry *skill.Entry, decl *skill.ToolDecl, name string) command.SkillTool {
	said := e.renderer.Described
	t := command.SkillTool{Name: name, Skill: entry.Name, Description: said(decl.Description), Command: decl.Command, Dir: entry.Path}
	for _, a := range decl.Args {
		t.Args = append(t.Args, command.Arg{Name: a.Name, Description: said(a.Description), Dash: a.Dash})
	}
	return t
}

// ownGrants adds what grants mean for a skill's own tools: a declared name stands
// for the name it is called by, who may use the shell may run what the author
// wrote, and who may make any request may make the author's. A declared name that
// some tool is called by stands for that tool alone: called tells.
func ownGrants(grants []policy.Grant, tools []own, called func(name string) bool) []policy.Grant {
	out := slices.Clone(grants)
	for _, g := range grants {
		name, arguments := policy.Canonical(g.Tool)
		for _, o := range tools {
			declared := g.Tool == o.decl.Name && !policy.Dialect(g.Tool) && !called(g.Tool)
			wider := name == "shell" || o.decl.Kind == kindHTTP && name == "http_request"
			if arguments == "" && (declared || wider) {
				out = append(out, policy.Grant{Tool: o.tool.Spec().Name, Net: g.Net})
			}
		}
	}
	return out
}

// called reports whether a tool is called by a name, be it of the embedder, of the
// toolbox or of any skill.
func (s *Session) called(name string) bool {
	if slices.ContainsFunc(s.opt.Tools, func(t tool.Spec) bool { return t.Name == name }) {
		return true
	}
	for _, names := range s.own {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// manifestHost is the host of a skill's http tool, if it is one of the public
// internet: what is not has to be granted.
func manifestHost(decl *skill.ToolDecl) []string {
	return slices.DeleteFunc(hostOf(decl.URL), func(host string) bool {
		h, err := hostname.Parse(host)
		return err != nil || h.Private()
	})
}

// hostOf is the host of an address with its port, as grants name it; none of what
// is no address.
func hostOf(address string) []string {
	u, err := egress.ParseURL(address)
	if err != nil {
		return nil
	}
	h, err := hostname.Parse(egress.Target(u))
	if err != nil {
		return nil
	}
	return []string{h.String()}
}

// SkillToolName is a tool that a skill declares, and the name it is called by.
type SkillToolName struct {
	Declared string `json:"declared"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// SkillTools lists the tools that a ready skill brings along, by its exact name.
func (s *Session) SkillTools(name string) []SkillToolName {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []SkillToolName
	if e := s.listed(name); e != nil {
		for i, called := range s.own[e] {
			out = append(out, SkillToolName{Declared: e.Tools[i].Name, Name: called, Kind: e.Tools[i].Kind})
		}
	}
	return out
}

// IsToolName reports whether a name, with or without arguments, is one by which
// some tool goes in some dialect, or a skill's or a server's could.
func IsToolName(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	return policy.Dialect(name) || strings.HasPrefix(name, ownPrefix) || strings.HasPrefix(name, "mcp__")
}
