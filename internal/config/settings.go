package config

import "github.com/knackhq/knack/internal/tree"

// Settings is the one normalised configuration, whatever files it came from.
// Make it with [Load]; the zero value is not the default configuration.
type Settings struct {
	Host   string // skill system to behave as; empty is the native one
	Log    string // "", "debug", "info", "warn" or "error"
	Skills Skills

	values []Value
	merged *tree.Node // the effective document, for requires.config
}

// Skills is the [skills] table.
type Skills struct {
	Enabled    bool
	Excluded   []string
	ExtraRoots []string // absolute
	// AllowBundled is nil when the key is not set; empty allows none.
	AllowBundled []string
	Entries      map[string]Entry // by the key as written
	Watch        bool
}

// Entry is [skills.entries.KEY].
type Entry struct {
	Enabled bool
	APIKey  string
	Env     map[string]string
}

// Value is one setting, its effective value and where that came from.
type Value struct {
	Key    string `json:"key"`    // dotted, quoted where a part needs it
	Value  string `json:"value"`  // as TOML; secrets are masked
	Origin Origin `json:"origin"` // of the value that counts
}

// Origin says who set a value.
type Origin struct {
	// Layer is default, home, workspace, environment or flag.
	Layer string `json:"layer"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Name is the variable or flag.
	Name string `json:"name,omitempty"`
}
