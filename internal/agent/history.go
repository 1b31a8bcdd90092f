package agent

import (
	"slices"

	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/skill"
)

// interrupted is the result of a call that was not made, or whose answer nobody
// waited for.
const interrupted = "interrupted by the user"

// add appends a message. The list that it is given may be in use elsewhere and
// stays as it is.
func add(messages []llm.Message, m llm.Message) []llm.Message {
	return llm.Append(slices.Clone(messages), m)
}

// ids are those of all calls so far.
func ids(messages []llm.Message) map[string]bool {
	taken := map[string]bool{}
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
