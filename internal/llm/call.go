package llm

import (
	"bytes"
	"encoding/json"
)

// callJSON is a call as it is kept. Arguments that are not JSON are text of their
// own: what a model wrote must not keep a conversation from being saved.
type callJSON struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Malformed string          `json:"malformed_arguments,omitempty"`
}

// MarshalJSON writes any call, also one with arguments that are not JSON.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{ID: c.ID, Tool: c.Tool}
	if json.Valid(c.Arguments) {
		out.Arguments = c.Arguments
	} else {
		out.Malformed = string(c.Arguments)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Call) UnmarshalJSON(data []byte) error {
	var in callJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = Call{ID: in.ID, Tool: in.Tool, Arguments: in.Arguments}
	if in.Arguments == nil {
		c.Arguments = json.RawMessage(in.Malformed)
	}
	return nil
}

// object returns arguments as the JSON object that servers insist on when a
// conversation is given back to them.
func object(arguments json.RawMessage) json.RawMessage {
	text := bytes.TrimSpace(arguments)
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage(`{}`)
	}
	if text[0] == '{' && json.Valid(text) {
		return text
	}
	// A string can always be written.
	wrapped, err := json.Marshal(map[string]string{"malformed_arguments": string(text)})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return wrapped
}

// schemaOf returns the schema of a tool's arguments as both protocols want it: an
// object with properties, even if there are none. What is no schema takes
// anything.
func schemaOf(schema json.RawMessage) map[string]any {
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &fields) != nil {
		fields = nil
	}
	out := make(map[string]any, len(fields)+2)
	for k, v := range fields {
		out[k] = v
	}
	if string(fields["type"]) != `"object"` {
		out["type"] = "object"
	}
	if p := fields["properties"]; len(p) == 0 || p[0] != '{' {
		out["properties"] = struct{}{}
	}
	return out
}
