package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// explainMissing answers why a name is not known: where Knack looked, and what
// stood in its way there.
func (f *factory) explainMissing(err error, roots []knack.RootInfo, found []skill.Diagnostic) error {
	var notFound *knack.NotFoundError
	if !errors.As(err, &notFound) {
		return err
	}
	var lines []string
	for _, d := range found {
		if filepath.Base(d.File) == notFound.Name || d.Code == skill.RootUnreadable {
			lines = append(lines, term.Clean(d.Message+"; "+d.Hint))
		}
	}
	lines = append(lines, "Knack looked in")
	for _, r := range roots {
		line := "  " + f.short(r.Path)
		if !r.Exists {
			line += " (not there)"
		}
		lines = append(lines, line)
	}
	lines = append(lines, "A skill is a folder in one of these with a SKILL.md, SKILL.toml or manifest.toml.")
	return &hintedError{err: notFound, hint: fmt.Sprint(strings.Join(lines, "\n  "))}
}
