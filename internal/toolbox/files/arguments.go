package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/wording"
)

// kind is the type of an argument, in the words of JSON schema.
type kind string

const (
	textKind   kind = "string"
	numberKind kind = "integer"
	flagKind   kind = "boolean"
)

// field is an argument.
type field struct {
	name     string
	kind     kind
	help     string
	required bool
	least    int // of a number
	most     int // of a number; 0 is any
}

// form is the arguments of a tool. Its schema and its reader are of one table.
type form struct {
	fields  []field
	example string
}

// values are arguments that were read: string, int or bool.
type values map[string]any

func (v values) text(name string) string { s, _ := v[name].(string); return s }
func (v values) flag(name string) bool   { b, _ := v[name].(bool); return b }

// number returns a number, or what is used where none was given.
func (v values) number(name string, otherwise int) int {
	if n, ok := v[name].(int); ok {
		return n
	}
	return otherwise
}

// schema is the JSON schema of a form.
func (f form) schema() json.RawMessage {
	properties := map[string]any{}
	required := []string{}
	for _, field := range f.fields {
		p := map[string]any{"type": field.kind, "description": field.help}
		if field.kind == numberKind {
			p["minimum"] = field.least
			if field.most > 0 {
				p["maximum"] = field.most
			}
		}
		properties[field.name] = p
		if field.required {
			required = append(required, field.name)
		}
	}
	data, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	if err != nil {
		return nil // it is made of strings and numbers
	}
	return data
}

// read reads arguments. Models send numbers and booleans as strings at times,
// and null for what they leave out; both are understood.
func (f form) read(tool string, raw json.RawMessage) (values, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil || given == nil {
			return nil, fmt.Errorf("the arguments have to be one JSON object, as %s", f.example)
		}
	}
	if err := f.known(given); err != nil {
		return nil, err
	}
	v := values{}
	for _, field := range f.fields {
		data, ok := given[field.name]
		if !ok || string(data) == "null" {
			if field.required {
				return nil, fmt.Errorf("%q is missing; call %s as %s", field.name, tool, f.example)
			}
			continue
		}
		value, err := field.read(data)
		if err != nil {
			return nil, fmt.Errorf("%q %w, as in %s", field.name, err, f.example)
		}
		v[field.name] = value
	}
	return v, nil
}

// known refuses names that the form does not have.
func (f form) known(given map[string]json.RawMessage) error {
	var names, odd []string
	for _, field := range f.fields {
		names = append(names, field.name)
	}
	for name := range given {
		if !slices.Contains(names, name) {
			odd = append(odd, name)
		}
	}
	if len(odd) == 0 {
		return nil
	}
	first := slices.Min(odd)
	if meant := near.Best(first, names); meant != "" {
		return fmt.Errorf("there is no argument %s; did you mean %q?", wording.Quote(wording.Name(first)), meant)
	}
	return fmt.Errorf("there is no argument %s; there are %s", wording.Quote(wording.Name(first)), strings.Join(names, ", "))
}

// read reads the value of one argument.
func (f field) read(data json.RawMessage) (any, error) {
	var s string
	isText := json.Unmarshal(data, &s) == nil
	switch f.kind {
	case textKind:
		if !isText {
			return nil, fmt.Errorf("has to be a string")
		}
		return s, nil
	case flagKind:
		if !isText {
			s = string(data)
		}
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true":
			return true, nil
		case "false", "":
			return false, nil
		}
		return nil, fmt.Errorf("has to be true or false")
	}
	if !isText {
		s = string(data)
	}
	return f.readNumber(strings.TrimSpace(s))
}

// readNumber reads a whole number, however it is written.
func (f field) readNumber(s string) (any, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return nil, fmt.Errorf("has to be a whole number")
	}
	switch whole := int(n); {
	case whole < f.least:
		return nil, fmt.Errorf("has to be %d or more", f.least)
	case f.most > 0 && whole > f.most:
		return f.most, nil // as much as there is
	default:
		return whole, nil
	}
}
