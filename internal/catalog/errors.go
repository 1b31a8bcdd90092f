package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// ErrNoManifest is matched by the error for a folder that is no skill.
var ErrNoManifest = errors.New("no manifest")

// NoManifestError says that a folder is no skill. It matches [ErrNoManifest].
type NoManifestError struct {
	// Diagnostic says the same, with the names of files that would make it one.
	Diagnostic skill.Diagnostic
}

func (e *NoManifestError) Error() string {
	return e.Diagnostic.Message + "; " + e.Diagnostic.Hint
}

func (e *NoManifestError) Unwrap() error { return ErrNoManifest }

func noManifest(dir string, names []string) *NoManifestError {
	return &NoManifestError{skill.NoManifest.New(dir, 0, wording.Quote(dir)+" is no skill: it holds no manifest",
		"a skill is a folder with one of "+strings.Join(names, ", "))}
}

// NotFoundError says that no skill has that name.
type NotFoundError struct {
	Name string
	Near []string // names it may have meant, the likeliest first
}

func (e *NotFoundError) Error() string {
	msg := "no skill is called " + wording.Quote(e.Name)
	if len(e.Near) > 0 {
		quoted := make([]string, len(e.Near))
		for i, name := range e.Near {
			quoted[i] = wording.Quote(name)
		}
		msg += "; did you mean " + strings.Join(quoted, ", ") + "?"
	}
	return msg
}

// AmbiguousError says that several skills answer to that name.
type AmbiguousError struct {
	Name       string
	Candidates []*skill.Entry
}

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d skills answer to %s:", len(e.Candidates), wording.Quote(e.Name))
	for _, c := range e.Candidates {
		fmt.Fprintf(&b, "\n  %s in %s", wording.Quote(c.Name), wording.Quote(c.Path))
	}
	b.WriteString("\nsay which one by its exact name, or by the path of its folder")
	return b.String()
}
