package config

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// KeyInfo describes one key that Knack knows.
type KeyInfo struct {
	// Key is dotted. A part in angle brackets stands for any name, <any> as
	// the last one for one name or more.
	Key string
	// Type is what its value must be.
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
	// lowOnly keys may be lowered by a workspace, but not raised.
	lowOnly bool
	// zeroIsAll keys have no bound at zero, which is thus the highest value.
	zeroIsAll bool
	// united keys add up over the layers instead of replacing each other.
	united bool
	// refers says that a secret may also be a table that says where it is.
	refers bool
	// choices are the values of a Choice, in lower case.
	choices []string
	// least and most bound an Integer or Number; a most of zero is no bound
	// but the one of all integers.
	least, most float64
}

// Type is what a key's value must be.
type Type string

// The types of values.
const (
	Boolean     Type = "boolean"
	Integer     Type = "integer"
	Number      Type = "number"
	String      Type = "string"
	Choice      Type = "choice"      // one of a few words
	Level       Type = "level"       // of the log
	Directory   Type = "directory"   // a path
	Strings     Type = "strings"     // a list
	Directories Type = "directories" // a list of paths
	Secret      Type = "secret"      // a string that is never shown
	Any         Type = "any"
)

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
	// Most callers ask for keys in their own spelling.
	if k := keyNamed(strings.Join(path, ".")); k != nil && k.single() && strings.Count(k.Key, ".") == len(path)-1 {
		return k, path, leaf
	}
	best := unknown
	for i := range keys {
		names, how := keys[i].fits(path)
		if how == leaf {
			return &keys[i], keys[i].path(names), leaf
		}
		best = max(best, how)
	}
	return nil, path, best
}

// keyNamed finds a key by its own spelling.
func keyNamed(key string) *KeyInfo {
	i := sort.Search(len(keys), func(i int) bool { return keys[i].Key >= key })
	if i < len(keys) && keys[i].Key == key {
		return &keys[i]
	}
	return nil
}

// lookupAmong is lookup for a part of the table.
func lookupAmong(some []*KeyInfo, path []string) (*KeyInfo, []string, fit) {
	best := unknown
	for _, k := range some {
		names, how := k.fits(path)
		if how == leaf {
			return k, k.path(names), leaf
		}
		best = max(best, how)
	}
	return nil, path, best
}

// fits compares a path with each spelling of the key, and returns the best fit.
func (k *KeyInfo) fits(path []string) (names []string, how fit) {
	names, how = match(k.Key, path)
	for _, alias := range k.aliases {
		if how == leaf {
			break
		}
		if more, fit := match(alias, path); fit > how {
			names, how = more, fit
		}
	}
	return names, how
}

// narrow leaves the keys that lie below a path, so that a file with thousands
// of entries does not search the whole table for each of them.
func narrow(some []*KeyInfo, path []string) []*KeyInfo {
	var left []*KeyInfo
	for _, k := range some {
		if _, how := k.fits(path); how == branch {
			left = append(left, k)
		}
	}
	return left
}

// allKeys is the whole table.
func allKeys() []*KeyInfo {
	all := make([]*KeyInfo, len(keys))
	for i := range keys {
		all[i] = &keys[i]
	}
	return all
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
	if len(path) > 0 && !strings.HasPrefix(pattern, path[0]) {
		return nil, unknown // as most are; no pattern starts with a name
	}
	for i := range path {
		part, rest, more := strings.Cut(pattern, ".")
		switch {
		case part == "<any>":
			return append(names, path[i:]...), leaf
		case strings.HasPrefix(part, "<"):
			names = append(names, path[i])
		case part != path[i]:
			return nil, unknown
		}
		if !more {
			if i < len(path)-1 {
				return nil, unknown
			}
			return names, leaf
		}
		pattern = rest
	}
	return names, branch
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
	case Integer, Number:
		return &tree.Node{Kind: tree.Number, Text: k.Default}
	case Strings, Directories:
		return &tree.Node{Kind: tree.List}
	default:
		return &tree.Node{Kind: tree.String, Text: strings.Trim(k.Default, `"`)}
	}
}

// example is a line that sets the key, for hints. What stands between key and
// value is the syntax's affair.
func (k *KeyInfo) example(name, equals string) string {
	set := name + equals
	switch k.Type {
	case Boolean:
		return set + "true or " + set + "false"
	case Integer:
		return set + cmp.Or(k.Default, "100")
	case Number:
		return set + k.Default
	case Choice:
		return set + k.Default
	case Level:
		return set + `"info"`
	case Directory:
		return set + `"~/directory"`
	case Strings:
		return set + `["name", "other"]`
	case Directories:
		return set + `["directory", "~/other"]`
	default:
		return set + `"text"`
	}
}
