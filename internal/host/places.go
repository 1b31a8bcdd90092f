package host

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Places are what the names in a profile's paths stand for on this machine. A
// function that is nil knows nothing.
type Places struct {
	Workspace string // absolute; empty leaves the workspace's roots out
	Home      string // Knack's home
	UserHome  string
	Bundled   fs.FS
	// Getenv returns a variable of the process, "" if unset.
	Getenv func(name string) string
	// Texts returns what a setting holds: its text, or those of its list.
	Texts func(key string) []string
	// Truthy reports whether a setting is set and neither false, zero nor blank.
	Truthy func(key string) bool
	// Exists reports whether a path leads to anything, FirstLine how a file
	// starts; "" if it cannot be read.
	Exists    func(path string) bool
	FirstLine func(path string) string
}

// statePlace is the host's own home.
const statePlace = "state"

// alternatives are the patterns of a place that the profile names.
func (p *Profile) alternatives(name string) []string {
	if name == statePlace {
		return p.Config.Homes
	}
	return p.Places[name]
}

// chosen reports a pattern that is taken because somebody chose it, whether or
// not it leads anywhere yet: a variable, a setting, or the line of a file.
func chosen(pattern string) bool {
	name, isName := wholeName(pattern)
	return strings.HasPrefix(pattern, "$") || strings.HasPrefix(pattern, "file:") || isName && strings.Contains(name, ".")
}

// wholeName returns NAME of a pattern that is nothing but <NAME>.
func wholeName(pattern string) (string, bool) {
	name, ok := strings.CutPrefix(pattern, "<")
	if name, closed := strings.CutSuffix(name, ">"); ok && closed && !strings.ContainsAny(name, "<>") {
		return name, true
	}
	return "", false
}

// pick takes one of several alternatives, as the package comment says.
func (p *Profile) pick(at *Places, patterns []string) string {
	first := ""
	for _, pattern := range patterns {
		for _, value := range p.expand(at, pattern) {
			if chosen(pattern) || !filepath.IsAbs(value) || at.Exists != nil && at.Exists(value) {
				return value
			}
			if first == "" {
				first = value
			}
		}
	}
	return first
}

// expand returns what a pattern stands for; nothing if one of its names does
// not stand for anything.
func (p *Profile) expand(at *Places, pattern string) []string {
	if name, ok := wholeName(pattern); ok && strings.Contains(name, ".") {
		if at.Texts == nil {
			return nil
		}
		return at.Texts(name)
	}
	file, isFile := strings.CutPrefix(pattern, "file:")
	value, ok := p.fill(at, file)
	if !ok {
		return nil
	}
	if isFile {
		if at.FirstLine == nil {
			return nil
		}
		value = at.FirstLine(value)
		// It becomes part of a path, and must not lead anywhere else.
		if value != filepath.Base(value) || !filepath.IsLocal(value) {
			return nil
		}
	}
	return []string{value}
}

// fill replaces the names in a pattern.
func (p *Profile) fill(at *Places, pattern string) (string, bool) {
	var out strings.Builder
	rest := pattern
	if after, ok := strings.CutPrefix(rest, "~"); ok {
		out.WriteString(at.UserHome)
		rest = after
		if at.UserHome == "" {
			return "", false
		}
	}
	for rest != "" {
		before, name, after, ok := nextName(rest)
		out.WriteString(before)
		if rest = after; !ok {
			break
		}
		value := p.named(at, name)
		// Inside of a path a name is one part of it, and leads nowhere else.
		if value == "" || out.Len() > 0 && (value != filepath.Base(value) || !filepath.IsLocal(value)) {
			return "", false
		}
		out.WriteString(value)
	}
	value := out.String()
	if strings.ContainsRune(value, '/') {
		value = filepath.Clean(filepath.FromSlash(value))
	}
	return value, true
}

// nextName cuts a pattern around its first name, which keeps its sign.
func nextName(pattern string) (before, name, after string, ok bool) {
	i := strings.IndexAny(pattern, "<$")
	if i < 0 {
		return pattern, "", "", false
	}
	end := strings.IndexByte(pattern[i:], '>') + 1
	if pattern[i] == '$' {
		end = strings.IndexByte(pattern[i:]+"/", '/')
	}
	if end == 0 {
		return pattern, "", "", false
	}
	return pattern[:i], pattern[i : i+end], pattern[i+end:], true
}

// named is what a name with its sign stands for.
func (p *Profile) named(at *Places, name string) string {
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		if at.Getenv == nil {
			return ""
		}
		return at.typed(strings.TrimSpace(at.Getenv(variable)))
	}
	switch name {
	case "<ws>":
		return at.Workspace
	case "<home>":
		return at.Home
	}
	return p.pick(at, p.alternatives(strings.Trim(name, "<>")))
}

// typed makes a path absolute that somebody typed: with a leading ~, or from
// the workspace. A word without separators is no path.
func (at *Places) typed(value string) string {
	rest, home := strings.CutPrefix(value, "~")
	switch {
	case value == "":
		return ""
	case home && at.UserHome != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator):
		return filepath.Join(at.UserHome, rest)
	case filepath.IsAbs(value) || value == filepath.Base(value) && value != "." && value != "..":
		return value
	case at.Workspace != "":
		return filepath.Join(at.Workspace, value)
	}
	return value
}

// checkPlaces refuses names that stand for nothing, or for each other.
func (p *Profile) checkPlaces() error {
	patterns := slices.Concat(p.Config.Files, p.Config.Legacy, []string{p.Config.Home, p.Config.Local})
	for _, r := range p.Roots {
		patterns = append(patterns, r.Path, r.Within, r.Targets)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Places)) {
		if err := p.checkPlace(name, nil); err != nil {
			return err
		}
	}
	return p.checkNames(append(patterns, p.Config.Homes...), nil)
}

func (p *Profile) checkPlace(name string, seen []string) error {
	if slices.Contains(seen, name) {
		return fmt.Errorf("places stand for each other: %s", strings.Join(append(seen, name), " → "))
	}
	return p.checkNames(p.alternatives(name), append(seen, name))
}

func (p *Profile) checkNames(patterns, seen []string) error {
	for _, pattern := range patterns {
		for rest := pattern; ; {
			_, name, after, ok := nextName(rest)
			if !ok {
				break
			}
			rest = after
			name, isName := wholeName(name)
			switch {
			case !isName || name == "ws" || name == "home" || strings.Contains(name, "."):
			case p.alternatives(name) == nil:
				return fmt.Errorf("%s: there is no place named <%s>", pattern, name)
			default:
				if err := p.checkPlace(name, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
