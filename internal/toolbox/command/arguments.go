package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// variablePrefix begins the names of the variables that arguments are in.
const variablePrefix = "KNACK_ARG_"

const (
	// longestWord is the most that Linux takes as one argument or variable.
	longestWord = 128 << 10
	// longestWords is the most for all of them: they are given twice, as arguments
	// and as variables, and Linux takes two MiB of both.
	longestWords = 768 << 10
)

// Arg is a declared argument of a skill's tool.
type Arg struct {
	Name, Description string
	// Dash lets a value begin with a hyphen.
	Dash bool
}

// undeclared is the argument of tools that declare none.
var undeclared = Arg{Name: "args", Description: "Arguments for the command, passed as one word."}

// variable is the name of the variable that an argument is in.
func variable(name string) string {
	return variablePrefix + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// checkArguments refuses names that cannot be told apart.
func checkArguments(args []Arg) error {
	seen := map[string]string{}
	for _, arg := range args {
		if strings.TrimSpace(arg.Name) == "" {
			return errUnnamed
		}
		v := variable(arg.Name)
		if other, ok := seen[v]; ok {
			return fmt.Errorf("arguments %s and %s would both be in %s; rename one", wording.Quote(other), wording.Quote(arg.Name), v)
		}
		seen[v] = arg.Name
	}
	return nil
}

// schema is that of an object with these strings, in their order.
func schema(args []Arg) json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	var out bytes.Buffer
	out.WriteString(`{"type":"object","properties":{`)
	for i, arg := range args {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := json.Marshal(arg.Name)
		value, _ := json.Marshal(property{Type: "string", Description: arg.Description})
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteString(`},"additionalProperties":false}`)
	return out.Bytes()
}

// given is the value of an argument, if there is one.
type given struct {
	value string
	ok    bool
}

// values reads what a model gave. Every argument has its place in the answer.
func values(args []Arg, arguments json.RawMessage) ([]given, error) {
	var raw map[string]json.RawMessage
	if len(bytes.TrimSpace(arguments)) > 0 {
		if err := json.Unmarshal(arguments, &raw); err != nil {
			return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
		}
	}
	out := make([]given, len(args))
	total := 0
	for i, arg := range args {
		value, ok, err := scalar(raw[arg.Name])
		if err == nil {
			err = checkValue(arg.Name, value)
		}
		if err != nil {
			return nil, fmt.Errorf("argument %s %w", wording.Quote(wording.Name(arg.Name)), err)
		}
		out[i] = given{value, ok}
		total += len(value)
		delete(raw, arg.Name)
	}
	if total > longestWords {
		return nil, fmt.Errorf("the arguments are longer than %d KiB together; pass them in files of the workspace", longestWords>>10)
	}
	if len(raw) > 0 {
		unknown := slices.Min(slices.Collect(maps.Keys(raw)))
		var known []string
		for _, arg := range args {
			known = append(known, wording.Name(arg.Name))
		}
		return nil, fmt.Errorf("there is no argument %s; it takes %s", wording.Quote(wording.Name(unknown)), strings.Join(known, ", "))
	}
	return out, nil
}

// scalar is the text of a JSON value. Numbers and booleans are as they are
// written, null is nothing.
func scalar(raw json.RawMessage) (value string, ok bool, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", false, nil
	}
	switch raw[0] {
	case '"':
		err = json.Unmarshal(raw, &value)
		return value, err == nil, err
	case '{', '[':
		return "", false, errors.New("is an object or a list; it takes a string")
	}
	return string(raw), true, nil
}

func checkValue(name, value string) error {
	if strings.IndexByte(value, 0) >= 0 {
		return errors.New("has a NUL byte, which no program can be given")
	}
	if len(variable(name))+1+len(value)+1 > longestWord {
		return fmt.Errorf("is longer than %d KiB, which no program can be given; pass it in a file of the workspace", longestWord>>10)
	}
	return nil
}

// words are the values as arguments of a program: an empty one for each that is
// missing before another.
func words(all []given) []string {
	var out []string
	for i, g := range all {
		if g.ok {
			out = append(out, make([]string, i+1-len(out))...)
			out[i] = g.value
		}
	}
	return out
}

// decode reads the arguments of a built-in tool. What it does not know is refused,
// lest a misspelt limit be none.
func decode(arguments json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the arguments make no sense: %w", err)
	}
	return nil
}
