// Package arguments reads what a model gives to a tool.
//
// The arguments of a tool are a [Form]: its fields as data. The JSON schema that
// the model is told and the reader of what it sends are made of the same table,
// so that neither can promise what the other does not keep.
//
// Reading is strict about names and lenient about how a value is written. A name
// that the form does not have is refused, lest a misspelt limit be taken for none;
// the answer names the one that was probably meant. Numbers and booleans may come
// as strings, null is the same as leaving an argument out, and a number that is
// larger than the most there is stands for that most. Every refusal says how the
// call should have looked.
//
// Names and values may be a stranger's: those of a skill's tool are. They are put
// into messages with internal/wording.
package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/wording"
)

// Field is one argument.
type Field struct {
	Name string
	Kind Kind
	// Help is what the model is told.
	Help string
	// Required refuses calls without it; Filled also those where it is blank.
	Required, Filled bool
	// Least and Most bound a number; zero as the most is any.
	Least, Most int
	// Of are the texts that it may be, in any letter case; nil is any.
	Of []string
}

// Form is the arguments of a tool.
type Form struct {
	Fields []Field
	// Example is a call that makes sense; empty is made of the names.
	Example string
}

// Schema is the JSON schema of a form, with its fields in their order.
func (f Form) Schema() json.RawMessage {
	var out bytes.Buffer
	out.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, field := range f.Fields {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%s:%s", plain(field.Name), plain(field.property()))
		if field.Required {
			required = append(required, field.Name)
		}
	}
	out.WriteByte('}')
	if required != nil {
		fmt.Fprintf(&out, `,"required":%s`, plain(required))
	}
	out.WriteString(`,"additionalProperties":false}`)
	return out.Bytes()
}

// plain is the JSON of what is made of texts and numbers, which there always is.
func plain(v any) []byte {
	data, _ := json.Marshal(v)
	return data
}

// Read reads what was given to a tool of this name. An error is for the model: it
// says what is wrong and how to call the tool.
func (f Form) Read(tool string, raw json.RawMessage) (Values, error) {
	var given map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return Values{}, fmt.Errorf("the arguments have to be one JSON object, as %s", f.example())
		}
	}
	if err := f.known(given); err != nil {
		return Values{}, err
	}
	v := Values{read: map[string]any{}, raw: given}
	for _, field := range f.Fields {
		data, ok := given[field.Name]
		if ok && string(data) == "null" {
			delete(given, field.Name)
			ok = false
		}
		var value any
		if ok {
			var err error
			if value, err = field.read(data); err != nil {
				return Values{}, fmt.Errorf("%s %w, as in %s", quoted(field.Name), err, f.example())
			}
		}
		switch {
		case field.Required && (!ok || field.Filled && blank(value)):
			return Values{}, fmt.Errorf("%s is missing; call %s as %s", quoted(field.Name), wording.Name(tool), f.example())
		case ok:
			v.read[field.Name] = value
		}
	}
	return v, nil
}

// mostNamed is how many names are listed: more than that nobody picks from.
const mostNamed = 20

// known refuses names that the form does not have.
func (f Form) known(given map[string]json.RawMessage) error {
	var names, odd []string
	for _, field := range f.Fields {
		names = append(names, field.Name)
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
	meant := near.Best(first, names)
	switch {
	case meant != "":
		return fmt.Errorf("there is no argument %s; did you mean %s?", quoted(first), quoted(meant))
	case len(names) == 0:
		return fmt.Errorf("there is no argument %s; it takes none", quoted(first))
	}
	for i := range names {
		names[i] = wording.Name(names[i])
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], "…")
	}
	return fmt.Errorf("there is no argument %s; it takes %s", quoted(first), strings.Join(names, ", "))
}

// example is a call that makes sense: with what is required, or else with the
// first argument there is.
func (f Form) example() string {
	if f.Example != "" {
		return f.Example
	}
	var parts []string
	for _, field := range f.Fields {
		if field.Required && len(parts) < mostNamed {
			parts = append(parts, quoted(field.Name)+`: "…"`)
		}
	}
	if parts == nil && len(f.Fields) > 0 {
		parts = []string{quoted(f.Fields[0].Name) + `: "…"`}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func quoted(name string) string { return wording.Quote(wording.Name(name)) }

// blank reports a value that says nothing.
func blank(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value) == ""
	case []string:
		return len(value) == 0
	}
	return false
}

// oneOf finds a text among those that a field may be.
func (f Field) oneOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	for _, of := range f.Of {
		if strings.EqualFold(text, of) {
			return of, nil
		}
	}
	if text == "" && !f.Required {
		return "", nil
	}
	return "", errors.New("has to be one of " + strings.Join(f.Of, ", "))
}
