// Package agent is the loop between a user, a model and tools.
//
// A turn begins with what the user says. Slash commands and mentions activate
// skills, or go straight to a tool without a model; skills that fit with high
// confidence are active before the model is asked. Then the model is asked, with
// a prompt that is built anew for every request: what always holds, the index of
// skills, the instructions of active ones. The tools it wants are called through
// the session, which decides anew for each: what only reads runs side by side,
// everything else one after the other. Their results go into the next request,
// until there are no more calls, or too many.
//
// A conversation that no longer fits the model is compacted: its older part
// becomes a summary. The instructions of active skills are in the system prompt
// and stay as they are.
//
// Nothing that is known to be secret leaves: not to a model, not into a record,
// not into an event.
//
// Everything that happens is kept as it happens, so that an interrupt, a crash or
// a full disk loses nothing that was seen; [Store] lists conversations and takes
// one up again, and [Agent.Resume] goes on with it.
//
// [Tools] are those by which a model asks a model: for one answer, or for a task
// that an agent within this one does, with no more authority than this one has.
package agent

import (
	"slices"
	"sync"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

// Options are what an agent works with.
type Options struct {
	Session *knack.Session
	Model   llm.Model
	// Base is what the model is told before anything about skills.
	Base string
	// MaxIterations is how often a model is asked in one turn; 0 is 25.
	MaxIterations int
	// Context is how many tokens the model can read; 0 takes what it says itself.
	Context int
	// Record keeps the conversation; nil keeps nothing.
	Record *Record
	Now    func() time.Time
}

// Event is something that happens during a turn; one of its fields is set.
type Event struct {
	Text      string       `json:"text,omitempty"`      // more of the answer
	Reasoning string       `json:"reasoning,omitempty"` // more of the thought before it
	Call      *CallEvent   `json:"call,omitempty"`      // a tool is called
	Result    *ResultEvent `json:"result,omitempty"`    // it answered
	// Skills are the active ones, when that changed: not nil, but empty if none is
	// left.
	Skills []knack.ActiveSkill `json:"skills,omitzero"`
	// Notice is for the user: why nothing was done, that the conversation was
	// compacted, that a request is made again.
	Notice string `json:"notice,omitempty"`
	// Usage is what one request cost.
	Usage *llm.Usage `json:"usage,omitempty"`
}

// CallEvent is a tool that is called.
type CallEvent struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// ResultEvent is what a tool answered.
type ResultEvent struct {
	ID       string        `json:"id"`
	Tool     string        `json:"tool"`
	Result   tool.Result   `json:"result"`
	Duration time.Duration `json:"duration"`
}

// Why a turn ended.
const (
	EndDone        = "done"
	EndIterations  = "max_iterations"
	EndInterrupted = "interrupted"
	EndFailed      = "failed"
	EndDispatched  = "dispatched" // a slash command went to a tool; no model was asked
)

// Turn is what became of what a user said.
type Turn struct {
	Text       string    `json:"text"` // the answer, as much as there is of it
	End        string    `json:"end"`
	Iterations int       `json:"iterations"`
	Calls      int       `json:"calls"`
	Usage      llm.Usage `json:"usage"`
}

// Agent is one conversation with a model. It does one turn at a time; everything
// else may be called while that goes on.
type Agent struct {
	opt     Options
	sending sync.Mutex // held for a turn
	// What was told and kept last.
	active, lingering []knack.ActiveSkill
	scale             float64 // tokens as the model counts them per token as estimated

	inner bool // it works for another agent and takes no commands

	mu       sync.Mutex
	model    llm.Model
	messages []llm.Message // never changed in place
	usage    llm.Usage
	unkept   bool // the record could not be written
}

// New begins a conversation.
func New(opt Options) *Agent {
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Time{} }
	}
	return &Agent{opt: opt, model: opt.Model, scale: 1}
}

// Messages are what the model is told of the conversation so far.
func (a *Agent) Messages() []llm.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clip(a.messages)
}

// Usage is what the conversation cost so far.
func (a *Agent) Usage() llm.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}

// Use goes on with another model, from the next request on.
func (a *Agent) Use(model llm.Model) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = model
}

func (a *Agent) currentModel() llm.Model {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}

func (a *Agent) append(m llm.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.messages = add(a.messages, m)
}

func (a *Agent) replace(messages []llm.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.messages = messages
}

func (a *Agent) now() time.Time { return a.opt.Now() }
