package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// read reads the frontmatter at s. It returns false if that is none after all,
// but a rule at the start of a document.
func (r *headRead) read(text string, s span) bool {
	var fields *tree.Node
	err, torn := errUnsound, ""
	if s.closed && s.fence != noFence {
		fields, err = r.try(text, s)
	}
	if err != nil {
		var end int
		end, torn = headEnd(text[:s.end], s.start)
		if s.endsAt(text, end) {
			if end == s.start {
				return r.noMap(text, s)
			}
			s.end, s.body, s.closed = end, end, false
			fields, err = r.try(text, s)
		}
	}
	if limit := r.checkSize(s); limit != nil {
		err = limit
	}
	switch {
	case errors.Is(err, tree.ErrLimit):
		r.place(text, s)
		r.tooComplex(text, s, err)
		return true
	case err != nil:
		if fields = r.repair(stripControls(text[s.start:s.end]), s.line); fields == nil {
			return r.noMap(text, s)
		}
	}
	r.place(text, s)
	if !s.closed {
		r.cutThrough(fields, s.line, torn)
		r.cutOff(text, s)
	}
	r.take(fields, text, s)
	return true
}

// endsAt reports whether the frontmatter ends where it stops looking like one
// rather than at the line that closes it, if there is one.
func (s *span) endsAt(text string, end int) bool {
	rest := text[end:s.end]
	return !s.closed || isProse(rest) || s.fence == noFence && !isBlank(rest)
}

// Why a frontmatter cannot be taken as it stands, besides what YAML says.
var (
	errUnsound = errors.New("YAML reads it otherwise than it is written")
	errNoKeys  = errors.New("there are no keys")
)

// try reads the frontmatter at s as it stands: a map in valid YAML, or nothing
// but comments between its fences.
func (r *headRead) try(text string, s span) (*tree.Node, error) {
	if err := r.checkSize(s); err != nil {
		return nil, err
	}
	fields, err := r.strict(stripControls(text[s.start:s.end]), s.line)
	switch {
	case err != nil || fields.Kind == tree.Map:
		return fields, err
	case fields.Kind == tree.Null && s.closed && !isCommentary(text[s.start:s.end]):
		return emptyMap(s.line), nil
	}
	return nil, errNoKeys
}

func (r *headRead) checkSize(s span) error {
	if size := s.end - s.start; size > r.max {
		return &tree.Error{Line: s.line, Msg: fmt.Sprintf("the frontmatter has %d bytes; %d are allowed", size, r.max), Err: tree.ErrLimit}
	}
	return nil
}

// strict reads valid YAML without control characters. It refuses what YAML
// accepts but reads otherwise than anybody wrote it.
func (r *headRead) strict(region string, line int) (*tree.Node, error) {
	if n, ok := scanYAML(r.store, region, line, r.limits); ok {
		return n, nil
	}
	n, err := tree.WholeYAML([]byte(region), line, r.limits)
	if err == nil && n.Kind == tree.Map && !isSound(n, region, line) {
		return nil, errUnsound
	}
	return n, err
}

func emptyMap(line int) *tree.Node { return &tree.Node{Kind: tree.Map, Line: line, Column: 1} }

// cutThrough notes that a frontmatter nobody closed ends in the middle of data:
// text stands right below it.
func (r *headRead) cutThrough(fields *tree.Node, line int, key string) {
	if key == "" {
		return
	}
	if i := slices.IndexFunc(fields.Map, func(m tree.Member) bool { return m.Key == key }); i >= 0 {
		line = fields.Map[i].Line
	}
	r.unread(key, line)
	r.report(skill.FrontmatterInvalid, line, shown(key)+" could not be read: text stands in the middle of it",
		"remove the text and close the frontmatter with ---")
}

// cutOff looks for requirements behind the end of a frontmatter that nobody
// closed: where it ends was a guess.
func (r *headRead) cutOff(text string, s span) {
	if key, n := findGate(text[s.end:min(len(text), s.end+r.max)]); key != "" {
		line := s.line + strings.Count(text[s.start:s.end], "\n") + n
		r.unread(key, line)
		r.report(skill.FrontmatterInvalid, line,
			shown(key)+" stands behind the end of the frontmatter and was not read", "move it up and close the frontmatter with ---")
	}
}

