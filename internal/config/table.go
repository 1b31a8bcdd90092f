package config

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// KeyInfo describes one key that Knack knows.
type KeyInfo struct {
	// Key is dotted. A part in angle brackets stands for any name, <any> as
	// the last one for one name or more.
	Key string
	// Type is boolean, string, level, strings, directories, secret or any.
	Type Type
	// Means says what the key does.
	Means string
	// Default is the value as TOML, empty if there is none.
	Default string
	// Workspace says whether the file of a workspace may set it. Such a file
	// may have come with somebody else's repository.
	Workspace bool

	// aliases are other spellings of the key, with the same names in angle
	// brackets in the same order.
	aliases []string
	// variable sets the key from the environment.
	variable string
	// offOnly keys may be switched off by a workspace, but not back on where
	// the user switched them off.
	offOnly bool
	// united keys add up over the layers instead of replacing each other.
	united bool
}

// Type is what a key's value must be.
type Type string

// The types of values.
const (
	Boolean     Type = "boolean"
	String      Type = "string"
	Level       Type = "level"       // of the log
	Strings     Type = "strings"     // a list
	Directories Type = "directories" // a list of paths
	Secret      Type = "secret"      // a string that is never shown
	Any         Type = "any"
)

// keys is every key there is below [skills] and at the top. Other keys are not
// Knack's: they are there for skills to ask about with requires.config.
var keys = [...]KeyInfo{
	{Key: "host", Type: String, Default: `""`, variable: "KNACK_HOST",
		Means: "the skill system to behave as; empty is Knack's own"},
	{Key: "log", Type: Level, Default: `""`, Workspace: true, variable: "KNACK_LOG",
		Means: "what is told on stderr: debug, info, warn or error; empty is nothing"},
	{Key: "skills.allow_bundled", Type: Strings, aliases: []string{"skills.allowBundled"},
		Means: "the bundled skills that may be used; not set is all of them, an empty list none"},
	{Key: "skills.enabled", Type: Boolean, Default: "true", Workspace: true, offOnly: true,
		Means: "whether there are skills at all"},
	{Key: "skills.entries.<name>.api_key", Type: Secret, aliases: []string{"skills.entries.<name>.apiKey"},
		Means: "fills the variable that the skill declares as its primaryEnv"},
	{Key: "skills.entries.<name>.config.<any>", Type: Any, Workspace: true,
		Means: "values of the skill's own, for requires.config"},
	{Key: "skills.entries.<name>.enabled", Type: Boolean, Default: "true", Workspace: true, offOnly: true,
		Means: "whether this skill may be used"},
	{Key: "skills.entries.<name>.env.<NAME>", Type: Secret,
		Means: "a variable for the skill's tools, unless the environment sets it"},
	{Key: "skills.excluded", Type: Strings, Default: "[]", Workspace: true, united: true,
		Means: "names of skills that may not be used; all files add to it"},
	{Key: "skills.extra_roots", Type: Directories, Default: "[]", Workspace: true, united: true,
		aliases: []string{"skills.extraRoots", "skills.load.extraDirs", "skills.load.extra_dirs"},
		Means:   "more directories to search for skills; all files add to it, a workspace only its own"},
}

// Keys lists every key that Knack knows, sorted.
func Keys() []KeyInfo { return slices.Clone(keys[:]) }

// TypeOf is the type of a key's value; [Any] for a key that is not Knack's.
func TypeOf(key string) Type {
	path, err := ParseKey(key)
	if err != nil {
		return Any
	}
	if info, _, how := lookup(path); how == leaf {
		return info.Type
	}
	return Any
}

// fit is how a path relates to the table.
type fit uint8

const (
	unknown fit = iota
	branch      // known keys lie below it
	leaf        // it is a known key
)

// lookup finds a path in the table. For a leaf it returns the key and the path
// in the key's own spelling.
func lookup(path []string) (*KeyInfo, []string, fit) {
	best := unknown
	for i := range keys {
		k := &keys[i]
		for spelling := range k.spellings() {
			names, how := match(spelling, path)
			if how == leaf {
				return k, k.path(names), leaf
			}
			best = max(best, how)
		}
	}
	return nil, path, best
}

// spellings yields the key and its aliases.
func (k *KeyInfo) spellings() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(k.Key) {
			return
		}
		for _, alias := range k.aliases {
			if !yield(alias) {
				return
			}
		}
	}
}

// match compares a path with a pattern and returns what the names in angle
// brackets stand for.
func match(pattern string, path []string) (names []string, how fit) {
	i := 0
	for part := range strings.SplitSeq(pattern, ".") {
		switch {
		case i == len(path):
			return names, branch
		case part == "<any>":
			return append(names, path[i:]...), leaf
		case strings.HasPrefix(part, "<"):
			names = append(names, path[i])
		case part != path[i]:
			return nil, unknown
		}
		i++
	}
	if i < len(path) {
		return nil, unknown
	}
	return names, leaf
}

// path is the key with names for its angle brackets.
func (k *KeyInfo) path(names []string) []string { return fill(k.Key, names) }

// fill puts names for the angle brackets of a pattern.
func fill(pattern string, names []string) []string {
	path := strings.Split(pattern, ".")
	for i, part := range path {
		switch {
		case part == "<any>":
			return append(path[:i], names...)
		case strings.HasPrefix(part, "<"):
			path[i], names = names[0], names[1:]
		}
	}
	return path
}

// single reports whether the key has no name in it, so that it has one value.
func (k *KeyInfo) single() bool { return !strings.Contains(k.Key, "<") }

// defaultNode is the default as a value.
func (k *KeyInfo) defaultNode() *tree.Node {
	switch k.Type {
	case Boolean:
		return &tree.Node{Kind: tree.Bool, Text: k.Default}
	case Strings, Directories:
		return &tree.Node{Kind: tree.List}
	default:
		return &tree.Node{Kind: tree.String}
	}
}

// example is a line that sets the key, for hints.
func (k *KeyInfo) example(name string) string {
	switch k.Type {
	case Boolean:
		return name + " = true or " + name + " = false"
	case Level:
		return name + ` = "info"`
	case Strings:
		return name + ` = ["name", "other"]`
	case Directories:
		return name + ` = ["directory", "~/other"]`
	default:
		return name + ` = "text"`
	}
}
