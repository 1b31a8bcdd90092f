package format

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// errNotMended is returned when no line of a file can be mended without
// changing what is read from it.
var errNotMended = errors.New("it has to be mended by hand")

// Fix writes repairs back into the frontmatter of a SKILL.md, each as a change
// of one field; everything else stays as it is. A change is made only if the
// file then reads as the same skill with one repair less, so some may be left
// to people. Fix fails if none can be made.
func (p *Parser) Fix(file string, data []byte, repairs []Repair) ([]byte, error) {
	if p.full != nil {
		return p.full.Fix(file, data, repairs) // who found the repairs
	}
	if rank, _, ok := p.Rank(file); !ok || p.manifests[rank].kind != inMarkdown {
		return nil, fmt.Errorf("%s is no %s, so it has no frontmatter to mend", file, p.markdownName())
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("%s is not plain text in UTF-8; save it so first: %w", file, errNotMended)
	}
	m := mender{parser: p, file: file, want: p.readAlone(file, data).Skill}
	mended := false
	for _, repair := range repairs {
		if fixed, ok := m.mend(data, repair); ok {
			data, mended = fixed, true
		}
	}
	if !mended && len(repairs) > 0 {
		return nil, fmt.Errorf("%s, %s: %w", file, shown(repairs[0].Key), errNotMended)
	}
	return data, nil
}

// readAlone reads one file as a folder of its own.
func (p *Parser) readAlone(file string, data []byte) Result {
	return p.Parse("folder", []Source{{File: file, Data: data}})
}

// mender mends one file.
type mender struct {
	parser *Parser
	file   string
	want   skill.Skill // what the file says, before and after
}

// mend makes one repair, in whichever way keeps the skill as it is.
func (m *mender) mend(data []byte, repair Repair) ([]byte, bool) {
	h := m.parser.readHead(&tree.Store{}, m.file, data, m.parser.rules.Limits)
	line := repairLine(&h, repair.Key)
	first, last, ok := headLines(data, &h)
	if line == 0 || !ok {
		return nil, false
	}
	lines := bytes.SplitAfter(data, []byte{'\n'})
	if last > len(lines) || line < first || line > last {
		return nil, false
	}
	accept := func(middle []byte) ([]byte, bool) {
		fixed := slices.Concat(bytes.Join(lines[:first-1], nil), middle, bytes.Join(lines[last:], nil))
		return fixed, m.same(fixed, len(h.repairs))
	}
	region := bytes.Join(lines[first-1:last], nil)
	edited, err := edit.YAMLField(region, repair.Key, repair.Value)
	for _, value := range spelledOut(repair) {
		if err == nil {
			if fixed, ok := accept(bytes.Replace(edited, []byte(edit.QuoteYAML(repair.Value)), []byte(value), 1)); ok {
				return fixed, true
			}
		}
		// A key that is not written as one is not found by an edit, so that its
		// lines have to be replaced: the first, or all up to the next key.
		for _, until := range [...]int{line + 1, nextKey(lines, line, last)} {
			written := repair.Key + ": " + value + lineEnd(lines[line-1])
			middle := slices.Concat(bytes.Join(lines[first-1:line-1], nil), []byte(written), bytes.Join(lines[until-1:last], nil))
			if fixed, ok := accept(middle); ok {
				return fixed, true
			}
		}
	}
	return nil, false
}

// spelledOut are the ways to write a value, the better first: data as data, a
// text in quotes.
func spelledOut(repair Repair) []string {
	quoted := edit.QuoteYAML(repair.Value)
	if n, err := tree.YAML([]byte(repair.Value), 1, tree.Limits{Depth: 32, Nodes: 20_000}); err == nil &&
		(n.Kind == tree.Map || n.Kind == tree.List) && !strings.Contains(repair.Value, "\n") {
		return []string{repair.Value, quoted}
	}
	return []string{quoted}
}

// same reports whether a file says what it said, with fewer repairs than that.
func (m *mender) same(data []byte, repairs int) bool {
	result := m.parser.readAlone(m.file, data)
	return len(result.Repairs) < repairs && reflect.DeepEqual(withoutPlaces(m.want), withoutPlaces(result.Skill))
}

// withoutPlaces leaves out what may change when a file is mended.
func withoutPlaces(s skill.Skill) skill.Skill {
	s.Manifests = nil
	s.Extra = slices.Clone(s.Extra)
	for i := range s.Extra {
		s.Extra[i].Line = 0
	}
	return s
}

// repairLine is the line of a key that had to be repaired, 0 if there is none.
// Repairs and their diagnostics come in the same order.
func repairLine(h *head, key string) int {
	at := 0
	for _, d := range h.diagnostics {
		if d.Code != skill.FrontmatterRepaired || at == len(h.repairs) {
			continue
		}
		if h.repairs[at].Key == key {
			return d.Line
		}
		at++
	}
	return 0
}

// headLines are the first and last line of a file's frontmatter, without its
// fences.
func headLines(data []byte, h *head) (first, last int, ok bool) {
	text := string((&headRead{}).cleanText(data))
	s, ok := findHead(text)
	if !ok || h.fields == nil {
		return 0, 0, false
	}
	if h.bodyLine < s.line { // prose in front of it belongs to the body
		return s.line, s.line - 1 + strings.Count(text[s.start:s.end], "\n"), true
	}
	lines := strings.Split(text, "\n")
	last = min(h.bodyLine-1, len(lines))
	// Behind the frontmatter stand its fence and that of a code block, if any.
	for range 2 {
		if last >= s.line && (closes(lines[last-1]) || isCodeFence(lines[last-1]) || isBlank(lines[last-1])) {
			last--
		}
	}
	return s.line, last, last >= s.line
}

// nextKey is the line of the next key behind a line, or the one behind the last.
func nextKey(lines [][]byte, line, last int) int {
	for at := line + 1; at <= last; at++ {
		text := string(bytes.TrimRight(lines[at-1], "\r\n"))
		if k, ok := keyLine(text); ok && k.sound && text[0] != '"' { // one in quotes is of JSON
			return at
		}
	}
	return last + 1
}

func lineEnd(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
