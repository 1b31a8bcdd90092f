package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/wording"
)

// Remark is something about a tool that its author should look at.
type Remark struct{ Message, Hint string }

// mostRemarks is as much as anybody reads of one command.
const mostRemarks = 20

// Each is compiled when it is first needed: few runs look at a command.
var (
	braces    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`) })
	plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_][\pL\pN_-]*$`) })
	shifts    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bshift\b`) })
)

// Remarks tell what a command and its arguments do not share: placeholders that
// no argument is named, and arguments that no place of the command takes. A
// command that [Check] refuses has none.
func Remarks(t SkillTool) []Remark {
	declared := t.Args
	if len(t.Args) == 0 {
		t.Args = []Arg{undeclared}
	}
	src, err := parse(t)
	if err != nil {
		return nil
	}
	out := src.strangers(t.Args)
	// Where the shell has $1 be one after the other, each is taken.
	if src.appends() || src.all || src.counted || len(src.positional) > 0 && shifts().MatchString(src.text) {
		return out
	}
	for i, arg := range declared {
		if len(out) == mostRemarks {
			break
		}
		if !src.takes(i, arg.Name) {
			out = append(out, Remark{
				"no place of the command takes the argument " + wording.Quote(wording.Name(arg.Name)) + "; it is in the variable " + wording.Name(variable(arg.Name)) + " only",
				"write {{" + wording.Name(arg.Name) + "}} where it belongs, or leave the argument out",
			})
		}
	}
	return out
}

// takes reports whether a place of the command takes this argument.
func (s *source) takes(argument int, name string) bool {
	return s.positional[argument] ||
		slices.ContainsFunc(s.places, func(p place) bool { return p.argument == argument }) ||
		s.named && strings.Contains(s.text, variable(name))
}

// strangers are the placeholders that no argument is named. Double braces are also
// how the templates of other programs look, as in docker ps --format
// '{{range .}}{{end}}': next to those, only a misspelt name is one.
func (s *source) strangers(args []Arg) []Remark {
	var known, odd []string
	seen := map[string]bool{}
	for _, arg := range args {
		known, seen[arg.Name] = append(known, arg.Name), true
	}
	template := false
	for _, found := range braces().FindAllStringSubmatch(s.text, -1) {
		name := found[1]
		switch {
		case seen[name]:
		case !plainName().MatchString(name):
			template = true
		case len(odd) < mostRemarks:
			odd, seen[name] = append(odd, name), true
		}
	}
	var out []Remark
	for _, name := range odd {
		meant := near.Best(name, known)
		shown := wording.Name(name)
		hint := "declare it: args = { " + shown + " = \"what it is\" }"
		if meant != "" {
			hint = "did you mean {{" + wording.Name(meant) + "}}?"
		} else if template {
			continue
		}
		out = append(out, Remark{"{{" + shown + "}} names no declared argument, so it stays as it is", hint})
	}
	return out
}
