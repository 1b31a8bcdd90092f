package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

const (
	usualLimit  = 10
	largestList = 100
	// maxAnswer is how much of memories a model is given at once: about as much as
	// it can use.
	maxAnswer = 256 << 10
)

type memoryTool struct {
	name, description string
	effects           tool.Effects
	form              arguments.Form
	run               func(ctx context.Context, given arguments.Values) (tool.Result, error)
}

func (t memoryTool) Spec() tool.Spec {
	return tool.Spec{Name: t.name, Description: t.description, Effects: t.effects, Schema: t.form.Schema()}
}

// Run answers with what is wrong, if it is the arguments, the file or the place
// that is left; an end of the context is an error.
func (t memoryTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := t.form.Read(t.name, raw)
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	result, err := t.run(ctx, given)
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	return result, nil
}

// Tools are the tools of this memory.
func (s *Store) Tools() []tool.Tool {
	reads, writes := tool.Effects{Read: true}, tool.Effects{Write: true}
	only := arguments.Field{Name: "category", Help: "only memories of this category"}
	return []tool.Tool{
		memoryTool{
			name: "memory_store", effects: writes, run: s.runStore,
			description: "Remembers a content for later sessions. Storing a key that exists replaces its memory.",
			form: arguments.Form{
				Fields: []arguments.Field{
					{Name: "content", Required: true, Help: "what to remember, up to 64 KiB"},
					{Name: "key", Help: "a short name; made of the content if absent"},
					{Name: "category", Help: "a group, such as preferences; general if absent"},
				},
				Example: `{"content": "The user writes British English.", "key": "spelling", "category": "preferences"}`,
			},
		},
		memoryTool{
			name: "memory_recall", effects: reads, run: s.runRecall,
			description: "Finds memories by their words, the best first, each as a line of JSON. An empty query finds the newest.",
			form: arguments.Form{
				Fields: []arguments.Field{
					{Name: "query", Required: true, Help: "words to look for; no syntax"},
					{Name: "limit", Kind: arguments.Whole, Help: "up to 100; 10 if 0 or absent"},
					only,
				},
				Example: `{"query": "spelling", "limit": 5}`,
			},
		},
		memoryTool{
			name: "memory_forget", effects: writes, run: s.runForget,
			description: "Deletes the memory of a key for good.",
			form:        arguments.Form{Fields: []arguments.Field{{Name: "key", Required: true}}, Example: `{"key": "spelling"}`},
		},
		memoryTool{
			name: "memory_export", effects: reads, run: s.runExport,
			description: "Lists all memories, or those of a category, in the order of their keys, each as a line of JSON.",
			form:        arguments.Form{Fields: []arguments.Field{only}, Example: `{"category": "preferences"}`},
		},
		memoryTool{
			name: "memory_purge", effects: writes, run: s.runPurge,
			description: "Deletes all memories of a category for good, or with all: true every memory there is.",
			form: arguments.Form{
				Fields:  []arguments.Field{{Name: "category"}, {Name: "all", Kind: arguments.Flag}},
				Example: `{"category": "preferences"}`,
			},
		},
	}
}

func (s *Store) runStore(ctx context.Context, given arguments.Values) (tool.Result, error) {
	key, replaced, err := s.Put(ctx, given.Text("key"), given.Text("category"), given.Text("content"))
	if err != nil {
		return tool.Result{}, err
	}
	text := "stored as "
	if replaced {
		text = "replaced what was stored as "
	}
	return tool.Result{Text: text + wording.Quote(key)}, nil
}

func (s *Store) runRecall(ctx context.Context, given arguments.Values) (tool.Result, error) {
	limit := cmp.Or(given.Whole("limit", 0), usualLimit)
	if limit > largestList {
		return tool.Result{}, fmt.Errorf("%w limit %d: it is from 1 to %d", ErrInvalid, limit, largestList)
	}
	found, err := s.Recall(ctx, given.Text("query"), given.Text("category"), limit)
	if err != nil {
		return tool.Result{}, err
	}
	answer := lines{most: maxAnswer}
	for _, m := range found {
		line, err := m.line()
		if err != nil {
			return tool.Result{}, err
		}
		_, _ = answer.Write(line)
	}
	return answer.result("nothing was found", "ask for fewer, or with a category"), nil
}

func (s *Store) runForget(ctx context.Context, given arguments.Values) (tool.Result, error) {
	key := strings.TrimSpace(given.Text("key"))
	if err := s.Forget(ctx, key); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "forgot " + wording.Quote(key)}, nil
}

func (s *Store) runExport(ctx context.Context, given arguments.Values) (tool.Result, error) {
	answer := lines{most: maxAnswer}
	if err := s.Export(ctx, given.Text("category"), &answer); err != nil {
		return tool.Result{}, err
	}
	return answer.result("there are no memories", "export one category at a time"), nil
}

func (s *Store) runPurge(ctx context.Context, given arguments.Values) (tool.Result, error) {
	category := strings.TrimSpace(given.Text("category"))
	if given.Flag("all") == (category != "") {
		return tool.Result{}, fmt.Errorf("%w purge: name a category, or say all: true, and not both", ErrInvalid)
	}
	n, err := s.Purge(ctx, category)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: fmt.Sprintf("%d forgotten", n)}, nil
}

// lines keeps whole lines up to a size, and counts those it left out.
type lines struct {
	text strings.Builder
	most int
	left int
}

// Write takes one line.
func (l *lines) Write(line []byte) (int, error) {
	if l.left > 0 || l.text.Len() > 0 && l.text.Len()+len(line) > l.most {
		l.left++
		return len(line), nil
	}
	return l.text.Write(line)
}

func (l *lines) result(none, way string) tool.Result {
	switch {
	case l.text.Len() == 0:
		return tool.Result{Text: none}
	case l.left > 0:
		return tool.Result{Text: fmt.Sprintf("%s(%d more are left out: %s)", l.text.String(), l.left, way), Cut: true}
	}
	return tool.Result{Text: strings.TrimSuffix(l.text.String(), "\n")}
}
