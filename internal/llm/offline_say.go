package llm

import (
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

const (
	// noModel begins every answer.
	noModel = "offline: this is no language model; it shows what the loop does."
	// howToConfigure ends the first of a conversation.
	howToConfigure = "To use a language model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name one: " +
		"`knack config set llm.provider anthropic`, or for Ollama and other servers `knack config set llm.provider openai` " +
		"with `llm.base_url` (http://localhost:11434/v1) and `llm.name`."
	// mostLines of a result are shown, and mostBytes: two screens of text, no more
	// of one endless line.
	mostLines = 40
	mostBytes = 16 << 10
	// mostSuggested skills are named: more is a list, and knack list prints that.
	mostSuggested = 5
)

// say is the answer: what was done and what came of it, or what could be typed.
func (t *lastTurn) say(p offlinePlan) string {
	parts := []string{noModel}
	acted, tools := map[string]bool{}, 0
	for _, c := range t.done {
		if name, active, ok := c.activation(); ok {
			acted[name] = true
			parts = append(parts, t.sayActivation(c, name, active))
			continue
		}
		tools++
		parts = append(parts, sayCall(c))
	}
	for _, name := range p.chosen {
		switch {
		case acted[name]:
		case t.inForce[name]:
			parts = append(parts, "Skill "+wording.Name(name)+" fits; its instructions are in force already.")
		default:
			parts = append(parts, "Skill "+wording.Name(name)+" fits, but no tool is there to activate it.")
		}
	}
	switch {
	case len(t.done) >= mostPlanned:
		parts = append(parts, fmt.Sprintf("That were %d calls, the most for one message.", mostPlanned))
	case tools > 0:
	case len(parts) > 1:
		parts = append(parts, "No further tool was called: a language model would go on from here, with these instructions.")
	default:
		parts = append(parts, "Nothing that can be called fits this message.")
	}
	if tools == 0 {
		parts = append(parts, t.sayTypable(p))
	}
	if !t.told {
		parts = append(parts, howToConfigure)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

func (t *lastTurn) sayActivation(c doneCall, name string, active bool) string {
	head := "Skill " + wording.Name(name) + " was chosen; its instructions are in force."
	switch {
	case c.result.Failed:
		head = "Skill " + wording.Name(name) + " was chosen, but that failed."
	case !active:
		head = "Skill " + wording.Name(name) + " is no longer in force."
	}
	return head + "\n" + inFence(c.result.Text)
}

func sayCall(c doneCall) string {
	head := "Called `" + wording.Name(c.Tool) + "` with `" + wording.Name(string(c.Arguments)) + "`"
	switch {
	case c.result == nil:
		return head + "; no answer came."
	case c.result.Failed:
		head += ", which failed"
	}
	return head + ":\n" + inFence(c.result.Text)
}

// sayTypable tells what would be understood, of what there is.
func (t *lastTurn) sayTypable(p offlinePlan) string {
	out := []string{}
	if len(p.suggest) > 0 {
		shown := p.suggest[:min(len(p.suggest), mostSuggested)]
		out = append(out, "Skills that may fit: "+namesIn(shown)+". `Skill skill="+wording.Name(shown[0])+"` activates the first.")
	}
	out = append(out, "What is understood: a request that the description of a skill fits; a tool by its name, as `TOOL key=value`")
	for _, example := range [...]struct{ tool, text string }{
		{calculatorTool, "a sum, such as `17.5% of 2340`"},
		{readTool, "`read FILE`"},
	} {
		if _, ok := t.spec(example.tool); ok {
			out[len(out)-1] += "; " + example.text
		}
	}
	out[len(out)-1] += "."
	return strings.Join(out, "\n")
}

// inFence shows a text as it is. No line of it can end the block.
func inFence(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	left := len(lines) - mostLines
	if left > 0 {
		lines = lines[:mostLines]
	}
	shown := strings.Join(lines, "\n")
	cut := ""
	if len(shown) > mostBytes {
		shown, cut = strings.ToValidUTF8(shown[:mostBytes], ""), "\n… it goes on"
	} else if left > 0 {
		cut = fmt.Sprintf("\n… and %d more lines", left)
	}
	fence := "```"
	for strings.Contains(shown, fence) {
		fence += "`"
	}
	return fence + "\n" + shown + "\n" + fence + cut
}
