package tool

import "time"

// Record is what the audit log keeps of one call. Secrets are left out of it.
type Record struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time"`
	Tool   string    `json:"tool"`
	Skill  string    `json:"skill,omitempty"` // that brings the tool, or sent the command
	Caller string    `json:"caller"`          // model, user or slash
	Active []string  `json:"active,omitempty"`
	// Subject is what rules were held against, Arguments all of them as JSON, as
	// much as is kept.
	Subject   string `json:"subject,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	// Verdict is allowed or denied; Why says by what, and Answer what the user said
	// if asked.
	Verdict string `json:"verdict"`
	Why     string `json:"why,omitempty"`
	Answer  string `json:"answer,omitempty"`
	// Hosts may be reached, or any public one if Anywhere.
	Hosts    []string `json:"hosts,omitempty"`
	Anywhere bool     `json:"anywhere,omitempty"`
	// End is nil of a call that was not made, or whose end nobody saw.
	End *RecordEnd `json:"end,omitempty"`
}

// RecordEnd is how a call ended.
type RecordEnd struct {
	Time   time.Time `json:"time"`
	Failed bool      `json:"failed,omitempty"`
	Bytes  int       `json:"bytes"`           // of the answer
	Layer  string    `json:"layer,omitempty"` // that contained what ran
	Error  string    `json:"error,omitempty"`
}
