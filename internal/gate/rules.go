package gate

import "github.com/knackhq/knack/skill"

// Rules are the knobs of this step, as a host profile sets them under [gate].
type Rules struct {
	// Config says what a requires.config value is: "auto" takes one with a
	// slash, a leading ~ or a drive letter for a file, others for a key.
	Config string `toml:"config"`
	// Env lists where a variable may come from: "process", "config".
	Env []string `toml:"env"`
	// OSAliases maps other spellings of operating systems to Go's.
	OSAliases map[string]string `toml:"os_aliases"`
	// Always says what always: true does: "bypass" passes every gate but os.
	Always string `toml:"always"`
}

// Environment is what a machine offers. The functions must answer the same for
// the same question during one load.
type Environment struct {
	OS string // as runtime.GOOS spells it
	// HasBin reports whether a program of that name is on the PATH.
	HasBin func(name string) bool
	// Getenv returns a variable of the process, "" if unset.
	Getenv func(name string) string
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
// whose strategy names it knows.
type Checker struct{ rules Rules }

var _ func(*Checker, *skill.Skill, Supplied, *Environment) []skill.Reason = (*Checker).Check
