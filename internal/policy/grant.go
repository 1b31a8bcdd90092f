package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/hostname"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// longestTool is what MCP allows for the name of a tool.
const longestTool = 128

// ParseGrant makes a grant of what a user typed: the name of a tool in any
// dialect, with or without arguments, and the hosts it may reach. A host is a
// name or an address, *.example.org for all names below, either with a port
// behind it if only that may be reached. Private ones are taken; [Grant.Private]
// tells which these are, so that the user can be warned.
func ParseGrant(name string, net []string) (Grant, error) {
	if err := checkTool(name); err != nil {
		return Grant{}, err
	}
	g := Grant{Tool: strings.TrimSpace(name)}
	for _, text := range net {
		h, err := hostname.Parse(text)
		if err != nil {
			return Grant{}, err
		}
		g.Net = append(g.Net, h.String())
	}
	g.Net = sortedSet(g.Net)
	return g, nil
}

func checkTool(text string) error {
	r := parseRule(text)
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-.:/", c)
	}
	quoted := wording.Quote(wording.Name(text))
	switch server, whole := r.server(); {
	case strings.TrimSpace(text) == "":
		return errors.New("a grant needs the name of a tool, such as shell")
	case strings.Contains(r.written, "*"):
		return fmt.Errorf("%s is no single tool; grant the tools one by one", quoted)
	case r.written == "" || len(r.written) > longestTool || strings.TrimFunc(r.written, plain) != "" || strings.IndexByte("-.:/", r.written[0]) >= 0:
		return fmt.Errorf("%s is not the name of a tool; names are like shell, Bash or mcp__files__read", quoted)
	case whole:
		return fmt.Errorf("%s is a whole server; grant its tools one by one, such as %s__TOOL", quoted, wording.Name(server))
	case r.arguments != "" && !understood(r.arguments):
		return fmt.Errorf("the arguments of %s cannot be understood; write them like Bash(git:*), Bash(git push *) or Bash(make test)", quoted)
	}
	return nil
}

// Private are the hosts of the grant that are not of the public internet: those
// of this machine and of the networks around it.
func (g Grant) Private() []string {
	return slices.DeleteFunc(slices.Clone(g.Net), func(text string) bool {
		h, err := hostname.Parse(text)
		return err == nil && !h.Private()
	})
}

// Covers reports whether grants let a tool be called with these arguments, and
// which hosts those of them name that do. It is for skills that need no grant to
// keep a tool: theirs say what nobody need be asked about.
func Covers(grants []Grant, t tool.Spec, arguments string) (hosts []string, ok bool) {
	about := subject{&t, canonicalName(t.Name)}
	for _, g := range grants {
		if parseRule(g.Tool).grants(about) && len(fitting([]Grant{g}, arguments)) > 0 {
			hosts, ok = append(hosts, g.Net...), true
		}
	}
	return sortedSet(hosts), ok
}
