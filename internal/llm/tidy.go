package llm

import (
	"fmt"
	"strings"

	"github.com/knackhq/knack/tool"
)

// What is said where a protocol needs a message and there is none.
const (
	textOfStart    = "(The beginning of this conversation is left out.)"
	textOfGoingOn  = "Go on."
	textOfNoResult = "There is no result: the call was interrupted."
)

// tidy makes a conversation that every server takes: messages alternate, begin
// and end with the user, and none is empty; every call has exactly one result,
// in the message right after it, and an id that no other has. What was there
// stays, where it has to as text. The same beginning always comes out the same,
// so that servers find again what they cached.
func tidy(messages []Message) []Message {
	out := answered(alternating(messages))
	uniqueIDs(out)
	return out
}

// alternating drops empty messages, joins those of one side, and sees to both
// ends.
func alternating(messages []Message) []Message {
	var out []Message
	for _, m := range messages {
		if m.Role != Assistant {
			m = Message{Role: User, Text: m.Text, Results: m.Results}
		} else {
			m = Message{Role: Assistant, Text: m.Text, Reasoning: m.Reasoning, Calls: m.Calls}
		}
		if strings.TrimSpace(m.Text) == "" {
			m.Text = ""
		}
		if m.Text == "" && len(m.Calls)+len(m.Results) == 0 {
			continue // thought alone is no message either
		}
		if len(out) == 0 && m.Role == Assistant {
			out = append(out, Message{Role: User, Text: textOfStart})
		}
		if len(out) > 0 && out[len(out)-1].Role == m.Role {
			out[len(out)-1] = joined(out[len(out)-1], m)
			continue
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return []Message{{Role: User, Text: textOfStart}}
	}
	if last := out[len(out)-1]; last.Role == Assistant {
		next := Message{Role: User}
		if len(last.Calls) == 0 {
			next.Text = textOfGoingOn
		}
		out = append(out, next)
	}
	return out
}

func joined(a, b Message) Message {
	return Message{
		Role:      a.Role,
		Text:      paragraphs(a.Text, b.Text),
		Reasoning: append(a.Reasoning[:len(a.Reasoning):len(a.Reasoning)], b.Reasoning...),
		Calls:     append(a.Calls[:len(a.Calls):len(a.Calls)], b.Calls...),
		Results:   append(a.Results[:len(a.Results):len(a.Results)], b.Results...),
	}
}

func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// answered gives every call its result. A result without a call is told as text.
func answered(messages []Message) []Message {
	var calls []Call
	for i, m := range messages {
		if m.Role == Assistant {
			calls = m.Calls
			continue
		}
		var results []Result
		used := make([]bool, len(m.Results))
		for _, c := range calls {
			found := Result{ID: c.ID, Tool: c.Tool, Text: textOfNoResult, Failed: true}
			for j, r := range m.Results {
				if !used[j] && r.ID == c.ID {
					found, used[j] = r, true
					break
				}
			}
			results = append(results, found)
		}
		var lost string
		for j, r := range m.Results {
			if !used[j] {
				lost = paragraphs(lost, told(r))
			}
		}
		messages[i].Results, messages[i].Text = results, paragraphs(lost, m.Text)
		calls = nil
	}
	return messages
}

func told(r Result) string {
	outcome := "answered"
	if r.Failed {
		outcome = "failed"
	}
	return fmt.Sprintf("(The tool %s %s: %s)", r.Tool, outcome, r.Text)
}

// uniqueIDs renames calls whose id another had before, or that not every server
// takes.
func uniqueIDs(messages []Message) {
	taken := map[string]bool{}
	n := 0
	for i := range messages {
		if len(messages[i].Calls) == 0 {
			continue
		}
		// What the caller handed in stays as it is.
		calls := append([]Call(nil), messages[i].Calls...)
		results := messages[i+1].Results
		for j := range calls {
			n++
			id := calls[j].ID
			for k := n; taken[id] || !safeName(id); k++ {
				id = fmt.Sprintf("call_%d", k)
			}
			taken[id] = true
			calls[j].ID, results[j].ID = id, id
		}
		messages[i].Calls = calls
	}
}

// called are the tools that were called, as far as that tells what they are.
func called(messages []Message) []tool.Spec {
	var out []tool.Spec
	seen := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls {
			if !seen[c.Tool] {
				seen[c.Tool] = true
				out = append(out, tool.Spec{Name: c.Tool})
			}
		}
	}
	return out
}

// countCalls is how many calls there were, for the ids of new ones.
func countCalls(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Calls)
	}
	return n
}
