package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const (
	// mostEntries is how many files and folders a search looks at: a large
	// repository has half as many.
	mostEntries = 200_000
	// deepest is how deep folders may lie: each one on the way is open.
	deepest = 128
	// batch is how many entries are read at a time.
	batch = 1024
)

// passedOver are folders that nobody means unless they name them.
var passedOver = []string{".git", "node_modules"}

// tree goes through the files below a folder, in the order of their paths. Links
// are not followed: what they lead to in the workspace is found where it is.
type tree struct {
	ctx  context.Context
	glob *glob
	// visit is called for every path that matches, with the folder it is in.
	// An error ends it all.
	visit func(dir *os.Root, path string, e fs.DirEntry) error

	entries    int
	incomplete bool // there was more than is looked at
	unread     int  // folders that could not be read
}

// walk goes through a folder. Its path is "" or ends in a slash.
func (t *tree) walk(dir *os.Root, path string, states []state, depth int) error {
	list, err := t.list(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		next := t.glob.next(states, e.Name())
		if len(next) == 0 {
			continue
		}
		if t.glob.matched(next) && t.glob.folders == e.IsDir() {
			if err := t.visit(dir, path+e.Name(), e); err != nil {
				return err
			}
		}
		if !e.IsDir() || slices.Contains(passedOver, e.Name()) && !t.glob.names(e.Name()) {
			continue
		}
		if depth == deepest || t.entries >= mostEntries {
			t.incomplete = true
			continue
		}
		sub, err := dir.OpenRoot(e.Name() + "/.") // a folder, or an error: see enter
		if err != nil {
			t.unread++
			continue
		}
		err = t.walk(sub, path+e.Name()+"/", next, depth+1)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// list reads a folder, sorted so that paths come in their order: those in a
// folder where its name with a slash is.
func (t *tree) list(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		t.unread++
		return nil, nil
	}
	defer f.Close()
	var list []fs.DirEntry
	for t.entries < mostEntries {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		some, err := f.ReadDir(min(batch, mostEntries-t.entries))
		list = append(list, some...)
		t.entries += len(some)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.unread++
			}
			break
		}
	}
	if t.entries >= mostEntries {
		t.incomplete = true
	}
	key := func(e fs.DirEntry) string {
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(key(a), key(b)) })
	return list, nil
}
