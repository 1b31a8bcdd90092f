package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
	// Content is what would be sent or written besides: headers and body of a
	// request, the text of a file. It is foreign text like any argument, and no
	// longer than [MostContent]; see [Head].
	Content string `json:"content,omitempty"`
	// Env are the names of the variables it would be given.
	Env []string `json:"env,omitempty"`
	// Sandbox is how it would be contained; nil if nothing would run.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
}

// Same reports whether two plans do the same; how that is contained does not
// matter.
func (p Plan) Same(o Plan) bool {
	return p.Subject == o.Subject && p.Command == o.Command && p.Dir == o.Dir && p.Request == o.Request &&
		p.Content == o.Content && slices.Equal(p.Write, o.Write)
}

// MostContent is how many bytes the content of a plan has at most: what somebody
// who is asked will look at.
const MostContent = 4 << 10

const (
	headCharacters = 2000
	headNotice     = 32 // bytes that the notice may take
)

// Head is the beginning of a text, for the content of a plan: 2,000 characters of
// it, in no more than so many bytes, and then how many more there are.
func Head(text string, bytes int) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	all := utf8.RuneCountInString(text)
	if all <= headCharacters && len(text) <= bytes {
		return text
	}
	end, shown := 0, 0
	for shown < headCharacters {
		_, size := utf8.DecodeRuneInString(text[end:])
		if end+size > bytes-headNotice {
			break
		}
		end, shown = end+size, shown+1
	}
	return text[:end] + "… " + strconv.Itoa(all-shown) + " more"
}
