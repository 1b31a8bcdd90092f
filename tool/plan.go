package tool

import (
	"context"
	"encoding/json"
	"slices"
)

// Planner is a tool that can say what a call would do, without doing it. What it
// says is what people are asked about, what rules such as Bash(git:*) are held
// against, and what the audit log keeps.
type Planner interface {
	Tool
	// Plan is of the call that Run would make of the same arguments and context.
	// An error says what is wrong with the arguments.
	Plan(ctx context.Context, arguments json.RawMessage) (Plan, error)
}

// Plan is what a call would do.
type Plan struct {
	// Subject is what rules are held against: the command of a shell, the path of
	// a file, relative to the workspace if it lies there, the address of a page.
	Subject string `json:"subject"`
	// Command is the command line that would run, as a shell would read it.
	Command string `json:"command,omitempty"`
	// Dir is the folder it would run in.
	Dir string `json:"dir,omitempty"`
	// Write are the files or folders that it could change.
	Write []string `json:"write,omitempty"`
	// Request is the HTTP request that would be made: method and address.
	Request string `json:"request,omitempty"`
	// Env are the names of the variables it would be given.
	Env []string `json:"env,omitempty"`
	// Sandbox is how it would be contained; nil if nothing would run.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
}

// Same reports whether two plans do the same; how that is contained does not
// matter.
func (p Plan) Same(o Plan) bool {
	return p.Subject == o.Subject && p.Command == o.Command && p.Dir == o.Dir && p.Request == o.Request && slices.Equal(p.Write, o.Write)
}
