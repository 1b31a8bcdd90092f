package catalog

import (
	"errors"
	"io/fs"

	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/skill"
)

// Rules are the knobs of discovery and resolution, as a host profile sets them
// under [discover].
type Rules struct {
	// Layout says where skills lie below a root. "grouped" takes a manifest in
	// the root itself and in folders down to the root's depth, and does not
	// search a skill's folder for more. "stop-at-manifest" is the same, but a
	// usable skill in the root itself is the root's only one. "flat" takes the
	// folders directly below the root. "documents" takes every Markdown file of
	// the root but its read-me, unless it has a folder Root.Nested, whose
	// folders are the skills then.
	Layout string `toml:"layout"`
	// Order sorts the resulting names: by "bytes" or as people do, "icu".
	Order string `toml:"order"`
	// Duplicate says which of two skills of one name in one root wins: the
	// "first" or the "last" in order of folders.
	Duplicate string `toml:"duplicate"`
	// Shadow says which of two skills of one name in different roots wins:
	// "trust" prefers the more trusted, then the earlier root; "order" the
	// earlier root.
	Shadow string `toml:"shadow"`
	// HardLinks says whether a manifest may have a second name: "follow" or
	// "deny".
	HardLinks string `toml:"hard_links"`
	// MaxCandidates bounds the folders directly below a root that are looked
	// at, in order of bytes; Root.Nested is always among them. MaxLoaded bounds
	// the usable skills of one root, MaxTotal those of all. Zero is no bound.
	// What is beyond MaxLoaded or MaxTotal is an entry with [skill.ReasonLimit].
	MaxCandidates int `toml:"max_candidates"`
	MaxLoaded     int `toml:"max_loaded"`
	MaxTotal      int `toml:"max_total"`
	// Skip are names of folders that are not searched; a leading "." stands
	// for every hidden folder.
	Skip []string `toml:"skip"`
	// MaxDirs bounds the folders visited below one root, MaxEntries the other
	// names listed in one folder. A folder with more is only a skill if it has a
	// manifest that is spelled the usual way.
	MaxDirs    int `toml:"max_dirs"`
	MaxEntries int `toml:"max_entries"`
}

// Links says what to do with symbolic links below a root.
type Links string

// The link rules.
const (
	FollowLinks    Links = "follow"    // anywhere
	ContainedLinks Links = "contained" // only inside Root.Within
	DenyLinks      Links = "deny"      // not at all
)

// Root is one place to search.
type Root struct {
	// Path is absolute; for an embedded tree, a name for people to read.
	Path string
	// FS is set for embedded trees, nil for directories on disk.
	FS fs.FS
	// Class is the kind of root: workspace, user, installed, extra, bundled.
	Class string
	Trust skill.Trust
	// Depth is how many levels of folders below Path may hold skills.
	Depth int
	Links Links
	// Within is the directory that contained links must stay in; Path if empty.
	Within string
	// Targets are more directories that contained links may lead into.
	Targets []string
	// Layout, unless empty, is used for this root instead of Rules.Layout.
	Layout string
	// Nested names the folder in which repositories keep their skills. Below
	// one, NestedDepth levels are searched instead of what is left of Depth.
	Nested      string
	NestedDepth int
}

// Choices are what the user decided about skills.
type Choices struct {
	// Off switches the whole system off.
	Off bool
	// Only, unless nil, lists the names that may be used, exactly; OnlyFor says
	// for whom.
	Only    []string
	OnlyFor string
	// Excluded are names or slugs that may not be used.
	Excluded []string
	// Disabled are configuration keys with enabled = false, lower-cased.
	Disabled map[string]bool
	// AllowBundled, unless nil, lists the bundled skills that may be used.
	AllowBundled []string
	// Origin, unless nil, tells which place sets a configuration key and, where
	// the usual command would not help, what undoes it.
	Origin func(key ...string) (where, undo string)
	// Supplied is what the configuration gives each key, by lower-cased key.
	Supplied map[string]gate.Supplied
}

// The behaviour that a profile may ask for. Layout, order and duplicate have one
// strategy each so far, which the code is written in.
var (
	layoutStrategies    = [...]strategy.Named[struct{}]{{Name: "grouped"}}
	orderStrategies     = [...]strategy.Named[struct{}]{{Name: "bytes"}}
	duplicateStrategies = [...]strategy.Named[struct{}]{{Name: "first"}}
	// shadowStrategies decide whether a is used rather than b.
	shadowStrategies = [...]strategy.Named[func(a, b *candidate) bool]{{Name: "trust", Do: trustedFirst}}
)

// check refuses strategies that nobody wrote, and returns the one that has
// alternatives.
func (r *Rules) check() (shadow func(a, b *candidate) bool, err error) {
	if _, err := strategy.Pick("discover.layout", r.Layout, layoutStrategies[:]); err != nil {
		return nil, err
	}
	if _, err := strategy.Pick("discover.order", r.Order, orderStrategies[:]); err != nil {
		return nil, err
	}
	if _, err := strategy.Pick("discover.duplicate", r.Duplicate, duplicateStrategies[:]); err != nil {
		return nil, err
	}
	if r.MaxDirs < 1 || r.MaxEntries < 1 {
		return nil, errors.New("discover.max_dirs and discover.max_entries must be set")
	}
	return strategy.Pick("discover.shadow", r.Shadow, shadowStrategies[:])
}
