package format

import (
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

func (r *reading) argumentHint(m *tree.Member) {
	if hint := &r.skill().Invocation.ArgumentHint; hint.IsZero() {
		var b strings.Builder
		asWritten(&b, m.Value)
		*hint = skill.NewText(strings.TrimSpace(b.String()))
	}
}

// asWritten turns what YAML took for a list or map back into text: the hint
// [file] is no data.
func asWritten(b *strings.Builder, n *tree.Node) {
	switch {
	case n == nil:
	case n.Kind == tree.List:
		b.WriteByte('[')
		for i, item := range n.List {
			if i > 0 {
				b.WriteString(", ")
			}
			asWritten(b, item)
		}
		b.WriteByte(']')
	case n.Kind == tree.Map:
		b.WriteByte('{')
		for i, member := range n.Map {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(member.Key)
			if !isEmpty(member.Value) {
				b.WriteString(": ")
				asWritten(b, member.Value)
			}
		}
		b.WriteByte('}')
	default:
		b.WriteString(n.Text)
	}
}

func (r *reading) userInvocable(m *tree.Member) {
	value, ok := m.Value.Bool()
	if !ok {
		r.wrongShape(&place{key: m.Key}, m.Value, "true or false")
		return
	}
	if r.owner[fieldUserInvocable].file == "" {
		r.owner[fieldUserInvocable] = owner{r.file, m.Line}
		r.skill().Invocation.UserDisabled = !value
	}
}

// modelInvocation restricts: any manifest may switch the model off, and a value
// that nobody can read does.
func (r *reading) modelInvocation(m *tree.Member) {
	value, ok := m.Value.Bool()
	if !ok {
		r.report(skill.ValueInvalid, m.Line,
			m.Key+" is "+shape(m.Value)+"; to be safe it counts as true", "write true or false")
	}
	if value || !ok {
		r.skill().Invocation.ModelDisabled = true
	}
}

func (r *reading) dispatch(m *tree.Member) {
	text, _ := m.Value.Scalar()
	if r.command.Kind = strings.ToLower(text); r.command.Kind != dispatchTool {
		r.wrongShape(&place{key: m.Key}, m.Value, dispatchTool+"; nothing else is known")
		r.command.Kind = ""
	}
}

func (r *reading) dispatchTool(m *tree.Member) {
	text, ok := m.Value.Scalar()
	if !ok {
		r.wrongShape(&place{key: m.Key}, m.Value, "the name of a tool")
	}
	r.command.Tool = text
}

func (r *reading) dispatchMode(m *tree.Member) {
	if text, _ := m.Value.Scalar(); strings.ToLower(text) != dispatchRaw {
		r.wrongShape(&place{key: m.Key}, m.Value, dispatchRaw+"; nothing else is known")
	}
}

// The only values that command-dispatch and command-arg-mode have.
const (
	dispatchTool = "tool"
	dispatchRaw  = "raw"
)

// endDispatch makes one whole of the command-* keys of a map.
func (r *reading) endDispatch(s *slots) {
	switch kind, tool := s.member[fieldDispatch], s.member[fieldDispatchTool]; {
	case kind == nil && tool != nil:
		r.report(skill.KeyIgnored, tool.Line, tool.Key+" has no effect without command-dispatch",
			"add command-dispatch: "+dispatchTool)
	case r.command.Kind != "" && r.command.Tool == "":
		r.report(skill.ValueInvalid, kind.Line, kind.Key+" has no effect: no tool is named", "add command-tool: NAME")
	case r.command.Kind != "" && r.skill().Dispatch.Kind == "":
		r.command.ArgMode = dispatchRaw
		r.skill().Dispatch = r.command
	}
}
