package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

const (
	// largest is the size of a file that is edited or searched: beyond it are
	// data and what programs made.
	largest = 8 << 20
	// mostPlaces are those that are listed or shown of many.
	mostPlaces = 5
	// around is how many lines are shown before and after a change.
	around = 2
	// mostShown is how many lines of a change are shown, old and new each.
	mostShown = 30
)

var fileEdit = definition{
	name: "file_edit",
	description: "Replaces text in a file of the workspace. old has to be there exactly, blanks included and without line numbers, " +
		"and only once unless all is true. Line ends of the file are kept.",
	writes: true,
	form: arguments.Form{
		Fields: []arguments.Field{
			{Name: "path", Kind: arguments.Text, Required: true, Help: "the file, relative to the workspace or absolute"},
			{Name: "old", Kind: arguments.Text, Required: true, Help: "the text to replace, exactly as it is in the file"},
			{Name: "new", Kind: arguments.Text, Required: true, Help: "the text to put there; empty removes"},
			{Name: "all", Kind: arguments.Flag, Help: "replace it wherever it is"},
		},
		Example: `{"path": "src/main.go", "old": "port := 80", "new": "port := 8080"}`,
	},
	content: replaced,
	run:     (*toolset).edit,
}

// replaced shows an edit before it is made: lines with - become those with +.
func replaced(v arguments.Values) string {
	signed := func(sign, text string) string {
		return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign)
	}
	const room = tool.MostContent/2 - 16 // each has a half
	text := ""
	if v.Flag("all") {
		text = "everywhere:\n"
	}
	text += tool.Head(signed("- ", v.Text("old")), room)
	if v.Text("new") != "" {
		text += "\n" + tool.Head(signed("+ ", v.Text("new")), room)
	}
	return text
}

// edit runs file_edit.
func (set *toolset) edit(ctx context.Context, v arguments.Values) (tool.Result, error) {
	old, replacement := v.Text("old"), v.Text("new")
	switch {
	case old == "":
		return tool.Result{}, fmt.Errorf("\"old\" is empty; give the text to replace, or write the whole file with file_write")
	case old == replacement:
		return tool.Result{}, fmt.Errorf("\"old\" and \"new\" are the same; nothing would change")
	}
	return set.change(ctx, v.Text("path"), func(a *area, s *spot) (tool.Result, error) {
		return set.edited(a, s, old, replacement, v.Flag("all"))
	})
}

func (set *toolset) edited(a *area, s *spot, old, replacement string, all bool) (tool.Result, error) {
	name := wording.Quote(a.show(s.real))
	data, err := set.content(a, s)
	if err != nil {
		return tool.Result{}, err
	}
	sub := newSubject(data)
	changes, overlap := sub.find(old, replacement, all)
	switch {
	case len(changes) == 0:
		return tool.Result{}, fmt.Errorf("%s: the text is not there%s", name, sub.hint(old))
	case !all && (len(changes) > 1 || overlap):
		return tool.Result{}, fmt.Errorf("%s: the text is there more than once, in %s; add lines around it to old, or set all", name, sub.places(changes))
	}
	if err := set.replace(a, s, sub.apply(changes), s.info); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: fmt.Sprintf("changed %s in %s\n%s", name, count(len(changes), "place"), sub.excerpt(changes))}, nil
}

// content reads a file to be edited, all of it, and notes what was read.
func (set *toolset) content(a *area, s *spot) ([]byte, error) {
	f, info, err := s.open(a)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	name := wording.Quote(a.show(s.real))
	if info.Size() > largest {
		return nil, fmt.Errorf("%s: it has %s, more than the %s that are edited; use another tool", name, size(info.Size()), size(largest))
	}
	data, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	switch sample := data[:min(len(data), sampled)]; encodingOf(sample, len(data) <= sampled) {
	case noText:
		what, _ := describe(sample)
		return nil, fmt.Errorf("%s: it is %s, not text", name, what)
	case utf16LE, utf16BE:
		return nil, fmt.Errorf("%s: it is UTF-16, which is not edited; convert it with another tool, or write it whole", name)
	}
	s.info = info
	return data, nil
}

