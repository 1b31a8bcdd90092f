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
func (f *factory) explainMissing(err error, engine *knack.Engine, found []skill.Diagnostic) error {
	var notFound *knack.NotFoundError
	if !errors.As(err, &notFound) {
		return err
	}
	var lines []string
	for _, d := range found {
		if filepath.Base(d.File) == notFound.Name || d.Code == skill.RootUnreadable || d.Code == skill.RootTruncated {
			lines = append(lines, term.Clean(d.Message+"; "+d.Hint))
		}
	}
	lines = append(lines, "Knack looked in")
	for _, r := range engine.Roots() {
		line := "  " + f.short(r.Path)
		if !r.Exists {
			line += " (not there)"
		}
		lines = append(lines, line)
	}
	lines = append(lines, "A skill is a folder in one of these with a "+manifestNames(engine)+".")
	return &hintedError{err: notFound, hint: fmt.Sprint(strings.Join(lines, "\n  "))}
}

// manifestNames are the files that make a folder a skill.
func manifestNames(engine *knack.Engine) string {
	if engine.Host() == knack.NativeHost { // which takes them in any spelling
		return "SKILL.md, SKILL.toml or manifest.toml"
	}
	return strings.Join(engine.Manifests(), " or ")
}
