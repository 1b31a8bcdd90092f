package edit

import (
	"bytes"
	"fmt"

	"github.com/knackhq/knack/internal/tree"
)

// DeleteTOML removes the key or the table at a path, with what is below it. A
// header goes with its last key unless a comment belongs to it. Where there is
// nothing at the path, the document is returned as it is.
func DeleteTOML(doc []byte, path []string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	bom, doc := splitBOM(doc)
	before, err := readTOML(doc)
	if err != nil {
		return nil, err
	}
	out := doc
	// From the last place to the first, so that the offsets before stay right.
	sections := index(doc)
	for i := len(sections) - 1; i >= 0; i-- {
		s := &sections[i]
		switch {
		case s.array && (hasPrefix(path, s.path) || hasPrefix(s.path, path)):
			return nil, fmt.Errorf("delete %s: %s is an array of tables; please change the file by hand", FormatKey(path), FormatKey(s.path))
		case len(s.path) > 0 && hasPrefix(s.path, path):
			out = cutLines(out, s.start, s.lastEnd(doc))
		default:
			out = deleteEntries(out, s, path)
		}
	}
	after, err := tree.TOML(out, limits)
	if err != nil || !same(withoutEmpty(with(before, path, nil)), withoutEmpty(after)) {
		return nil, fmt.Errorf("delete %s: %w", FormatKey(path), errChanged)
	}
	return append(bom[:len(bom):len(bom)], out...), nil
}

// deleteEntries removes the entries of a section that are at or below a path.
func deleteEntries(doc []byte, s *section, path []string) []byte {
	left := len(s.entries)
	commented := hasComment(doc, s)
	for i := len(s.entries) - 1; i >= 0; i-- {
		e := &s.entries[i]
		full := join(s.path, e.keys)
		switch {
		case hasPrefix(full, path):
			doc = splice(doc, startOfLine(doc, e.start), nextLine(doc, e.end), "")
			left--
		case hasPrefix(path, full):
			doc = deleteInline(doc, e, full, path)
		}
	}
	if left == 0 && len(s.entries) > 0 && len(s.path) > 0 && !commented {
		return cutLines(doc, s.start, s.end)
	}
	return doc
}

// hasComment reports whether a comment stands directly above a section's
// header, on its line, or between its entries.
func hasComment(doc []byte, s *section) bool {
	comment := []byte("#")
	above := doc[startOfLine(doc, max(s.start-1, 0)):s.start]
	if bytes.HasPrefix(bytes.TrimSpace(above), comment) || bytes.Contains(doc[s.start:s.end], comment) {
		return true
	}
	at := s.end
	for i := range s.entries {
		if bytes.Contains(doc[at:startOfLine(doc, s.entries[i].start)], comment) {
			return true
		}
		at = nextLine(doc, s.entries[i].end)
	}
	return false
}

// cutLines removes whole lines, and one of two blank lines that would meet.
func cutLines(doc []byte, start, end int) []byte {
	if start > 0 && isBlank(doc[end:nextLine(doc, end)]) {
		if above := startOfLine(doc, start-1); isBlank(doc[above:start]) {
			start = above
		}
	}
	return splice(doc, start, end, "")
}

// deleteInline removes a path from an inline table.
func deleteInline(doc []byte, e *entry, full, path []string) []byte {
	for i := len(e.entries) - 1; i >= 0; i-- {
		inner := &e.entries[i]
		innerFull := join(full, inner.keys)
		switch {
		case hasPrefix(innerFull, path):
			doc = cutItem(doc, e.entries, i)
		case hasPrefix(path, innerFull):
			doc = deleteInline(doc, inner, innerFull, path)
		}
	}
	return doc
}

// cutItem removes an item of an inline table together with one comma, and
// keeps comments.
func cutItem(doc []byte, items []entry, i int) []byte {
	start, end := items[i].start, items[i].end
	comma := end
	for comma < len(doc) && bytes.IndexByte([]byte(" \t\r\n"), doc[comma]) >= 0 {
		comma++
	}
	if comma < len(doc) && doc[comma] == ',' {
		return splice(doc, start, skipBlank(doc, comma+1), "")
	}
	if i > 0 && !bytes.ContainsAny(doc[items[i-1].end:start], "#") {
		return splice(doc, items[i-1].end, end, "")
	}
	return splice(doc, start, end, "")
}
