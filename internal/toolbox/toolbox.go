// Package toolbox is what stands between a call and a tool: the names that a
// tool goes by, whether somebody has to be asked, and the record of what was
// done. Every surface calls tools this way.
//
// # Whether to ask
//
// [Judge] answers for one call: it is allowed, to be asked about, or denied. What
// policy refuses is denied, whoever calls. Of the rest, nobody is asked about
// what only reads, what the user granted, what a trusted skill's allowed-tools
// approve, what the user calls by hand, and what the user allowed before in this
// session. There is one exception: a skill that is not trusted may turn a slash
// command into a command of the shell, and what it makes of it is always asked
// about, for the user typed something else.
//
// # The audit log
//
// [Log] is a file to which calls are added, one JSON object on each line: what
// is called is written before it runs, how it ended afterwards. A call that
// cannot be written down is not made. Secrets are left out by [Redactor].
//
// The tools themselves are in packages of their own: files, command, web,
// calculator.
package toolbox

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// Find returns the tool of a name: its own, or that of another dialect. A skill's
// tool goes by its own name alone.
func Find(tools []tool.Tool, name string) tool.Tool {
	for _, t := range tools {
		if t.Spec().Name == name {
			return t
		}
	}
	wanted, _ := policy.Canonical(name)
	for _, t := range tools {
		if s := t.Spec(); s.Skill == "" && s.Name == wanted {
			return t
		}
	}
	return nil
}

// Unknown says that there is no such tool, and which one may have been meant.
// needs tells of tools that lack their configuration what that is.
func Unknown(tools []tool.Tool, name string, needs map[string]string) string {
	text := "there is no tool named " + wording.Quote(wording.Name(name))
	canonical, _ := policy.Canonical(name)
	if need, ok := needs[canonical]; ok {
		return text + " here: " + need
	}
	var names []string
	for _, t := range tools {
		names = append(names, t.Spec().Name)
	}
	slices.Sort(names)
	if meant := near.Best(name, names); meant != "" {
		return text + "; did you mean " + meant + "?"
	}
	return text + "; there are " + strings.Join(names, ", ")
}
