package edit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/knackhq/knack/internal/tree"
)

// ListTOML takes items out of the list at a path, by their places in it, and
// adds others behind its last one. more is TOML source text, a value each. What
// stays keeps its bytes and its comments; a comment that shares the line of an
// item goes with it, one on a line of its own stays. It fails if there is no
// list at the path.
func ListTOML(data []byte, path []string, without []int, more []string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	bom, doc := splitBOM(data)
	before, err := readTOML(doc)
	if err != nil {
		return nil, err
	}
	e := entryAt(index(doc), path)
	list := before.Lookup(path...)
	if e == nil || list == nil || list.Kind != tree.List {
		return nil, fmt.Errorf("change %s: %w", FormatKey(path), errNoList)
	}
	wanted, err := changed(list, without, more, readValue)
	if err != nil {
		return nil, err
	}
	out := changeList(doc, e.value, scanTOML, without, more)
	after, err := tree.TOML(out, limits)
	if err != nil || !same(with(before, path, wanted), after) {
		return nil, fmt.Errorf("change %s: %w", FormatKey(path), errChanged)
	}
	return append(bom[:len(bom):len(bom)], out...), nil
}

// ListJSON5 is [ListTOML] for a document of JSON5; more is JSON source text.
func ListJSON5(data []byte, path []string, without []int, more []string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	bom, doc := splitBOM(data)
	before, err := readJSON5(doc)
	if err != nil {
		return nil, err
	}
	at, list := valueAt(doc, path), before.Lookup(path...)
	if at < 0 || list == nil || list.Kind != tree.List {
		return nil, fmt.Errorf("change %s: %w", FormatKey(path), errNoList)
	}
	wanted, err := changed(list, without, more, readJSON)
	if err != nil {
		return nil, err
	}
	out := changeList(doc, at, tokenize, without, more)
	if err := checkJSON5(out, with(before, path, wanted)); err != nil {
		return nil, fmt.Errorf("change %s: %w", FormatKey(path), err)
	}
	return append(bom[:len(bom):len(bom)], out...), nil
}

// errNoList says that there is nothing to take items out of.
var errNoList = errors.New("there is no list in one piece; please change the file by hand")

// changed is what a list holds when items were taken out and others added.
func changed(list *tree.Node, without []int, more []string, read func(string) (*tree.Node, error)) (*tree.Node, error) {
	out := &tree.Node{Kind: tree.List}
	goes := map[int]bool{}
	for _, i := range without {
		goes[i] = true
	}
	for i, item := range list.List {
		if !goes[i] {
			out.List = append(out.List, item)
		}
	}
	for _, text := range more {
		item, err := read(text)
		if err != nil {
			return nil, err
		}
		out.List = append(out.List, item)
	}
	return out, nil
}

// changeList changes the list whose bracket is at an offset. It adds first, so
// that there are neighbours to write like.
func changeList(doc []byte, at int, scan func([]byte) tokens, without []int, more []string) []byte {
	goes := map[int]bool{}
	for _, i := range without {
		goes[i] = true
	}
	d, o := listAt(doc, at, scan)
	was := len(o.members)
	if len(more) > 0 {
		s := manner{eol: lineEnd(doc, at), unit: "  ", gap: " ", list: true}.of(&d, o)
		if was == 0 {
			doc = s.fill(&d, o, more, "")
		} else {
			doc = s.add(&d, o, more, "")
		}
		d, o = listAt(doc, at, scan)
	}
	if len(goes) == 0 {
		return doc
	}
	return d.remove(o, func(i int) bool { return i < was && goes[i] })
}

// listAt finds the parts of a list; an item is a member without a key.
func listAt(doc []byte, at int, scan func([]byte) tokens) (tokens, object) {
	d := scan(doc)
	open, _ := slices.BinarySearchFunc(d.all, at, func(t token, at int) int { return t.start - at })
	o := object{open: open}
	i := d.skip(open + 1)
	for !d.is(i, ']') {
		m := member{key: i, value: i, comma: -1}
		for !d.is(i, ',') && !d.is(i, ']') {
			m.last = d.closing(i)
			i = d.skip(m.last + 1) // a date and its time are two
		}
		if d.is(i, ',') {
			m.comma = i
			i = d.skip(i + 1)
		}
		o.members = append(o.members, m)
	}
	o.close = i
	return d, o
}

// valueAt is where the value of a path starts in a document of JSON5, or -1.
func valueAt(doc []byte, path []string) int {
	d := tokenize(doc)
	at := d.skip(0)
	for _, key := range path {
		if at >= len(d.all) || !d.is(at, '{') {
			return -1
		}
		o := d.object(at)
		i := d.find(o, key)
		if i < 0 {
			return -1
		}
		at = o.members[i].value
	}
	return d.all[at].start
}

// entryAt finds the entry of a path in a document of TOML, or nil.
func entryAt(sections []section, path []string) *entry {
	for i := range sections {
		s := &sections[i]
		if s.array && hasPrefix(path, s.path) {
			return nil
		}
		if hasPrefix(path, s.path) {
			if e := entryIn(s.entries, path[len(s.path):]); e != nil {
				return e
			}
		}
	}
	return nil
}

func entryIn(entries []entry, path []string) *entry {
	for i := range entries {
		e := &entries[i]
		switch {
		case !hasPrefix(path, e.keys):
		case len(path) == len(e.keys):
			return e
		case e.table:
			return entryIn(e.entries, path[len(e.keys):])
		}
	}
	return nil
}
