package llm

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
)

// anthropicStops are the ends of an answer.
var anthropicStops = map[anthropic.StopReason]Stop{
	anthropic.StopReasonToolUse:                    WantCalls,
	anthropic.StopReasonMaxTokens:                  TooLong,
	anthropic.StopReasonModelContextWindowExceeded: TooLong,
	anthropic.StopReasonRefusal:                    Declined,
}

// anthropicErrors are the statuses of errors that come in a stream, after the
// head has said that all is well.
var anthropicErrors = map[anthropic.ErrorType]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
	"timeout_error": 504, "overloaded_error": 529,
}

// anthropicBlock is a block that is coming in.
type anthropicBlock struct {
	anthropic.ContentBlockStartEventContentBlockUnion
	thought, signature, arguments strings.Builder
}

// readAnthropic reads a stream to its end. Only blocks that are complete are
// kept, except for text.
func readAnthropic(stream *ssestream.Stream[anthropic.MessageStreamEventUnion], n names, in *incoming) error {
	open := map[int64]*anthropicBlock{}
	for stream.Next() {
		e := stream.Current()
		switch e.Type {
		case "message_start":
			u := e.Message.Usage
			in.Usage = Usage{int(u.InputTokens), int(u.OutputTokens), int(u.CacheReadInputTokens), int(u.CacheCreationInputTokens)}
		case "content_block_start":
			b := &anthropicBlock{ContentBlockStartEventContentBlockUnion: e.ContentBlock}
			open[e.Index] = b
			if b.Type == "text" {
				in.text(b.Text)
			}
			b.thought.WriteString(b.Thinking)
			b.signature.WriteString(b.Signature)
		case "content_block_delta":
			if b := open[e.Index]; b != nil {
				b.add(e.Delta, in)
			}
		case "content_block_stop":
			if b := open[e.Index]; b != nil {
				b.end(n, in)
			}
			delete(open, e.Index)
		case "message_delta":
			in.Stop = Done
			if s, ok := anthropicStops[e.Delta.StopReason]; ok {
				in.Stop = s
			}
			in.Usage = latest(in.Usage, e.Usage)
		case "message_stop":
			return nil
		}
	}
	return anthropicEnd(stream.Err())
}

func (b *anthropicBlock) add(d anthropic.MessageStreamEventUnionDelta, in *incoming) {
	switch d.Type {
	case "text_delta":
		in.text(d.Text)
	case "thinking_delta":
		b.thought.WriteString(d.Thinking)
		in.reasoning(d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	case "input_json_delta":
		b.arguments.WriteString(d.PartialJSON)
	}
}

func (b *anthropicBlock) end(n names, in *incoming) {
	switch b.Type {
	case "thinking":
		in.Message.Reasoning = append(in.Message.Reasoning, Reasoning{Text: b.thought.String(), Signature: b.signature.String()})
	case "redacted_thinking":
		in.Message.Reasoning = append(in.Message.Reasoning, Reasoning{Sealed: b.Data})
	case "tool_use":
		in.call(Call{ID: b.ID, Tool: n.ours(b.Name), Arguments: written(b.arguments.String(), b.JSON.Input.Raw())})
	}
}

// anthropicEnd is why a stream ended before the answer.
func anthropicEnd(err error) error {
	var said *anthropic.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return errCut
	case errors.As(err, &said):
		f := &failure{status: anthropicErrors[said.Type()], body: []byte(said.RawJSON())}
		if f.status == 0 {
			f.status = 500
		}
		return f
	case errors.As(err, &syntax), errors.As(err, &kind):
		return errGarbage
	}
	return brokenStream(err)
}

// latest are the counts at the end, which are those of the whole answer; a server
// may leave out what it said at the beginning.
func latest(u Usage, d anthropic.MessageDeltaUsage) Usage {
	for _, c := range []struct {
		at *int
		n  int64
	}{
		{&u.Input, d.InputTokens}, {&u.Output, d.OutputTokens},
		{&u.CacheRead, d.CacheReadInputTokens}, {&u.CacheWrite, d.CacheCreationInputTokens},
	} {
		if c.n > 0 {
			*c.at = int(c.n)
		}
	}
	return u
}
