package knack

import (
	"path/filepath"
	"slices"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/toolbox/command"
	"github.com/knackhq/knack/internal/toolbox/web"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Advise returns what the author of an entry that was loaded whole wants to know
// beyond its diagnostics: hints of good practice, and what keeps its tools from
// running as they are meant.
func (e *Engine) Advise(entry *skill.Entry) []skill.Diagnostic {
	advice := slices.Concat(format.Advise(&entry.Skill), e.adviseTools(entry))
	for i := range advice {
		advice[i].File = filepath.Join(entry.Path, advice[i].File)
	}
	return advice
}

// adviseTools tells what is wrong with the tools that a skill brings along.
func (e *Engine) adviseTools(entry *skill.Entry) []skill.Diagnostic {
	if len(entry.Tools) == 0 {
		return nil
	}
	sources, _ := e.sources(entry) // files that are gone meanwhile have no lines
	places := e.parser.ToolPlaces(entry.Slug, sources)
	var out []skill.Diagnostic
	for i := range entry.Tools {
		var at format.ToolPlace
		if i < len(places) {
			at = places[i]
		}
		for _, d := range e.adviseTool(entry, &entry.Tools[i]) {
			d.File, d.Line = at.File, at.Line
			out = append(out, d)
		}
	}
	return out
}

// adviseTool tells what is wrong with one tool; where it stands is not known here.
func (e *Engine) adviseTool(entry *skill.Entry, decl *skill.ToolDecl) []skill.Diagnostic {
	switch decl.Kind {
	case kindHTTP:
		if err := web.Check(e.httpTool(entry, decl, decl.Name)); err != nil {
			return []skill.Diagnostic{skill.ToolRefused.New("", 0, err.Error(), "")}
		}
	case kindShell:
		t := e.shellTool(entry, decl, decl.Name)
		if err := command.Check(t); err != nil {
			return []skill.Diagnostic{skill.ToolRefused.New("", 0, "the tool "+wording.Name(decl.Name)+" cannot be called: "+err.Error(), "")}
		}
		var out []skill.Diagnostic
		for _, r := range command.Remarks(t) {
			out = append(out, skill.ToolArgument.New("", 0, "the tool "+wording.Name(decl.Name)+": "+r.Message, r.Hint))
		}
		return out
	}
	return nil
}
