package config

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// unfollowed tells what of a host's file stands for something else: other files,
// and the values of variables. Its own program puts them in before it reads on;
// here only directories and secrets have the values of their variables.
func (l *loader) unfollowed(at layer, doc *tree.Node) {
	if at.syntax.include == "" {
		return
	}
	var first string // of the keys that are not Knack's
	line, more := 0, 0
	walk(nil, doc, func(path []string, n *tree.Node, from int) (deeper bool) {
		if path[len(path)-1] == at.syntax.include {
			l.say(skill.ConfigUnknownKey, at, from, FormatKey(path)+": the files that it names are not read, so what they set does not count",
				"write what skills need into this file, or into knack's own configuration")
			return false
		}
		name := variableIn(n)
		if name == "" {
			return true
		}
		switch info, canonical, how := lookup(path); {
		case how == leaf && (info.Type == Directory || info.Type == Directories) || how == leaf && info.refers && fromTemplate(n) != n:
		case how == leaf:
			at := at
			at.mild = true
			l.say(skill.ConfigBadValue, at, n.Line, FormatKey(l.named(canonical))+": ${"+name+"} is not replaced by the value of that variable",
				"write the value itself, or set the key in knack's own configuration")
		case first == "":
			first, line = FormatKey(path)+": ${"+name+"}", n.Line
		default:
			more++
		}
		return true
	})
	if first == "" {
		return
	}
	first += " is replaced only where a directory is named; for requires.config it is a text that is set"
	if more > 0 {
		first += fmt.Sprintf(" (so are %d more)", more)
	}
	at.advice = true
	l.say(skill.ConfigBadValue, at, line, first, "")
}

// walk visits the keys and the texts below a table; from is the line of the key
// that leads there. The items of a list have its path.
func walk(path []string, n *tree.Node, visit func(path []string, n *tree.Node, from int) (deeper bool)) {
	for _, m := range n.Map {
		path := append(path[:len(path):len(path)], m.Key)
		if visit(path, m.Value, m.Line) {
			walk(path, m.Value, visit)
		}
	}
	for _, item := range n.List {
		if item.Kind == tree.String {
			visit(path, item, item.Line)
		} else {
			walk(path, item, visit)
		}
	}
}

// variableIn is the first variable that a text names as ${NAME}; $${NAME} is
// the text itself.
func variableIn(n *tree.Node) string {
	if n.Kind != tree.String {
		return ""
	}
	for rest := n.Text; ; {
		before, after, found := strings.Cut(rest, "${")
		if !found {
			return ""
		}
		name, _, closed := strings.Cut(after, "}")
		if closed && !strings.HasSuffix(before, "$") && isVariable(strings.TrimLeft(name, "_")) {
			return name
		}
		rest = after
	}
}

// expand puts in the values of the variables that a path names, as $NAME or
// ${NAME}. missing is the first that is not set.
func expand(path string, vars []string) (expanded, missing string) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(path, "$")
		b.WriteString(before)
		if !found {
			return b.String(), missing
		}
		if rest, escaped := strings.CutPrefix(after, "${"); escaped {
			b.WriteString("${")
			path = rest
			continue
		}
		name, rest := variableOf(after)
		if name == "" {
			b.WriteByte('$')
			path = after
			continue
		}
		value, ok := environ.Lookup(vars, name, runtime.GOOS)
		if (!ok || value == "") && missing == "" {
			missing = name
		}
		b.WriteString(value)
		path = rest
	}
}

// variableOf takes NAME or {NAME} off a text; the name is empty if it has none.
func variableOf(text string) (name, rest string) {
	inner, braced := strings.CutPrefix(text, "{")
	end := strings.IndexFunc(inner, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end < 0 {
		end = len(inner)
	}
	name, rest = inner[:end], inner[end:]
	if braced {
		if rest, braced = strings.CutPrefix(rest, "}"); !braced {
			return "", text
		}
	}
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return "", text
	}
	return name, rest
}
