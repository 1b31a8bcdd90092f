package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/knackhq/knack"
)

// explainMissing answers why a name is not known: where Knack looked.
func (f *factory) explainMissing(err error, roots []knack.RootInfo) error {
	var notFound *knack.NotFoundError
	if !errors.As(err, &notFound) {
		return err
	}
	var looked []string
	for _, r := range roots {
		line := "  " + f.short(r.Path)
		if !r.Exists {
			line += " (not there)"
		}
		looked = append(looked, line)
	}
	return &hintedError{
		err:  notFound,
		hint: fmt.Sprintf("Knack looked in\n%s\n  A skill is a folder in one of these with a SKILL.md, SKILL.toml or manifest.toml.", strings.Join(looked, "\n")),
	}
}
