// Package config is the configuration: which files there are, what may stand
// in them, and what all of them together say.
//
// [Load] reads up to seven layers. Each overrides the one before:
//
//	default      the table of keys, see [Keys]
//	host         what the profile of the host to behave as changes of that,
//	             and over it the host's own file, see [Host]
//	home         config.toml in Knack's home, the user's own
//	workspace    .knack/config.toml in the project
//	environment  KNACK_HOST, KNACK_AGENT, KNACK_LOG, and what the host reads
//	flag         --host, --log
//
// A file looks like this:
//
//	host = "knack"
//
//	[skills]
//	excluded    = ["legacy-skill"]       # all files add to this list
//	extra_roots = ["~/team-skills"]
//
//	[skills.entries.nano-banana-pro]     # by the skill's name, in any case
//	enabled = true
//	api_key = "…"                        # fills the skill's primaryEnv
//	env     = { GEMINI_API_KEY = "…" }
//
//	[agents.entries.writer]              # if that is the agent in force
//	skills = ["summarize"]
//
//	[browser]                            # not Knack's: for requires.config
//	enabled = true
//
// Entries mix over the layers key by key; everything else is replaced. Keys in
// the spelling of other systems (apiKey, allowBundled, load.extraDirs) mean the
// same. A file that cannot be read has no effect as a whole; a value of the
// wrong type has none by itself; either is told with file, line and way out, as
// is a key below [skills] that does not exist. Keys outside of it are free.
//
// The file of a host may be TOML or JSON5. It is read as Knack's own is, but
// that whatever it holds besides skills is nobody's business here and passes
// without remark.
//
// The file of a workspace may have come with somebody else's repository. It can
// therefore not supply secrets or variables, not choose bundled skills, not
// point to directories outside of the workspace, and not raise or switch on
// what the user's own configuration or the defaults keep low or off.
//
// [Settings] is the result: plain values for the engine, [Settings.Values] with
// the origin of each for people, [Settings.Truthy] for requires.config. Secrets
// are masked wherever they could be shown. [Set] and [Unset] change one key of
// a file and keep its comments; [SetHost], [UnsetHost] and [SetHostEnabled] do
// the same in a host's file, in its spelling.
//
// No other package opens a configuration file.
package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// Settings is the one normalised configuration, whatever files it came from.
// Make it with [Load]; the zero value is not the default configuration. It is
// not changed afterwards and may be used by many goroutines.
type Settings struct {
	Host   string // skill system to behave as; empty is the native one
	Agent  string // in force; empty is none in particular
	Log    string // "", "debug", "info", "warn" or "error"
	Skills Skills
	Tools  Tools
	Model  Model

	document
	names map[string]string // of entries, from lower case to the spelling in merged
	// foreign settings have a host's file, and its hidden parts of keys.
	foreign bool
	hidden  []string
	// templates says that its texts name variables of environ.
	templates bool
	environ   []string
}

// Value is one setting, its effective value and where that came from.
type Value struct {
	Key    string `json:"key"`    // dotted, quoted where a part needs it
	Value  string `json:"value"`  // as TOML; secrets are masked
	Origin Origin `json:"origin"` // of the value that counts
}

// Origin says who set a value.
type Origin struct {
	// Layer is default, host, home, workspace, environment or flag.
	Layer string `json:"layer"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Name is the variable or flag, or the host of a default.
	Name string `json:"name,omitempty"`
}

// Truthy reports whether a dotted key is set and neither false, zero nor blank;
// lists and tables are neither. Empty parts are dropped, so that the empty key
// is the whole document. This is the question of requires.config.
func (s *Settings) Truthy(key string) bool {
	path := strings.FieldsFunc(key, func(r rune) bool { return r == '.' })
	if slices.ContainsFunc(path, func(part string) bool { return slices.Contains(s.hidden, part) }) {
		return false
	}
	path = s.canonical(path)
	p := s.merged
	for i, part := range path {
		if p = p.below[part]; p == nil {
			break
		}
		if p.value == nil {
			continue
		}
		if n := inside(p.value, path[i+1:]); n != nil {
			return truthy(n)
		}
		p = nil
		break
	}
	if p != nil { // a table
		return true
	}
	return s.defaultTruthy(path)
}

// defaultTruthy answers for a key that nobody wrote. Skills written for another
// system ask about what stands in its file, where the defaults of its skills do
// not stand; those of other keys are there for this question.
func (s *Settings) defaultTruthy(path []string) bool {
	if s.foreign {
		p := s.defaults[FormatKey(path)]
		return p != nil && p.key == nil && truthy(p.value)
	}
	known := s.effective(path...)
	// An empty list that nobody wrote is not there; OpenClaw has none either.
	return known != nil && known.value.Kind != tree.List && truthy(known.value)
}

// canonical spells a path the way the merged document does.
func (s *Settings) canonical(path []string) []string {
	_, path, how := lookup(path)
	for end := len(path) - 1; how == unknown && end > 1 && path[0] == "skills"; end-- {
		if _, known, fit := lookup(path[:end]); fit == leaf { // it leads into a value
			path, how = slices.Concat(known, path[end:]), leaf
		}
	}
	if inEntry(path) {
		if name, ok := s.names[strings.ToLower(path[2])]; ok {
			path = slices.Clone(path)
			path[2] = name
		}
	}
	return path
}

// Values lists every value that is set and every default, sorted by key.
// Secrets are masked.
func (s *Settings) Values() []Value {
	var values []Value
	for i := range keys {
		path := strings.Split(keys[i].Key, ".")
		if p := s.merged.find(path...); !keys[i].single() || p != nil {
			continue
		}
		if p := s.effective(path...); p != nil {
			values = append(values, p.show(path))
		}
	}
	for key, p := range s.defaults {
		if path, err := ParseKey(key); err == nil && p.key == nil && s.merged.find(path...) == nil {
			values = append(values, p.show(path))
		}
	}
	values = s.merged.list(nil, values)
	slices.SortFunc(values, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	return values
}

// Get returns one value; of a key that nobody set, its default; of a table, all
// that is in it, with the origin of the first value that somebody set.
func (s *Settings) Get(key string) (Value, bool) {
	path, err := ParseKey(key)
	if err != nil {
		return Value{}, false
	}
	path = s.canonical(path)
	p := s.effective(path...)
	if p == nil {
		return s.table(path)
	}
	if p.value.Kind == tree.Null {
		return Value{}, false
	}
	return p.show(path), true
}

// table is what lies below a path, as a table on one line.
func (s *Settings) table(path []string) (Value, bool) {
	table := Value{Key: FormatKey(path)}
	var members []string
	for _, v := range s.Values() {
		rest, below := strings.CutPrefix(v.Key, table.Key+".")
		if !below {
			continue
		}
		if len(members) == 0 || table.Origin.Layer == layerDefault {
			table.Origin = v.Origin
		}
		members = append(members, rest+" = "+v.Value)
	}
	if len(members) == 0 {
		return Value{}, false
	}
	table.Value = "{ " + strings.Join(members, ", ") + " }"
	return table, true
}

// list adds the values below a place.
func (p *place) list(path []string, values []Value) []Value {
	if p.value != nil {
		if p.value.Kind == tree.Null {
			return values // as good as not there
		}
		return append(values, p.show(path))
	}
	for _, part := range slices.Sorted(maps.Keys(p.below)) {
		values = p.below[part].list(append(path, part), values)
	}
	return values
}
