package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
)

// JSON5 sets the value at a path of keys. value is JSON source text, such as
// true, 3 or what [QuoteJSON] returns. A value that is there is replaced where
// it stands, the last one where the key is written twice; else the key is
// added to the end of its object, in the manner of its neighbours, and objects
// that are missing are made. An empty document becomes an object. A document
// that is JSON stays JSON.
func JSON5(data []byte, path []string, value string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if len(path) > limits.Depth {
		return nil, fmt.Errorf("the key has %d parts; %d are the most", len(path), limits.Depth)
	}
	bom, doc := splitBOM(data)
	before, err := readJSON5(doc)
	if err != nil {
		return nil, err
	}
	value = strings.Trim(value, " \t\r\n")
	wanted, err := readJSON(value)
	if err != nil {
		return nil, err
	}
	if err := objectsOnly(before, path); err != nil {
		return nil, err
	}
	out := setJSON5(doc, path, value)
	if err := checkJSON5(out, with(before, path, wanted)); err != nil {
		return nil, fmt.Errorf("set %s: %w", FormatKey(path), err)
	}
	return append(bom[:len(bom):len(bom)], out...), nil
}

// DeleteJSON5 removes the key at a path with its value, its comma and the
// comments that share its line; comments on lines of their own stay. All
// places go where the key is written twice. Where there is nothing at the
// path, the document is returned as it is.
func DeleteJSON5(data []byte, path []string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	bom, doc := splitBOM(data)
	before, err := readJSON5(doc)
	if err != nil {
		return nil, err
	}
	out := deleteJSON5(doc, path)
	if err := checkJSON5(out, with(before, path, nil)); err != nil {
		return nil, fmt.Errorf("delete %s: %w", FormatKey(path), err)
	}
	return append(bom[:len(bom):len(bom)], out...), nil
}

// QuoteJSON writes a text as a JSON string on one line.
func QuoteJSON(s string) string { return tree.Quote(s) }

// readJSON5 reads a document that is to be edited. One without any value is an
// object that has yet to be written.
func readJSON5(doc []byte) (*tree.Node, error) {
	n, err := json5.Parse(doc, 1, limits)
	if err == nil {
		return n, nil
	}
	// On a line of its own, so that a comment at the end does not swallow it.
	if n, err := json5.Parse(append(doc[:len(doc):len(doc)], "\n{}"...), 1, limits); err == nil {
		return n, nil
	}
	return nil, fmt.Errorf("the file is not valid JSON5, so it is left alone: %w", err)
}

// readJSON reads the source text of one value. It must be JSON, so that a
// document that is JSON stays so.
func readJSON(value string) (*tree.Node, error) {
	if !json.Valid([]byte(value)) || !utf8.ValidString(value) {
		return nil, fmt.Errorf("%q is not a JSON value; text needs double quotes", value)
	}
	n, err := json5.ParseLine(value, 1, limits)
	var at *tree.Error
	if errors.As(err, &at) {
		return nil, fmt.Errorf("the value cannot be set: %s", at.Msg) // its place is in no file
	}
	return n, err
}

// objectsOnly refuses a path that leads through a value that is no object.
func objectsOnly(n *tree.Node, path []string) error {
	for i := 0; i < len(path) && n != nil; i++ {
		if n.Kind != tree.Map {
			what := FormatKey(path[:i]) + " is a value"
			if i == 0 {
				what = "the document is a value"
			}
			return &tree.Error{Line: n.Line, Msg: fmt.Sprintf("set %s: %s, not an object; delete it first", FormatKey(path), what)}
		}
		n = n.Get(path[i])
	}
	return nil
}

// checkJSON5 compares a document that was edited with what it should hold.
func checkJSON5(doc []byte, wanted *tree.Node) error {
	got, err := readJSON5(doc)
	if errors.Is(err, tree.ErrLimit) {
		return err
	}
	if err != nil || !same(wanted, got) {
		return errChanged
	}
	return nil
}
