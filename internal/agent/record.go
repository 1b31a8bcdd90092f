package agent

import (
	"time"

	"github.com/knackhq/knack/internal/llm"
)

// Conversation is a kept conversation, as a list shows it.
type Conversation struct {
	ID        string    `json:"id"`
	Began     time.Time `json:"began"`
	Changed   time.Time `json:"changed"`
	Workspace string    `json:"workspace"`
	Host      string    `json:"host"`
	Model     string    `json:"model"`
	Title     string    `json:"title"` // the first line of what the user said first
	Turns     int       `json:"turns"`
}

// State is what a conversation is taken up with.
type State struct {
	Conversation
	// Messages are what the model is told of it: all, or a summary and what came
	// after it.
	Messages []llm.Message
	// Active are the names of skills that were active at the end.
	Active []string
	Usage  llm.Usage
}

// Record is where one conversation is kept: a file that is only added to.
type Record struct{ path string }
