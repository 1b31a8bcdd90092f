package files

import (
	"path"
	"slices"
	"strings"
)

const (
	// mostAlternatives is how many patterns one with braces may stand for.
	mostAlternatives = 64
	// longestPattern is beyond what anybody writes.
	longestPattern = 512
	// mostPatternNames bounds what one name of a path is compared with.
	mostPatternNames = 1000
)

// anyDepth stands for any number of folders, none included.
const anyDepth = "**"

// glob is a pattern of paths, as alternatives of names. A path is matched name by
// name, keeping all states that it could be in, so that the cost is that of the
// pattern times that of the path, however many ** there are.
type glob struct {
	alternatives [][]string
	// folders tells that it ends in a slash: it is of folders.
	folders bool
	// states is how many there are; those of an alternative start at its offset.
	states  int
	offsets []int
}

// state is how much of an alternative has been matched.
type state struct{ alternative, names int }

// parseGlob reads a pattern.
func parseGlob(pattern string) (*glob, error) {
	if pattern == "" || len(pattern) > longestPattern || strings.ContainsRune(pattern, 0) {
		return nil, errPattern
	}
	expanded, err := braces(pattern)
	if err != nil {
		return nil, err
	}
	g := &glob{folders: strings.HasSuffix(pattern, "/")}
	for _, alternative := range expanded {
		var names []string
		for name := range strings.SplitSeq(alternative, "/") {
			switch {
			case name == "" || name == ".":
				continue
			case name == "..":
				return nil, errUp
			case name == anyDepth && len(names) > 0 && names[len(names)-1] == anyDepth:
				continue // once is as much
			}
			if _, err := path.Match(name, ""); err != nil {
				return nil, errPattern
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			g.alternatives = append(g.alternatives, names)
		}
	}
	for _, names := range g.alternatives {
		g.offsets = append(g.offsets, g.states)
		g.states += len(names) + 1
	}
	switch {
	case len(g.alternatives) == 0:
		return nil, errPattern
	case g.states > mostPatternNames:
		return nil, errAlternatives
	}
	return g, nil
}

// braces expands {a,b}. What is no such list stands for itself.
func braces(pattern string) ([]string, error) {
	done, todo := []string{}, []string{pattern}
	for len(todo) > 0 {
		if len(todo)+len(done) > mostAlternatives {
			return nil, errAlternatives
		}
		p := todo[0]
		todo = todo[1:]
		from, to, parts := firstList(p)
		if parts == nil {
			done = append(done, p)
			continue
		}
		if len(parts) > mostAlternatives {
			return nil, errAlternatives
		}
		var next []string
		for _, part := range parts {
			next = append(next, p[:from]+part+p[to:])
		}
		todo = append(next, todo...)
	}
	return done, nil
}

// firstList finds the first list in braces, and its parts.
func firstList(p string) (from, to int, parts []string) {
	var open []int   // the braces that are open
	var commas []int // those of the outermost one
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			open = append(open, i)
		case ',':
			if len(open) == 1 {
				commas = append(commas, i)
			}
		case '}':
			if len(open) == 0 {
				continue
			}
			if len(open) > 1 {
				open = open[:len(open)-1]
				continue
			}
			if len(commas) == 0 { // {a} is a name
				open = nil
				continue
			}
			at := open[0] + 1
			for _, comma := range append(commas, i) {
				parts = append(parts, p[at:comma])
				at = comma + 1
			}
			return open[0], i + 1, parts
		}
	}
	return 0, 0, nil
}

// start are the states before any name.
func (g *glob) start() []state {
	var out []state
	seen := make([]bool, g.states)
	for i := range g.alternatives {
		out = g.reach(out, state{i, 0}, seen)
	}
	return out
}

// reach adds a state, and those that need no name to get to from there.
func (g *glob) reach(states []state, s state, seen []bool) []state {
	names := g.alternatives[s.alternative]
	for at := g.offsets[s.alternative]; !seen[at+s.names]; s.names++ {
		seen[at+s.names] = true
		states = append(states, s)
		if s.names == len(names) || names[s.names] != anyDepth {
			break
		}
	}
	return states
}

// next are the states after another name.
func (g *glob) next(states []state, name string) []state {
	var out []state
	seen := make([]bool, g.states)
	for _, s := range states {
		names := g.alternatives[s.alternative]
		if s.names == len(names) {
			continue
		}
		if names[s.names] == anyDepth {
			out = g.reach(out, s, seen)
		} else if ok, err := path.Match(names[s.names], name); ok && err == nil {
			out = g.reach(out, state{s.alternative, s.names + 1}, seen)
		}
	}
	return out
}

// matched reports whether a state is the end of an alternative.
func (g *glob) matched(states []state) bool {
	return slices.ContainsFunc(states, func(s state) bool { return s.names == len(g.alternatives[s.alternative]) })
}

// names reports whether the pattern has a name in it as it is.
func (g *glob) names(name string) bool {
	return slices.ContainsFunc(g.alternatives, func(names []string) bool { return slices.Contains(names, name) })
}
