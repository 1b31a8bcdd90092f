package format

import (
	"github.com/knackhq/knack/skill"
)

// Rules are the knobs of this step, as a host profile sets them under [format].
type Rules struct {
	// Manifests are the file names a skill is made of, the one that wins first.
	Manifests []string `toml:"manifests"`
	// AnyCase accepts those names in any letter case.
	AnyCase bool `toml:"any_case"`
	// Merge says how several manifests become one skill: "fields" takes each
	// field from the first that has it, "replace" reads the first alone.
	Merge string `toml:"merge"`
	// OnError says what a broken manifest does: "next" uses the others, "drop"
	// gives the skill up.
	OnError string `toml:"on_error"`
	// Frontmatter names the reader of SKILL.md's head: "yaml" repairs what can
	// be repaired; "texts" reads valid YAML and makes a text of every value;
	// "strict" reads valid YAML only, "quoted" also what quotes make valid, and
	// "forgiving" goes without fields where it is not valid; "lines" and
	// "scalars" read line by line.
	Frontmatter string `toml:"frontmatter"`
	// TOML names the dialect of SKILL.toml: "flat" keys, a [skill] "table", or
	// their "union". With "table" that table and a name in it are needed, in
	// manifest.toml as well.
	TOML string `toml:"toml"`
	// Keys says how keys may be spelled: in "any" way that is clear, or "exact".
	Keys string `toml:"keys"`
	// Reads lists, by name of manifest, the keys that have an effect; a manifest
	// that is not in it has all. Keys of metadata's namespaces are written
	// metadata.os, metadata.requires.bins; metadata.* is all of those, and
	// metadata alone also what stands beside the namespaces.
	Reads map[string][]string `toml:"reads"`
	// Required is what a skill is dropped without: "frontmatter", "name",
	// "description", "body".
	Required []string `toml:"required"`
	// Install says which install entries count: "any" that can be understood,
	// or those that name a package of a "registry" in the documented way.
	Install string `toml:"install"`
	// Describe says what describes a skill that has no description: the first
	// sentence of its "prose", its first "line" that is no heading, or nothing
	// but what is "declared". A skill is never described by its text where a
	// description is required.
	Describe string `toml:"describe"`
	// DefaultDescription describes a skill for which Describe finds nothing.
	DefaultDescription string `toml:"default_description"`
	// Says is how the host itself words why it drops a skill, by what is
	// missing (a name in Required) or wrong: "yaml", "toml", "name_pattern",
	// "size", "budget". {detail} stands for what it is about: the mistake, the
	// name, how many bytes or tokens there are, or else the folder. A name that
	// does not match and a body beyond its budget drop a skill only if there are
	// words for it.
	Says map[string]string `toml:"says"`
	// Namespaces are the keys of metadata that hold requirements. The
	// requirements of all of them count; anything else they say is taken from
	// the first that is a map.
	Namespaces []string `toml:"namespaces"`
	// Identity says what names a skill: the name that is "declared", else its
	// folder; or always its folder, the "directory".
	Identity string `toml:"identity"`
	// DefaultVersion is the version of a skill that declares none.
	DefaultVersion string `toml:"default_version"`
	Limits         Limits `toml:"limits"`
}

// Limits bound what a skill may contain. Zero means no limit, except where a
// document's size, depth or nodes are concerned: those must be set.
type Limits struct {
	FileBytes        int64 `toml:"file_bytes"`        // one manifest
	FrontmatterBytes int   `toml:"frontmatter_bytes"` // the head of SKILL.md
	Depth            int   `toml:"depth"`
	Nodes            int   `toml:"nodes"`

	NamePattern      string `toml:"name_pattern"`
	DescriptionChars int    `toml:"description_chars"`
	Keywords         int    `toml:"keywords"`
	Patterns         int    `toml:"patterns"`
	Tags             int    `toml:"tags"`
	// MinChars is the shortest keyword or tag of an activation block.
	MinChars int `toml:"min_chars"`
	// PatternProgram is how many instructions a pattern may compile to.
	PatternProgram int `toml:"pattern_program"`
	// BudgetFactor times max_context_tokens is the largest body, at four bytes
	// a token.
	BudgetFactor int `toml:"budget_factor"`
	// DefaultBudget is the max_context_tokens of a skill that declares none.
	DefaultBudget int `toml:"default_budget"`
}

// Source is one manifest file of a skill's folder.
type Source struct {
	File string // its name in the folder
	Data []byte // not changed by the parser
	// Lent says that the Result may share Data's memory, so Data must not
	// change as long as the Result is used. A loader that stores results in a
	// form of its own saves copying every body that way.
	Lent bool
}

// Result is what a folder's manifests say.
type Result struct {
	Skill skill.Skill
	// Usable is false when no manifest could be made into a skill; the Skill
	// then has at least a name and slug, and Diagnostics say why.
	Usable bool
	// Diagnostics name files as Source.File does.
	Diagnostics []skill.Diagnostic
	// Repairs are the fields that were not valid as written, with the value
	// that was read, so that the file can be mended.
	Repairs []Repair
}

// Repair is a top-level frontmatter key whose value had to be guessed.
type Repair struct {
	File  string
	Key   string
	Value string
}
