// Package skill is the vocabulary of Knack: what a skill is, whatever system
// it was written for, and what the engine has to say about it.
//
// A [Skill] is the normalised form of a skill folder. Every field that one of
// the five dialects defines has one place here, so the rest of the engine never
// asks which dialect a skill came from. An [Entry] is a skill as it was found on
// one machine: where it was, whether it may be used ([Status]), why not
// ([Reason]), and what was wrong with its files ([Diagnostic]).
//
// Text that a skill's author wrote for a model to read is a [Text], not a
// string, so that it cannot slip into a prompt unescaped by accident.
//
// The package does no I/O and imports nothing of Knack. Its values are plain
// data: they marshal to JSON with stable keys, and are safe to share between
// goroutines as long as nobody changes them.
package skill

// Skill is a skill folder in normalised form.
//
// Name is what its author calls it and what configuration and prompts use; Slug
// is the folder's name and what commands may address it by. The two often
// differ. Body and Prompts hold the instructions; they are empty in a catalog
// snapshot, which keeps headers only, and filled when one skill is loaded.
type Skill struct {
	Name        string `json:"name"`
	Slug        string `json:"slug"`
	Description Text   `json:"description"`
	Version     string `json:"version,omitempty"`
	Author      string `json:"author,omitempty"`
	Category    string `json:"category,omitempty"`
	License     string `json:"license,omitempty"`
	Homepage    string `json:"homepage,omitempty"`
	Emoji       string `json:"emoji,omitempty"`

	Tags          []string `json:"tags,omitempty"`
	Triggers      []string `json:"triggers,omitempty"`
	Compatibility Text     `json:"compatibility,omitzero"`

	// Permissions are the tools the skill says it needs. AllowedTools and
	// DisallowedTools are rules such as "Bash(git:*)", one element each.
	Permissions     []string `json:"permissions,omitempty"`
	AllowedTools    []string `json:"allowedTools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	// Companions are the names of skills that it wants to be active beside it
	// (requires.skills). They are no requirement.
	Companions []string `json:"companions,omitempty"`

	Activation Activation   `json:"activation,omitzero"`
	Requires   Requirements `json:"requires,omitzero"`
	Invocation Invocation   `json:"invocation"`
	Dispatch   Dispatch     `json:"dispatch,omitzero"`

	Tools []ToolDecl `json:"tools,omitempty"`

	// Recipes are install steps that all belong to the skill (SKILL.toml);
	// Installers are alternatives of which one is chosen (metadata).
	Recipes    []InstallSpec `json:"recipes,omitempty"`
	Installers []InstallSpec `json:"installers,omitempty"`

	// Extra holds the keys no dialect defines, as they were written.
	Extra []Field `json:"extra,omitempty"`

	// Format names the manifest files the skill was read from, joined by "+",
	// the one that wins first: "SKILL.toml+SKILL.md".
	Format    string     `json:"format"`
	Manifests []Manifest `json:"manifests,omitempty"`
	// Tokens estimates what prompts and body cost a model together.
	Tokens int `json:"tokens"`

	Trust      Trust      `json:"trust"`
	Provenance Provenance `json:"provenance,omitzero"`
	// Digest covers every byte and executable bit of the folder:
	// "sha256:" and 64 hex digits. Empty until it was asked for.
	Digest string `json:"digest,omitempty"`

	Prompts   []Text     `json:"prompts,omitempty"`
	Body      Text       `json:"body,omitzero"`
	Resources []Resource `json:"resources,omitempty"`
}

// Key is the name under which configuration keeps this skill's entry: the
// skillKey its metadata declares, else its name.
func (s *Skill) Key() string {
	if s.Requires.SkillKey != "" {
		return s.Requires.SkillKey
	}
	return s.Name
}

// Activation says when a skill wants to be used without being asked for.
type Activation struct {
	Keywords        []string `json:"keywords,omitempty"`
	ExcludeKeywords []string `json:"excludeKeywords,omitempty"`
	// Patterns are regular expressions in RE2 syntax that are known to compile.
	Patterns []string `json:"patterns,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	// MaxContextTokens is the token budget the author declares; 0 is none.
	MaxContextTokens int `json:"maxContextTokens,omitempty"`
}

