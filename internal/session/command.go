// Package session turns a snapshot of skills into what one conversation can do
// with them. Its first part is the names of slash commands.
package session

import (
	"fmt"
	"strings"

	"github.com/knackhq/knack/skill"
)

// maxCommand is the longest command name: the shortest limit among the chat
// services that show commands in a menu.
const maxCommand = 32

// Commands names the slash command of each entry that users may call. Names are
// unique; the earlier entry keeps the plain one. Entries that are not ready or
// not user-invocable have none.
func Commands(entries []*skill.Entry) map[*skill.Entry]string {
	names := make(map[*skill.Entry]string)
	taken := make(map[string]bool)
	for _, e := range entries {
		if e.Status != skill.Ready || e.Invocation.UserDisabled {
			continue
		}
		name := commandName(e.Name)
		for n, plain := 2, name; taken[name]; n++ {
			suffix := fmt.Sprintf("_%d", n)
			name = plain[:min(len(plain), maxCommand-len(suffix))] + suffix
		}
		taken[name] = true
		names[e] = name
	}
	return names
}

// commandName keeps lower-case letters and digits and puts one underscore for
// whatever lies between them.
func commandName(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	out := b.String()
	out = strings.Trim(out[:min(len(out), maxCommand)], "_")
	if out == "" {
		return "skill"
	}
	return out
}
