package knack

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// SearchTool is the tool by which a model finds skills that are not in its index,
// or that it cannot tell apart there. Its answer is the names and descriptions of
// those that fit, best first; it activates nothing.
func (s *Session) SearchTool() tool.Tool { return searchTool{s} }

type searchTool struct{ session *Session }

// searchSchema is what a model writes.
const searchSchema = `{"type":"object","properties":{"query":{"type":"string","description":"what the skill should be able to do, in a few words"},"limit":{"type":"integer","minimum":1,"maximum":20}},"required":["query"]}`

func (searchTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "skill_search", Schema: json.RawMessage(searchSchema),
		Description: "Find skills by what they do. Use it before you say that there is no skill for a task.",
	}
}

// mostHits is what the schema promises at most.
const mostHits = 20

// hit is one line of the answer. JSON writes < and > as escapes, so that no text
// of a skill can close or forge a tag of the prompt.
type hit struct {
	Name        string      `json:"name"`
	Description skill.Text  `json:"description"`
	Trust       skill.Trust `json:"trust"`
}

func (t searchTool) Run(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
	args := struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}{Limit: 5}
	if err := json.Unmarshal(arguments, &args); err != nil || strings.TrimSpace(args.Query) == "" {
		return tool.Result{Failed: true, Text: `skill_search needs a query, such as {"query": "convert a PDF to text"}`}, nil
	}
	found, err := t.session.Select(ctx, args.Query)
	if err != nil {
		return tool.Result{}, err
	}
	hits := []hit{}
	for _, c := range slices.Concat(found.Activate, found.Suggest) {
		if e := t.session.entry(c.Name); e != nil && len(hits) < min(max(1, args.Limit), mostHits) {
			hits = append(hits, hit{e.Name, e.Description, e.Trust})
		}
	}
	if len(hits) == 0 {
		return tool.Result{Text: fmt.Sprintf("none of %d skills fits", found.Considered)}, nil
	}
	text, err := json.Marshal(hits)
	return tool.Result{Text: string(text)}, err
}

// entry is the ready skill of that name.
func (s *Session) entry(name string) *skill.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed(name)
}
