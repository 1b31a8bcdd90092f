package llm

import "fmt"

// Kind is what went wrong, as far as it matters to what comes next.
type Kind string

// The kinds of errors.
const (
	BadKey      Kind = "key"      // no key, or not a valid one
	NoModel     Kind = "model"    // there is no such model
	RateLimited Kind = "rate"     // and trying again did not help
	Overloaded  Kind = "overload" // the server's fault
	PromptSize  Kind = "size"     // more than the model can read
	BadRequest  Kind = "request"  // the server does not understand it
	Unreachable Kind = "network"
	CutOff      Kind = "cut" // the answer ended early
)

// Error is a model that did not answer. Hint says what the user can do.
type Error struct {
	Kind    Kind
	Status  int // of HTTP; 0 if there was no answer
	Message string
	Hint    string
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (status %d)", e.Message, e.Status)
	}
	return e.Message
}
