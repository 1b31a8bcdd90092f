package prompt

import (
	"strings"

	"github.com/knackhq/knack/internal/strategy"
)

// place says which path of a file the model is shown.
type place func(path string, in *Input) string

var places = []strategy.Named[place]{
	{Name: "absolute", Do: func(path string, _ *Input) string { return path }},
	{Name: "home", Do: func(path string, in *Input) string {
		if rest, ok := below(in.Home, path); ok {
			return "~/" + rest
		}
		return path
	}},
	{Name: "workspace", Do: func(path string, in *Input) string {
		if rest, ok := below(in.Workspace, path); ok {
			return rest
		}
		return path
	}},
}

// below cuts the folder off a path that lies in it. Both may have the separators
// of any system, since a skill may lie on another machine.
func below(dir, path string) (string, bool) {
	dir = strings.TrimRight(dir, `/\`)
	rest, ok := strings.CutPrefix(path, dir)
	if dir == "" || !ok || rest == "" || rest[0] != '/' && rest[0] != '\\' {
		return "", false
	}
	rest = strings.TrimLeft(rest, `/\`)
	return rest, rest != ""
}
