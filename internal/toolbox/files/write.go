package files

import (
	"bytes"
	"context"
	"fmt"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

var fileWrite = definition{
	name: "file_write",
	description: "Writes a whole file in the workspace, replacing what was there; folders are made as needed. " +
		"To change a part of a file, use file_edit.",
	writes: true,
	form: arguments.Form{
		Fields: []arguments.Field{
			{Name: "path", Kind: arguments.Text, Required: true, Help: "the file, relative to the workspace or absolute"},
			{Name: "content", Kind: arguments.Text, Required: true, Help: "all of its new content"},
		},
		Example: `{"path": "notes/todo.md", "content": "# To do\n"}`,
	},
	content: func(v arguments.Values) string { return tool.Head(v.Text("content"), tool.MostContent) },
	run:     (*toolset).write,
}

// change lets do change the file at a path, while nobody else changes one.
func (set *toolset) change(ctx context.Context, path string, do func(a *area, s *spot) (tool.Result, error)) (tool.Result, error) {
	set.changing.Lock()
	defer set.changing.Unlock()
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	a, err := set.area()
	if err != nil {
		return tool.Result{}, err
	}
	s, err := set.target(a, path)
	if err != nil {
		return tool.Result{}, err
	}
	defer s.close()
	return do(a, s)
}

// write runs file_write.
func (set *toolset) write(ctx context.Context, v arguments.Values) (tool.Result, error) {
	return set.change(ctx, v.Text("path"), func(a *area, s *spot) (tool.Result, error) {
		return set.written(a, s, []byte(v.Text("content")))
	})
}

func (set *toolset) written(a *area, s *spot, content []byte) (tool.Result, error) {
	before := s.info
	if err := set.replace(a, s, content, before); err != nil {
		return tool.Result{}, err
	}
	name, now := wording.Quote(a.show(s.real)), fmt.Sprintf("%s, %s", count(lineCount(content), "line"), size(int64(len(content))))
	if before == nil {
		return tool.Result{Text: fmt.Sprintf("created %s (%s)", name, now)}, nil
	}
	return tool.Result{Text: fmt.Sprintf("replaced %s (%s; it had %s)", name, now, size(before.Size()))}, nil
}

// lineCount counts lines; the last one needs no end.
func lineCount(data []byte) int {
	n := bytes.Count(data, newline)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
