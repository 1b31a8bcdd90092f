package knack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// SearchTool is the tool by which a model finds skills that are not in its index,
// or that it cannot tell apart there. Its answer is the names and descriptions of
// those that fit, best first; it activates nothing.
func (s *Session) SearchTool() tool.Tool { return searchTool{s} }

type searchTool struct{ session *Session }

// searchForm is what a model writes.
var searchForm = arguments.Form{
	Fields: []arguments.Field{
		{Name: "query", Required: true, Filled: true, Help: "what the skill should be able to do, in a few words"},
		{Name: "limit", Kind: arguments.Whole, Most: 20, Help: "how many to list; 5 if 0 or left out"},
	},
	Example: `{"query": "convert a PDF to text"}`,
}

func (searchTool) Spec() tool.Spec {
	return tool.Spec{
		Name: "skill_search", Schema: searchForm.Schema(),
		Description: "Find skills by what they do. Use it before you say that there is no skill for a task.",
	}
}

// usualHits is what a model picks from.
const usualHits = 5

// hit is one line of the answer. JSON writes < and > as escapes, so that no text
// of a skill can close or forge a tag of the prompt.
type hit struct {
	Name        string      `json:"name"`
	Description skill.Text  `json:"description"`
	Trust       skill.Trust `json:"trust"`
}

func (t searchTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := searchForm.Read("skill_search", raw)
	if err != nil {
		return tool.Result{Failed: true, Text: "skill_search needs a query, and may be told a limit: " + err.Error()}, nil
	}
	limit := cmp.Or(given.Whole("limit", 0), usualHits)
	found, err := t.session.Select(ctx, given.Text("query"))
	if err != nil {
		return tool.Result{}, err
	}
	hits := []hit{}
	for _, c := range slices.Concat(found.Activate, found.Suggest) {
		if e := t.session.entry(c.Name); e != nil && len(hits) < limit {
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
