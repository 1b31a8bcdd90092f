package gate

import (
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/skill"
)

// Rules are the knobs of this step, as a host profile sets them under [gate].
type Rules struct {
	// Config says what a requires.config value is: "auto" takes one with a
	// slash, a leading ~ or a drive letter for a file, others for a key; "key"
	// and "file" take every value for the one or the other.
	Config string `toml:"config"`
	// Env lists where a variable may come from: "process", "config". EnvBlank
	// lets one that is set but blank pass.
	Env      []string `toml:"env"`
	EnvBlank bool     `toml:"env_blank"`
	// OS says how the names of operating systems are compared: "folded" takes
	// Go's names and OSAliases in any letter case, "exact" the name that OSNames
	// has for the system, else Go's, as it is written, and "any-case" that name
	// in any letter case.
	OS string `toml:"os"`
	// OSAliases maps other spellings of operating systems to Go's.
	OSAliases map[string]string `toml:"os_aliases"`
	// OSNames maps Go's names of operating systems to the host's.
	OSNames map[string]string `toml:"os_names"`
	// Always says what always: true does: "bypass" passes every gate but os,
	// "ignore" none.
	Always string `toml:"always"`
	// Says is how the host itself words an unmet requirement, by "os", "bins",
	// "anyBins", "env" or "config"; {name} stands for what is missing, {have}
	// for what the host calls this machine's system. What it does not word,
	// Knack does, and hints are Knack's always.
	Says map[string]string `toml:"says"`
}

// Environment is what a machine offers; [Machine] makes the one of this
// machine. All functions must be set, must be safe for use by many goroutines,
// and must answer the same for the same question during one load.
type Environment struct {
	OS string // as runtime.GOOS spells it
	// HasBin reports whether a program of that name is on the PATH.
	HasBin func(name string) bool
	// Getenv returns a variable of the process, "" if unset; LookupEnv also
	// tells a blank one from none.
	Getenv    func(name string) string
	LookupEnv func(name string) (string, bool)
	// FileExists reports whether a file is there; ~ is already expanded.
	FileExists func(path string) bool
	// ConfigTruthy reports whether a dotted configuration key is set and
	// neither false, zero nor blank.
	ConfigTruthy func(key string) bool
	// Home is what a leading ~ stands for.
	Home string
}

// Supplied is what the configuration gives one skill.
type Supplied struct {
	Env    map[string]string
	APIKey bool // an apiKey is configured; it fills PrimaryEnv
}

// Checker decides whether requirements are met. It is made by [New] from rules
// whose strategy names it knows, keeps no state between calls, and may be used
// by many goroutines.
type Checker struct {
	isFile   func(value string) bool      // Rules.Config
	skipped  func(reason skill.Code) bool // Rules.Always
	isSystem isSystem                     // Rules.OS
	sources  []variableSource             // Rules.Env
	blank    bool                         // Rules.EnvBlank
	systems  map[string]string            // a spelling in lower case → Go's
	names    map[string]string            // Go's → the host's
	says     map[skill.Code]string        // Rules.Says
}

var _ func(*Checker, *skill.Skill, Supplied, *Environment) []skill.Reason = (*Checker).Check

// configStrategies decide whether a requires.config value is a file.
var configStrategies = [...]strategy.Named[func(value string) bool]{
	{Name: "auto", Do: looksLikeFile},
	{Name: "file", Do: func(string) bool { return true }},
	{Name: "key", Do: func(string) bool { return false }},
}

// alwaysStrategies decide which gates always: true leaves out. Requirements
// that nobody could read are never left out: the repair of a broken file must
// not open a gate.
var alwaysStrategies = [...]strategy.Named[func(reason skill.Code) bool]{
	{Name: "bypass", Do: func(reason skill.Code) bool {
		return reason != skill.ReasonOS && reason != skill.ReasonUnknown
	}},
	{Name: "ignore", Do: func(skill.Code) bool { return false }},
}

// isSystem reports whether a name that a skill lists is that of a system.
type isSystem func(c *Checker, name, goos string) bool

var systemStrategies = [...]strategy.Named[isSystem]{
	{Name: "any-case", Do: func(c *Checker, name, goos string) bool { return strings.EqualFold(name, c.hostName(goos)) }},
	{Name: "exact", Do: func(c *Checker, name, goos string) bool { return name == c.hostName(goos) }},
	{Name: "folded", Do: func(c *Checker, name, goos string) bool { return c.canonical(name) == goos }},
}

// variableSource is a place where a variable may be set: whether it is set
// there, and how the user sets it.
type variableSource struct {
	has  func(q *question, name string) bool
	hint func(q *question, name string) string
}

var variableSources = [...]strategy.Named[variableSource]{
	{Name: "config", Do: variableSource{inConfig, configHint}},
	{Name: "process", Do: variableSource{inProcess, exportHint}},
}

// New checks the rules' strategy names, and what they have words for.
func New(rules Rules) (*Checker, error) {
	c := &Checker{
		blank:   rules.EnvBlank,
		systems: make(map[string]string, len(rules.OSAliases)),
		names:   maps.Clone(rules.OSNames),
	}
	var err error
	if c.isFile, err = strategy.Pick("gate.config", rules.Config, configStrategies[:]); err != nil {
		return nil, err
	}
	if c.skipped, err = strategy.Pick("gate.always", rules.Always, alwaysStrategies[:]); err != nil {
		return nil, err
	}
	if c.isSystem, err = strategy.Pick("gate.os", rules.OS, systemStrategies[:]); err != nil {
		return nil, err
	}
	if c.says, err = sayings(rules.Says); err != nil {
		return nil, err
	}
	for _, name := range rules.Env {
		source, err := strategy.Pick("gate.env", name, variableSources[:])
		if err != nil {
			return nil, err
		}
		c.sources = append(c.sources, source)
	}
	// Sorted, so that two spellings that differ in letter case only always
	// end the same way.
	for _, alias := range slices.Sorted(maps.Keys(rules.OSAliases)) {
		c.systems[strings.ToLower(alias)] = strings.ToLower(rules.OSAliases[alias])
	}
	return c, nil
}

// looksLikeFile tells paths from dotted keys, which never have a slash.
func looksLikeFile(value string) bool {
	return strings.Contains(value, "/") || strings.HasPrefix(value, "~") || hasDrive(value)
}

// hasDrive reports whether a path starts like C:\ or C:/.
func hasDrive(path string) bool {
	return len(path) >= 3 && path[1] == ':' && isSlash(path[2]) &&
		('a' <= path[0]|0x20 && path[0]|0x20 <= 'z') // 0x20 makes ASCII letters lower-case
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }
