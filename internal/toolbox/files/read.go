package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

// defaultLines is most source files whole.
const defaultLines = 2000

var fileRead = definition{
	name: "file_read",
	description: "Reads a text file of the workspace or of a skill. Lines come numbered, as \"     1\\ttext\"; the number and " +
		"the tab are not part of the file. Long files are read in parts, with offset and limit.",
	form: arguments.Form{
		Fields: []arguments.Field{
			{Name: "path", Kind: arguments.Text, Required: true, Help: "the file, relative to the workspace or absolute"},
			{Name: "offset", Kind: arguments.Whole, Least: 1, Help: "the first line to read; 1 is the first of the file"},
			{Name: "limit", Kind: arguments.Whole, Least: 1, Help: "how many lines to read; 2000 unless given"},
		},
		Example: `{"path": "src/main.go", "offset": 1, "limit": 200}`,
	},
	run: (*toolset).read,
}

// read runs file_read.
func (set *toolset) read(ctx context.Context, v arguments.Values) (tool.Result, error) {
	a, err := set.area()
	if err != nil {
		return tool.Result{}, err
	}
	s, err := a.walk(v.Text("path"))
	if err != nil {
		return tool.Result{}, err
	}
	defer s.close()
	f, info, err := s.open(a)
	if err != nil {
		return tool.Result{}, err
	}
	defer f.Close()
	if set.Opened != nil {
		if refusal := set.Opened(ctx, s.real); refusal != "" {
			return tool.Result{Text: refusal, Failed: true}, nil
		}
	}
	name := wording.Quote(a.show(s.real))
	lines, sample, err := newLineReader(ctx, f)
	switch {
	case err != nil:
		return tool.Result{}, fmt.Errorf("%s: %w", name, cause(err))
	case len(sample) == 0:
		return tool.Result{Text: name + " is empty"}, nil
	case lines.enc == noText:
		what, way := describe(sample)
		return tool.Result{Text: fmt.Sprintf("%s is %s of %s, not text: %s", name, what, size(info.Size()), way), Failed: true}, nil
	}
	p := page{first: v.Whole("offset", 1), limit: v.Whole("limit", defaultLines), room: int(set.MaxBytes)}
	res, err := p.fill(lines)
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s: %w", name, cause(err))
	}
	return res, nil
}

// page is a part of a file.
type page struct {
	first, limit int
	room         int // bytes
}

// fill reads the page.
func (p page) fill(lines *lineReader) (tool.Result, error) {
	passed, err := lines.skip(p.first - 1)
	if err != nil {
		return tool.Result{}, err
	}
	if !lines.more() {
		return tool.Result{}, fmt.Errorf("it has %s; offset %d is behind its end", count(passed, "line"), p.first)
	}
	var b strings.Builder
	at, end := p.first, p.first+p.limit
	for ; at < end; at++ {
		line, cut, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil && !errors.Is(err, errEndless) {
			return tool.Result{}, err
		}
		row := fmt.Sprintf("%6d\t%s", at, line)
		if cut > 0 {
			row += fmt.Sprintf(" … [%s of this line left out]", size(cut))
		}
		if b.Len() > 0 && b.Len()+len(row) >= p.room {
			return p.cut(&b, lines, at), nil
		}
		b.WriteString(row + "\n")
		if err != nil {
			fmt.Fprintf(&b, "[stopped in line %d: %v]\n", at, err)
			return tool.Result{Text: b.String(), Cut: true}, nil
		}
	}
	if lines.more() {
		return p.cut(&b, lines, at), nil
	}
	b.WriteString(lines.remarks())
	return tool.Result{Text: b.String()}, nil
}

// cut ends a page that others follow.
func (p page) cut(b *strings.Builder, lines *lineReader, next int) tool.Result {
	fmt.Fprintf(b, "%s[lines %d to %d; read on with offset %d]\n", lines.remarks(), p.first, next-1, next)
	return tool.Result{Text: b.String(), Cut: true}
}

// remarks tell what of the file does not show in its lines.
func (r *lineReader) remarks() string {
	remark := map[encoding]string{
		latin1:  "[not all of it is UTF-8; bytes that are not are shown as Latin-1]\n",
		utf16LE: "[the file is UTF-16]\n", utf16BE: "[the file is UTF-16]\n",
	}[r.enc]
	if r.crlf {
		remark += "[lines end in CR LF]\n"
	}
	return remark
}

// size writes a number of bytes.
func size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return count(int(n), "byte")
}

// count writes a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
