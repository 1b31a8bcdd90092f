package prompt

import (
	"strconv"
	"strings"

	"github.com/knackhq/knack/skill"
)

// body is a strategy that makes the instructions of one active skill.
type body struct {
	tags   []string
	render func(*Renderer, Item) string
	// first names the wording that stands before them; between, a blank line
	// unless it is set, stands between two; last at the end.
	first, between, last string
}

// bodies renders the active skills.
func (r *Renderer) bodies(items []Item) string {
	between := r.body.between
	if between == "" {
		between = "\n\n"
	}
	var blocks []string
	for _, item := range items {
		if block := r.body.render(r, item); block != "" {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 {
		return ""
	}
	return r.text(r.body.first) + strings.Join(blocks, between) + r.body.last
}

// instructions are what a skill tells the model, in pieces, escaped.
func (r *Renderer) instructions(item Item) []string {
	var texts []string
	for _, text := range append(item.Skill.Prompts[:len(item.Skill.Prompts):len(item.Skill.Prompts)], item.Skill.Body) {
		if !text.IsBlank() {
			texts = append(texts, strings.Trim(sound(text.Raw()), "\n"))
		}
	}
	texts = substitute(texts, item)
	for i, text := range texts {
		texts[i] = r.escape(r, sound(text))
	}
	return texts
}

// whole is the same in one piece. No tag can come about where two meet: no name
// goes over a blank line, and no bracket is left at an end.
func (r *Renderer) whole(item Item) string {
	return strings.Join(r.instructions(item), "\n\n")
}

// open writes the tag that begins a skill, with attributes by pairs.
func (r *Renderer) open(tag string, attributes ...string) string {
	var b strings.Builder
	b.WriteString("<" + tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		b.WriteString(" " + attributes[i] + `="` + r.attribute(attributes[i+1]) + `"`)
	}
	b.WriteString(">\n")
	return b.String()
}

// standing is the trust that a prompt shows: whatever is not known to be trusted
// is not.
func standing(s *skill.Skill) skill.Trust {
	if s.Trust == skill.Trusted {
		return skill.Trusted
	}
	return skill.Installed
}

func active(r *Renderer, item Item) string {
	return r.open("active_skill", "name", item.Skill.Name) + r.whole(item) + "\n</active_skill>"
}

// wrapped says behind instructions from elsewhere what they are worth.
func wrapped(r *Renderer, item Item) string {
	s := item.Skill
	text := r.open("skill", "name", s.Name, "version", s.Version, "trust", string(standing(s))) + r.whole(item)
	if note := r.text("installed"); note != "" && standing(s) != skill.Trusted {
		text += "\n\n" + note
	}
	return text + "\n</skill>"
}

func content(r *Renderer, item Item) string {
	var b strings.Builder
	b.WriteString(r.open("skill_content", "name", item.Skill.Name))
	b.WriteString(r.whole(item) + "\n")
	b.WriteString(r.directory(item))
	if shown, _ := files(item); len(shown) > 0 {
		b.WriteString("\n<skill_resources>\n")
		for _, file := range shown {
			element(&b, "  ", "file", escapeXML(r, file))
		}
		b.WriteString("</skill_resources>\n")
	}
	b.WriteString("</skill_content>")
	return b.String()
}

// directory says where the skill lies, after a blank line.
func (r *Renderer) directory(item Item) string {
	text := r.text("directory", "dir", r.escape(r, single(item.Dir)))
	if item.Dir == "" || text == "" {
		return ""
	}
	return "\n" + text + "\n"
}

// mostFiles is how many files of a skill are listed: of 1,258 published skills all
// but four have no more, and a model that needs another one can look.
const mostFiles = 50

// files are the skill's files and how many more there are.
func files(item Item) ([]string, int) {
	var shown []string
	for _, file := range item.Skill.Resources[:min(mostFiles, len(item.Skill.Resources))] {
		shown = append(shown, single(file.Path))
	}
	return shown, len(item.Skill.Resources) - len(shown)
}

// annotated says before instructions from elsewhere what they are worth, and
// behind all instructions what they can make use of.
func annotated(r *Renderer, item Item) string {
	s := item.Skill
	attributes := []string{"name", s.Name, "version", s.Version, "trust", string(standing(s))}
	if s.Version == "" {
		attributes = append(attributes[:2], attributes[4:]...)
	}
	var b strings.Builder
	b.WriteString(r.open("skill_instructions", attributes...))
	if note := r.text("installed"); note != "" && standing(s) != skill.Trusted {
		b.WriteString(note + "\n\n")
	}
	b.WriteString(r.whole(item) + "\n")
	b.WriteString(r.directory(item))
	if shown, more := files(item); len(shown) > 0 {
		b.WriteString("\n<skill_files>\n" + r.text("files"))
		for _, file := range shown {
			b.WriteString("- " + r.tags.neutral(file) + "\n")
		}
		if more > 0 {
			b.WriteString(r.text("more_files", "more", strconv.Itoa(more)))
		}
		b.WriteString("</skill_files>\n")
	}
	if tools := r.tools(item); tools != "" {
		b.WriteString("\n<skill_tools>\n" + r.text("tools") + tools + "</skill_tools>\n")
	}
	b.WriteString("</skill_instructions>")
	return b.String()
}

// tools lists those that can be called, by the names under which they can.
func (r *Renderer) tools(item Item) string {
	var b strings.Builder
	for i, name := range item.Tools {
		if i >= len(item.Skill.Tools) || name == "" {
			continue
		}
		b.WriteString("- " + r.tags.neutral(single(name)))
		if description := line(item.Skill.Tools[i].Description.Raw()); description != "" {
			b.WriteString(": " + r.tags.neutral(description))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// longestDescription is what providers of models take for a tool's.
const longestDescription = 1024

// Described makes what a skill says of its tool, or of an argument, fit for the
// list of tools that a model is given.
func (r *Renderer) Described(text skill.Text) string {
	return shorten(r.elements.neutral(line(text.Raw())), longestDescription)
}

// longestReference keeps one on a line.
const longestReference = 512

// reference points to the instructions that a slash command asked for. Those of
// other skills the model has found by itself.
func reference(r *Renderer, item Item) string {
	if !item.Slash {
		return ""
	}
	text := "- " + single(item.Skill.Name)
	if item.Path != "" {
		text += " (SKILL.md: " + single(item.Path) + ")"
	}
	return r.tags.neutral(cut(text, longestReference))
}
