package prompt

import "strings"

// row is a skill of an index, and what became of it.
type row struct {
	Item
	name        string // one line
	description string // sound, as long as it is
	brief       string // the same in one line
	path        string // one line, as the model is shown it
	left, short bool
}

// list is one index in the making.
type list struct {
	*Renderer
	in   *Input
	rows []*row // all that the model may know of, in the order of the input
	max  limits
}

func (r *Renderer) newList(in *Input) *list {
	l := &list{Renderer: r, in: in, max: r.limits(in)}
	all := make([]row, 0, len(in.Index))
	for _, item := range in.Index {
		if s := item.Skill; !s.Invocation.ModelDisabled {
			text := sound(s.Description.Raw())
			all = append(all, row{
				Item: item, name: single(s.Name), description: text, brief: line(text), path: single(r.place(item.where(in), in)),
			})
			l.rows = append(l.rows, &all[len(all)-1])
		}
	}
	return l
}

// names lists the skills to which something happened.
func (l *list) names(which func(*row) bool) []string {
	out := []string{}
	for _, row := range l.rows {
		if which(row) {
			out = append(out, row.Skill.Name)
		}
	}
	return out
}

// leave marks rows that are not in the index.
func leave(rows []*row) {
	for _, row := range rows {
		row.left = true
	}
}

// number keeps the bound on how many skills there are.
func (m limits) number(rows []*row) []*row {
	if m.skills >= 0 && len(rows) > m.skills {
		return rows[:m.skills]
	}
	return rows
}

// leading renders as many of the first rows as fit.
func (l *list) leading(render func([]*row) string) string {
	if len(l.rows) == 0 {
		return l.ifFits(l.text("empty"))
	}
	n, text := len(l.max.number(l.rows)), ""
	if n > 0 {
		text = render(l.rows[:n])
	}
	if !l.max.hold(text) {
		n = most(0, n-1, func(n int) bool { return n == 0 || l.max.hold(render(l.rows[:n])) })
		if text = ""; n > 0 {
			text = render(l.rows[:n])
		}
	}
	leave(l.rows[n:])
	return l.noted(text)
}

func (l *list) ifFits(text string) string {
	if l.max.hold(text) {
		return text
	}
	return ""
}

// note is what the input wants to stand in front of the index.
func (l *list) note() string { return l.tags.neutral(strings.TrimFunc(sound(l.in.Note), space)) }

// noted puts the note in front if there is room.
func (l *list) noted(text string) string {
	if note := l.note(); note != "" && text != "" && l.max.hold(note+"\n"+text) {
		return note + "\n" + text
	}
	return text
}

// element writes a value in its tag on one indented line.
func element(b *strings.Builder, indent, tag, value string) {
	for _, part := range [...]string{indent, "<", tag, ">", value, "</", tag, ">\n"} {
		b.WriteString(part)
	}
}

// summary writes what every skill of an XML index has: name, description, path.
func (l *list) summary(b *strings.Builder, row *row, path string) {
	element(b, "    ", "name", escapeXML(l.Renderer, row.name))
	element(b, "    ", "description", escapeXML(l.Renderer, row.description))
	element(b, "    ", "location", escapeXML(l.Renderer, path))
}

func summaries(l *list) string {
	return l.leading(func(rows []*row) string {
		var b strings.Builder
		b.WriteString(l.text("summaries"))
		b.WriteString("<available_skills>\n")
		for _, row := range rows {
			b.WriteString("  <skill>\n")
			l.summary(&b, row, row.path)
			b.WriteString("  </skill>\n")
		}
		b.WriteString("</available_skills>")
		return b.String()
	})
}

// where is the path of the manifest. A skill that has none is looked for where
// it would be.
func (i *Item) where(in *Input) string {
	if i.Path == "" {
		return in.Workspace + "/skills/" + i.Skill.Name + "/SKILL.md"
	}
	return i.Path
}

// instructions shows whole skills, but of remote ones no more than a summary:
// nobody here has read what they say today. A skill whose text is in the prompt
// shows its absolute path, since nobody needs to open it.
func instructions(l *list) string {
	return l.leading(func(rows []*row) string {
		var b strings.Builder
		b.WriteString(l.text("instructions"))
		b.WriteString("<available_skills>\n")
		for _, row := range rows {
			b.WriteString("  <skill>\n")
			if row.Remote {
				l.summary(&b, row, row.path)
			} else {
				l.summary(&b, row, single(row.where(l.in)))
				l.whole(&b, row)
			}
			b.WriteString("  </skill>\n")
		}
		b.WriteString("</available_skills>")
		return b.String()
	})
}

// whole writes instructions and tools.
func (l *list) whole(b *strings.Builder, row *row) {
	if texts := l.instructions(row.Item); len(texts) > 0 {
		b.WriteString("    <instructions>\n")
		for _, text := range texts {
			element(b, "      ", "instruction", text)
		}
		b.WriteString("    </instructions>\n")
	}
	if tools := row.Skill.Tools; len(tools) > 0 {
		b.WriteString("    <tools>\n")
		for _, tool := range tools {
			b.WriteString("      <tool>\n")
			element(b, "        ", "name", escapeXML(l.Renderer, single(tool.Name)))
			element(b, "        ", "description", escapeXML(l.Renderer, sound(tool.Description.Raw())))
			element(b, "        ", "kind", escapeXML(l.Renderer, single(tool.Kind)))
			b.WriteString("      </tool>\n")
		}
		b.WriteString("    </tools>\n")
	}
}

func triggers(l *list) string {
	return l.leading(func(rows []*row) string {
		var b strings.Builder
		b.WriteString(l.text("triggers"))
		b.WriteString("<available_skills>\n")
		for _, row := range rows {
			b.WriteString(`  <skill name="` + l.attribute(row.name))
			b.WriteString(`" triggers="` + l.attribute(strings.Join(row.Skill.Triggers, ", ")) + "\">\n")
			b.WriteString("    " + l.escape(l.Renderer, row.brief) + "\n  </skill>\n")
		}
		b.WriteString("</available_skills>")
		return b.String()
	})
}

// lines is the standard's reference format: every tag and every value on a line
// of its own.
func lines(l *list) string {
	return l.leading(func(rows []*row) string {
		var b strings.Builder
		b.WriteString(l.text("lines"))
		b.WriteString("<available_skills>\n")
		for _, row := range rows {
			b.WriteString("<skill>\n")
			for _, v := range [...][2]string{
				{"name", row.name}, {"description", row.description}, {"location", row.path},
			} {
				b.WriteString("<" + v[0] + ">\n" + escapeHTML(l.Renderer, v[1]) + "\n</" + v[0] + ">\n")
			}
			b.WriteString("</skill>\n")
		}
		b.WriteString("</available_skills>")
		return b.String()
	})
}
