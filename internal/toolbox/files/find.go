package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// mostFound is how many paths are listed: more are not read, but searched again.
const mostFound = 1000

var globSearch = definition{
	name: "glob_search",
	description: "Finds files by their paths, in the workspace or in a folder of it or of a skill. * and ? stay within a name, ** stands for any folders, " +
		"{a,b} for either; a pattern that ends in / finds folders. .git and node_modules are passed over unless the pattern names them; " +
		".gitignore is not looked at, links are not followed.",
	folder: true,
	form: arguments.Form{
		Fields: []arguments.Field{
			{Name: "pattern", Kind: arguments.Text, Required: true, Help: "of paths relative to the folder, as **/*.go or src/*.{ts,tsx}"},
			{Name: "path", Kind: arguments.Text, Help: "the folder to search; the workspace unless given"},
		},
		Example: `{"pattern": "**/*.go", "path": "src"}`,
	},
	adjust: splitPattern,
	run:    (*toolset).find,
}

// splitPattern makes a folder and a pattern of an absolute pattern.
func splitPattern(v arguments.Values) {
	pattern := v.Text("pattern")
	if v.Text("path") != "." || !filepath.IsAbs(pattern) {
		return
	}
	fixed := filepath.ToSlash(pattern)
	if meta := strings.IndexAny(fixed, `*?[{\`); meta >= 0 {
		fixed = fixed[:meta]
	}
	cut := strings.LastIndexByte(fixed, '/') + 1
	v.SetText("path", filepath.FromSlash(fixed[:cut]))
	v.SetText("pattern", filepath.ToSlash(pattern)[cut:])
}

// enterFolder walks to a folder and opens it.
func (a *area) enterFolder(path string) (*spot, error) {
	s, err := a.walk(path)
	if err != nil {
		return nil, err
	}
	switch {
	case s.info == nil:
		err = s.absent(a)
	case !s.info.IsDir():
		err = fmt.Errorf("%s: %w", wording.Quote(a.show(s.real)), errNoFolder)
	case s.name != ".":
		err = s.enter(s.name, s.info)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// prefix is what paths below a folder are shown with.
func (a *area) prefix(s *spot) string {
	shown := strings.TrimSuffix(a.show(s.real), "/")
	if shown == "." {
		return ""
	}
	return shown + "/"
}

// find runs glob_search.
func (set *toolset) find(ctx context.Context, v arguments.Values) (tool.Result, error) {
	pattern := v.Text("pattern")
	g, err := parseGlob(filepath.ToSlash(pattern))
	if err != nil {
		return tool.Result{}, fmt.Errorf("the pattern %s: %w", wording.Quote(wording.Name(pattern)), err)
	}
	a, err := set.area()
	if err != nil {
		return tool.Result{}, err
	}
	s, err := a.enterFolder(v.Text("path"))
	if err != nil {
		return tool.Result{}, err
	}
	defer s.close()
	ctx, cancel := context.WithTimeoutCause(ctx, longestSearch, errTime)
	defer cancel()
	var b strings.Builder
	found, shown := 0, 0
	t := &tree{ctx: ctx, glob: g, visit: func(_ *os.Root, path string, _ fs.DirEntry) error {
		found++
		if line := onOneLine(path); found <= mostFound && int64(b.Len()+len(line)) < set.MaxBytes {
			if shown == found-1 { // none was left out before it
				b.WriteString(line + "\n")
				shown++
			}
		}
		return nil
	}}
	if err := t.walk(s.last(), a.prefix(s), g.start(), 0); err != nil && !errors.Is(context.Cause(ctx), errTime) {
		return tool.Result{}, err
	}
	if found == 0 {
		fmt.Fprintf(&b, "nothing matches %s in %s", wording.Quote(wording.Name(pattern)), wording.Quote(a.show(s.real)))
		if !strings.Contains(pattern, "/") {
			fmt.Fprintf(&b, "; **/%s looks in the folders below as well", wording.Name(pattern))
		}
		b.WriteString("\n")
	}
	if shown < found {
		fmt.Fprintf(&b, "[%d of %d; a narrower pattern or a path shows the others]\n", shown, found)
	}
	b.WriteString(t.remarks())
	return tool.Result{Text: b.String(), Cut: shown < found || t.incomplete || ctx.Err() != nil}, nil
}

// onOneLine quotes a path that would not be read as one.
func onOneLine(path string) string {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return wording.Quote(path)
	}
	return path
}

// remarks tell what was not looked at.
func (t *tree) remarks() string {
	remark := ""
	if t.incomplete {
		remark = fmt.Sprintf("[stopped: only %d files and folders, %d deep, are looked at; give a path to search less]\n", mostEntries, deepest)
	}
	if t.ctx.Err() != nil {
		remark += fmt.Sprintf("[stopped: %v; give a path to search less]\n", context.Cause(t.ctx))
	}
	if t.unread > 0 {
		remark += fmt.Sprintf("[%s could not be read]\n", count(t.unread, "folder"))
	}
	return remark
}
