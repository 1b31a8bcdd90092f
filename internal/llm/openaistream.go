package llm

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// thoughtFields are where servers show what a model thinks. Some use two for the
// same thought; the first counts.
var thoughtFields = []string{"reasoning_content", "reasoning"}

// extraField is what Gemini's endpoint adds to a call and wants back with it.
const extraField = "extra_content"

// sealedCall is that, as it is kept in a conversation.
type sealedCall struct {
	ID    string          `json:"id"`
	Extra json.RawMessage `json:"extra_content"`
}

// openaiStops are the ends of an answer; any other is Done.
var openaiStops = map[string]Stop{
	"tool_calls": WantCalls, "function_call": WantCalls, "length": TooLong, "content_filter": Declined,
}

// readOpenAI reads a stream to its end. Calls are complete at the end only.
func readOpenAI(stream *ssestream.Stream[openai.ChatCompletionChunk], n names, before int, in *incoming) error {
	var calls assembly
	var thought strings.Builder
	var thoughtField string
	finish, refused := "", false
	for stream.Next() {
		chunk := stream.Current()
		if chunk.JSON.Usage.Valid() {
			in.Usage = openaiUsage(chunk.Usage)
		}
		for _, choice := range chunk.Choices {
			if choice.Index != 0 {
				continue
			}
			d := choice.Delta
			for _, field := range thoughtFields {
				if text := stringOf(d.JSON.ExtraFields[field]); text != "" && (thoughtField == "" || thoughtField == field) {
					thoughtField = field
					thought.WriteString(text)
					in.reasoning(text)
				}
			}
			in.text(d.Content)
			if d.Refusal != "" {
				refused = true
				in.text(d.Refusal)
			}
			for _, c := range d.ToolCalls {
				calls.add(openaiPiece(c))
			}
			if choice.FinishReason != "" {
				finish = choice.FinishReason
			}
		}
	}
	if thought.Len() > 0 {
		in.Message.Reasoning = append(in.Message.Reasoning, Reasoning{Text: thought.String(), Signature: foreignMark + thoughtField})
	}
	if finish == "" {
		return openaiEnd(stream.Err())
	}
	// What breaks after the end of the answer takes nothing from it.
	for i, c := range calls.finish(n, before) {
		in.call(c)
		if extra := calls.calls[i].extra; extra != nil {
			text, err := json.Marshal(sealedCall{ID: c.ID, Extra: extra})
			if err == nil {
				in.Message.Reasoning = append(in.Message.Reasoning, Reasoning{Sealed: foreignMark + string(text)})
			}
		}
	}
	in.Stop = Done
	if s, ok := openaiStops[finish]; ok {
		in.Stop = s
	}
	if refused {
		in.Stop = Declined
	}
	return nil
}

func openaiPiece(c openai.ChatCompletionChunkChoiceDeltaToolCall) piece {
	p := piece{index: -1, id: c.ID, name: c.Function.Name, arguments: c.Function.Arguments}
	if c.JSON.Index.Valid() && c.Index >= 0 {
		p.index = int(c.Index)
	}
	// Some servers send an object where the protocol has a string.
	if raw := c.Function.JSON.Arguments.Raw(); strings.HasPrefix(raw, "{") {
		p.arguments = raw
	}
	if extra := c.JSON.ExtraFields[extraField]; strings.HasPrefix(extra.Raw(), "{") {
		p.extra = json.RawMessage(extra.Raw())
	}
	return p
}

// openaiUsage takes what was cached out of what was read.
func openaiUsage(u openai.CompletionUsage) Usage {
	read, wrote := int(u.PromptTokensDetails.CachedTokens), int(u.PromptTokensDetails.CacheWriteTokens)
	return Usage{
		Input: max(0, int(u.PromptTokens)-read-wrote), Output: int(u.CompletionTokens),
		CacheRead: read, CacheWrite: wrote,
	}
}

func stringOf(f respjson.Field) string {
	var s string
	if json.Unmarshal([]byte(f.Raw()), &s) != nil {
		return ""
	}
	return s
}

// openaiEnd is why a stream ended before the answer.
func openaiEnd(err error) error {
	var said *ssestream.StreamError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return errCut
	case errors.As(err, &said):
		return &failure{status: statusIn(said.Event.Data), body: said.Event.Data}
	case errors.As(err, &syntax), errors.As(err, &kind):
		return errGarbage
	}
	return brokenStream(err)
}

// statusIn finds the status of an error that came in a stream, after the head has
// said that all is well: a number if there is one.
func statusIn(data []byte) int {
	var said struct {
		Error struct {
			Code   any `json:"code"`
			Status any `json:"status"`
			Type   any `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &said) != nil {
		return 500
	}
	for _, v := range []any{said.Error.Code, said.Error.Status, said.Error.Type} {
		switch v := v.(type) {
		case float64:
			if v >= 400 && v < 600 {
				return int(v)
			}
		case string:
			if n, err := strconv.Atoi(v); err == nil && n >= 400 && n < 600 {
				return n
			}
			if status, ok := openaiErrors[v]; ok {
				return status
			}
		}
	}
	return 500
}

// openaiErrors are the statuses of what servers call errors.
var openaiErrors = map[string]int{
	"rate_limit_exceeded": 429, "rate_limit_error": 429, "insufficient_quota": 429, "context_length_exceeded": 400,
	"invalid_request_error": 400, "BadRequestError": 400, "authentication_error": 401, "invalid_api_key": 401,
	"model_not_found": 404, "server_error": 500, "overloaded_error": 529,
}
