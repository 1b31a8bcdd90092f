// Package tree holds a document as data, whichever syntax it was written in.
//
// Skill manifests and configuration come as YAML, TOML and JSON5. Each reader
// turns its syntax into the same [Node]s: order kept, every key and value with
// the line it stands on, and every scalar with the text its author wrote, so
// that a version 1.0 or a date 2025-10-20 stays what it says. [YAML] and [TOML]
// are here; package json5 has its own reader.
//
// Documents are hostile: every reader takes [Limits] and stops with an error
// that matches [ErrLimit] when one is passed.
package tree

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the shape of a node.
type Kind uint8

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// Node is a value with its place. The zero Node is a null. Nodes are not
// changed after the reader returns them.
type Node struct {
	Kind Kind
	// Text is a scalar: the decoded text of a string, the source text of a
	// number or boolean ("1.0", "yes" where the syntax makes that a boolean).
	Text string
	// Line and Column count from 1, in the file the reader was told about.
	Line, Column int
	List         []*Node
	Map          []Member // in the order written; no key twice
	// Dup are the members of a map that lost to a later one of the same key.
	Dup []Member
}

// Member is a key of a map and its value.
type Member struct {
	Key   string
	Line  int // where the key stands
	Value *Node
}

// Limits bound what a reader accepts. They must be set: a limit of zero lets
// nothing through.
type Limits struct {
	Depth int // nested lists and maps
	Nodes int // values in all, counting what aliases stand for
}

// ErrLimit is matched by errors of documents beyond their limits.
var ErrLimit = errors.New("document beyond its limits")

// ErrKey is matched by errors of keys that are no words, which YAML allows and
// a [Member] cannot have.
var ErrKey = errors.New("key is no word")

// Error is a syntax error with its place.
type Error struct {
	Line, Column int
	Msg          string
	Err          error // ErrLimit, ErrKey or nil
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

func (e *Error) Unwrap() error { return e.Err }

// Get returns the value of a key, or nil if n is no map or lacks it.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Map {
		return nil
	}
	for i := range n.Map {
		if n.Map[i].Key == key {
			return n.Map[i].Value
		}
	}
	return nil
}

// Lookup follows a path of keys; nil if it ends early.
func (n *Node) Lookup(path ...string) *Node {
	for _, key := range path {
		if n = n.Get(key); n == nil {
			return nil
		}
	}
	return n
}

// IsScalar reports whether n is a boolean, number or string.
func (n *Node) IsScalar() bool {
	return n != nil && (n.Kind == Bool || n.Kind == Number || n.Kind == String)
}

// Scalar returns a scalar's text without surrounding white space, and whether
// n is a scalar.
func (n *Node) Scalar() (string, bool) {
	if !n.IsScalar() {
		return "", false
	}
	return strings.TrimSpace(n.Text), true
}

// Bool reads a boolean, whether it was typed as one or written as a word:
// true, yes, on, 1 and their opposites, in any letter case.
func (n *Node) Bool() (value, ok bool) {
	text, ok := n.Scalar()
	if !ok {
		return false, false
	}
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}
