package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

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

// arguments are those of all tools; each has its own schema.
type arguments struct {
	Content  string `json:"content"`
	Key      string `json:"key"`
	Category string `json:"category"`
	Query    string `json:"query"`
	Limit    int    `json:"limit"`
	All      bool   `json:"all"`
}

type memoryTool struct {
	spec tool.Spec
	run  func(ctx context.Context, in arguments) (tool.Result, error)
}

func (t memoryTool) Spec() tool.Spec { return t.spec }

// Run answers with what is wrong, if it is the arguments, the file or the place
// that is left; an end of the context is an error.
func (t memoryTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	var in arguments
	if err := t.decode(raw, &in); err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	result, err := t.run(ctx, in)
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	return result, nil
}

// decode takes only what the schema of the tool names: a misspelt category must
// not purge everything.
func (t memoryTool) decode(raw json.RawMessage, in *arguments) error {
	var given map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&given); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s takes a JSON object: %w", t.spec.Name, err)
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(t.spec.Schema, &schema); err != nil {
		return err
	}
	for name := range given {
		if _, ok := schema.Properties[name]; !ok {
			return fmt.Errorf("%s takes no argument %s", t.spec.Name, wording.Quote(wording.Name(name)))
		}
	}
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok {
			return fmt.Errorf("%s needs the argument %s", t.spec.Name, wording.Quote(name))
		}
	}
	if len(given) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, in); err != nil {
		return fmt.Errorf("the arguments of %s: %w", t.spec.Name, err)
	}
	return nil
}

// Tools are the tools of this memory.
func (s *Store) Tools() []tool.Tool {
	reads, writes := tool.Effects{Read: true}, tool.Effects{Write: true}
	const category = `"category":{"type":"string","description":"only memories of this category"}`
	return []tool.Tool{
		memoryTool{tool.Spec{
			Name:        "memory_store",
			Description: "Remembers a content for later sessions. Storing a key that exists replaces its memory.",
			Effects:     writes,
			Schema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string","description":"what to remember, up to 64 KiB"},` +
				`"key":{"type":"string","description":"a short name; made of the content if absent"},` +
				`"category":{"type":"string","description":"a group, such as preferences; general if absent"}},"required":["content"],"additionalProperties":false}`),
		}, s.runStore},
		memoryTool{tool.Spec{
			Name:        "memory_recall",
			Description: "Finds memories by their words, the best first, each as a line of JSON. An empty query finds the newest.",
			Effects:     reads,
			Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"words to look for; no syntax"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"10 if absent"},` + category + `},"required":["query"],"additionalProperties":false}`),
		}, s.runRecall},
		memoryTool{tool.Spec{
			Name:        "memory_forget",
			Description: "Deletes the memory of a key for good.",
			Effects:     writes,
			Schema:      json.RawMessage(`{"type":"object","properties":{"key":{"type":"string"}},"required":["key"],"additionalProperties":false}`),
		}, s.runForget},
		memoryTool{tool.Spec{
			Name:        "memory_export",
			Description: "Lists all memories, or those of a category, in the order of their keys, each as a line of JSON.",
			Effects:     reads,
			Schema:      json.RawMessage(`{"type":"object","properties":{` + category + `},"additionalProperties":false}`),
		}, s.runExport},
		memoryTool{tool.Spec{
			Name:        "memory_purge",
			Description: "Deletes all memories of a category for good, or with all: true every memory there is.",
			Effects:     writes,
			Schema: json.RawMessage(`{"type":"object","properties":{"category":{"type":"string"},"all":{"type":"boolean"}},` +
				`"additionalProperties":false}`),
		}, s.runPurge},
	}
}

func (s *Store) runStore(ctx context.Context, in arguments) (tool.Result, error) {
	key, replaced, err := s.Put(ctx, in.Key, in.Category, in.Content)
	if err != nil {
		return tool.Result{}, err
	}
	text := "stored as "
	if replaced {
		text = "replaced what was stored as "
	}
	return tool.Result{Text: text + wording.Quote(key)}, nil
}

func (s *Store) runRecall(ctx context.Context, in arguments) (tool.Result, error) {
	if in.Limit < 0 || in.Limit > largestList {
		return tool.Result{}, fmt.Errorf("%w limit %d: it is from 1 to %d", ErrInvalid, in.Limit, largestList)
	}
	if in.Limit == 0 {
		in.Limit = usualLimit
	}
	found, err := s.Recall(ctx, in.Query, in.Category, in.Limit)
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

func (s *Store) runForget(ctx context.Context, in arguments) (tool.Result, error) {
	if err := s.Forget(ctx, strings.TrimSpace(in.Key)); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "forgot " + wording.Quote(strings.TrimSpace(in.Key))}, nil
}

func (s *Store) runExport(ctx context.Context, in arguments) (tool.Result, error) {
	answer := lines{most: maxAnswer}
	if err := s.Export(ctx, in.Category, &answer); err != nil {
		return tool.Result{}, err
	}
	return answer.result("there are no memories", "export one category at a time"), nil
}

func (s *Store) runPurge(ctx context.Context, in arguments) (tool.Result, error) {
	in.Category = strings.TrimSpace(in.Category)
	if in.All == (in.Category != "") {
		return tool.Result{}, fmt.Errorf("%w purge: name a category, or say all: true, and not both", ErrInvalid)
	}
	n, err := s.Purge(ctx, in.Category)
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
