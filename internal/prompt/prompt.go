// Package prompt turns skills into the text that a model is sent: a list of the
// skills there are, the index, and the instructions of those that are active,
// the bodies. It is the only place where words of a skill become words of a
// prompt. [Renderer.Render] is a pure function: the same input gives the same
// bytes, and nothing is read or asked.
//
// # What is rendered how
//
// A profile names one renderer of the index for each mode and one of bodies
// ([Rules]). They are named for what they show:
//
//	locations     name, description and path of each; shortens to fit
//	summaries     the same in another layout, as long as it is
//	instructions  summaries and, but for remote skills, instructions and tools
//	triggers      name and triggers as attributes, description as text
//	lines         the format of the Agent Skills standard
//	list          one line each, in a budget; says what was left out
//	paths         list with the path of each
//	bodies        list, and the instructions of as many skills as fit
//	none          nothing
//
// and for bodies:
//
//	annotated     instructions, where they came from, files and tools
//	content       instructions, folder and files, as the standard recommends
//	wrapped       instructions with version and trust as attributes
//	active        instructions
//	references    where the instructions are that a slash command asked for
//	none          nothing
//
// Fixed wording is the profile's ([Rules].Text): a renderer's heading has the
// renderer's name; other names are explained where they are used, and listed in
// this package's wordings.
//
// # Budgets
//
// An index keeps every bound that it is given: characters, which are UTF-16
// units, tokens, which are estimated by [Tokens], and a number of skills. "list"
// and its kin, and "locations", shorten descriptions before they leave out
// skills; the others leave out the last skills. Where skills are left out and
// nothing says that the order matters, those that the user trusts stay. Every
// skill that the model may know of is in the text or in [Output].Left.
//
// # Escaping
//
// A skill is written by a stranger, and what it says must stay inside what the
// prompt calls that skill. Attributes are escaped fully and made one line. Text
// between tags is escaped as [Rules].Escape and the renderer have it. "xml" turns
// five characters into entities. "tags" keeps text as it is, so that examples of
// code stay examples of code, but for whatever resembles a tag that opens or
// closes a skill, a list of skills, or a part of a skill: in any letter case,
// with white space, slashes, invisible characters or marks in it, in full width
// or in letters of other scripts. Only their bracket becomes an entity. Tags of
// single values, such as <name>, mean nothing outside of those, and stay. Control
// characters and the characters that spell invisible ASCII are dropped.
//
// Escaping comes last, after everything was put in, so that two harmless pieces
// cannot make one tag.
//
// # Placeholders
//
// {baseDir} and ${…SKILL_DIR} become the skill's folder. Arguments count only
// where a slash command activated the skill, so that examples of shell stay
// intact: $ARGUMENTS is all that the user wrote, $ARGUMENTS[0] and $0 its first
// word, as a shell would split it, and $name the word whose name the skill
// declares. A place without a word stays as it is, a name without one becomes
// nothing, and a backslash before the dollar sign keeps it. What is put in is not
// read again. If there is no place for them, arguments are appended.
package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/strategy"
)

// Renderer makes prompts by one host's rules. It may be used by many goroutines.
type Renderer struct {
	rules    Rules
	index    map[string]indexer // by mode
	fallback indexer            // for other modes
	body     body
	escape   escape
	place    place
	tags     tags // of this host's prompts, in any mode, that hold something together
	elements tags // these and those of single values
}

// indexer is a strategy that makes the index. The result keeps the limits; what
// is missing in it was said to the list.
type indexer struct {
	tags   []string
	render func(*list) string
}

var indexers = []strategy.Named[indexer]{
	{Name: "locations", Do: indexer{[]string{"available_skills", "skill", "name", "description", "location"}, locations}},
	{Name: "summaries", Do: indexer{[]string{"available_skills", "skill", "name", "description", "location"}, summaries}},
	{Name: "instructions", Do: indexer{
		[]string{"available_skills", "skill", "name", "description", "location", "instruction", "tool", "kind"}, instructions,
	}},
	{Name: "triggers", Do: indexer{[]string{"available_skills", "skill"}, triggers}},
	{Name: "lines", Do: indexer{[]string{"available_skills", "skill", "name", "description", "location"}, lines}},
	{Name: "list", Do: indexer{nil, plainList}},
	{Name: "paths", Do: indexer{nil, pathList}},
	{Name: "bodies", Do: indexer{nil, bodyList}},
	{Name: "none", Do: indexer{nil, func(l *list) string { leave(l.rows); return "" }}},
}

