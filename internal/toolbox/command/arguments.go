package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/toolbox/arguments"
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

// form is that of a tool with these arguments. All of them may be left out.
func form(args []Arg) arguments.Form {
	var f arguments.Form
	for _, arg := range args {
		f.Fields = append(f.Fields, arguments.Field{Name: arg.Name, Kind: arguments.Word, Help: arg.Description})
	}
	return f
}

// given is the value of an argument, if there is one.
type given struct {
	value string
	ok    bool
}

// values reads what a model gave. Every argument has its place in the answer.
func (t *skillTool) values(raw json.RawMessage) ([]given, error) {
	read, err := form(t.Args).Read(t.Name, raw)
	if err != nil {
		return nil, err
	}
	out := make([]given, len(t.Args))
	total := 0
	for i, arg := range t.Args {
		out[i] = given{read.Text(arg.Name), read.Has(arg.Name)}
		if err := checkValue(arg.Name, out[i].value); err != nil {
			return nil, fmt.Errorf("argument %s %w", wording.Quote(wording.Name(arg.Name)), err)
		}
		total += len(out[i].value)
	}
	if total > longestWords {
		return nil, fmt.Errorf("the arguments are longer than %d KiB together; pass them in files of the workspace", longestWords>>10)
	}
	return out, nil
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