// hint tells what of a file looks like a text that is not there.
func (s subject) hint(old string) string {
	line, text, blanks := s.nearest(old)
	text = strings.TrimSpace(string(bytes.ToValidUTF8([]byte(text), []byte("\ufffd"))))
	if runes := []rune(text); len(runes) > 200 { // a line of a terminal or two
		text = string(runes[:200]) + "…"
	}
	switch {
	case line == 0:
		return "; read the file again"
	case blanks && strings.Contains(strings.TrimSpace(old), "\n"):
		return fmt.Sprintf("; it may be meant to start in line %d (%s): compare the blanks and the lines after it", line, wording.Quote(text))
	case blanks:
		return fmt.Sprintf("; line %d differs in blanks only: %s", line, wording.Quote(text))
	}
	return fmt.Sprintf("; line %d looks like it: %s", line, wording.Quote(text))
}

// places lists the lines that changes are in.
func (s subject) places(changes []change) string {
	var out []string
	for _, c := range changes[:min(len(changes), mostPlaces)] {
		out = append(out, fmt.Sprintf("line %d", 1+bytes.Count(s.raw[:c.from], newline)))
	}
	if more := len(changes) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more places", more))
	}
	return strings.Join(out, ", ")
}

// excerpt shows the changed places: old lines with -, new ones with +, numbered
// as they are before and after.
func (s subject) excerpt(changes []change) string {
	var b strings.Builder
	shift := 0 // lines that earlier changes added
	for i, c := range changes {
		if i == mostPlaces {
			fmt.Fprintf(&b, "… and %d more\n", len(changes)-i)
			break
		}
		from, to := s.linesOf(c)
		first := 1 + bytes.Count(s.raw[:from], newline)
		above := bytes.Split(s.raw[:from], newline)
		above = above[:len(above)-1]
		above = above[max(len(above)-around, 0):]
		was := bytes.Split(s.raw[from:to], newline)
		is := bytes.Split(bytes.Join([][]byte{s.raw[from:c.from], c.with, s.raw[c.to:max(to, c.to)]}, nil), newline)
		if to < c.to {
			is = is[:len(is)-1]
		}
		rows(&b, ' ', first+shift-len(above), above)
		rows(&b, '-', first, was)
		rows(&b, '+', first+shift, is)
		shift += len(is) - len(was)
		if to < len(s.raw)-1 && i+1 == len(changes) {
			below := bytes.Split(bytes.TrimSuffix(s.raw[to+1:min(len(s.raw), to+1+2*longestLine)], newline), newline)
			rows(&b, ' ', first+shift+len(was), below[:min(len(below), around)])
		}
	}
	return b.String()
}

var newline = []byte{'\n'}

// linesOf are the lines that a change is in, without the end of the last. A change
// of whole lines, ends included, is not in the line after them.
func (s subject) linesOf(c change) (from, to int) {
	from = 1 + bytes.LastIndexByte(s.raw[:c.from], '\n')
	whole := bytes.HasSuffix(c.with, newline) || len(c.with) == 0 && from == c.from
	if whole && s.raw[c.to-1] == '\n' {
		return from, c.to - 1
	}
	if end := bytes.IndexByte(s.raw[c.to:], '\n'); end >= 0 {
		return from, c.to + end
	}
	return from, len(s.raw)
}

// rows writes numbered lines.
func rows(b *strings.Builder, sign byte, first int, lines [][]byte) {
	for i, line := range lines {
		if i == mostShown {
			fmt.Fprintf(b, "%c … %d more lines\n", sign, len(lines)-i)
			return
		}
		line = fromLatin1(bytes.ReplaceAll(bytes.TrimSuffix(line, []byte{'\r'}), []byte{0}, nil))
		if runes := []rune(string(line)); len(runes) > 300 { // enough to recognise it
			line = []byte(string(runes[:300]) + "…")
		}
		fmt.Fprintf(b, "%c%5d\t%s\n", sign, first+i, line)
	}
}
