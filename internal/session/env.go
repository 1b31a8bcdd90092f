package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// EnvRules say which variables the configuration may give to a skill's
// programs, as a host profile sets them under [env]. Lists hold names in any
// letter case; a * in one stands for any characters.
type EnvRules struct {
	// Blocked and Also are never given. Also is what a host adds of its own, so
	// that it need not repeat the long list.
	Blocked []string `toml:"blocked"`
	Also    []string `toml:"also"`
	// Credentials are names that programs look for without being told, so that
	// one skill's key would serve another's program. Credential says whether
	// they are "blocked" or given to a skill that declares them ("declared").
	Credentials []string `toml:"credentials"`
	Credential  string   `toml:"credential"`
	// Secrets are names that look like those of secrets. They are given only to
	// a skill that declares them.
	Secrets []string `toml:"secrets"`
	// AnyName lets names be given that no shell could set.
	AnyName bool `toml:"any_name"`
	// MaxBytes is the longest value; zero is no bound.
	MaxBytes int `toml:"max_bytes"`
}

// Env decides about variables under one set of rules.
type Env struct {
	blocked  globs
	declared globs // given only if the skill declares them
	anyName  bool
	maxBytes int
}

var credentials = [...]strategy.Named[func(e *Env, list []string)]{
	{Name: "blocked", Do: func(e *Env, list []string) { e.blocked.add(list) }},
	{Name: "declared", Do: func(e *Env, list []string) { e.declared.add(list) }},
}

// NewEnv checks the rules.
func NewEnv(rules EnvRules) (*Env, error) {
	e := &Env{anyName: rules.AnyName, maxBytes: rules.MaxBytes}
	sort, err := strategy.Pick("env.credential", rules.Credential, credentials[:])
	if err != nil {
		return nil, err
	}
	if rules.MaxBytes < 0 {
		return nil, fmt.Errorf("env.max_bytes is %d; it must not be negative", rules.MaxBytes)
	}
	if len(rules.Blocked) == 0 || len(rules.Secrets) == 0 {
		return nil, fmt.Errorf("env.blocked and env.secrets must name something: without them every variable is given")
	}
	e.blocked.add(rules.Blocked)
	e.blocked.add(rules.Also)
	e.declared.add(rules.Secrets)
	sort(e, rules.Credentials)
	return e, nil
}

// For says which variables the programs of a skill get: those of its entry in
// the configuration, and the apiKey under the name that the skill declares for
// it. process looks a variable of our own process up; what is set there, be it
// to nothing, is left alone. refused tells what is not given and why, in order
// of names and without a value.
func (e *Env) For(s *skill.Skill, entry map[string]string, apiKey string, process func(name string) (string, bool)) (set map[string]string, refused []skill.Reason) {
	wanted := wanted(entry)
	declared := map[string]bool{}
	for _, name := range append(slices.Clone(s.Requires.Env), s.Requires.PrimaryEnv) {
		declared[strings.TrimFunc(name, blank)] = true
	}
	primary, key := strings.TrimFunc(s.Requires.PrimaryEnv, blank), strings.TrimFunc(apiKey, blank)
	if primary != "" && key != "" && wanted[primary] == "" {
		wanted[primary] = key
	}
	set = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if reason := e.refuses(name, wanted[name]); reason != nil {
			refused = append(refused, *reason)
			continue
		}
		if _, ours := process(name); ours {
			continue
		}
		if e.declared.match(name) && !declared[name] {
			refused = append(refused, skill.Reason{Code: skill.EnvUndeclared,
				Message: wording.Name(name) + " looks like a secret that the skill does not ask for, so its programs do not get it",
				Hint:    "if the skill needs it, add it to requires.env in the skill's metadata"})
			continue
		}
		set[name] = wanted[name]
	}
	return set, refused
}

// Declared are the variables of our own process that a skill asks for, and that
// its programs may have.
func (e *Env) Declared(s *skill.Skill, process func(name string) (string, bool)) map[string]string {
	set := map[string]string{}
	for _, name := range append(slices.Clone(s.Requires.Env), s.Requires.PrimaryEnv) {
		name = strings.TrimFunc(name, blank)
		if value, ours := process(name); name != "" && ours && value != "" && e.refuses(name, value) == nil {
			set[name] = value
		}
	}
	return set
}

// Secret reports whether a name looks like that of a secret.
func (e *Env) Secret(name string) bool { return e.declared.match(name) }

// wanted is what an entry asks for, by names without blanks around them. A name
// that has none to begin with counts before one that has.
func wanted(entry map[string]string) map[string]string {
	out := map[string]string{}
	for _, raw := range slices.Sorted(maps.Keys(entry)) {
		name := strings.TrimFunc(raw, blank)
		if name == "" || entry[raw] == "" {
			continue
		}
		if _, taken := out[name]; !taken || raw == name {
			out[name] = entry[raw]
		}
	}
	return out
}

// refuses says why no skill may have a variable; nil if there is no reason.
func (e *Env) refuses(name, value string) *skill.Reason {
	blocked := func(why, hint string) *skill.Reason {
		// What follows an equals sign in a name is a value in the wrong place.
		before, _, _ := strings.Cut(name, "=")
		return &skill.Reason{Code: skill.EnvBlocked, Message: wording.Name(before) + " " + why, Hint: hint}
	}
	const remove = "take it out of the skill's env in the configuration"
	switch {
	case e.blocked.match(name):
		return blocked("is given to no skill, for it changes what programs run, load or trust",
			remove+"; if programs need it, set it where knack is started")
	case strings.ContainsAny(name, "=\x00"): // in any profile: what is before the sign would be set, whatever it is
		return blocked("is part of a name with a sign that no name can have", remove)
	case !e.anyName && !exportable(name):
		return blocked("is no name that a shell could set", "use letters, digits and underscores")
	case strings.Contains(value, "\x00"):
		return blocked("has a NUL in its value, which no program can be given", "write the value anew")
	case e.maxBytes > 0 && len(value) > e.maxBytes:
		return blocked("has a value of more than "+strconv.Itoa(e.maxBytes)+" bytes", "put it into a file and give the file's path")
	}
	return nil
}

func exportable(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// globs are names in upper case, some with a * in them.
type globs struct {
	names    map[string]bool
	patterns [][]string // what is between the stars
}

func (g *globs) add(list []string) {
	if g.names == nil {
		g.names = make(map[string]bool, len(list))
	}
	for _, name := range list {
		name = strings.ToUpper(name)
		if parts := strings.Split(name, "*"); len(parts) > 1 {
			g.patterns = append(g.patterns, parts)
		} else {
			g.names[name] = true
		}
	}
}

func (g *globs) match(name string) bool {
	name = strings.ToUpper(name)
	return g.names[name] || slices.ContainsFunc(g.patterns, func(parts []string) bool { return matches(name, parts) })
}

func matches(name string, parts []string) bool {
	name, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[last])
}
