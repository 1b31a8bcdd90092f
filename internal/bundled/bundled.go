// Package bundled holds the skills that ship inside the binary.
//
// They are few on purpose: skills that are of use on the first day, with any
// agent and any model, and that show authors what each manifest format can do.
//
//	weather          SKILL.md with requirements and installer in one-line metadata, and a SKILL.toml for its http tool
//	arithmetic       SKILL.md that leaves the work to a built-in tool, patterns that activate it
//	skill-creator    SKILL.md that refers to files read on demand
//	github-status    SKILL.toml with an http tool and a shell tool
//	code-review      SKILL.md with keywords and patterns that activate it
//	commit-messages  manifest.toml with permissions and triggers, beside SKILL.md
//	meeting-notes    SKILL.md alone, nothing required
//
// Bundled skills come last in precedence, so a user's own skill of the same
// name always wins. An embedded file has no executable bit: commands name
// their interpreter.
package bundled

import (
	"embed"
	"io/fs"
)

//go:embed all:skills
var files embed.FS

// FS returns the bundled skills; each top-level folder is one skill.
func FS() fs.FS {
	sub, err := fs.Sub(files, "skills")
	if err != nil {
		// "skills" is a valid path, the one thing fs.Sub checks here.
		panic(err)
	}
	return sub
}
