package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// head is SKILL.md taken apart: its frontmatter as data, and what follows.
type head struct {
	// fields is the frontmatter as a map; nil when the file has none.
	fields *tree.Node
	// body is the text after the frontmatter, line endings made LF, NUL bytes
	// and byte-order mark removed; the whole text when there is no frontmatter.
	// Prose in front of a late frontmatter is part of it.
	body string
	// bodyLine is the line of the file on which body starts.
	bodyLine int
	// refused is why a reader that repairs nothing gave the file up, in words
	// for {detail} of [Rules].Says; empty if it did not. missing is then true
	// if the file has no frontmatter at all.
	refused string
	missing bool
	// unreadable are the top-level keys that are there but could not be read,
	// or not in full, so that a lost metadata is never mistaken for none. A
	// key may be here and in fields: what was read of it is not all there is.
	unreadable  []lostKey
	diagnostics []skill.Diagnostic
	repairs     []Repair
}

// lostKey is a key that could not be read, and where it, or what hides it,
// stands.
type lostKey struct {
	key  string
	line int
}

// headReader splits and reads a SKILL.md. file names it in diagnostics; data
// does not change any more, so that the head may share its memory. The fields
// may be nodes of the store.
type headReader func(store *tree.Store, file string, data []byte, limits Limits) head

// readYAMLHead reads a frontmatter in YAML the way its author meant it. Real
// skills are malformed: fences are missing, colons unquoted, editors escape
// what they should not. What can be repaired is, one key at a time, and said
// so. What holds requirements is never guessed: it is read as it stands or
// reported as unreadable.
func readYAMLHead(store *tree.Store, file string, data []byte, limits Limits) head {
	r := headRead{store: store, file: file, limits: treeLimits(limits), max: limits.FrontmatterBytes}
	data = r.cleanText(data)
	if !r.quick(data) {
		r.slow(view(data))
	}
	r.reportMore()
	return r.head
}

func treeLimits(l Limits) tree.Limits { return tree.Limits{Depth: l.Depth, Nodes: l.Nodes} }

// headRead is the state of reading one file.
type headRead struct {
	head
	store  *tree.Store
	file   string
	limits tree.Limits
	max    int // bytes of a frontmatter
	// escaped: the file went through an editor that escapes Markdown.
	escaped bool
	more    []more
}

// quick reads the usual file, which has its frontmatter at the start and in
// simple YAML.
func (r *headRead) quick(data []byte) bool {
	start := bytes.IndexByte(data, '\n') + 1
	if start == 0 || !isRule(data[:start-1], '-') {
		return false
	}
	for at, line := start, 2; at < len(data) && at-start <= r.max; line++ {
		end, next := len(data), len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			end, next = at+n, at+n+1
		}
		if closes(data[at:end]) {
			fields, ok := scanYAML(r.store, view(data[start:at]), 2, r.limits)
			if ok {
				r.accept(fields, view(data[next:]), line+1)
			}
			return ok
		}
		at = next
	}
	return false
}

// slow reads every other file.
func (r *headRead) slow(text string) {
	s, ok := findHead(text)
	if !ok {
		var plain string
		if plain, ok = undress(text); ok {
			text = plain
			s, ok = findHead(text)
			r.report(skill.FrontmatterLate, max(s.line-1, 1), "the frontmatter does not stand between lines of --- at the left",
				"write --- above and below it, with nothing in front of its lines; other hosts see no frontmatter here")
		}
	}
	switch {
	case ok && s.fence == pluses:
		r.readTOML(text, s)
	case !ok || !r.read(text, s):
		r.body, r.bodyLine = text, 1
		r.bareGate(text)
		r.report(skill.FrontmatterMissing, 1, "the file has no frontmatter",
			"start it with a line ---, then name: and description:, then another line ---")
	}
}

// accept takes what was read for the head.
func (r *headRead) accept(fields *tree.Node, body string, bodyLine int) {
	r.fields, r.body, r.bodyLine = fields, body, bodyLine
	r.unescape()
	r.duplicates()
	r.again(body, bodyLine)
}

