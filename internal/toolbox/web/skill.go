package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// SkillTool is a tool of kind http that a skill brings along.
type SkillTool struct {
	Name        string // as it is called by
	Skill       string // its skill
	Description string
	Method, URL string // the author's
	Args        []Arg
}

// Arg is an argument that the author declared.
type Arg struct{ Name, Description string }

// bodyArg is what is sent as it is, where the method has a body.
const bodyArg = "body"

// Skill makes a skill's tool. One that [Check] refuses says so at every call.
func Skill(o Options, t SkillTool) tool.Planner {
	s, broken := parseSkill(t)
	r := &requester{Options: o}
	r.spec = tool.Spec{Name: t.Name, Description: t.Description, Schema: s.schema(), Effects: tool.Effects{Network: true}, Skill: t.Skill}
	r.prepare = func(arguments json.RawMessage) (call, error) {
		if broken != nil {
			return call{}, broken
		}
		return s.prepare(arguments)
	}
	return r
}

// Check says what is wrong with the method, the address or the arguments of a
// tool; nil is nothing.
func Check(t SkillTool) error {
	_, err := parseSkill(t)
	return err
}

// skillTool is a tool as its author meant it.
type skillTool struct {
	method   string
	template *template
	args     []Arg // those declared, and the body if there can be one
	hasBody  bool
}

func parseSkill(t SkillTool) (*skillTool, error) {
	s := &skillTool{template: &template{}, args: slices.Clone(t.Args)}
	var names []string
	for _, arg := range t.Args {
		if arg.Name == "" || slices.Contains(names, arg.Name) {
			return s, fmt.Errorf("the tool %s declares the argument %s twice, or without a name", wording.Name(t.Name), wording.Quote(wording.Name(arg.Name)))
		}
		names = append(names, arg.Name)
	}
	m, err := method(t.Method)
	if err != nil {
		return s, fmt.Errorf("the tool %s cannot be called: %w", wording.Name(t.Name), err)
	}
	s.method = m
	s.hasBody = m == http.MethodPost || m == http.MethodPut || m == http.MethodPatch
	parsed, err := parseTemplate(t.URL, names)
	if err != nil {
		return s, fmt.Errorf("the tool %s cannot be called: %w", wording.Name(t.Name), err)
	}
	s.template = parsed
	if s.hasBody && !slices.Contains(names, bodyArg) {
		s.args = append(s.args, Arg{bodyArg, "sent as it is, instead of the other arguments"})
	}
	return s, nil
}

// schema is that of an object with these strings, in their order.
func (s *skillTool) schema() json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	var out bytes.Buffer
	out.WriteString(`{"type":"object","properties":{`)
	for i, arg := range s.args {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := json.Marshal(arg.Name) // strings can always be written
		value, _ := json.Marshal(property{"string", arg.Description})
		fmt.Fprintf(&out, "%s:%s", name, value)
	}
	out.WriteByte('}')
	if len(s.template.names) > 0 {
		required, _ := json.Marshal(s.template.names)
		fmt.Fprintf(&out, `,"required":%s`, required)
	}
	out.WriteString(`,"additionalProperties":false}`)
	return out.Bytes()
}

func (s *skillTool) prepare(arguments json.RawMessage) (call, error) {
	raw, values, err := s.read(arguments)
	if err != nil {
		return call{}, err
	}
	for _, name := range s.template.names {
		if _, ok := values[name]; !ok {
			return call{}, fmt.Errorf("argument %s is missing", wording.Quote(wording.Name(name)))
		}
	}
	path, query, err := s.template.fill(values)
	if err != nil {
		return call{}, err
	}
	c := call{egress.Request{Method: s.method, Header: http.Header{}}, skillAnswer}
	if s.hasBody {
		c.Body, err = s.body(raw)
	} else {
		query = s.withRest(query, values)
	}
	if err != nil {
		return c, err
	}
	setType(&c.Request)
	if c.URL = s.template.origin + path; query != "" {
		c.URL += "?" + query
	}
	return c, nil
}

// read takes what a model gave: strings, or numbers and booleans as they are
// written; null is nothing.
func (s *skillTool) read(arguments json.RawMessage) (raw map[string]json.RawMessage, values map[string]string, err error) {
	if len(bytes.TrimSpace(arguments)) > 0 {
		if err := json.Unmarshal(arguments, &raw); err != nil {
			return nil, nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
		}
	}
	values = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		given := raw[name]
		switch {
		case !slices.ContainsFunc(s.args, func(a Arg) bool { return a.Name == name }):
			return nil, nil, fmt.Errorf("there is no argument %s; %s", wording.Quote(wording.Name(name)), s.takes())
		case string(given) == "null":
			delete(raw, name)
		case s.hasBody && name == bodyArg && !slices.Contains(s.template.names, name):
		case given[0] == '{' || given[0] == '[':
			return nil, nil, fmt.Errorf("argument %s is an object or a list; it takes a string", wording.Quote(wording.Name(name)))
		default:
			values[name] = string(verbatim(given))
		}
	}
	return raw, values, nil
}

func (s *skillTool) takes() string {
	if len(s.args) == 0 {
		return "it takes none"
	}
	var known []string
	for _, arg := range s.args {
		known = append(known, wording.Name(arg.Name))
	}
	return "it takes " + strings.Join(known, ", ")
}

// rest are the arguments that were given and that the address does not mention,
// in the order in which they are declared.
func (s *skillTool) rest(given func(name string) bool) []string {
	var out []string
	for _, arg := range s.args {
		if given(arg.Name) && !slices.Contains(s.template.names, arg.Name) {
			out = append(out, arg.Name)
		}
	}
	return out
}

// withRest adds the rest to the query.
func (s *skillTool) withRest(query string, values map[string]string) string {
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool { return pair == "" })
	for _, name := range s.rest(func(name string) bool { _, ok := values[name]; return ok }) {
		pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(values[name]))
	}
	return strings.Join(pairs, "&")
}

// body is the one that was given, or an object of the rest.
func (s *skillTool) body(raw map[string]json.RawMessage) ([]byte, error) {
	rest := s.rest(func(name string) bool { _, ok := raw[name]; return ok })
	switch {
	case len(rest) == 0:
		return nil, nil
	case len(rest) == 1 && rest[0] == bodyArg:
		return verbatim(raw[bodyArg]), nil
	case slices.Contains(rest, bodyArg):
		return nil, errors.New("give a body or the other arguments, not both: these are sent as the body")
	}
	var out bytes.Buffer
	for i, name := range rest {
		key, _ := json.Marshal(name)
		fmt.Fprintf(&out, "%s%s:%s", "{,"[min(i, 1):min(i, 1)+1], key, raw[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// skillAnswer is the body alone, or what there is instead of one.
func skillAnswer(r *egress.Response) (string, bool) {
	text, _ := bodyText(r)
	switch {
	case r.Code >= http.StatusBadRequest:
		return r.URL + " answered " + r.Status + "\n\n" + headOf(text), true
	case len(r.Body) == 0:
		return statusAndHeaders(r), false
	}
	return text, false
}
