package agent

import (
	"fmt"
	"slices"

	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/skill"
)

// interrupted is the result of a call that was not made, or whose answer nobody
// waited for.
const interrupted = "interrupted by the user"

// add appends a message, so that users and assistants still alternate: what one
// side says twice in a row becomes one message. The list that it is given may be in
// use elsewhere and stays as it is.
func add(messages []llm.Message, m llm.Message) []llm.Message {
	return push(slices.Clone(messages), m)
}

func push(messages []llm.Message, m llm.Message) []llm.Message {
	if n := len(messages); n > 0 && messages[n-1].Role == m.Role {
		messages[n-1] = joined(messages[n-1], m)
		return messages
	}
	return append(messages, m)
}

// joined is one message of two that follow each other.
func joined(a, b llm.Message) llm.Message {
	if a.Text != "" && b.Text != "" {
		a.Text += "\n\n"
	}
	a.Text += b.Text
	a.Reasoning = slices.Concat(a.Reasoning, b.Reasoning)
	a.Calls = slices.Concat(a.Calls, b.Calls)
	a.Results = slices.Concat(a.Results, b.Results)
	return a
}

// mended makes of any messages what every provider takes: the user begins, both
// sides alternate, nothing is empty, every call has one result right behind it,
// in the order of the calls, and every result a call.
func mended(messages []llm.Message) []llm.Message {
	var sides, out []llm.Message
	for _, m := range messages { // results may have come one by one
		if m.Role != llm.Assistant {
			m.Role, m.Calls, m.Reasoning = llm.User, nil, nil
		} else if m.Results = nil; m.Text == "" && len(m.Calls) == 0 {
			continue
		}
		sides = push(sides, m)
	}
	taken := map[string]bool{"": true}
	var asked []llm.Call // as they were named before
	for _, m := range sides {
		if m.Role == llm.User {
			m.Results = matched(pending(out), asked, m.Results)
			if m.Text != "" || len(m.Results) > 0 {
				out = push(out, m)
			}
			continue
		}
		if len(out) > 0 { // else nobody asked
			asked, m.Calls = m.Calls, named(m.Calls, taken)
			out = push(out, m)
		}
	}
	if left := pending(out); len(left) > 0 {
		out = append(out, llm.Message{Role: llm.User, Results: matched(left, left, nil)})
	}
	return out
}

// pending are the calls that the next message has to answer.
func pending(messages []llm.Message) []llm.Call {
	if n := len(messages); n > 0 {
		return messages[n-1].Calls
	}
	return nil
}

// matched are results for all of these calls, in their order, and no others. The
// results go by what the calls were named before.
func matched(calls, before []llm.Call, results []llm.Result) []llm.Result {
	var out []llm.Result
	left := slices.Clone(results)
	for i, c := range calls {
		r := llm.Result{Text: interrupted, Failed: true}
		if at := slices.IndexFunc(left, func(r llm.Result) bool { return r.ID == before[i].ID }); at >= 0 {
			r = left[at]
			left = slices.Delete(left, at, at+1)
		}
		r.ID, r.Tool = c.ID, c.Tool
		out = append(out, r)
	}
	return out
}

// named gives every call an id of its own: some servers give none, or one to all.
func named(calls []llm.Call, taken map[string]bool) []llm.Call {
	out := slices.Clone(calls)
	for i := range out {
		for n := len(taken); taken[out[i].ID]; n++ {
			out[i].ID = fmt.Sprintf("call_%d", n)
		}
		taken[out[i].ID] = true
	}
	return out
}

// ids are those of all calls so far.
func ids(messages []llm.Message) map[string]bool {
	taken := map[string]bool{"": true}
	for _, m := range messages {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	return taken
}

// tokens estimates what a text costs a model.
func tokens(text string) int { return skill.NewText(text).Tokens() }

// aroundMessage is what providers put around a message, a call or a result.
const aroundMessage = 4

// weight estimates what a message costs a model.
func weight(m llm.Message) int {
	sum := aroundMessage + tokens(m.Text)
	for _, r := range m.Reasoning {
		sum += tokens(r.Text) + tokens(r.Sealed)
	}
	for _, c := range m.Calls {
		sum += aroundMessage + tokens(c.Tool) + tokens(string(c.Arguments))
	}
	for _, r := range m.Results {
		sum += aroundMessage + tokens(r.Text)
	}
	return sum
}

func weightOf(messages []llm.Message) int {
	sum := 0
	for _, m := range messages {
		sum += weight(m)
	}
	return sum
}

// shortened keeps the beginning and the end of a text of about so many bytes.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	short, _ := output.Cut(text, max(1, most)) // 0 would be no limit
	return short
}

// mostResult of one call is shown to a model: a book's worth.
const mostResult = 256 << 10

// fitted cuts what came of one round of calls to about so many tokens in all. The
// longest lose first; what fits its share stays whole.
func fitted(results []llm.Result, room int) []llm.Result {
	out := slices.Clone(results)
	order := make([]int, len(out))
	for i := range out {
		out[i].Text, order[i] = shortened(out[i].Text, mostResult), i
	}
	cost := func(i int) int { return tokens(out[i].Text) }
	slices.SortStableFunc(order, func(a, b int) int { return cost(a) - cost(b) })
	for n, i := range order {
		share := max(0, room) / (len(order) - n)
		if need := cost(i); need > share {
			out[i].Text = shortened(out[i].Text, len(out[i].Text)*share/need)
		}
		room -= cost(i)
	}
	return out
}