// unread notes that a key could not be read. Of keys that restrict nothing, a
// hundred are enough to know.
func (r *headRead) unread(key string, line int) {
	known := slices.ContainsFunc(r.unreadable, func(lost lostKey) bool { return lost.key == key })
	if (len(r.unreadable) < 100 || isGate(key)) && !known {
		r.unreadable = append(r.unreadable, lostKey{key, line})
	}
}

// unreadAll notes that a text could not be read and may have held metadata,
// and which other restrictions it names.
func (r *headRead) unreadAll(text string, line int) {
	r.unread("metadata", line)
	r.unreadNamed(text, line)
}

func (r *headRead) unreadNamed(text string, line int) {
	for at, n := 0, line; at < len(text); n++ {
		row, next := lineAt(text, at)
		at = next
		if word := gateWord(row); isNamespace(word) {
			r.unread(word, n)
		}
	}
	text = strings.ReplaceAll(strings.ToLower(text), "_", "-")
	for _, key := range gateKeys {
		if strings.Contains(text, key) {
			r.unread(key, line)
		}
	}
}

// maxAlike is how many diagnostics of one code a file gets. Nobody reads more,
// and a hostile file could otherwise ask for one per line.
const maxAlike = 20

// more counts the diagnostics of a code beyond maxAlike.
type more struct {
	code        skill.Code
	line, count int
}

func (r *headRead) report(code skill.Code, line int, message, hint string) {
	alike := 0
	for i := range r.diagnostics {
		if r.diagnostics[i].Code == code {
			alike++
		}
	}
	if alike < maxAlike {
		r.diagnostics = append(r.diagnostics, code.New(r.file, line, message, hint))
		return
	}
	for i := range r.more {
		if r.more[i].code == code {
			r.more[i].count++
			return
		}
	}
	r.more = append(r.more, more{code, line, 1})
}

func (r *headRead) reportMore() {
	for _, m := range r.more {
		r.diagnostics = append(r.diagnostics, m.code.New(r.file, m.line,
			fmt.Sprintf("%d more of the same kind from here on", m.count), ""))
	}
}

// again looks for a second frontmatter right behind the first. It is text to
// every reader, but requirements in it are not to be passed over in silence.
func (r *headRead) again(body string, line int) {
	at, line := skipBlank(body, 0, line)
	if row, next := lineAt(body, at); isRule(row, '-') {
		at, line = next, line+1
	}
	row, _ := lineAt(body, at)
	if k, ok := keyLine(row); !ok || !isKnown(k.key) {
		return
	}
	end, _ := headEnd(body, at)
	if key, n := findGate(body[at:end]); key != "" {
		r.unread(key, line+n)
		r.report(skill.FrontmatterInvalid, line+n, "there is a second frontmatter with "+shown(key)+", which was not read",
			"move "+key+" into the first one, before its closing ---")
	}
}

// unescape removes Markdown's backslashes from text that was otherwise valid,
// in files where something shows that an editor put them there.
func (r *headRead) unescape() {
	name, _ := r.fields.Get("name").Scalar()
	if !r.escaped && !strings.Contains(name, `\_`) && !strings.Contains(name, `\-`) {
		return
	}
	for i := range r.fields.Map {
		m := &r.fields.Map[i]
		if m.Value.Kind != tree.String || strings.IndexByte(m.Value.Text, '\\') < 0 || isStructured(m.Key) {
			continue
		}
		if plain := unescapeMarkdown(m.Value.Text); plain != m.Value.Text {
			m.Value.Text = plain
			r.repaired(m.Key, m.Line, plain, m.Key+" has backslashes that a Markdown editor put there; they were removed",
				"delete the backslashes")
		}
	}
}

func (r *headRead) repaired(key string, line int, value, message, hint string) {
	r.report(skill.FrontmatterRepaired, line, message, hint)
	r.repairs = append(r.repairs, Repair{File: r.file, Key: key, Value: value})
}
