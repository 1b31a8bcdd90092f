package prompt

import "github.com/knackhq/knack/skill"

// Rules are the knobs of this step, as a host profile sets them under [prompt].
type Rules struct {
	// Index names the renderer of the list of skills, by mode: "full",
	// "compact", "index". A mode that is not there is rendered as Default.
	Index   map[string]string `toml:"index"`
	Default string            `toml:"default"`
	// Body names the renderer of active skills.
	Body string `toml:"body"`
	// Escape says how text is kept from breaking out of tags in bodies: "xml"
	// escapes five characters everywhere, "tags" only the tags that the host
	// itself writes.
	Escape string `toml:"escape"`
	// Location says which path of a skill the model is shown: "absolute",
	// "home" (with ~) or "workspace" (relative where it lies in there).
	Location string `toml:"location"`
	// MaxSkills and MaxChars bound the index, in skills and UTF-16 units; zero
	// is no bound. MaxTokens bounds it in estimated tokens.
	MaxSkills int `toml:"max_skills"`
	MaxChars  int `toml:"max_chars"`
	MaxTokens int `toml:"max_tokens"`
	// MaxDescription is how much of a description "list" shows at most, and
	// MinDescription how far it shortens all of them before it leaves out skills,
	// both in UTF-16 units. Zero is all of it, and none of it.
	MaxDescription int `toml:"max_description"`
	MinDescription int `toml:"min_description"`
	// Text is the host's fixed wording, by name; [New] refuses names that no
	// renderer knows.
	Text map[string]string `toml:"text"`
}

// Item is one skill as a renderer sees it.
type Item struct {
	Skill *skill.Skill // header for the index, whole for bodies
	// Path is the absolute path of the manifest that holds the instructions,
	// Dir that of the folder.
	Path, Dir string
	// Remote skills show no body in the index.
	Remote bool
	// Tools are the names under which the skill's own tools can be called, in
	// the order of Skill.Tools; an empty one cannot be called.
	Tools []string
	// Args is what the user wrote behind the slash command that activated it,
	// Slash whether one did.
	Args  string
	Slash bool
}

// Input is everything a prompt is made of.
type Input struct {
	// Index are the skills the model may know of, in order of names. Those that
	// refuse to be invoked by a model are left out without a word.
	Index []Item
	// Active are those whose instructions count, in order of activation.
	Active []Item
	Mode   string
	// Workspace and Home are what locations are relative to.
	Workspace, Home string
	// Note is put in front of the index if it fits.
	Note string
	// MaxSkills, MaxChars and MaxTokens, unless nil, override the rules'. A zero
	// here is a bound: nothing fits.
	MaxSkills, MaxChars, MaxTokens *int
}

// Output is the prompt, and what is not in it.
type Output struct {
	Text   string `json:"text"`
	Index  string `json:"index"`
	Bodies string `json:"bodies"`
	Tokens int    `json:"tokens"` // estimated, of Text
	// Left are the skills that did not fit, by name, and Shortened those whose
	// description was cut or left out. Both are in the order of the index.
	Left      []string `json:"left"`
	Shortened []string `json:"shortened"`
}
