package cli

import (
	"slices"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// hostVerbs are the commands whose answer depends on the host.
var hostVerbs = [...]string{"list", "show", "why", "reload", "lint", "enable", "disable", "config", "doctor", "prompt", "select", "trust", "grant"}

// pasted makes the commands in a hint work as they stand: what was found with
// --host is not there without it. A host that the environment or a file chose
// counts for the next command too and need not be repeated.
func (f *factory) pasted(hint string) string { return forHost(hint, f.flags.host) }

// forHost adds --host to every command in a hint that does not name one.
func forHost(hint, host string) string {
	const program = "knack "
	// A name that a shell would take apart is left for the user to quote.
	if host == "" || host == knack.NativeHost || strings.Contains(hint, "--host") || strings.ContainsAny(host, " \t\n'\"\\$`*?[(&;|<>#~!") {
		return hint
	}
	var b strings.Builder
	for rest := hint; ; {
		before, after, found := strings.Cut(rest, program)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(program)
		verb, _, _ := strings.Cut(after, " ")
		if slices.Contains(hostVerbs[:], verb) && (before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "(")) {
			b.WriteString("--host " + host + " ")
		}
		rest = after
	}
}

// pastedReasons are reasons with hints that work as they stand; never nil.
func (f *factory) pastedReasons(rs []skill.Reason) []skill.Reason {
	out := append([]skill.Reason{}, rs...)
	for i := range out {
		out[i].Hint = f.pasted(out[i].Hint)
	}
	return out
}
