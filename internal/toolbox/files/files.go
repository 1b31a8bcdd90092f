// Package files is the tools for files: file_read, file_write, file_edit,
// glob_search and content_search.
//
// # Where they reach
//
// Reading reaches the workspace and the folders of eligible skills, writing the
// workspace alone, less what [Options] keeps. Where there is no workspace, relative
// paths lead nowhere, least of all into the folder that the process runs in. A path is walked one name at a time
// through [os.Root], each folder opened from the one before it and compared with
// what was looked at, so that a path that was judged is the path that is opened,
// whatever is swapped meanwhile. A link is resolved by that walk and may lead
// into another of these folders, but nowhere else. Where it ends is the real
// path: it is what is kept from writing, told to Options.Opened, and shown as the
// subject of the plan.
//
// Only regular files are opened, and without waiting: no pipe, no device, and
// none that the kernel makes up, such as those of /proc, which hold the secrets
// of processes.
//
// # What is kept
//
// A kept path is recognised by its name, by its inode where it exists, and by a
// name that a filesystem could take for the same where it does not. Where it is a
// link, the place that it leads to is kept as well, whether or not something is
// there. Some names are kept at any depth: a repository in the workspace has hooks
// of its own. The folders of skills are recognised by their names. Writing puts a new file in the place of the old one, in one step, so that
// no other name of the old file, such as a hard link to something kept, ever sees
// the new content.
//
// # What they answer
//
// Text of files is handed on as it is, control characters included, except that
// NUL is left out: a model has to see what it edits. Whoever shows it on a
// terminal cleans it there. Everything is bounded: lines, bytes, entries looked
// at, time; an answer that is not all there was says so and how to go on.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

// defaultMaxBytes is some 60,000 tokens: about what a model can use of one
// answer.
const defaultMaxBytes = 256 << 10

// Options say where the tools may reach.
type Options struct {
	// Workspace is the absolute path of the folder to work in. Without one, only
	// the folders of skills are read, by absolute paths, and nothing is written.
	Workspace string
	// Folders are those of the skills that may be read, absolute and clean; they are
	// asked for at each call that needs them, and never written. They are told apart
	// by their names, as there may be thousands: a skill that was found through a
	// link has to be given by where that leads, besides by the link if it is to be
	// read that way too. A folder that lies in the workspace by its path but is a
	// link out of it does not count.
	Folders func() []string
	// Keep are files and folders below the workspace that may only be read,
	// absolute, whether or not they exist: the roots of skills, .git, lock files,
	// configuration.
	Keep []string
	// Anywhere are names of files and folders that may only be read wherever they
	// lie below the workspace: .git is that of a repository in it, too. They are
	// compared as [Nested] does, which finds those that exist.
	Anywhere []string
	// Opened is called with the real path of a file before it is read by
	// file_read. A refusal is the answer instead of the content: reading a skill's
	// instructions is activating it.
	Opened func(ctx context.Context, path string) (refusal string)
	// Instructions reports the files whose content is to be had through Opened
	// alone, by their real path; content_search leaves them out and says so. It is
	// asked about every file that is searched.
	Instructions func(path string) bool
	// MaxBytes is the most that one answer holds; 0 is 256 KiB.
	MaxBytes int64
}

// Tools returns the file tools. Each of them is a [tool.Planner].
func Tools(opt Options) []tool.Tool {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = defaultMaxBytes
	}
	set := &toolset{Options: opt}
	var out []tool.Tool
	for _, d := range []definition{fileRead, fileWrite, fileEdit, globSearch, contentSearch} {
		out = append(out, &fileTool{set: set, definition: d})
	}
	return out
}

// toolset is what the tools share.
type toolset struct {
	Options
	// changing lets one call at a time change files: an edit reads first, and what
	// another wrote in between would be lost.
	changing sync.Mutex
	// before, if set, is called ahead of each step of writing; its error stops
	// there. Tests set it.
	before func(step string) error
}

// definition is one tool, as data and a function.
type definition struct {
	name, description string
	form              arguments.Form
	writes            bool
	// folder tells that the call is about a folder, by default the workspace.
	folder bool
	// adjust, if set, completes the arguments.
	adjust func(arguments.Values)
	// content is what a tool that writes would write, for its plan.
	content func(arguments.Values) string
	run     func(set *toolset, ctx context.Context, v arguments.Values) (tool.Result, error)
}

// fileTool is a tool.
type fileTool struct {
	set *toolset
	definition
}

// Spec implements [tool.Tool].
func (t *fileTool) Spec() tool.Spec {
	return tool.Spec{
		Name: t.name, Description: t.description, Schema: t.form.Schema(),
		Effects: tool.Effects{Read: true, Write: t.writes},
	}
}

// given reads the arguments of a call.
func (t *fileTool) given(raw json.RawMessage) (arguments.Values, error) {
	v, err := t.form.Read(t.name, raw)
	if err != nil {
		return v, err
	}
	if t.folder && v.Text("path") == "" {
		v.SetText("path", ".")
	}
	if t.adjust != nil {
		t.adjust(v)
	}
	return v, nil
}

// Plan implements [tool.Planner]. Its subject is the real path.
func (t *fileTool) Plan(_ context.Context, raw json.RawMessage) (tool.Plan, error) {
	v, err := t.given(raw)
	if err != nil {
		return tool.Plan{}, err
	}
	a, err := t.set.area()
	if err != nil {
		return tool.Plan{}, err
	}
	s, err := a.walk(v.Text("path"))
	if err != nil {
		return tool.Plan{}, err
	}
	defer s.close()
	plan := tool.Plan{Subject: a.show(s.real)}
	if t.writes {
		plan.Write, plan.Content = []string{s.real}, t.content(v)
		err = t.set.mayChange(a, s)
	}
	return plan, err
}

// Run implements [tool.Tool].
func (t *fileTool) Run(ctx context.Context, raw json.RawMessage) (tool.Result, error) {
	v, err := t.given(raw)
	var res tool.Result
	if err == nil {
		res, err = t.run(t.set, ctx, v)
	}
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return tool.Result{}, err
	}
	return tool.Result{Text: t.name + ": " + err.Error(), Failed: true}, nil
}
