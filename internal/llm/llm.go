// Package llm is language models behind one small interface.
//
// A [Model] gets a [Request] and streams its [Answer]. There are three kinds:
// Anthropic's own protocol, that of OpenAI, which many servers speak, and
// offline, which is no language model and needs neither key nor network.
// [Choose] finds out which one is meant, from what the user configured and what
// the environment has keys for.
//
// What a model is told is in the order in which it changes: the parts of the
// system prompt, the most stable first, then tools, then messages. Providers that
// can are asked to keep what they read of it.
//
// Rate limits, overload and cut connections are tried again, as long as nothing
// of the answer has been shown, waiting as long as the server says. What is left
// is an [Error] that says what the user can do.
package llm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/knackhq/knack/tool"
)

// Model is something that answers.
type Model interface {
	// Info describes it. It is the same at every call.
	Info() Info
	// Ask sends a request and returns the whole answer. on, if not nil, is told of
	// its pieces as they come, from one goroutine. With an error the answer is what
	// had come until then; an end of ctx is ctx's own error.
	Ask(ctx context.Context, req Request, on func(Event)) (Answer, error)
}

// Info describes a model.
type Info struct {
	Provider string `json:"provider"` // "anthropic", "openai" or "offline"
	Model    string `json:"model"`
	BaseURL  string `json:"base_url,omitempty"`
	// Context is how many tokens it can read and write at once; 0 is not known.
	Context int `json:"context,omitempty"`
}

// Request is what a model is asked.
type Request struct {
	// System is the system prompt in parts, the most stable first. A provider that
	// caches is told to at the end of each.
	System []string
	// Messages alternate between user and assistant, beginning with the user.
	Messages []Message
	Tools    []tool.Spec
	// MaxTokens is the longest answer; 0 is what the provider is used with.
	MaxTokens int
}

// Role is who says something.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is what one side says.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`
	// Reasoning is what an assistant thought before, to be given back as it came.
	Reasoning []Reasoning `json:"reasoning,omitempty"`
	// Calls are the tools that an assistant wants to be called, Results what came of
	// them, in a message of the user.
	Calls   []Call   `json:"calls,omitempty"`
	Results []Result `json:"results,omitempty"`
}

// Reasoning is a piece of thought. Providers sign it, or hand it out sealed.
type Reasoning struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	Sealed    string `json:"sealed,omitempty"`
}

// Call is a tool that a model wants to be called.
type Call struct {
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Arguments are as the model wrote them, also if that is not JSON.
	Arguments json.RawMessage `json:"arguments"`
}

// Result is what came of a call.
type Result struct {
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// Event is a piece of an answer; one of its fields is set.
type Event struct {
	Text      string // more text
	Reasoning string // more thought
	Call      *Call  // a call, complete
	Retry     *Retry // it is tried again
}

// Retry tells that a request is made again, and why.
type Retry struct {
	Attempt int
	After   time.Duration
	Why     string
}

// Stop is why an answer ended.
type Stop string

// The ends of an answer.
const (
	Done      Stop = "done"
	WantCalls Stop = "calls"
	TooLong   Stop = "length" // it is cut at MaxTokens
	Declined  Stop = "declined"
	Broken    Stop = "broken" // the stream ended early
)

// Answer is what a model answered.
type Answer struct {
	Message Message
	Stop    Stop
	Usage   Usage
}

// Usage is what an answer cost, in tokens. Input is without what was cached.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}

// Add adds up.
func (u Usage) Add(o Usage) Usage {
	return Usage{u.Input + o.Input, u.Output + o.Output, u.CacheRead + o.CacheRead, u.CacheWrite + o.CacheWrite}
}
