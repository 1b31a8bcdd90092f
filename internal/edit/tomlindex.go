package edit

import (
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// section is a part of a TOML document: its head, or a header and what follows.
type section struct {
	path    []string
	array   bool // [[path]]
	start   int  // of the header's line; 0 for the head
	end     int  // behind the header's line; 0 for the head
	entries []entry
}

// entry is a key with its value.
type entry struct {
	keys       []string
	start, end int // from key to value
	value      int // where the value starts
	table      bool
	entries    []entry // of an inline table
}

// index finds the places of everything in a document that is known to be valid.
func index(doc []byte) []section {
	doc = doc[:len(doc):len(doc)] // the library counts from the end of the capacity
	var p unstable.Parser
	p.Reset(doc)
	sections := []section{{}}
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			last := &sections[len(sections)-1]
			last.entries = append(last.entries, newEntry(doc, e))
			continue
		}
		parts := e.Key()
		s := section{array: e.Kind == unstable.ArrayTable}
		for parts.Next() {
			at := int(parts.Node().Raw.Offset)
			s.path = append(s.path, string(parts.Node().Data))
			s.start, s.end = startOfLine(doc, at), nextLine(doc, at)
		}
		sections = append(sections, s)
	}
	return sections
}

func newEntry(doc []byte, kv *unstable.Node) entry {
	e := entry{start: int(kv.Raw.Offset), end: int(kv.Raw.Offset + kv.Raw.Length)}
	for parts := kv.Key(); parts.Next(); {
		key := parts.Node()
		e.keys = append(e.keys, string(key.Data))
		e.value = int(key.Raw.Offset + key.Raw.Length)
	}
	e.value = skipBlank(doc, skipBlank(doc, e.value)+len("="))
	if kv.Value().Kind != unstable.InlineTable {
		return e
	}
	e.table = true
	for children := kv.Value().Children(); children.Next(); {
		e.entries = append(e.entries, newEntry(doc, children.Node()))
	}
	return e
}

func skipBlank(doc []byte, at int) int {
	for at < len(doc) && (doc[at] == ' ' || doc[at] == '\t') {
		at++
	}
	return at
}

// lastEnd is where the last entry of the section ends, or its header's line.
func (s *section) lastEnd(doc []byte) int {
	if len(s.entries) == 0 {
		return s.end
	}
	return nextLine(doc, s.entries[len(s.entries)-1].end)
}

// join returns a path continued by keys.
func join(path, keys []string) []string { return slices.Concat(path, keys) }

// hasPrefix reports whether a path starts with another, or is that path.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
