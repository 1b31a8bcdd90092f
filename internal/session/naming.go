package session

import (
	"strconv"
	"strings"
)

// naming gives out names that are unique.
type naming struct {
	max      int
	trimEnd  bool
	reserved map[string]bool
	taken    map[string]bool
	next     map[string]int // the first number that is free, by plain name
}

func newNaming(limit int, trimEnd bool, reserved map[string]bool) *naming {
	return &naming{max: limit, trimEnd: trimEnd, reserved: reserved, taken: map[string]bool{}, next: map[string]int{}}
}

func (n *naming) name(of string) string {
	plain := n.plain(of)
	name := plain
	for n.taken[name] || n.reserved[name] {
		n.next[plain] = max(n.next[plain]+1, 2)
		end := suffix(n.next[plain])
		name = plain[:min(len(plain), n.max-len(end))] + end
	}
	n.taken[name] = true
	return name
}

// lastNumber is where the emulated numbering ends; it then gives everyone the
// name that ends in _x. Here one skill gets it, and numbers go on.
const lastNumber = 999

func suffix(i int) string {
	switch {
	case i <= lastNumber:
		return "_" + strconv.Itoa(i)
	case i == lastNumber+1:
		return "_x"
	default:
		return "_" + strconv.Itoa(i-1)
	}
}

// plain keeps lower-case letters and digits and puts one underscore for
// whatever lies between them.
func (n *naming) plain(name string) string {
	var b strings.Builder
	gap := false
	// The one capital whose lower case is two characters, of which Go keeps one.
	name = strings.ReplaceAll(name, "İ", "i\u0307")
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
	}
	out := b.String()
	out = out[:min(len(out), n.max)]
	if n.trimEnd {
		out = strings.TrimRight(out, "_")
	}
	if out == "" {
		return "skill"
	}
	return out
}