var bodies = []strategy.Named[body]{
	{Name: "annotated", Do: body{tags: []string{"skill_instructions", "skill_files", "skill_tools"}, render: annotated}},
	{Name: "content", Do: body{tags: []string{"skill_content", "skill_resources", "file"}, render: content}},
	{Name: "wrapped", Do: body{tags: []string{"skill"}, render: wrapped}},
	{Name: "active", Do: body{tags: []string{"active_skill"}, render: active, last: "\n\n"}},
	{Name: "references", Do: body{render: reference, first: "references", between: "\n"}},
	{Name: "none", Do: body{render: func(*Renderer, Item) string { return "" }}},
}

var escapes = []strategy.Named[escape]{{Name: "xml", Do: escapeXML}, {Name: "tags", Do: escapeTags}}

var modes = []string{"compact", "full", "index"}

// wordings are the names of texts that a profile may set. {…} is filled in.
var wordings = []string{
	"section", // stands before the index in the whole prompt, if there is one
	"empty",   // instead of an index without skills

	"locations", "locations_short", "locations_names", // headings: full, shortened, names only
	"cut", "cut_short", "cut_names", // {included} of {total} are there, descriptions in full, shortened, left out
	"short", "names", // all are there, descriptions shortened, left out

	"summaries", "instructions", "triggers", "lines", "list", "paths", "bodies", // headings
	"more", // of the list: {left} skills are not in it

	"installed", // what instructions from elsewhere are, for wrapped and annotated
	"directory", // {dir}, for content and annotated
	"files",     // heads the files, for annotated
	"more_files",
	"tools",      // heads the tools, for annotated
	"references", // heads the references
}

// New makes a renderer of a profile's rules.
func New(rules Rules) (*Renderer, error) {
	r := &Renderer{rules: rules, index: map[string]indexer{}}
	r.rules.Text = maps.Clone(rules.Text)
	var err error
	if r.fallback, err = strategy.Pick("prompt.default", rules.Default, indexers); err != nil {
		return nil, err
	}
	r.use(r.fallback.tags)
	for _, mode := range slices.Sorted(maps.Keys(rules.Index)) {
		if !slices.Contains(modes, mode) {
			return nil, fmt.Errorf("prompt.index has a mode %q; there are %s", mode, strings.Join(modes, ", "))
		}
		if r.index[mode], err = strategy.Pick("prompt.index."+mode, rules.Index[mode], indexers); err != nil {
			return nil, err
		}
		r.use(r.index[mode].tags)
	}
	if r.body, err = strategy.Pick("prompt.body", rules.Body, bodies); err != nil {
		return nil, err
	}
	r.use(r.body.tags)
	if r.escape, err = strategy.Pick("prompt.escape", rules.Escape, escapes); err != nil {
		return nil, err
	}
	if r.place, err = strategy.Pick("prompt.location", rules.Location, places); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(rules.Text)) {
		if !slices.Contains(wordings, name) {
			return nil, fmt.Errorf("prompt.text has %q; there are %s", name, strings.Join(wordings, ", "))
		}
	}
	return r, nil
}

// values are the tags of single values.
var values = []string{"name", "description", "location", "kind", "file"}

// use notes the tags of a strategy that this host has.
func (r *Renderer) use(names []string) {
	for _, name := range names {
		name, single := squeeze(name), slices.Contains(values, name)
		if !single && !slices.Contains(r.tags, name) {
			r.tags = append(r.tags, name)
		}
		if !slices.Contains(r.elements, name) {
			r.elements = append(r.elements, name)
		}
	}
}

// Render makes the prompt.
func (r *Renderer) Render(in Input) Output {
	mode, ok := r.index[in.Mode]
	if !ok {
		mode = r.fallback
	}
	l := r.newList(&in)
	out := Output{Index: mode.render(l), Bodies: r.bodies(in.Active)}
	out.Left = l.names(func(r *row) bool { return r.left })
	out.Shortened = l.names(func(r *row) bool { return r.short })

	index := strings.TrimRight(out.Index, "\n")
	if section := r.text("section"); section != "" && index != "" {
		index = section + strings.TrimLeft(index, "\n")
	}
	out.Text = index
	if text := strings.TrimRight(out.Bodies, "\n"); text != "" {
		if index != "" {
			out.Text += "\n\n"
		}
		out.Text += text
	}
	out.Tokens = Tokens(out.Text)
	return out
}

// text is a wording of the profile with its blanks filled in: pairs of a blank's
// name and what comes there.
func (r *Renderer) text(name string, blanks ...string) string {
	text := r.rules.Text[name]
	for i := 0; i+1 < len(blanks); i += 2 {
		text = strings.ReplaceAll(text, "{"+blanks[i]+"}", blanks[i+1])
	}
	return text
}
