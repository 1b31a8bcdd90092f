package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// levels of the log; empty is silence.
var levels = [...]string{"", "debug", "info", "warn", "error"}

// accept brings a value into the form of the key's type. It returns nil for a
// value of another type. What is wrong with it is in the problems; a list
// keeps its good items.
func (k *KeyInfo) accept(n *tree.Node) (value *tree.Node, problems []problem) {
	wrong := func(what string) []problem {
		return []problem{{n.Line, "must be " + what + ", not " + describe(n)}}
	}
	switch k.Type {
	case Boolean:
		if n.Kind != tree.Bool {
			return nil, wrong("true or false")
		}
	case String:
		if n.Kind != tree.String {
			return nil, wrong("a string")
		}
	case Level:
		level := strings.ToLower(n.Text)
		if n.Kind != tree.String || !slices.Contains(levels[:], level) {
			return nil, []problem{{n.Line, "must be debug, info, warn or error"}}
		}
		return &tree.Node{Kind: tree.String, Text: level, Line: n.Line}, nil
	case Integer, Number:
		number, ok := k.number(n)
		if !ok {
			return nil, []problem{{n.Line, "must be " + k.bounds() + otherKind(n)}}
		}
		return &tree.Node{Kind: tree.Number, Text: number, Line: n.Line}, nil
	case Choice:
		word, ok := k.choice(n.Text)
		if n.Kind != tree.String || !ok {
			return nil, []problem{{n.Line, "must be " + orList(k.choices)}}
		}
		return &tree.Node{Kind: tree.String, Text: word, Line: n.Line}, nil
	case Directory:
		if n.Kind != tree.String || strings.TrimSpace(n.Text) == "" {
			return nil, wrong("a path")
		}
	case Secret:
		if k.refers && isReference(n) {
			return n, nil
		}
		if !n.IsScalar() {
			return nil, wrong("a string")
		}
		return &tree.Node{Kind: tree.String, Text: n.Text, Line: n.Line}, nil
	case Strings, Directories:
		if n.Kind != tree.List {
			return nil, wrong("a list of strings")
		}
		list := &tree.Node{Kind: tree.List, Line: n.Line}
		for _, item := range n.List {
			if item.Kind != tree.String || strings.TrimSpace(item.Text) == "" {
				problems = append(problems, problem{item.Line, "holds " + describe(item) + " where a name belongs"})
				continue
			}
			list.List = append(list.List, item)
		}
		return list, problems
	}
	return n, nil
}

// problem is something wrong with a value, and the line it is on.
type problem struct {
	line int
	what string
}

// describe names a value in a message. Its text is not repeated: it may be a
// secret under the wrong key.
func describe(n *tree.Node) string {
	switch {
	case n.Kind == tree.Null:
		return "null"
	case n.Kind == tree.Bool:
		return n.Text
	case n.Kind == tree.Number:
		return "a number"
	case n.Kind == tree.List:
		return "a list"
	case n.Kind == tree.Map:
		return "a table"
	case strings.TrimSpace(n.Text) == "":
		return "a blank string"
	default:
		return "a string"
	}
}

// read makes a value of what a user typed for a key; nil stands for a key that
// is not Knack's. Words need no quotes.
func (k *KeyInfo) read(text string) (*tree.Node, error) {
	text = strings.TrimSpace(text)
	str := &tree.Node{Kind: tree.String, Text: text}
	switch {
	case k == nil || k.Type == Any:
		return readAny(text), nil
	case k.Type == Boolean:
		yes, ok := str.Bool()
		if !ok {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return &tree.Node{Kind: tree.Bool, Text: strconv.FormatBool(yes)}, nil
	case k.Type == Integer || k.Type == Number:
		number, ok := k.number(&tree.Node{Kind: tree.Number, Text: text})
		if !ok {
			return nil, fmt.Errorf("%q is not %s", text, k.bounds())
		}
		return &tree.Node{Kind: tree.Number, Text: number}, nil
	case k.Type == Choice:
		word, ok := k.choice(text)
		if !ok {
			return nil, fmt.Errorf("%q is not %s", text, orList(k.choices))
		}
		str.Text = word
	case k.Type == Directory && text == "":
		return nil, errors.New("it is empty; write a path")
	case k.Type == Level && !slices.Contains(levels[:], strings.ToLower(text)):
		return nil, fmt.Errorf("%q is none of debug, info, warn and error", text)
	case k.Type == Level:
		str.Text = strings.ToLower(text)
	case k.Type == Strings || k.Type == Directories:
		if text == "" {
			return nil, errors.New("it is empty; write [] for an empty list")
		}
		words, err := splitWords(text)
		if err != nil {
			return nil, err
		}
		list := &tree.Node{Kind: tree.List}
		for _, word := range words {
			list.List = append(list.List, &tree.Node{Kind: tree.String, Text: word})
		}
		return list, nil
	}
	return str, nil
}

// readAny takes text for TOML if it is, then for a list of words in brackets,
// else for a string.
func readAny(text string) *tree.Node {
	// A line break or a comment would make more than a value of it.
	if !strings.ContainsAny(text, "\n\r#") {
		doc, err := tree.TOML([]byte("value = "+text), limits)
		if err == nil && len(doc.Map) == 1 && doc.Get("value") != nil {
			return doc.Get("value")
		}
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		if words, err := splitWords(text); err == nil {
			list := &tree.Node{Kind: tree.List}
			for _, word := range words {
				list.List = append(list.List, &tree.Node{Kind: tree.String, Text: word})
			}
			return list
		}
	}
	return &tree.Node{Kind: tree.String, Text: text}
}

// splitWords splits "[a, b]" or "a, b" at its commas. A word with a comma in
// it is quoted.
func splitWords(text string) ([]string, error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		if text, ok = strings.CutSuffix(rest, "]"); !ok {
			return nil, errors.New("the list has no closing bracket")
		}
	}
	var words []string
	for text = strings.TrimSpace(text); text != ""; {
		word, after, _ := strings.Cut(text, ",")
		word = strings.TrimSpace(word)
		if text[0] == '"' || text[0] == '\'' {
			end := closingQuote(text)
			if end < 0 {
				return nil, errors.New("a quote is not closed")
			}
			var err error
			if word, err = unquote(text[:end+1]); err != nil {
				return nil, err
			}
			var between string
			if between, after, _ = strings.Cut(text[end+1:], ","); strings.TrimSpace(between) != "" {
				return nil, fmt.Errorf("a comma must follow %s", text[:end+1])
			}
		}
		if strings.TrimSpace(word) != "" {
			words = append(words, word)
		}
		text = strings.TrimSpace(after)
	}
	return words, nil
}

// truthy is the rule of requires.config: true, a number but zero, a string
// that is not blank, and any list or table.
func truthy(n *tree.Node) bool {
	switch n.Kind {
	case tree.Bool:
		return n.Text == "true"
	case tree.Number:
		digits := strings.ReplaceAll(n.Text, "_", "")
		if whole, err := strconv.ParseInt(digits, 0, 64); err == nil {
			return whole != 0
		}
		float, err := strconv.ParseFloat(digits, 64)
		return err != nil || float != 0
	case tree.String:
		return strings.TrimSpace(n.Text) != ""
	}
	return n.Kind == tree.List || n.Kind == tree.Map
}
