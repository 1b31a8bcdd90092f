// Package tool is what anything callable is: a built-in tool, one that a skill
// brings along, or one of a server.
//
// A [Spec] is what a model is told of a tool and what the engine knows of its
// effects. Who may call which tool is decided from that alone, before anything
// runs.
package tool

import (
	"context"
	"encoding/json"
)

// Tool is anything callable.
type Tool interface {
	// Spec describes it. It is the same at every call.
	Spec() Spec
	// Run does the work. Arguments that make no sense and work that failed are
	// results that say so, for a model can recover from those; an error is for
	// what no model can help.
	Run(ctx context.Context, arguments json.RawMessage) (Result, error)
}

// Result is what a tool answers.
type Result struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
	// Cut tells that Text is not all there was.
	Cut bool `json:"cut,omitempty"`
	// Sandbox is how the programs that ran were contained; nil if none ran.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
}

// Sandbox is how a program was contained.
type Sandbox struct {
	// Layer is the mechanism in force, such as "namespaces".
	Layer string `json:"layer"`
	// Files, Network and Processes tell what it could touch, in a few words.
	Files     string `json:"files"`
	Network   string `json:"network"`
	Processes string `json:"processes"`
	// Weak are the promises that this layer cannot keep on this machine.
	Weak []string `json:"weak,omitempty"`
}

// Spec describes a tool.
type Spec struct {
	// Name is unique among the tools of a session.
	Name string `json:"name"`
	// Description is what the model is told.
	Description string `json:"description"`
	// Schema is the JSON schema of its arguments; nil takes none.
	Schema  json.RawMessage `json:"schema,omitempty"`
	Effects Effects         `json:"effects"`
	// Skill is the name of the skill that brings it; empty for all others.
	Skill string `json:"skill,omitempty"`
}

// Effects is what calling a tool can touch besides its answer. The zero value
// touches nothing.
type Effects struct {
	Read    bool `json:"read,omitempty"`    // files, memory, or anything else there is
	Write   bool `json:"write,omitempty"`   // the same, changing it
	Run     bool `json:"run,omitempty"`     // programs
	Network bool `json:"network,omitempty"` // other machines
}

// ReadOnly reports effects that leave everything as it is and tell nobody.
func (e Effects) ReadOnly() bool { return !e.Write && !e.Run && !e.Network }
