package catalog

import (
	"errors"
	"io/fs"

	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// Rules are the knobs of discovery and resolution, as a host profile sets them
// under [discover].
type Rules struct {
	// Layout says where skills lie below a root. "grouped" takes a manifest in
	// the root itself and in folders down to the root's depth, and does not
	// search a skill's folder for more. "stop-at-manifest" is the same, but a
	// manifest in the root itself makes the whole root one skill; only if that
	// is unusable, a folder Root.Nested is searched. "flat" takes the folders
	// directly below the root. "documents" takes every Markdown file of the
	// root but its read-me, unless it has a folder Root.Nested, whose folders
	// are the skills then.
	Layout string `toml:"layout"`
	// Order sorts names of skills, and folders of one root where it matters
	// which comes first: by "bytes" or as people do, "icu".
	Order string `toml:"order"`
	// Duplicate says which of two skills of one name in one root wins: the
	// "first" or the "last" in order of folders.
	Duplicate string `toml:"duplicate"`
	// Shadow says which of two skills of one name in different roots wins:
	// "trust" prefers the more trusted, then the earlier root; "order" the
	// earlier root.
	Shadow string `toml:"shadow"`
	// HardLinks says whether a manifest may have a second name: "follow" or
	// "deny". Where the system does not tell, it may, and so may a bundled one:
	// package managers install files by linking them.
	HardLinks string `toml:"hard_links"`
	// ManifestLinks says whether a manifest may be a link: if it stays "inside"
	// of its folder, or not at all, "deny".
	ManifestLinks string `toml:"manifest_links"`
	// MaxCandidates bounds the folders directly below one folder that are
	// looked at, in order of bytes; a root's Root.Nested is always among them.
	// MaxLoaded bounds the usable skills of one root, MaxTotal the names of
	// those of all roots on disk. Zero is no bound. What is beyond MaxLoaded or
	// MaxTotal is an entry with [skill.ReasonLimit] and shadows nothing.
	MaxCandidates int `toml:"max_candidates"`
	MaxLoaded     int `toml:"max_loaded"`
	MaxTotal      int `toml:"max_total"`
	// LimitKeys are the settings that raise those limits, by the limit's name
	// here: max_candidates, max_loaded, max_total. Hints name them.
	LimitKeys map[string]string `toml:"limit_keys"`
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
	// the root, if that is its name, or else its folder of that name,
	// NestedDepth levels are searched instead of what Depth leaves.
	Nested      string
	NestedDepth int
	// Real shows a skill that a link led to by the path it really has.
	Real bool
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
	// Disabled are configuration keys with enabled = false, lower-cased unless
	// ExactKeys.
	Disabled map[string]bool
	// AllowBundled, unless nil, lists the bundled skills that may be used.
	AllowBundled []string
	// Origin, unless nil, tells which place made the choice that is a reason
	// against a skill and, where the usual command would not help, what undoes
	// it.
	Origin func(why skill.Code, e *skill.Entry) (where, undo string)
	// Supplied is what the configuration gives each key, by lower-cased key
	// unless ExactKeys.
	Supplied map[string]gate.Supplied
	// ExactKeys says that keys count in their letter case.
	ExactKeys bool
}

// layout is what the layouts differ in. The root is always treated on its own;
// below it all are searched in the same way.
type layout struct {
	bare      bool // a manifest in the root itself is no skill
	whole     bool // a skill in the root itself owns all of it
	shallow   bool // only folders directly below the root are skills
	documents bool // Markdown files of the root are skills
}

// shadowing decides between skills of one name in different roots.
type shadowing struct{ byTrust bool }

// duplicating decides between skills of one name in one root.
type duplicating struct{ last bool }

// wholeLayout is that of a folder which is looked at by itself.
const wholeLayout = "stop-at-manifest"

// The behaviour that a profile may ask for.
var (
	layoutStrategies = [...]strategy.Named[layout]{
		{Name: "grouped", Do: layout{}},
		{Name: wholeLayout, Do: layout{whole: true}},
		{Name: "flat", Do: layout{bare: true, shallow: true}},
		{Name: "documents", Do: layout{bare: true, shallow: true, documents: true}},
	}
	// orderStrategies make what compares names; nil compares bytes.
	orderStrategies        = [...]strategy.Named[func() *alphabet]{{Name: "bytes"}, {Name: "icu", Do: newAlphabet}}
	duplicateStrategies    = [...]strategy.Named[duplicating]{{Name: "first"}, {Name: "last", Do: duplicating{last: true}}}
	shadowStrategies       = [...]strategy.Named[shadowing]{{Name: "trust", Do: shadowing{byTrust: true}}, {Name: "order"}}
	hardLinkStrategies     = [...]strategy.Named[bool]{{Name: "follow"}, {Name: "deny", Do: true}}
	manifestLinkStrategies = [...]strategy.Named[bool]{{Name: "inside"}, {Name: "deny", Do: true}}
)

// behaviour is what the strategies of a catalog's rules come to.
type behaviour struct {
	layout        layout
	newAlphabet   func() *alphabet // nil for bytes
	duplicate     duplicating
	shadow        shadowing
	denyHardLinks bool
	denyLinks     bool // of manifests
}

// resolve refuses strategies that nobody wrote.
func (r *Rules) resolve() (b behaviour, err error) {
	if b.layout, err = strategy.Pick("discover.layout", r.Layout, layoutStrategies[:]); err != nil {
		return b, err
	}
	if b.newAlphabet, err = strategy.Pick("discover.order", r.Order, orderStrategies[:]); err != nil {
		return b, err
	}
	if b.duplicate, err = strategy.Pick("discover.duplicate", r.Duplicate, duplicateStrategies[:]); err != nil {
		return b, err
	}
	if b.shadow, err = strategy.Pick("discover.shadow", r.Shadow, shadowStrategies[:]); err != nil {
		return b, err
	}
	if b.denyLinks, err = strategy.Pick("discover.manifest_links", r.ManifestLinks, manifestLinkStrategies[:]); err != nil {
		return b, err
	}
	if b.denyHardLinks, err = strategy.Pick("discover.hard_links", r.HardLinks, hardLinkStrategies[:]); err != nil {
		return b, err
	}
	if r.MaxDirs < 1 || r.MaxEntries < 1 {
		return b, errors.New("discover.max_dirs and discover.max_entries must be set")
	}
	if r.MaxCandidates < 0 || r.MaxLoaded < 0 || r.MaxTotal < 0 {
		return b, errors.New("discover.max_candidates, max_loaded and max_total cannot be negative; 0 is no limit")
	}
	return b, nil
}

// layoutOf is the layout of a root.
func (b *behaviour) layoutOf(r *Root) (layout, error) {
	if r.Layout == "" {
		return b.layout, nil
	}
	return strategy.Pick("the layout of "+wording.Quote(r.Path), r.Layout, layoutStrategies[:])
}
