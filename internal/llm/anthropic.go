package llm

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// newAnthropic speaks Anthropic's protocol. The service is made without a client
// of the library: that would look for keys and addresses in the environment and
// in files.
func newAnthropic(c Choice, out door) attempt {
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL), option.WithHTTPClient(out), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
	}
	switch {
	case c.key == nil || *c.key == "":
	case c.bearer:
		opts = append(opts, option.WithAuthToken(*c.key))
	default:
		opts = append(opts, option.WithAPIKey(*c.key))
	}
	service := anthropic.NewMessageService(opts...)
	return func(ctx context.Context, req Request, n names, in *incoming) error {
		stream := service.NewStreaming(ctx, anthropicRequest(c.Model, req, n))
		defer func() { _ = stream.Close() }()
		return readAnthropic(stream, n, in)
	}
}

// mostCachePoints is what the protocol allows in one request.
const mostCachePoints = 4

func anthropicRequest(model string, req Request, n names) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: model, MaxTokens: int64(req.MaxTokens)}
	if req.MaxTokens <= 0 {
		_, answer := windowOf(model)
		p.MaxTokens = int64(answer)
	}
	for _, part := range req.System {
		if !blank(part) {
			p.System = append(p.System, anthropic.TextBlockParam{Text: part})
		}
	}
	tools := req.Tools
	if len(tools) == 0 {
		// A conversation with calls in it is refused without tools.
		if tools = called(req.Messages); len(tools) > 0 {
			none := anthropic.NewToolChoiceNoneParam()
			p.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &none}
		}
	}
	for _, t := range tools {
		u := &anthropic.ToolParam{
			Name:        n.there[t.Name],
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](schemaOf(t.Schema)),
		}
		if t.Description != "" {
			u.Description = anthropic.String(t.Description)
		}
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: u})
	}
	for _, m := range req.Messages {
		p.Messages = append(p.Messages, anthropicMessage(m, n))
	}
	setCachePoints(&p)
	return p
}

// setCachePoints marks what the server shall keep: the end of the conversation,
// for in a loop everything before it comes again, and the ends of the system's
// parts, the most stable first. Tools come before the system there, so that their
// own mark is worth something only where a point is left.
func setCachePoints(p *anthropic.MessageNewParams) {
	here := anthropic.NewCacheControlEphemeralParam()
	left := mostCachePoints
	if blocks := p.Messages[len(p.Messages)-1].Content; len(blocks) > 0 {
		if at := blocks[len(blocks)-1].GetCacheControl(); at != nil {
			*at = here
			left--
		}
	}
	for i := range p.System {
		if left > 0 {
			p.System[i].CacheControl = here
			left--
		}
	}
	if len(p.Tools) > 0 && left > 0 {
		p.Tools[len(p.Tools)-1].OfTool.CacheControl = here
	}
}

func anthropicMessage(m Message, n names) anthropic.MessageParam {
	if m.Role != Assistant {
		var blocks []anthropic.ContentBlockParamUnion
		for _, r := range m.Results { // they have to come first
			b := &anthropic.ToolResultBlockParam{ToolUseID: r.ID}
			if !blank(r.Text) {
				b.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: r.Text}}}
			}
			if r.Failed {
				b.IsError = anthropic.Bool(true)
			}
			blocks = append(blocks, anthropic.ContentBlockParamUnion{OfToolResult: b})
		}
		if m.Text != "" {
			blocks = append(blocks, anthropic.NewTextBlock(m.Text))
		}
		return anthropic.NewUserMessage(blocks...)
	}
	var blocks []anthropic.ContentBlockParamUnion
	for _, r := range m.Reasoning {
		switch {
		case foreign(r):
		case r.Sealed != "":
			blocks = append(blocks, anthropic.NewRedactedThinkingBlock(r.Sealed))
		case r.Signature != "": // without one it would be refused
			blocks = append(blocks, anthropic.NewThinkingBlock(r.Signature, r.Text))
		}
	}
	if m.Text != "" {
		blocks = append(blocks, anthropic.NewTextBlock(m.Text))
	}
	for _, c := range m.Calls {
		blocks = append(blocks, anthropic.NewToolUseBlock(c.ID, object(c.Arguments), n.there[c.Tool]))
	}
	return anthropic.NewAssistantMessage(blocks...)
}
