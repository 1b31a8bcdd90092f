package llm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/tool"
)

// What is said where a protocol needs a message and there is none.
const (
	textOfStart    = "(The beginning of this conversation is left out.)"
	textOfGoingOn  = "Go on."
	textOfNoResult = "There is no result: the call was interrupted."
)

// ready makes a conversation that can be sent: a tidy one in which the user has
// the last word.
func ready(messages []Message) []Message {
	out := Tidy(messages)
	switch n := len(out); {
	case n == 0:
		return []Message{{Role: User, Text: textOfStart}}
	case out[n-1].Role == Assistant:
		return append(out, Message{Role: User, Text: textOfGoingOn})
	}
	return out
}

// Tidy makes of any messages a conversation that every server goes on from: the
// user begins, both sides alternate, and no message is empty; every call has an id
// that no other has, and exactly one result, in the message right after it, in the
// order of the calls. A result without a call is left out: as text it would speak
// for the user. The same beginning always comes out the same, so that servers find
// again what they cached. What it is given stays as it is.
func Tidy(messages []Message) []Message {
	var out []Message
	var open, before []Call // those that wait for results, and as they were named before
	taken := map[string]bool{}
	for _, m := range sides(messages) {
		if m.Role == Assistant {
			before, open = m.Calls, Named(m.Calls, taken)
			m.Calls = open
			if len(out) == 0 {
				out = append(out, Message{Role: User, Text: textOfStart})
			}
		} else {
			m.Results, open = matched(open, before, m.Results), nil
			if m.Text == "" && len(m.Results) == 0 {
				continue
			}
		}
		out = Append(out, m)
	}
	if len(open) > 0 {
		out = append(out, Message{Role: User, Results: matched(open, before, nil)})
	}
	return out
}

// sides are the messages, joined where one side said several in a row: results may
// have come one by one.
func sides(messages []Message) []Message {
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
		if m.Text != "" || len(m.Calls)+len(m.Results) > 0 { // thought alone is no message either
			out = Append(out, m)
		}
	}
	return out
}

// Append adds a message so that sides still alternate: what one of them says twice
// in a row becomes one message. It changes the last element of the list, and
// nothing that messages share.
func Append(messages []Message, m Message) []Message {
	n := len(messages)
	if n == 0 || messages[n-1].Role != m.Role {
		return append(messages, m)
	}
	last := &messages[n-1]
	last.Text = paragraphs(last.Text, m.Text)
	last.Reasoning = slices.Concat(last.Reasoning, m.Reasoning)
	last.Calls = slices.Concat(last.Calls, m.Calls)
	last.Results = slices.Concat(last.Results, m.Results)
	return messages
}

func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// matched are results for all of these calls, in their order, and no others. The
// results go by what the calls were named before.
func matched(calls, before []Call, results []Result) []Result {
	var out []Result
	left := slices.Clone(results)
	for i, c := range calls {
		r := Result{Text: textOfNoResult, Failed: true}
		if at := slices.IndexFunc(left, func(r Result) bool { return r.ID == before[i].ID }); at >= 0 {
			r = left[at]
			left = slices.Delete(left, at, at+1)
		}
		r.ID, r.Tool = c.ID, c.Tool
		out = append(out, r)
	}
	return out
}

// Named gives every call an id of its own, and adds it to those that are taken:
// some servers give none, one to all, or one that others do not take.
func Named(calls []Call, taken map[string]bool) []Call {
	out := slices.Clone(calls)
	for i := range out {
		for n := len(taken) + 1; taken[out[i].ID] || !safeName(out[i].ID); n++ {
			out[i].ID = fmt.Sprintf("call_%d", n)
		}
		taken[out[i].ID] = true
	}
	return out
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