// Requirements are the conditions under which a skill can work at all.
type Requirements struct {
	OS      []string `json:"os,omitempty"`
	Bins    []string `json:"bins,omitempty"`
	AnyBins []string `json:"anyBins,omitempty"`
	Env     []string `json:"env,omitempty"`
	Config  []string `json:"config,omitempty"`
	// Always passes every gate but the operating system's; never trust.
	Always bool `json:"always,omitempty"`
	// SkillKey replaces the name as the key of the skill's configuration.
	SkillKey string `json:"skillKey,omitempty"`
	// PrimaryEnv is the variable that the configuration's apiKey fills.
	PrimaryEnv string `json:"primaryEnv,omitempty"`
	// Unreadable is set when the author wrote requirements that could not be
	// read. The skill is then gated: unknown is never the same as none.
	Unreadable bool `json:"unreadable,omitempty"`
}

// Invocation says who may start a skill. The zero value of each field is the
// default of every dialect: the user may, and the model may.
type Invocation struct {
	// UserDisabled: the skill is no slash command (user-invocable: false).
	UserDisabled bool `json:"userDisabled"`
	// ModelDisabled: the model does not see it (disable-model-invocation).
	ModelDisabled bool `json:"modelDisabled"`
	// ArgumentHint is shown beside the slash command.
	ArgumentHint Text `json:"argumentHint,omitzero"`
}

// Dispatch sends a slash command straight to a tool, without a model.
type Dispatch struct {
	Kind    string `json:"kind,omitempty"` // "tool", or empty for none
	Tool    string `json:"tool,omitempty"`
	ArgMode string `json:"argMode,omitempty"` // "raw"
}

// ToolDecl is a tool that a skill brings along.
type ToolDecl struct {
	Name        string `json:"name"`
	Description Text   `json:"description"`
	Kind        string `json:"kind"` // "shell" or "http"; others are kept and cannot run
	// Command is the author's shell line (kind shell).
	Command string `json:"command,omitempty"`
	// Method and URL are fixed by the author (kind http).
	Method string    `json:"method,omitempty"`
	URL    string    `json:"url,omitempty"`
	Args   []ToolArg `json:"args,omitempty"`
}

// ToolArg is one declared argument of a tool.
type ToolArg struct {
	Name        string `json:"name"`
	Description Text   `json:"description"`
	// Dash tells that a value may begin with a hyphen. Others may not: the
	// program would take it for an option.
	Dash bool `json:"dash,omitempty"`
}

// InstallSpec is one way to install what a skill depends on.
type InstallSpec struct {
	ID    string   `json:"id,omitempty"`
	Kind  string   `json:"kind"` // brew, node, go, uv, download; others are kept and cannot run
	Label Text     `json:"label,omitzero"`
	OS    []string `json:"os,omitempty"`
	Bins  []string `json:"bins,omitempty"`
	// Package is the formula, package or module to install, by kind.
	Package         string `json:"package,omitempty"`
	URL             string `json:"url,omitempty"`
	Archive         string `json:"archive,omitempty"`
	Extract         bool   `json:"extract,omitempty"`
	StripComponents int    `json:"stripComponents,omitempty"`
	TargetDir       string `json:"targetDir,omitempty"`
	SHA256          string `json:"sha256,omitempty"`
}

// Field is a key the engine does not know, kept as it was written.
type Field struct {
	Key   string `json:"key"`
	Value Text   `json:"value"`
	File  string `json:"file"`
	Line  int    `json:"line"`
}

// Manifest is one file that was read to make a skill.
type Manifest struct {
	File string `json:"file"` // relative to the skill's folder
	Size int64  `json:"size"`
	// SHA256 is that of the raw bytes, 64 hex digits; empty in a snapshot,
	// filled when one skill is loaded whole.
	SHA256 string `json:"sha256,omitempty"`
	// Sum tells versions of the file apart at a tenth of the cost. It is no
	// digest: whoever wants to can make two files of equal sums.
	Sum uint64 `json:"-"`
}

// Resource is a file of the skill's folder that is not a manifest.
type Resource struct {
	Path       string `json:"path"` // relative, with forward slashes
	Size       int64  `json:"size"`
	Executable bool   `json:"executable,omitempty"`
}

// Provenance records where a skill's files came from, when that is known.
type Provenance struct {
	Source string `json:"source,omitempty"` // "bundled", or what installed it
}
