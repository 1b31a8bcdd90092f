package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
)

// admissions are the words by which a report tells that something is possible
// all the same, and the probes that may then succeed.
var admissions = []struct {
	words  string // in one of the weak points of a report
	probes []string
}{
	{"the size of its tmp is not bounded", []string{"tmp-size"}},
	{"nothing is kept from being written", []string{
		"keep-overwrite", "keep-add", "keep-add-skill", "keep-mode", "keep-rename", "keep-exchange", "keep-replace", "keep-remove", "keep-create",
		"keep-parent", "keep-link",
	}},
	{"can be sent signals", []string{"signal", "supervisor"}},
	{"can be cut off", []string{"truncate-home"}},
	{"any machine can be reached by TCP", []string{"tcp-loopback", "tcp6-loopback"}},
	// Landlock knows contents and names, and neither sizes nor permissions.
	{"sizes and dates of any file can be learnt", []string{"stat-home", "watch-home"}},
	{"rights to all files of its user can be changed", []string{"chmod-home", "keep-mode"}},
	{"priorities and limits of other processes can be changed", []string{"renice", "prlimit"}},
	{"shared memory can be reached", []string{"shared-memory"}},
}

// noNetwork is the claim of a report that nothing is reached.
const noNetwork = "none"

// limited are the probes outside of resources and environment that every layer
// promises to block: no process outlives its run.
var limited = []string{"daemon"}

// Promises reports whether a layer promises to block a probe, by its own report.
func Promises(r sandbox.Report, p Probe) bool {
	if slices.ContainsFunc(r.Weak, func(weak string) bool { return admits(weak, p) }) {
		return false
	}
	if r.Layer.Contains() || p.Threatens == Network && r.Network == noNetwork {
		return true
	}
	return p.Threatens == Resources || p.Threatens == Environment || slices.Contains(limited, p.Name)
}

func admits(weak string, p Probe) bool {
	for _, a := range admissions {
		if strings.Contains(weak, a.words) && slices.Contains(a.probes, p.Name) {
			return true
		}
	}
	return false
}

// Check holds findings against the report that came with them, and lists where
// the report promises too much.
func Check(r sandbox.Report, findings []Finding) []error {
	var wrong []error
	for _, f := range findings {
		if f.Outcome == Succeeded && Promises(r, f.Probe) {
			wrong = append(wrong, fmt.Errorf("%s promises that no tool %s (%s)", r.Layer, f.Probe.Title, f.Probe.Name))
		}
	}
	return wrong
}
