package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/toolbox/arguments"
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
	r.spec = tool.Spec{Name: t.Name, Description: t.Description, Schema: s.form().Schema(), Effects: tool.Effects{Network: true}, Skill: t.Skill}
	r.prepare = func(raw json.RawMessage) (call, error) {
		if broken != nil {
			return call{}, broken
		}
		return s.prepare(raw)
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
	name     string
	method   string
	template *template
	args     []Arg // those declared, and the body if there can be one
	hasBody  bool
}

func parseSkill(t SkillTool) (*skillTool, error) {
	s := &skillTool{name: t.Name, template: &template{}, args: slices.Clone(t.Args)}
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

// form has what the address mentions as required.
func (s *skillTool) form() arguments.Form {
	var f arguments.Form
	for _, arg := range s.args {
		field := arguments.Field{Name: arg.Name, Kind: arguments.Word, Help: arg.Description, Required: slices.Contains(s.template.names, arg.Name)}
		if s.hasBody && arg.Name == bodyArg && !field.Required {
			field.Kind = arguments.Any
		}
		f.Fields = append(f.Fields, field)
	}
	return f
}

func (s *skillTool) prepare(raw json.RawMessage) (call, error) {
	given, err := s.form().Read(s.name, raw)
	if err != nil {
		return call{}, err
	}
	path, query, err := s.template.fill(given.Text)
	if err != nil {
		return call{}, err
	}
	c := call{Request: egress.Request{Method: s.method, Header: http.Header{}}, answer: skillAnswer}
	if s.hasBody {
		c.Body, err = s.body(given)
	} else {
		query = s.withRest(query, given)
	}
	if err != nil {
		return c, err
	}
	c.content = tool.Head(string(c.Body), tool.MostContent)
	setType(&c.Request)
	if c.URL = s.template.origin + path; query != "" {
		c.URL += "?" + query
	}
	return c, nil
}

// rest are the arguments that were given and that the address does not mention,
// in the order in which they are declared.
func (s *skillTool) rest(given arguments.Values) []string {
	var out []string
	for _, arg := range s.args {
		if given.Has(arg.Name) && !slices.Contains(s.template.names, arg.Name) {
			out = append(out, arg.Name)
		}
	}
	return out
}

// withRest adds the rest to the query.
func (s *skillTool) withRest(query string, given arguments.Values) string {
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool { return pair == "" })
	for _, name := range s.rest(given) {
		pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(given.Text(name)))
	}
	return strings.Join(pairs, "&")
}

// body is the one that was given, or an object of the rest.
func (s *skillTool) body(given arguments.Values) ([]byte, error) {
	rest := s.rest(given)
	switch {
	case len(rest) == 0:
		return nil, nil
	case len(rest) == 1 && rest[0] == bodyArg:
		return verbatim(given.Raw(bodyArg)), nil
	case slices.Contains(rest, bodyArg):
		return nil, errors.New("give a body or the other arguments, not both: these are sent as the body")
	}
	var out bytes.Buffer
	for i, name := range rest {
		key, _ := json.Marshal(name)
		fmt.Fprintf(&out, "%s%s:%s", "{,"[min(i, 1):min(i, 1)+1], key, given.Raw(name))
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
