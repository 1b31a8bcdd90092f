package skill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Diagnostic is one thing worth knowing about a file: what, where, and what to
// do about it.
type Diagnostic struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"` // from 1; 0 is the whole file
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
}

// String prints the diagnostic on one line, as compilers do.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.File)
		if d.Line > 0 {
			fmt.Fprintf(&b, ":%d", d.Line)
		}
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s: %s", d.Severity, d.Message)
	if d.Hint != "" {
		fmt.Fprintf(&b, " (%s)", d.Hint)
	}
	fmt.Fprintf(&b, " [%s]", d.Code)
	return b.String()
}

// Severity orders diagnostics by what they cost the user.
type Severity string

const (
	// Error says that something the author wrote has no effect or the skill is lost.
	Error Severity = "error"
	// Warning says that it was repaired or ignored; the author should look.
	Warning Severity = "warning"
	// Info is advice.
	Info Severity = "info"
)

func (s Severity) rank() int { return strings.Index("errorwarninginfo", string(s)) }

// SortDiagnostics orders by file, line, severity, code and message, so that the
// same files always give the same list.
func SortDiagnostics(ds []Diagnostic) {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}
