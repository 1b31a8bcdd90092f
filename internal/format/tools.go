package format

import (
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// The kinds of tools that can be run.
const (
	toolShell = "shell"
	toolHTTP  = "http"
)

// tools reads [[tools]].
func (r *reading) tools(m *tree.Member) {
	if r.kind == inManifestTOML {
		r.strayValue(&place{key: m.Key}, m.Value)
		r.report(skill.ToolsDeprecated, m.Line,
			"[["+m.Key+"]] in "+r.file+" is deprecated and ignored", "declare permissions, or move the tools to SKILL.toml")
		return
	}
	if m.Value.Kind != tree.List {
		r.wrongShape(&place{key: m.Key}, m.Value, "one [["+m.Key+"]] table for each tool")
		return
	}
	s, top := r.skill(), &place{key: m.Key}
	for i, n := range m.Value.List {
		at := &place{up: top, index: i}
		tool, problem, hint := r.tool(at, n)
		if problem != "" {
			r.report(skill.ToolInvalid, n.Line, at.text()+": "+problem+", so the tool is left out", hint)
			continue
		}
		s.Tools = append(s.Tools, tool)
		if r.places != nil {
			r.places.tools = append(r.places.tools, owner{r.file, n.Line})
		}
	}
}

// ToolPlace is where a tool is declared.
type ToolPlace struct {
	File string
	Line int
}

// ToolPlaces tells of each tool of the skill that [Parser.Parse] makes of these
// sources where it is declared.
func (p *Parser) ToolPlaces(slug string, sources []Source) []ToolPlace {
	var places fieldPlaces
	p.parse(slug, sources, &places)
	var out []ToolPlace
	for _, at := range places.tools {
		out = append(out, ToolPlace{at.file, at.line})
	}
	return out
}

// tool reads one tool, or says what it lacks and how to mend it.
func (r *reading) tool(at *place, n *tree.Node) (tool skill.ToolDecl, problem, hint string) {
	if n.Kind != tree.Map {
		return tool, "it is " + shape(n), "write a table with name, description, kind and command or url"
	}
	for i := range n.Map {
		r.toolKey(&place{up: at, key: n.Map[i].Key}, &n.Map[i], &tool)
	}
	if tool.Name == "" {
		return tool, "it has no name", `add name = "run_checks"`
	}
	switch tool.Kind {
	case "":
		return tool, quoted(tool.Name) + " has no kind", `add kind = "shell" or kind = "http"`
	case toolShell:
		if tool.Command == "" {
			return tool, quoted(tool.Name) + " has no command", `add command = "./scripts/check.sh"`
		}
	case toolHTTP:
		problem, hint = httpTool(&tool)
		return tool, problem, hint
	default:
		r.report(skill.ValueInvalid, n.Line, at.text()+": tools of kind "+quoted(tool.Kind)+" cannot run",
			"only shell and http can")
	}
	return tool, "", ""
}

func (r *reading) toolKey(at *place, m *tree.Member, tool *skill.ToolDecl) {
	if m.Key == "args" {
		tool.Args = r.toolArgs(at, m.Value)
		return
	}
	var text *string
	switch m.Key {
	case "name":
		text = &tool.Name
	case "kind":
		text = &tool.Kind
	case "command":
		text = &tool.Command
	case "method":
		text = &tool.Method
	case "url":
		text = &tool.URL
	case "description":
		value, ok := m.Value.Scalar()
		if !ok {
			r.wrongShape(at, m.Value, "a text")
		}
		tool.Description = skill.NewText(value)
		return
	default:
		r.ignore(at, m, "")
		return
	}
	value, ok := m.Value.Scalar()
	if !ok {
		r.wrongShape(at, m.Value, "a text")
	}
	if *text = value; m.Key == "kind" {
		*text = strings.ToLower(value)
	}
}

// httpTool completes a tool of kind http: the address may stand in command, and
// the method is GET unless another is named.
func httpTool(tool *skill.ToolDecl) (problem, hint string) {
	if tool.URL == "" {
		tool.URL, tool.Command = tool.Command, ""
	}
	switch tool.Method = strings.ToUpper(tool.Method); tool.Method {
	case "":
		tool.Method = "GET"
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS":
	default:
		return quoted(tool.Name) + " has the method " + quoted(tool.Method), `write method = "GET" or another of HTTP`
	}
	switch {
	case tool.URL == "":
		return quoted(tool.Name) + " has no url", `add url = "https://example.com/"`
	case !isWebAddress(tool.URL):
		return quoted(tool.Name) + " has the url " + quoted(tool.URL), "write an http or https address whose host is fixed"
	}
	return "", ""
}

// toolArgs reads arguments: a table from name to description, or to a table that
// also says whether a value may begin with a dash, or a list of such tables.
func (r *reading) toolArgs(at *place, n *tree.Node) []skill.ToolArg {
	var args []skill.ToolArg
	switch n.Kind {
	case tree.Map:
		for _, m := range n.Map {
			text, ok := m.Value.Scalar()
			if !ok {
				text, _ = m.Value.Get("description").Scalar()
			}
			dash, _ := m.Value.Get("dash").Bool()
			args = append(args, skill.ToolArg{Name: m.Key, Description: skill.NewText(text), Dash: dash})
		}
	case tree.List:
		for i, item := range n.List {
			name, ok := item.Scalar()
			if !ok {
				name = textUnder(item, "name")
			}
			if name == "" {
				r.wrongShape(&place{up: at, index: i}, item, "a table with name and description")
				continue
			}
			dash, _ := item.Get("dash").Bool()
			args = append(args, skill.ToolArg{Name: name, Description: skill.NewText(textUnder(item, "description")), Dash: dash})
		}
	default:
		r.wrongShape(at, n, "a table from name to description")
	}
	return args
}

// prompts reads texts, or tables with a content.
func (r *reading) prompts(m *tree.Member) {
	top := &place{key: m.Key}
	if r.kind == inManifestTOML {
		r.ignore(top, m, "move it to SKILL.toml")
		return
	}
	list := []*tree.Node{m.Value}
	if m.Value.Kind == tree.List {
		list = m.Value.List
	}
	for i, n := range list {
		text := n
		if n.Kind == tree.Map {
			r.strayValue(&place{up: top, index: i}, n)
			text = n.Get("content")
		}
		if !text.IsScalar() {
			r.wrongShape(&place{up: top, index: i}, n, `a text, or [[prompts]] with content = "…"`)
			continue
		}
		if s := r.skill(); !isBlank(text.Text) {
			s.Prompts = append(s.Prompts, skill.NewText(text.Text))
		}
	}
}

// recipes reads [[install_recipes]].
func (r *reading) recipes(m *tree.Member) {
	at := &place{key: m.Key}
	if r.kind == inManifestTOML {
		r.ignore(at, m, "move it to SKILL.toml")
		return
	}
	s := r.skill()
	s.Recipes = append(s.Recipes, r.parser.installers(r, at, m)...)
}
