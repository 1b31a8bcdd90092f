package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

// request is what the model is asked now: prompt and tools are those of this
// moment, for skills may have come and gone since the last one.
func (a *Agent) request(ctx context.Context) (llm.Request, error) {
	prompt, err := a.opt.Session.Prompt(ctx)
	if err != nil {
		return llm.Request{}, err
	}
	req := llm.Request{Messages: a.Messages()}
	for _, part := range []string{a.opt.Base, prompt.Index, prompt.Bodies} {
		if part = a.redact(part); part != "" {
			req.System = append(req.System, part)
		}
	}
	for _, d := range a.opt.Session.Tools(ctx) {
		if d.Allowed && !(a.inner && d.Tool.Name == taskName) {
			req.Tools = append(req.Tools, a.cleanSpec(d.Tool))
		}
	}
	return req, ctx.Err()
}

// redact leaves known secrets out of a text.
func (a *Agent) redact(text string) string { return a.opt.Session.Redact(text) }

func (a *Agent) cleanSpec(s tool.Spec) tool.Spec {
	s.Description, s.Schema = a.redact(s.Description), a.redactJSON(s.Schema)
	return s
}

// cleanAnswer is an answer as it is kept and sent back: without secrets. Thoughts are signed and cannot be changed: one with a
// secret in it goes as a whole.
func (a *Agent) cleanAnswer(m llm.Message) llm.Message {
	m.Role, m.Text, m.Results = llm.Assistant, a.redact(m.Text), nil
	m.Reasoning = slices.DeleteFunc(slices.Clone(m.Reasoning), func(r llm.Reasoning) bool { return a.redact(r.Text) != r.Text })
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = a.redactJSON(m.Calls[i].Arguments)
	}
	if len(m.Reasoning) == 0 {
		m.Reasoning = nil
	}
	return m
}

// redactJSON leaves known secrets out of the texts of a document, however they
// are escaped there. What is no JSON is a text.
func (a *Agent) redactJSON(data json.RawMessage) json.RawMessage {
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var doc any
	if len(data) == 0 || in.Decode(&doc) != nil || !json.Valid(data) {
		return json.RawMessage(a.redact(string(data)))
	}
	clean, changed := a.redactValue(doc)
	if !changed {
		return data
	}
	out, err := json.Marshal(clean)
	if err != nil { // it came from JSON
		return json.RawMessage("{}")
	}
	return out
}

func (a *Agent) redactValue(v any) (clean any, changed bool) {
	switch v := v.(type) {
	case string:
		text := a.redact(v)
		return text, text != v
	case json.Number: // some keys are numbers
		text := a.redact(v.String())
		if text != v.String() {
			return text, true
		}
	case []any:
		for i := range v {
			c, did := a.redactValue(v[i])
			v[i], changed = c, changed || did
		}
		return v, changed
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			name := a.redact(key)
			c, did := a.redactValue(value)
			out[name], changed = c, changed || did || name != key
		}
		return out, changed
	}
	return v, false
}

// weightOfRequest estimates what a request costs.
func weightOfRequest(req llm.Request) int {
	sum := weightOf(req.Messages)
	for _, part := range req.System {
		sum += tokens(part)
	}
	for _, t := range req.Tools {
		sum += aroundMessage + tokens(t.Name) + tokens(t.Description) + tokens(string(t.Schema))
	}
	return sum
}
