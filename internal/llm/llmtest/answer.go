package llmtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// piece is one line of an answer: what it is, and the rest of the line.
type piece struct{ verb, value string }

// answer is a whole one; directives are among its pieces.
type answer struct {
	number                int // of the request; ids of calls are unique in a script
	pieces                []piece
	stop                  string
	input, output, cached int
}

// protocol writes an answer as the server of one protocol would.
type protocol func(answer) string

func protocolOf(path string) (protocol, bool) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return messages, true
	case strings.HasSuffix(path, "/chat/completions"):
		return completions, true
	}
	return nil, false
}

// write makes the body of the answer to request number n.
func write(n int, script string, p protocol) (string, error) {
	a := answer{number: n, input: 10, output: 5}
	for _, line := range lines(script) {
		if strings.HasPrefix(line, "!") {
			a.pieces = append(a.pieces, piece{"!", line})
			continue
		}
		verb, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, `"`) && verb != "call" {
			s, err := strconv.Unquote(value)
			if err != nil {
				return "", fmt.Errorf("%s: %w", line, err)
			}
			value = s
		}
		switch verb {
		case "text", "reasoning":
			a.pieces = append(a.pieces, piece{verb, value})
		case "call":
			a.pieces = append(a.pieces, piece{verb, value})
			if a.stop == "" {
				a.stop = "calls"
			}
		case "stop":
			a.stop = value
		case "usage":
			if _, err := fmt.Sscan(value+" 0", &a.input, &a.output, &a.cached); err != nil {
				return "", fmt.Errorf("%s: %w", line, err)
			}
		default:
			return "", fmt.Errorf("%s: there is no %q", line, verb)
		}
	}
	return p(a), nil
}

// stops are the words of both protocols for the ends of an answer.
var stops = map[string][2]string{
	"":         {"end_turn", "stop"},
	"calls":    {"tool_use", "tool_calls"},
	"length":   {"max_tokens", "length"},
	"declined": {"refusal", "content_filter"},
}

type object = map[string]any

func event(out *strings.Builder, name string, data object) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	if name != "" {
		fmt.Fprintf(out, "event: %s\n", name)
	}
	fmt.Fprintf(out, "data: %s\n\n", text)
}

// messages is Anthropic's protocol.
func messages(a answer) string {
	var out strings.Builder
	send := func(kind string, data object) {
		data["type"] = kind
		event(&out, kind, data)
	}
	send("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
		"usage": object{"input_tokens": a.input - a.cached, "cache_read_input_tokens": a.cached, "output_tokens": 1},
	}})
	open, index, calls := "", -1, 0
	stop := func() {
		if open != "" {
			send("content_block_stop", object{"index": index})
		}
		open = ""
	}
	start := func(kind string, block object) {
		stop()
		open, index = kind, index+1
		block["type"] = kind
		send("content_block_start", object{"index": index, "content_block": block})
	}
	delta := func(kind, field, value string) {
		send("content_block_delta", object{"index": index, "delta": object{"type": kind, field: value}})
	}
	for _, p := range a.pieces {
		switch p.verb {
		case "!":
			out.WriteString(p.value + "\n")
		case "text":
			if open != "text" {
				start("text", object{"text": ""})
			}
			delta("text_delta", "text", p.value)
		case "reasoning":
			start("thinking", object{"thinking": "", "signature": ""})
			delta("thinking_delta", "thinking", p.value)
			delta("signature_delta", "signature", "c2lnbmF0dXJl")
		case "call":
			calls++
			name, arguments, _ := strings.Cut(p.value, " ")
			start("tool_use", object{"id": fmt.Sprintf("toolu_%d_%d", a.number, calls), "name": name, "input": object{}})
			for _, part := range halves(arguments) {
				delta("input_json_delta", "partial_json", part)
			}
		}
	}
	stop()
	send("message_delta", object{
		"delta": object{"stop_reason": stops[a.stop][0], "stop_sequence": nil},
		"usage": object{"output_tokens": a.output},
	})
	send("message_stop", object{})
	return out.String()
}

// completions is OpenAI's protocol.
func completions(a answer) string {
	var out strings.Builder
	chunk := func(choices []any, more object) {
		data := object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": choices}
		for k, v := range more {
			data[k] = v
		}
		event(&out, "", data)
	}
	delta := func(d object) { chunk([]any{object{"index": 0, "delta": d, "finish_reason": nil}}, nil) }
	delta(object{"role": "assistant", "content": ""})
	calls := 0
	for _, p := range a.pieces {
		switch p.verb {
		case "!":
			out.WriteString(p.value + "\n")
		case "text":
			delta(object{"content": p.value})
		case "reasoning":
			delta(object{"reasoning_content": p.value})
		case "call":
			name, arguments, _ := strings.Cut(p.value, " ")
			calls++
			delta(object{"tool_calls": []any{object{
				"index": calls - 1, "id": fmt.Sprintf("call_%d_%d", a.number, calls), "type": "function",
				"function": object{"name": name, "arguments": ""},
			}}})
			for _, part := range halves(arguments) {
				delta(object{"tool_calls": []any{object{"index": calls - 1, "function": object{"arguments": part}}}})
			}
		}
	}
	chunk([]any{object{"index": 0, "delta": object{}, "finish_reason": stops[a.stop][1]}}, nil)
	chunk([]any{}, object{"usage": object{
		"prompt_tokens": a.input, "completion_tokens": a.output, "total_tokens": a.input + a.output,
		"prompt_tokens_details": object{"cached_tokens": a.cached},
	}})
	out.WriteString("data: [DONE]\n\n")
	return out.String()
}

// halves cuts arguments as servers do, anywhere.
func halves(s string) []string {
	if len(s) < 2 {
		return []string{s}
	}
	r := []rune(s)
	return []string{string(r[:len(r)/2]), string(r[len(r)/2:])}
}
