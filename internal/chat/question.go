package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/markdown"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// consents are the answers to a question, besides no.
var consents = [...]struct {
	key   string
	gives knack.Consent
	text  string // what follows the key
}{
	{"o", knack.Once, "nce"},
	{"s", knack.ForSession, "ession"},
	{"g", knack.ByGrant, "rant"},
}

// consent is what a key answers, if it answers anything.
func consent(q knack.Question, key string) (knack.Consent, bool) {
	for _, c := range consents {
		if c.key == key && slices.Contains(q.Choices, c.gives) {
			return c.gives, true
		}
	}
	return knack.Refuse, key == "n" || key == "esc"
}

// Asker says who wants what.
func Asker(q knack.Question) string {
	who := "the model wants to call "
	switch {
	case q.Skill != "":
		who = term.Clean(q.Skill) + " wants to call "
	case q.Caller == knack.CalledByUser:
		who = "you want to call "
	}
	return who + term.Clean(q.Tool.Name)
}

// Rows are what a user has to know about a call to answer for it, with labels.
func Rows(q knack.Question) [][2]string {
	p := q.Plan
	rows := [][2]string{{"command", term.Exact(p.Command)}, {"request", term.Exact(p.Request)}, {"folder", term.Exact(p.Dir)}}
	if p.Command == "" && p.Request == "" {
		rows = append(rows, [2]string{"about", term.Exact(p.Subject)})
	}
	rows = append(rows, [2]string{"content", term.Exact(p.Content)})
	for _, path := range p.Write {
		rows = append(rows, [2]string{"may write", term.Exact(path)})
	}
	rows = append(rows, [2]string{"variables", term.Exact(strings.Join(p.Env, ", "))})
	if p.Command != "" || p.Request != "" || q.Anywhere || len(q.Hosts) > 0 {
		rows = append(rows, [2]string{"hosts", reach(q)})
	}
	rows = append(rows, sandboxRows(p.Sandbox)...)
	rows = append(rows, [2]string{"why asked", term.Exact(q.Why)})
	if len(q.Active) > 0 {
		rows = append(rows, [2]string{"skills", term.Exact(strings.Join(q.Active, ", "))})
	}
	for _, name := range slices.Sorted(maps.Keys(q.Grants)) {
		rows = append(rows, [2]string{"a grant is", term.Exact(grantCommand(name, q.Grants[name]))})
	}
	rows = append(rows, [2]string{"with it go", term.Exact(strings.Join(q.GrantEnv, ", "))})
	return slices.DeleteFunc(rows, func(row [2]string) bool { return row[1] == "" })
}

func reach(q knack.Question) string {
	hosts := term.Exact(strings.Join(q.Hosts, ", "))
	switch {
	case q.Anywhere && hosts != "":
		return "any public one, and " + hosts
	case q.Anywhere:
		return "any public one"
	case hosts == "":
		return "none"
	}
	return hosts
}

func sandboxRows(s *tool.Sandbox) [][2]string {
	if s == nil {
		return nil
	}
	rows := [][2]string{{"layer", s.Layer}, {"files", s.Files}, {"network", s.Network}, {"processes", s.Processes}, {"weak", strings.Join(s.Weak, ", ")}}
	return slices.DeleteFunc(rows, func(row [2]string) bool { return row[1] == "" })
}

// grantCommand is what a user would type to grant the same.
func grantCommand(skill string, g knack.Grant) string {
	words := []string{"knack grant", wording.ShellWord(skill), wording.ShellWord(g.Tool)}
	for _, host := range g.Net {
		words = append(words, "--net", wording.ShellWord(host))
	}
	return strings.Join(words, " ")
}

// labelWidth is that of the longest label, and two spaces.
const labelWidth = 12

// proseRows are those that may be broken at words. Of all others every space
// counts.
var proseRows = []string{"files", "network", "processes", "weak", "why asked"}

// questionLines are the body of the panel.
func questionLines(q knack.Question, width int) []markdown.Line {
	lines := wrapped(markdown.Strong, Asker(q), width)
	for _, row := range Rows(q) {
		style, lay := markdown.Style(0), folded
		switch row[0] {
		case "command", "request":
			style = markdown.Code
		case "weak":
			style = warn
		}
		if slices.Contains(proseRows, row[0]) {
			lay = wrapped
		}
		label := markdown.Span{Text: fmt.Sprintf("%-*s", labelWidth, row[0]), Style: dim}
		if width < 3*labelWidth {
			lines = append(lines, markdown.Line{label})
			lines = append(lines, before(markdown.Span{Text: "  "}, lay(style, row[1], width-2))...)
			continue
		}
		lines = append(lines, before(label, lay(style, row[1], width-labelWidth))...)
	}
	return lines
}

// questionKeys tell which key answers what.
func questionKeys(q knack.Question) markdown.Line {
	var line markdown.Line
	for _, c := range consents {
		if slices.Contains(q.Choices, c.gives) {
			line = append(line, markdown.Span{Text: "[" + c.key + "]", Style: warn | markdown.Strong}, markdown.Span{Text: c.text + "  "})
		}
	}
	return append(line, markdown.Span{Text: "[n]", Style: warn | markdown.Strong}, markdown.Span{Text: "o"})
}
