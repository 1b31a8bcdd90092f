package gate

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// canonical turns any spelling of an operating system into Go's.
func (c *Checker) canonical(system string) string {
	system = strings.ToLower(strings.TrimSpace(system))
	if name, ok := c.systems[system]; ok {
		return name
	}
	return system
}

// hostName is what the host calls a system.
func (c *Checker) hostName(goos string) string {
	if name, ok := c.names[goos]; ok {
		return name
	}
	return goos
}

// fits reports whether one of the systems is the given one, in any spelling.
func (c *Checker) fits(systems []string, goos string) bool {
	return slices.ContainsFunc(systems, func(s string) bool { return c.canonical(s) == goos })
}

// systemNames are the names that people know operating systems by.
var systemNames = [...]struct{ goos, name string }{
	{"android", "Android"},
	{"darwin", "macOS"},
	{"dragonfly", "DragonFly BSD"},
	{"freebsd", "FreeBSD"},
	{"illumos", "illumos"},
	{"ios", "iOS"},
	{"linux", "Linux"},
	{"netbsd", "NetBSD"},
	{"openbsd", "OpenBSD"},
	{"solaris", "Solaris"},
	{"windows", "Windows"},
}

// systemName is what people call a system; one that is not known is called
// what the skill calls it.
func systemName(goos string) string {
	for _, s := range systemNames {
		if s.goos == goos {
			return s.name
		}
	}
	return wording.Name(goos)
}

// orList writes "a", "a or b", "a, b or c".
func orList(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
