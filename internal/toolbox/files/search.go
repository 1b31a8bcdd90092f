package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"time"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

const (
	// longestSearch ends a search that nobody waits for.
	longestSearch = 30 * time.Second
	// searchers are the files that are looked through at once: reading waits for
	// disks, and each may hold a file of the largest size.
	searchers = 4
	// defaultMatches is what is read, not counted.
	defaultMatches = 200
	// mostSteps is the size of a compiled pattern: a character costs as much.
	mostSteps = 10_000
)

var contentSearch = definition{
	name: "content_search",
	description: "Searches the content of files for a regular expression (RE2), line by line, in the workspace or in a folder or file of it or of a skill. " +
		"Answers path:line:text, and path-line-text for lines around it. Binary files, files over 8 MiB, .git and node_modules are passed over.",
	folder: true,
	form: arguments.Form{
		Fields: []arguments.Field{
			{Name: "pattern", Kind: arguments.Text, Required: true, Help: "the regular expression, in the syntax of RE2"},
			{Name: "path", Kind: arguments.Text, Help: "the folder or file to search; the workspace unless given"},
			{Name: "glob", Kind: arguments.Text, Help: "only files whose paths match, as *.go or src/**/*.ts"},
			{Name: "ignore_case", Kind: arguments.Flag, Help: "letter case does not count"},
			{Name: "context", Kind: arguments.Whole, Most: 20, Help: "how many lines to show before and after a match"},
			{Name: "max", Kind: arguments.Whole, Least: 1, Most: 5000, Help: "how many matching lines to show; 200 unless given"},
		},
		Example: `{"pattern": "func .*Handler", "path": "src", "glob": "*.go"}`,
	},
	run: (*toolset).search,
}

// search runs content_search.
func (set *toolset) search(ctx context.Context, v arguments.Values) (tool.Result, error) {
	re, err := compile(v.Text("pattern"), v.Flag("ignore_case"))
	if err != nil {
		return tool.Result{}, err
	}
	pattern := v.Text("glob")
	if pattern == "" {
		pattern = anyDepth
	}
	if pattern = filepath.ToSlash(pattern); !strings.Contains(pattern, "/") {
		pattern = anyDepth + "/" + pattern
	}
	g, err := parseGlob(strings.TrimSuffix(pattern, "/"))
	if err != nil {
		return tool.Result{}, fmt.Errorf("the glob %s: %w", wording.Quote(wording.Name(v.Text("glob"))), err)
	}
	a, err := set.area()
	if err != nil {
		return tool.Result{}, err
	}
	s, err := a.walk(v.Text("path"))
	if err != nil {
		return tool.Result{}, err
	}
	defer s.close()
	if s.info == nil {
		return tool.Result{}, s.absent(a)
	}
	if !s.info.IsDir() { // the glob is of what is in a folder
		g, err = parseGlob(anyDepth)
	} else if s.name != "." {
		err = s.enter(s.name, s.info)
	}
	if err != nil {
		return tool.Result{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, longestSearch, errTime)
	defer cancel()
	h := &hunt{
		grep: grep{re: re, context: v.Whole("context", 0), max: v.Whole("max", defaultMatches)},
		room: int(set.MaxBytes), instructions: set.Instructions, toReal: a.workspace.real,
	}
	if err := h.run(ctx, a, s, g); err != nil && !errors.Is(context.Cause(ctx), errTime) {
		return tool.Result{}, err
	}
	return h.answer(a, s), nil
}

// compile reads a regular expression.
func compile(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty; give a regular expression, as \"func .*Handler\"")
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	var prog *syntax.Prog
	if err == nil {
		prog, err = syntax.Compile(parsed.Simplify())
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the pattern is no regular expression of RE2 (%w); a \\ takes characters for themselves, as in \"main\\\\(\"", err)
	case len(prog.Inst) > mostSteps:
		return nil, errors.New("the pattern repeats too much; search for less and look at what is found")
	}
	return regexp.Compile(pattern)
}

// job is a file to look through.
type job struct {
	path string
	file *os.File
	size int64
	skip skip
	done chan findings
}

// skip is why a file is not looked through.
type skip int

const (
	skipNot skip = iota
	skipLarge
	skipBinary
	skipUnread
	skipInstructions
	skips // how many there are
)

// run goes through files, a few at a time, and takes what is found in the order
// of their paths.
func (h *hunt) run(whole context.Context, a *area, s *spot, g *glob) error {
	ctx, stop := context.WithCancel(whole)
	defer stop()
	work, queue := make(chan *job), make(chan *job, 2*searchers)
	var busy sync.WaitGroup
	for range searchers {
		busy.Go(func() {
			for j := range work {
				j.done <- h.grep.file(ctx, j)
			}
		})
	}
	h.tree = &tree{ctx: ctx, glob: g, visit: func(dir *os.Root, path string, e fs.DirEntry) error {
		if !e.Type().IsRegular() {
			return nil // a link, or nothing that is read
		}
		return h.submit(ctx, dir, e.Name(), path, work, queue)
	}}
	var walked error
	busy.Go(func() {
		defer close(queue)
		defer close(work)
		if s.info.IsDir() {
			walked = h.tree.walk(s.last(), a.prefix(s), g.start(), 0)
		} else {
			walked = h.submit(ctx, s.last(), s.name, a.show(s.real), work, queue)
		}
	})
	for j := range queue {
		if found := <-j.done; !h.full {
			if h.take(j.path, found); h.full {
				stop()
			}
		}
	}
	busy.Wait()
	h.tree.ctx = whole // having had enough is not having been stopped
	switch {
	case h.full:
		return nil
	case walked == nil:
		return whole.Err() // files may have been left in the middle
	}
	return walked
}

// submit opens a file and hands it on to be looked through.
func (h *hunt) submit(ctx context.Context, dir *os.Root, name, shown string, work, queue chan<- *job) error {
	j := &job{path: shown, done: make(chan findings, 1)}
	if h.instructions != nil && h.instructions(h.realPath(shown)) {
		j.skip = skipInstructions
	} else if f, info, err := open(dir, name); err != nil {
		j.skip = skipUnread
	} else if j.file, j.size = f, info.Size(); j.size > largest {
		j.skip = skipLarge
	}
	select {
	case queue <- j:
	case <-ctx.Done():
		if j.file != nil {
			j.file.Close()
		}
		return ctx.Err()
	}
	work <- j // somebody takes it: they never wait
	return nil
}

// realPath undoes how a path is shown.
func (h *hunt) realPath(shown string) string {
	path := filepath.FromSlash(shown)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.toReal, path)
}
