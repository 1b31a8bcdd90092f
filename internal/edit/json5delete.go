package edit

import "slices"

// deleteJSON5 removes a path from a valid document.
func deleteJSON5(doc []byte, path []string) []byte {
	d := tokenize(doc)
	at := d.skip(0)
	for at < len(d.all) && d.is(at, '{') {
		o := d.object(at)
		i := d.find(o, path[0])
		switch {
		case i < 0:
			return doc
		case len(path) == 1:
			return d.remove(o, func(i int) bool { return d.name(o.members[i].key) == path[0] })
		}
		at, path = o.members[i].value, path[1:]
	}
	return doc
}

// remove removes some members of an object or items of a list.
func (d *tokens) remove(o object, goes func(i int) bool) []byte {
	c := cut{tokens: d, gone: make([]bool, len(d.all))}
	kept := func(i int) bool { return i >= 0 && !goes(i) }
	for i, m := range slices.Backward(o.members) {
		if kept(i) {
			continue
		}
		comma := m.comma
		if i > 0 && (comma < 0 || c.gone[comma] || kept(i-1) && c.leads(o.members[i-1].comma, m)) {
			comma = o.members[i-1].comma // so that an object that ends without a comma still does
		}
		c.member(m, comma)
	}
	c.emptied(o)
	var out []byte
	for i, t := range d.all {
		if !c.gone[i] {
			out = append(out, d.doc[t.start:t.end]...)
		}
	}
	return out
}

// cut marks the tokens that are to go.
type cut struct {
	*tokens
	gone []bool
}

func (c *cut) drop(from, to int) {
	for i := from; i < to; i++ {
		c.gone[i] = true
	}
}

// leads reports whether the comma before a member starts its line, and that
// behind it the next.
func (c *cut) leads(comma int, m member) bool {
	_, first := c.ownLine(comma)
	_, next := c.ownLine(m.comma)
	return first && next
}

// member drops a member with a comma, or none if that is -1, and what is
// besides the member on its line.
func (c *cut) member(m member, comma int) {
	left := m.key - 1
	for ; c.besides(left) || left == comma; left-- {
		if left < comma && comma < m.key && c.all[left].kind == commentToken {
			break // it is about the member before
		}
	}
	right := m.last + 1
	for c.besides(right) || c.gone[right] || right == comma {
		right++
	}
	if comma >= 0 && (comma < left || comma > right) {
		c.comma(comma)
	}
	switch {
	case c.all[right].kind == newlineToken && c.all[left].kind == newlineToken:
		c.drop(left+1, right+1)
	case c.all[right].kind == newlineToken:
		c.drop(left+1, right)
	case c.is(right, '}') || c.is(right, ']'):
		space := c.all[right-1].kind == blankToken
		c.drop(left+1, right)
		c.gone[right-1] = !space
	default: // the next member begins on the line; what stands behind the comma is about it
		end := m.last + 1
		for end < right && (end <= comma || c.all[end].kind == blankToken) {
			end++
		}
		space := c.all[left+1].kind == blankToken
		c.drop(left+1, end)
		c.gone[left+1] = !space
	}
}

// comma drops a comma that stands on another line than its member, and the
// line if there is nothing else on it.
func (c *cut) comma(at int) {
	c.gone[at] = true
	left, right := at-1, at+1
	for c.all[left].kind == blankToken {
		left--
	}
	for c.all[right].kind == blankToken {
		right++
	}
	switch {
	case c.all[left].kind == newlineToken && c.all[right].kind == newlineToken:
		c.drop(left+1, right+1)
	case c.all[at-1].kind == newlineToken || c.all[at-1].kind == blankToken:
		c.drop(at, right)
	}
}

// emptied leaves no space in an object in which nothing else is left.
func (c *cut) emptied(o object) {
	for i := o.open + 1; i < o.close; i++ {
		if kind := c.all[i].kind; !c.gone[i] && kind != blankToken && kind != newlineToken {
			return
		}
	}
	c.drop(o.open+1, o.close)
}
