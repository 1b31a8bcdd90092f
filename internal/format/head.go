package format

import (
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// head is SKILL.md taken apart: its frontmatter as data, and what follows.
type head struct {
	// fields is the frontmatter as a map; nil when the file has none.
	fields *tree.Node
	// body is the text after the frontmatter, line endings made LF, NUL bytes
	// and byte-order mark removed; the whole text when there is no frontmatter.
	body string
	// bodyLine is the line of the file on which body starts.
	bodyLine int
	// unreadable are the top-level keys that are there but could not be read,
	// so that a lost metadata is never mistaken for none.
	unreadable  []string
	diagnostics []skill.Diagnostic
	repairs     []Repair
}

// headReader splits and reads a SKILL.md. file names it in diagnostics.
type headReader func(file string, data []byte, limits Limits) head
