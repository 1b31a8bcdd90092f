package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/strategy"
	"github.com/knackhq/knack/skill"
)

// ToolRules are the knobs of skills' own tools, as a host profile sets them
// under [tools].
type ToolRules struct {
	// Sanitize says which characters of a name stay: letters and digits of
	// "ascii" or of "unicode". Others become underscores.
	Sanitize string `toml:"sanitize"`
	// MaxLength is the longest name; zero is no bound.
	MaxLength int `toml:"max_length"`
	// Keep are places of a workspace, relative to it, that no tool may change,
	// besides those where skills are.
	Keep []string `toml:"keep"`
	// Anywhere are names of files and folders that no tool may change, wherever in
	// the workspace they are.
	Anywhere []string `toml:"anywhere"`
}

var sanitizers = [...]strategy.Named[func(c rune) bool]{
	{Name: "ascii", Do: func(c rune) bool {
		return c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c))
	}},
	{Name: "unicode", Do: func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }},
}

// ToolNamer names the tools that skills bring along.
type ToolNamer struct {
	keeps func(c rune) bool
	max   int
}

// NewToolNamer checks the rules.
func NewToolNamer(rules ToolRules) (*ToolNamer, error) {
	keeps, err := strategy.Pick("tools.sanitize", rules.Sanitize, sanitizers[:])
	if err != nil {
		return nil, err
	}
	if n := rules.MaxLength; n != 0 && n < shortestTool {
		return nil, fmt.Errorf("tools.max_length is %d; it must be at least %d, or 0 for no bound", n, shortestTool)
	}
	return &ToolNamer{keeps, rules.MaxLength}, nil
}

// hashDigits tell names apart that would be the same: 32 bits are enough for
// the tools of one session.
const hashDigits = 8

// shortestTool leaves room for "skill", an underscore and the hash.
const shortestTool = len("skill_") + hashDigits

// Names are the names of every skill's tools, in the order of its declarations:
// skill_SKILL_TOOL. A name that is too long, or that two tools would share, ends
// in a hash of what it stands for, so that it does not depend on which other
// skills are there first. So does one that looks like that already, for nobody
// may choose the name that another's tool is given.
func (n *ToolNamer) Names(entries []*skill.Entry) map[*skill.Entry][]string {
	count := map[string]int{}
	for _, e := range entries {
		for i := range e.Tools {
			count[n.plain(e.Name, e.Tools[i].Name)]++
		}
	}
	names := make(map[*skill.Entry][]string)
	for _, e := range entries {
		for i := range e.Tools {
			names[e] = append(names[e], n.name(e, i, count))
		}
	}
	return names
}

func (n *ToolNamer) name(e *skill.Entry, i int, count map[string]int) string {
	tool := e.Tools[i].Name
	plain := n.plain(e.Name, tool)
	if count[plain] == 1 && (n.max == 0 || len(plain) <= n.max) && !looksHashed(plain) {
		return plain
	}
	sum := sha256.Sum256([]byte(e.Root + "\x00" + e.Path + "\x00" + e.Name + "\x00" + tool + "\x00" + strconv.Itoa(i)))
	hash := "_" + hex.EncodeToString(sum[:])[:hashDigits]
	if n.max > 0 && len(plain) > n.max-len(hash) {
		plain = strings.ToValidUTF8(plain[:n.max-len(hash)], "")
	}
	return plain + hash
}

func looksHashed(name string) bool {
	at := len(name) - hashDigits
	return at > 0 && name[at-1] == '_' && strings.Trim(name[at:], "0123456789abcdef") == ""
}

func (n *ToolNamer) plain(skillName, tool string) string {
	return "skill_" + n.sanitize(skillName) + "_" + n.sanitize(tool)
}

func (n *ToolNamer) sanitize(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || n.keeps(c) {
			return c
		}
		return '_'
	}, name)
}
