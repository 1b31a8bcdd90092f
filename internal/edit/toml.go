package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
)

// TOML sets the value at a path of keys. value is TOML source text, such as
// true, 3 or what [QuoteTOML] returns. A value that is there is replaced where
// it stands; else the key is added to the end of its table, and a table that
// is missing to the end of the document. What lies inside an array of tables
// has no path.
func TOML(doc []byte, path []string, value string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	bom, doc := splitBOM(doc)
	before, err := readTOML(doc)
	if err != nil {
		return nil, err
	}
	value = strings.Trim(value, " \t")
	wanted, err := readValue(value)
	if err != nil {
		return nil, err
	}
	out, err := setTOML(doc, path, value)
	if err != nil {
		return nil, err
	}
	after, err := tree.TOML(out, limits)
	if err != nil || !same(with(before, path, wanted), after) {
		return nil, fmt.Errorf("set %s: %w", FormatKey(path), errChanged)
	}
	return append(bom[:len(bom):len(bom)], out...), nil
}

func checkPath(path []string) error {
	if len(path) == 0 {
		return errors.New("no key is given")
	}
	for _, key := range path {
		if !utf8.ValidString(key) {
			return fmt.Errorf("the key %q is not UTF-8", key)
		}
	}
	return nil
}

// readValue reads the source text of one value.
func readValue(value string) (*tree.Node, error) {
	doc := []byte("v = " + value)
	n, err := tree.TOML(doc, limits)
	if err != nil {
		var at *tree.Error
		if errors.As(err, &at) {
			err = errors.New(at.Msg) // its place is in no file
		}
		return nil, fmt.Errorf("%q is not a TOML value; text needs quotes: %w", value, err)
	}
	// What follows the value must not become part of the document.
	if all := index(doc); len(all) != 1 || len(all[0].entries) != 1 || all[0].entries[0].end != len(doc) {
		return nil, fmt.Errorf("%q is more than one TOML value", value)
	}
	return n.Get("v"), nil
}

func setTOML(doc []byte, path []string, value string) ([]byte, error) {
	sections := index(doc)
	// The table that holds the new key is the deepest of those on the path:
	// the head of the document, a [header], or one that dotted keys made.
	home, depth, last := &sections[0], 0, -1
	for i := range sections {
		s := &sections[i]
		if hasPrefix(path, s.path) && s.array {
			return nil, fmt.Errorf("set %s: %s is an array of tables; please change the file by hand", FormatKey(path), FormatKey(s.path))
		}
		if hasPrefix(s.path, path) {
			return nil, isTable(path)
		}
		if hasPrefix(path, s.path) && len(s.path) > depth {
			home, depth, last = s, len(s.path), -1
		}
		for j := range s.entries {
			e := &s.entries[j]
			full := join(s.path, e.keys)
			switch shared := sharedLen(full, path); {
			case shared == len(full):
				return setEntry(doc, e, full, path, value)
			case shared == len(path):
				return nil, isTable(path)
			case shared > len(s.path) && shared >= depth:
				home, depth, last = s, shared, j
			}
		}
	}
	switch {
	case last >= 0:
		return insert(doc, nextLine(doc, home.entries[last].end), indentOf(doc, home.entries[last].start)+FormatKey(path[len(home.path):])+" = "+value), nil
	case depth == len(path)-1:
		return addKey(doc, sections, home, quoteKey(path[depth])+" = "+value), nil
	}
	return addTable(doc, path, value), nil
}

func isTable(path []string) error {
	return fmt.Errorf("set %s: it is a table; name a key in it", FormatKey(path))
}

func sharedLen(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// setEntry sets the value of an entry that is, or holds, the path.
func setEntry(doc []byte, e *entry, full, path []string, value string) ([]byte, error) {
	if len(full) == len(path) {
		return splice(doc, e.value, e.end, value), nil
	}
	if !e.table {
		return nil, &tree.Error{Line: 1 + bytes.Count(doc[:e.start], []byte("\n")),
			Msg: fmt.Sprintf("set %s: %s is a value, not a table; delete it first", FormatKey(path), FormatKey(full))}
	}
	for i := range e.entries {
		inner := &e.entries[i]
		innerFull := join(full, inner.keys)
		switch sharedLen(innerFull, path) {
		case len(innerFull):
			return setEntry(doc, inner, innerFull, path, value)
		case len(path):
			return nil, isTable(path)
		}
	}
	text := FormatKey(path[len(full):]) + " = " + value
	if len(e.entries) == 0 {
		return splice(doc, e.value+len("{"), e.value+len("{"), " "+text+" "), nil
	}
	end := e.entries[len(e.entries)-1].end
	return splice(doc, end, end, ", "+text), nil
}

// indentOf returns the white space before an offset on its line.
func indentOf(doc []byte, at int) string {
	start := startOfLine(doc, at)
	return string(doc[start:skipBlank(doc, start)])
}

// insert puts a line at an offset, which is where a line starts or the end of
// the document.
func insert(doc []byte, at int, line string) []byte {
	eol := lineEnd(doc, at)
	if at > 0 && doc[at-1] != '\n' {
		return splice(doc, at, at, eol+line)
	}
	return splice(doc, at, at, line+eol)
}

// addKey adds a line to a section, behind its last one.
func addKey(doc []byte, sections []section, s *section, line string) []byte {
	switch {
	case len(s.entries) > 0:
		return insert(doc, s.lastEnd(doc), indentOf(doc, s.entries[0].start)+line)
	case len(s.path) > 0:
		return insert(doc, s.end, indentOf(doc, s.start)+line)
	case len(sections) == 1:
		return insert(doc, len(doc), line)
	}
	// The head is empty: the key goes before the first header and the
	// comments that stand directly above it.
	at := sections[1].start
	for at > 0 {
		above := startOfLine(doc, at-1)
		if !bytes.HasPrefix(bytes.TrimSpace(doc[above:at]), []byte("#")) {
			break
		}
		at = above
	}
	eol := lineEnd(doc, at)
	return splice(doc, at, at, line+eol+eol)
}

// addTable adds a table with one key to the end of the document.
func addTable(doc []byte, path []string, value string) []byte {
	eol := lineEnd(doc, len(doc))
	gap := ""
	if len(doc) > 0 {
		if doc[len(doc)-1] != '\n' {
			gap = eol
		}
		if !isBlank(doc[startOfLine(doc, max(len(doc)-1, 0)):]) {
			gap += eol
		}
	}
	table, key := path[:len(path)-1], path[len(path)-1]
	return append(doc[:len(doc):len(doc)], gap+"["+FormatKey(table)+"]"+eol+quoteKey(key)+" = "+value+eol...)
}
