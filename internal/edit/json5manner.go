package edit

import (
	"slices"
	"strings"
)

// manner is how the author of a document writes objects. An object that says
// nothing about some part of it is written like the one around it.
type manner struct {
	eol   string
	unit  string // what a level of indentation adds
	colon string // between key and value
	pad   string // inside the braces of an object on one line
	gap   string // behind the commas of an object on one line
	lines bool   // members have lines of their own
	bare  bool   // keys have no quotes
	list  bool   // it is a list, whose items have no keys
}

// of returns the manner in which an object is written.
func (s manner) of(d *tokens, o object) manner {
	if len(o.members) == 0 {
		s.lines = s.lines || slices.ContainsFunc(d.all[o.open:o.close], func(t token) bool { return t.kind == newlineToken })
		return s
	}
	if s.list {
		return s.spaced(d, o)
	}
	s.bare = !slices.ContainsFunc(o.members, func(m member) bool { return strings.ContainsAny(d.text(m.key)[:1], `"'`) })
	last := o.members[len(o.members)-1]
	// More space than that makes columns of values.
	if colon, ok := d.plain(last.key+1, last.value); ok && slices.Contains([]string{":", ": ", " : "}, colon) {
		s.colon = colon
	}
	return s.spaced(d, o)
}

// spaced is the part of a manner that objects and lists share.
func (s manner) spaced(d *tokens, o object) manner {
	if pad, ok := d.plain(o.open+1, o.members[0].key); ok {
		s.pad = pad
	}
	if s.gap = " "; strings.HasSuffix(s.colon, ":") {
		s.gap = "" // such as {"a":1,"b":2}
	}
	s.lines = false
	for i, m := range o.members {
		if indent, ok := d.ownLine(m.key); ok {
			s.lines = true
			if more, ok := strings.CutPrefix(indent, d.indent(o.open)); ok && more != "" {
				s.unit = more
			}
		} else if i > 0 {
			if gap, ok := d.plain(o.members[i-1].comma+1, m.key); ok {
				s.gap = gap
			}
		}
	}
	return s
}

// entry writes a path and its value, with objects for all keys but the last. In
// a list the path is items.
func (s manner) entry(indent string, path []string, value string) string {
	if s.list && s.lines {
		return strings.Join(path, ","+s.eol+indent)
	}
	if s.list {
		return strings.Join(path, ","+s.gap)
	}
	key := path[0]
	if !s.bare || !isBareKey(key) {
		key = QuoteJSON(key)
	}
	if len(path) == 1 {
		return key + s.colon + value
	}
	return key + s.colon + s.object(indent, path[1:], value)
}

// object writes an object that holds a path. indent is that of the line on
// which it starts.
func (s manner) object(indent string, path []string, value string) string {
	if !s.lines {
		return "{" + s.pad + s.entry("", path, value) + s.pad + "}"
	}
	return "{" + s.eol + indent + s.unit + s.entry(indent+s.unit, path, value) + s.eol + indent + "}"
}

// plain returns the text of some tokens if neither a comment nor a line end is
// among them.
func (d *tokens) plain(from, to int) (string, bool) {
	for _, t := range d.all[from:to] {
		if t.kind == commentToken || t.kind == newlineToken {
			return "", false
		}
	}
	return string(d.doc[d.all[from].start:d.all[to].start]), true
}

// besides reports whether a token is white space or a comment within a line.
func (d *tokens) besides(i int) bool {
	return d.all[i].kind == blankToken ||
		d.all[i].kind == commentToken && !strings.ContainsAny(d.text(i), "\n\r\u2028\u2029")
}

// ownLine reports whether a token is the first on its line but for comments,
// and returns the white space that starts the line.
func (d *tokens) ownLine(i int) (indent string, ok bool) {
	for i--; i >= 0 && d.besides(i); i-- {
	}
	if i < 0 || d.all[i].kind != newlineToken {
		return "", false
	}
	return d.indent(i + 1), true
}

// indent returns the white space that starts the line of a token.
func (d *tokens) indent(i int) string {
	for i > 0 && d.all[i-1].kind != newlineToken {
		i--
	}
	if d.all[i].kind == blankToken {
		return d.text(i)
	}
	return ""
}
