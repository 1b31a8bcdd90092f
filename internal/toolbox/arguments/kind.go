package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is what the value of an argument is.
type Kind int

// The kinds of arguments, and how [Values] hands their values out.
const (
	Text   Kind = iota // a string: Values.Text
	Word               // a string, number or boolean, as it is written: Values.Text
	Whole              // a whole number: Values.Whole
	Number             // any number: Values.Number
	Flag               // true or false: Values.Flag
	Texts              // a list of strings: Values.Texts
	Pairs              // an object of strings: Values.Pairs
	Any                // any JSON, told to the model as a string: Values.Raw
)

// kinds are how each kind is told and read.
var kinds = [...]struct {
	schema string
	read   func(Field, json.RawMessage) (any, error)
}{
	Text:   {"string", Field.readText},
	Word:   {"string", func(_ Field, data json.RawMessage) (any, error) { return readWord(data) }},
	Whole:  {"integer", Field.readWhole},
	Number: {"number", Field.readNumber},
	Flag:   {"boolean", func(_ Field, data json.RawMessage) (any, error) { return readFlag(data) }},
	Texts:  {"array", func(_ Field, data json.RawMessage) (any, error) { return readTexts(data) }},
	Pairs:  {"object", func(_ Field, data json.RawMessage) (any, error) { return readPairs(data) }},
	Any:    {"string", func(_ Field, data json.RawMessage) (any, error) { return data, nil }},
}

func (f Field) read(data json.RawMessage) (any, error) { return kinds[f.Kind].read(f, data) }

// property is the JSON schema of one argument.
type property struct {
	Type        string    `json:"type"`
	Description string    `json:"description,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Minimum     *int      `json:"minimum,omitempty"`
	Maximum     int       `json:"maximum,omitempty"`
	Items       *property `json:"items,omitempty"`
	MinItems    int       `json:"minItems,omitempty"`
	Values      *property `json:"additionalProperties,omitempty"`
}

func (f Field) property() property {
	p := property{Type: kinds[f.Kind].schema, Description: f.Help, Enum: f.Of}
	switch f.Kind {
	case Whole, Number:
		p.Minimum, p.Maximum = &f.Least, f.Most
	case Texts:
		p.Items = &property{Type: kinds[Text].schema}
		if f.Filled {
			p.MinItems = 1
		}
	case Pairs:
		p.Values = &property{Type: kinds[Text].schema}
	}
	return p
}

func (f Field) readText(data json.RawMessage) (any, error) {
	var s string
	if json.Unmarshal(data, &s) != nil {
		return nil, errors.New("has to be a string")
	}
	if f.Of != nil {
		return f.oneOf(s)
	}
	return s, nil
}

// readWord is the text of a value that is one, however it is written.
func readWord(data json.RawMessage) (any, error) {
	var s string
	switch {
	case json.Unmarshal(data, &s) == nil:
		return s, nil
	case data[0] == '{' || data[0] == '[':
		return nil, errors.New("has to be a string, not an object or a list")
	}
	return string(data), nil
}

func readFlag(data json.RawMessage) (any, error) {
	switch strings.ToLower(bare(data)) {
	case "true":
		return true, nil
	case "false", "":
		return false, nil
	}
	return nil, errors.New("has to be true or false")
}

func readTexts(data json.RawMessage) (any, error) {
	var list []string
	if json.Unmarshal(data, &list) != nil {
		return nil, errors.New("has to be a list of strings")
	}
	return list, nil
}

func readPairs(data json.RawMessage) (any, error) {
	var pairs map[string]string
	if json.Unmarshal(data, &pairs) != nil {
		return nil, errors.New("has to be an object of strings")
	}
	return pairs, nil
}

// bare is a value without the quotes that it may have.
func bare(data json.RawMessage) string {
	var s string
	if json.Unmarshal(data, &s) != nil {
		s = string(data)
	}
	return strings.TrimSpace(s)
}

func (f Field) readWhole(data json.RawMessage) (any, error) {
	n, err := strconv.ParseFloat(bare(data), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return nil, errors.New("has to be a whole number")
	}
	n, err = f.bounded(n)
	return int(n), err
}

func (f Field) readNumber(data json.RawMessage) (any, error) {
	n, err := strconv.ParseFloat(bare(data), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, errors.New("has to be a number")
	}
	return f.bounded(n)
}

// bounded holds a number to the least, and takes one that is too large for as
// much as there is.
func (f Field) bounded(n float64) (float64, error) {
	switch {
	case n < float64(f.Least):
		return 0, fmt.Errorf("has to be %d or more", f.Least)
	case f.Most > 0 && n > float64(f.Most):
		return float64(f.Most), nil
	}
	return n, nil
}
