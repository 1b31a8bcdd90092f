package edit

import (
	"slices"
	"strings"
)

// setJSON5 sets a path of a valid document in which all that is on the path is
// objects.
func setJSON5(doc []byte, path []string, value string) []byte {
	d := tokenize(doc)
	s := manner{eol: lineEnd(doc, len(doc)), unit: "  ", colon: ": ", pad: " ", gap: " ", lines: true}
	at := d.skip(0)
	if at == len(d.all) { // no value at all
		text := s.object("", path, value) + s.eol
		if at > 0 && d.all[at-1].kind != newlineToken {
			text = s.eol + text
		}
		return slices.Concat(doc, []byte(text))
	}
	for {
		o := d.object(at)
		s = s.of(&d, o)
		i := d.find(o, path[0])
		switch {
		case i < 0 && len(o.members) == 0:
			return s.fill(&d, o, path, value)
		case i < 0:
			return s.add(&d, o, path, value)
		case len(path) == 1:
			return splice(doc, d.all[o.members[i].value].start, d.all[o.members[i].last].end, value)
		}
		at, path = o.members[i].value, path[1:]
	}
}

// add adds a path behind the last member of an object.
func (s manner) add(d *tokens, o object, path []string, value string) []byte {
	last := o.members[len(o.members)-1]
	at := max(last.last, last.comma)
	for i := at + 1; d.besides(i); i++ {
		if d.all[i].kind == commentToken {
			at = i // what is said on its line is said about the last member
		}
	}
	s.lines = s.lines || d.endsLine(at)
	text := s.gap + s.entry("", path, value)
	if s.lines {
		indent := d.indent(o.open) + s.unit
		for _, m := range o.members {
			if own, ok := d.ownLine(m.key); ok {
				indent = own
			}
		}
		text = s.eol + indent + s.entry(indent, path, value)
	}
	end := d.all[at].end
	switch {
	case last.comma >= 0:
		return splice(d.doc, end, end, text+",") // the author ends every member with one
	case !s.lines:
		return splice(d.doc, end, end, ","+text)
	}
	out := splice(d.doc, end, end, text)
	end = d.all[last.last].end
	return splice(out, end, end, ",")
}

// endsLine reports whether a token is a comment that goes on to the end of its
// line.
func (d *tokens) endsLine(i int) bool {
	return d.all[i].kind == commentToken && !strings.HasPrefix(d.text(i), "/*")
}

// fill adds a path to an object that holds nothing but comments.
func (s manner) fill(d *tokens, o object, path []string, value string) []byte {
	at := o.open
	for i := o.open; i < o.close; i++ {
		if d.all[i].kind == commentToken {
			at = i
		}
	}
	start, end := d.all[at].end, d.all[o.close].start
	if !s.lines {
		return splice(d.doc, start, end, s.pad+s.entry("", path, value)+s.pad)
	}
	around := d.indent(o.open)
	indent := around + s.unit
	if own, ok := d.ownLine(at); ok && at != o.open {
		indent = own
	}
	text := s.eol + indent + s.entry(indent, path, value)
	if _, ok := d.plain(at+1, o.close); ok {
		return splice(d.doc, start, end, text+s.eol+around)
	}
	return splice(d.doc, start, start, text) // the brace has its own line
}
