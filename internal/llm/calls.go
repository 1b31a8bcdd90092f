package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// piece is what comes of a call at a time.
type piece struct {
	index     int // -1 if the server does not say
	id, name  string
	arguments string
	extra     json.RawMessage // what a server wants back with the call
}

// assembly puts calls together from their pieces. Servers agree on little: some
// number the calls, some number all of them 0 or none; some name a call once,
// some with each piece, some never; some send it whole.
type assembly struct {
	calls   []*assembled
	byID    map[string]*assembled
	byIndex map[int]*assembled
}

type assembled struct {
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

func (a *assembly) add(p piece) {
	c := a.find(p)
	if c == nil {
		c = &assembled{id: p.id}
		a.calls = append(a.calls, c)
		if a.byID == nil {
			a.byID, a.byIndex = map[string]*assembled{}, map[int]*assembled{}
		}
	}
	if c.id == "" {
		c.id = p.id
	}
	if c.id != "" {
		a.byID[c.id] = c
	}
	if p.index >= 0 {
		a.byIndex[p.index] = c
	}
	// A name comes whole, again and again, or in pieces before the arguments.
	if p.name != c.name && c.arguments.Len() == 0 {
		c.name += p.name
	}
	c.arguments.WriteString(p.arguments)
	if p.extra != nil {
		c.extra = p.extra
	}
}

// find returns the call that a piece belongs to; nil if it begins one.
func (a *assembly) find(p piece) *assembled {
	if len(a.calls) == 0 {
		return nil
	}
	last, known, numbered := a.calls[len(a.calls)-1], a.byID[p.id], a.byIndex[p.index]
	if p.name == "" { // no call begins without a name
		for _, c := range []*assembled{known, numbered, last} {
			if c != nil {
				return c
			}
		}
	}
	c := numbered
	if p.index < 0 {
		if c = known; p.id == "" {
			c = last
		}
	}
	if c == nil || p.id != "" && c.id != "" && p.id != c.id {
		return nil // another number or id
	}
	// A name after complete arguments begins the next call, if it brings arguments
	// of its own or is another one.
	if c.complete() && (p.name != c.name || !blank(p.arguments)) {
		return nil
	}
	return c
}

// complete reports arguments that nothing can be added to.
func (c *assembled) complete() bool {
	s := strings.TrimSpace(c.arguments.String())
	return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && json.Valid([]byte(s))
}

// finish returns the calls, each with an id that no other has. before is how many
// there were in the conversation.
func (a *assembly) finish(n names, before int) []Call {
	var out []Call
	taken := map[string]bool{}
	for i, c := range a.calls {
		id := c.id
		for k := before + i + 1; id == "" || taken[id]; k++ {
			id = fmt.Sprintf("call_%d", k)
		}
		taken[id] = true
		out = append(out, Call{ID: id, Tool: n.ours(c.name), Arguments: written(c.arguments.String(), "")})
	}
	return out
}
