package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// newOpenAI speaks OpenAI's protocol, with whoever does. The service is made
// without a client of the library: that would read the environment.
func newOpenAI(c Choice, by provider, out door) attempt {
	opts := []option.RequestOption{option.WithBaseURL(c.BaseURL), option.WithHTTPClient(out), option.WithMaxRetries(0)}
	if c.key != nil && *c.key != "" {
		opts = append(opts, option.WithAPIKey(*c.key))
	}
	service := openai.NewChatCompletionService(opts...)
	lengthField := by.lengthField
	if c.BaseURL != by.base {
		lengthField = maxTokens // what nearly all servers know
	}
	known := &dialect{words: words{lengthField: lengthField, usage: true}}
	return func(ctx context.Context, req Request, n names, in *incoming) error {
		for {
			d := known.now()
			stream := service.NewStreaming(ctx, openaiRequest(c.Model, req, n, d))
			err := readOpenAI(stream, n, countCalls(req.Messages), in)
			_ = stream.Close()
			if !known.learn(d, err) {
				return err
			}
		}
	}
}

// dialect is what a server understands. It is found out by what it refuses, and
// kept: the next request is right at once.
type dialect struct {
	mu sync.Mutex
	words
}

type words struct {
	lengthField string
	swapped     bool // lengthField is not the first that was tried
	usage       bool // it can be asked to say what an answer cost
}

func (k *dialect) now() words {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.words
}

// The words for a field that a server does not know.
var (
	refusals = []string{"unsupported", "not supported", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "forbidden"}
	fields   = []string{"field", "param", "propert", "extra", "argument"}
)

// learn reports that a request made with w is worth making again, for the server
// does not know one of its fields. Each is given up once.
func (k *dialect) learn(w words, err error) bool {
	var f *failure
	if !errors.As(err, &f) || f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
		return false
	}
	text := strings.ToLower(string(f.body))
	says := func(s string) bool { return strings.Contains(text, s) }
	refused := slices.ContainsFunc(refusals, says)
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !w.swapped && refused && says(w.lengthField):
		k.swapped, k.lengthField = true, maxTokens
		if w.lengthField == maxTokens {
			k.lengthField = maxCompletionTokens
		}
	case w.usage && (says("stream_options") || says("include_usage") || refused && slices.ContainsFunc(fields, says)):
		k.usage = false
	default:
		return false
	}
	return true
}

func openaiRequest(model string, req Request, n names, d words) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: model}
	if d.usage {
		p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	}
	if req.MaxTokens > 0 {
		if d.lengthField == maxTokens {
			p.MaxTokens = openai.Int(int64(req.MaxTokens))
		} else {
			p.MaxCompletionTokens = openai.Int(int64(req.MaxTokens))
		}
	}
	// One message: some servers take no second one, and what is cached is found by
	// its beginning, not by messages.
	var system string
	for _, part := range req.System {
		if !blank(part) {
			system = paragraphs(system, part)
		}
	}
	if system != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(system))
	}
	turn := lastQuestion(req.Messages)
	for i, m := range req.Messages {
		p.Messages = append(p.Messages, openaiMessages(m, n, i > turn)...)
	}
	for _, t := range req.Tools {
		f := openai.FunctionDefinitionParam{Name: n.there[t.Name], Parameters: schemaOf(t.Schema)}
		if t.Description != "" {
			f.Description = openai.String(t.Description)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	return p
}

// lastQuestion is the last message of the user that is not about calls.
func lastQuestion(messages []Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == User && len(messages[i].Results) == 0 {
			return i
		}
	}
	return -1
}

func openaiMessages(m Message, n names, current bool) []openai.ChatCompletionMessageParamUnion {
	if m.Role == Assistant {
		return []openai.ChatCompletionMessageParamUnion{openaiAssistant(m, n, current)}
	}
	var out []openai.ChatCompletionMessageParamUnion
	for _, r := range m.Results {
		text := r.Text
		// The protocol has no other way to say so.
		if r.Failed && !strings.HasPrefix(strings.ToLower(text), "error") {
			text = "Error: " + text
		}
		out = append(out, openai.ToolMessage(text, r.ID))
	}
	if m.Text != "" {
		out = append(out, openai.UserMessage(m.Text))
	}
	return out
}

// openaiAssistant gives back what a model said, and what it thought if that is
// part of the current turn: servers that show thoughts want them back while the
// model calls tools, and refuse them later.
func openaiAssistant(m Message, n names, current bool) openai.ChatCompletionMessageParamUnion {
	a := &openai.ChatCompletionAssistantMessageParam{}
	fields := map[string]any{}
	if m.Text != "" {
		a.Content.OfString = openai.String(m.Text)
	} else {
		fields["content"] = nil // some servers miss it if it is not there
	}
	sealed := map[string]json.RawMessage{}
	for _, r := range m.Reasoning {
		if field, ok := strings.CutPrefix(r.Signature, foreignMark); ok && slices.Contains(thoughtFields, field) && current && r.Text != "" {
			fields[field] = r.Text
		}
		if text, ok := strings.CutPrefix(r.Sealed, foreignMark); ok {
			var s sealedCall
			if json.Unmarshal([]byte(text), &s) == nil && len(s.Extra) > 0 {
				sealed[s.ID] = s.Extra
			}
		}
	}
	if len(fields) > 0 {
		a.SetExtraFields(fields)
	}
	for _, c := range m.Calls {
		call := &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
				Name: n.there[c.Tool], Arguments: string(object(c.Arguments)),
			},
		}
		if extra := sealed[c.ID]; extra != nil {
			call.SetExtraFields(map[string]any{extraField: extra})
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: a}
}