// place reports where the frontmatter stands if that is not between two lines
// of dashes at the start of the file, and control characters in it.
func (r *headRead) place(text string, s span) {
	r.reportControls(text[s.start:s.end], s.line)
	last := s.line + strings.Count(strings.TrimRight(text[s.start:s.end], " \t\n"), "\n")
	switch {
	case s.fence == code:
		r.report(skill.FrontmatterLate, s.line, "the frontmatter is inside a code block",
			"remove the ``` lines around it and start the file with ---")
	case s.fence == noFence:
		r.report(skill.FrontmatterUnclosed, s.line, "the frontmatter has no opening line",
			fmt.Sprintf("put a line --- in front of line %d and another behind line %d", s.line, last))
		return
	case s.line > 2:
		r.report(skill.FrontmatterLate, s.line-1, fmt.Sprintf("the frontmatter starts on line %d, not on the first", s.line-1),
			"make --- the first line of the file; other hosts see no frontmatter here")
	}
	if !s.closed {
		r.report(skill.FrontmatterUnclosed, last, fmt.Sprintf("the frontmatter has no closing line; it was taken to end on line %d", last),
			fmt.Sprintf("put a line --- behind line %d", last))
	}
}

// take accepts the fields of a span and cuts out the body.
func (r *headRead) take(fields *tree.Node, text string, s span) {
	body, from := text[s.body:], s.body
	if !isBlank(s.lead) {
		body = strings.TrimRight(s.lead, "\n") + "\n\n" + strings.TrimLeft(body, "\n")
		from = s.leadAt
	}
	r.accept(fields, body, 1+strings.Count(text[:from], "\n"))
}

// noMap reports a frontmatter without a single key. Text with a blank line in
// it is no frontmatter but a document that starts with a rule.
func (r *headRead) noMap(text string, s span) bool {
	region := strings.Trim(text[s.start:s.end], "\n")
	if !s.closed || strings.Contains(region, "\n\n") || strings.HasPrefix(text[s.start:], "\n") {
		return false
	}
	r.place(text, s)
	r.unreadNamed(region, s.line)
	r.report(skill.FrontmatterInvalid, s.line, "the frontmatter is a list or plain text, not keys with values",
		"write one key per line, such as name: my-skill")
	r.body, r.bodyLine = text[s.body:], 1+strings.Count(text[:s.body], "\n")
	return true
}

// tooComplex reports a frontmatter beyond the limits. Its requirements are
// unknown; name and description are taken from their lines, which costs no
// more than finding them.
func (r *headRead) tooComplex(text string, s span, err error) {
	line := s.line
	var at *tree.Error
	if errors.As(err, &at) {
		line = at.Line
	}
	r.report(skill.FrontmatterTooDeep, line, message(err), "shorten it; long text belongs below the closing ---")
	r.unreadAll(text[s.start:s.end], line)
	fields := emptyMap(s.line)
	build := tree.Builder{Node: fields}
	start := text[s.start:min(s.end, s.start+r.max)]
	for at, n := 0, s.line; at < len(start); n++ {
		row, next := lineAt(start, at)
		at = next
		k, ok := keyLine(row)
		if !ok || k.value == "" || k.key != "name" && k.key != "description" || build.Find(k.key) >= 0 {
			continue
		}
		value := &tree.Node{Kind: tree.String, Text: strings.Clone(unquoteText(k.value)), Line: n, Column: k.at + 1}
		build.Add(tree.Member{Key: k.key, Line: n, Value: value})
	}
	r.take(fields, text, s)
}

// isCommentary reports text of headings and blank lines: a document behind a
// rule, not a frontmatter of comments.
func isCommentary(region string) bool {
	return strings.Contains(region, "#") && (region[0] == '\n' || strings.Contains(region, "\n\n"))
}

// readTOML reads a frontmatter between lines of +++.
func (r *headRead) readTOML(text string, s span) {
	r.place(text, s)
	err := r.checkSize(s)
	if err == nil {
		// The reader counts from line 1, so the lines above are put back blank.
		var fields *tree.Node
		fields, err = tree.TOML([]byte(strings.Repeat("\n", s.line-1)+text[s.start:s.end]), r.limits)
		if err == nil {
			r.take(fields, text, s)
			return
		}
	}
	if errors.Is(err, tree.ErrLimit) {
		r.tooComplex(text, s, err)
		return
	}
	line := s.line
	var at *tree.Error
	if errors.As(err, &at) && at.Line > 0 {
		line = at.Line
	}
	r.unreadAll(text[s.start:s.end], line)
	r.report(skill.FrontmatterInvalid, line, "the frontmatter is not valid TOML: "+err.Error(), "correct it, or write YAML between lines of ---")
	r.take(emptyMap(s.line), text, s)
}
