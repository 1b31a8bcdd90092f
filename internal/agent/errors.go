package agent

import "errors"

// What an agent and its conversations answer besides the errors of models.
var (
	// ErrBusy is the answer to what is sent while a turn goes on.
	ErrBusy = errors.New("the agent is still answering; wait for the end of the turn, or interrupt it")
	// ErrNothingToSay is the answer to an empty text that has nothing to go on with.
	ErrNothingToSay = errors.New("there is nothing to send: write something first")
	// ErrNoConversation is matched where no conversation is meant.
	ErrNoConversation = errors.New("there is no such conversation")
	// ErrAmbiguous is matched where several are.
	ErrAmbiguous = errors.New("several conversations begin so")
	// ErrInUse is matched where another process, or another window of this one, has
	// a conversation open.
	ErrInUse = errors.New("it is open elsewhere")
)
