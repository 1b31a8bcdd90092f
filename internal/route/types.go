// Package route says which skills fit a message; route.go is its manual.
package route

import "github.com/knackhq/knack/skill"

// Rules are the knobs of this step, as a host profile sets them under [route].
type Rules struct {
	// Scorer says how a message and a skill are compared: "ranked" by the words
	// they share, "weights" by what the skill declares, "words" the same with
	// whole words, caps and a fallback, or "none".
	Scorer string `toml:"scorer"`
	// Weights are what "weights" and "words" give a match, by kind: "exact",
	// "substring", "pattern", "tag". Caps bound the sum of a kind.
	Weights map[string]float64 `toml:"weights"`
	Caps    map[string]float64 `toml:"caps"`
	// Least is the score below which a skill is not chosen.
	Least float64 `toml:"least"`
	// Max is how many skills are activated at most, Suggest how many offered.
	Max     int `toml:"max"`
	Suggest int `toml:"suggest"`
	// Tokens is what the activated skills may cost together; 0 is no budget. What
	// did not fit is in Selection.Skipped. "weights" and "words" keep to it.
	Tokens int `toml:"tokens"`
}

// Selection is the answer to one message.
type Selection struct {
	// Activate are the skills that fit beyond doubt, Suggest those that may. Both
	// are empty where nothing does.
	Activate []Pick `json:"activate"`
	Suggest  []Pick `json:"suggest"`
	// Considered is how many skills were compared.
	Considered int `json:"considered"`
	// Skipped fit the message, or a skill that does, but not the bounds.
	Skipped []Skip `json:"skipped,omitempty"`
}

// Skip is a skill that would have been activated.
type Skip struct {
	// Skill is its place, as in Pick; From the place of the skill that wanted it
	// as a companion, or -1.
	Skill int `json:"-"`
	From  int `json:"-"`
	// Why is the bound that it hit: "tokens" or "max".
	Why string `json:"why"`
}

// Pick is a skill that fits a message.
type Pick struct {
	// Skill is its place among the skills that the index was made of.
	Skill int     `json:"-"`
	Score float64 `json:"score"`
	// Reasons say what of the message fits what of the skill, the weightiest
	// first.
	Reasons []Match `json:"reasons"`
}

// Match is one thing that a message and a skill have in common.
type Match struct {
	// Kind is what matched: word, keyword, pattern, tag, name, trigger; or companion,
	// where Text is the skill that wanted it.
	Kind string `json:"kind"`
	// Text is the word or pattern, Field where the skill has it.
	Text   string  `json:"text"`
	Field  string  `json:"field"`
	Weight float64 `json:"weight"`
}

// Chooser answers messages. It is made of one set of skills and may be used by
// many goroutines.
type Chooser interface {
	// Select chooses the skills that fit a message. The same message gives the
	// same answer, byte for byte.
	Select(message string) Selection
}

// Maker makes a chooser of skills. Bodies may be empty; then they do not count.
type Maker func(rules Rules, skills []*skill.Skill) (Chooser, error)
