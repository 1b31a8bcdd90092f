package prompt

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

const (
	// A shortened description is at least one letter and an ellipsis, and at
	// most what its host shows in a crowded index.
	leastDescription, mostDescription = 4, 220
	// In a small context a skill keeps enough to be recognised by.
	leastInContext = 64
	// Its index may take a fifth of a character for each token of the context.
	tokensPerChar = 5

	catalogOpens, catalogCloses         = "<available_skills>", "</available_skills>"
	descriptionOpens, descriptionCloses = "<description>", "</description>"
)

// catalog is one way to render an index with locations.
type catalog struct {
	rows  []*row
	room  int  // units of a description; negative is all, zero is none
	quiet bool // without a word on what is missing
}

// locations shows name, description and path of each skill. If that does not
// fit, it shortens descriptions to the same length, then leaves them out, then
// leaves out the last skills. What it says of that goes before a skill does, and
// the input's note before everything.
func locations(l *list) string {
	rows := l.alphabetical()
	numbered := l.max.number(rows)
	fits := func(c catalog) bool {
		_, ok := l.fitting(c)
		return ok
	}
	c := catalog{rows: numbered, room: -1}
	if !fits(c) {
		names := func(quiet bool) int {
			return most(0, len(numbered), func(n int) bool { return fits(catalog{numbered[:n], 0, quiet}) })
		}
		n := len(numbered)
		if !fits(catalog{rows: numbered}) {
			n = names(false)
		}
		if n == 0 && len(numbered) > 0 { // what it says may be too much
			if full := (catalog{numbered, -1, true}); fits(full) {
				return l.chosen(rows, full)
			}
			n = names(true)
		}
		c = catalog{rows: numbered[:n]}
		c.quiet = !fits(c)
		if room := func(room int) bool { return fits(catalog{c.rows, room, c.quiet}) }; n > 0 && room(leastDescription) {
			c.room = most(leastDescription, mostDescription, room)
		}
	}
	return l.chosen(rows, c)
}

// chosen renders the catalog and marks what is not in it.
func (l *list) chosen(rows []*row, c catalog) string {
	text, ok := l.fitting(c)
	if !ok {
		c.rows = nil
	}
	leave(rows[len(c.rows):])
	for _, row := range c.rows {
		row.short = c.room >= 0 && shorten(row.brief, c.room) != row.brief
	}
	return text
}

// fitting renders a catalog, with the note if it fits so.
func (l *list) fitting(c catalog) (string, bool) {
	var parts []string
	if said := l.limited(c); said != "" && !c.quiet {
		parts = append(parts, said)
	}
	if text := l.catalog(c); text != "" {
		parts = append(parts, text)
	}
	text := strings.Join(parts, "\n")
	if note := l.note(); note != "" {
		if with := strings.Join(append([]string{note}, parts...), "\n"); l.max.hold(with) {
			return with, true
		}
	}
	return text, l.max.hold(text)
}

// limited says what is not shown.
func (l *list) limited(c catalog) string {
	suffix := ""
	switch {
	case c.room > 0:
		suffix = "short"
	case c.room == 0:
		suffix = "names"
	}
	if len(c.rows) == len(l.rows) {
		return l.text(suffix) // none if it is all there
	}
	if suffix != "" {
		suffix = "_" + suffix
	}
	return l.text("cut"+suffix, "included", strconv.Itoa(len(c.rows)), "total", strconv.Itoa(len(l.rows)))
}

func (l *list) catalog(c catalog) string {
	if len(c.rows) == 0 {
		return ""
	}
	var b strings.Builder
	switch {
	case c.room < 0:
		b.WriteString(l.text("locations"))
	case c.room == 0:
		b.WriteString(l.text("locations_names"))
	default:
		b.WriteString(l.text("locations_short"))
	}
	b.WriteString(catalogOpens + "\n")
	for _, row := range c.rows {
		b.WriteString("  <skill>\n")
		element(&b, "    ", "name", escapeXML(l.Renderer, row.name))
		description := row.description
		if c.room >= 0 {
			description = shorten(row.brief, c.room)
		}
		if c.room < 0 || description != "" {
			element(&b, "    ", "description", escapeXML(l.Renderer, description))
		}
		element(&b, "    ", "location", escapeXML(l.Renderer, row.path))
		b.WriteString("  </skill>\n")
	}
	b.WriteString(catalogCloses)
	return b.String()
}

// alphabetical sorts by name as a dictionary does.
func (l *list) alphabetical() []*row {
	c, buf := collate.New(language.English), collate.Buffer{}
	keys := make(map[*row]string, len(l.rows))
	for _, row := range l.rows {
		keys[row] = string(c.KeyFromString(&buf, row.Skill.Name))
		buf.Reset()
	}
	rows := slices.Clone(l.rows)
	slices.SortStableFunc(rows, func(a, b *row) int { return strings.Compare(keys[a], keys[b]) })
	return rows
}

// Fit shortens the descriptions of an index that "locations" rendered for a model
// whose context has that many tokens; zero is unknown. Names and paths stay: if
// they alone take more than the index should, they do.
func (r *Renderer) Fit(index string, contextTokens int) string {
	goal := contextTokens / tokensPerChar
	if contextTokens <= 0 || units(index) <= goal {
		return index
	}
	from := strings.Index(index, catalogOpens)
	if from < 0 {
		return index
	}
	size := strings.Index(index[from:], catalogCloses)
	if size < 0 {
		return index
	}
	head, list, tail := index[:from], index[from:from+size], index[from+size:]
	render := func(room int) string { return head + r.reshorten(list, room) + tail }
	room := leastInContext
	if fits := func(room int) bool { return units(render(room)) <= goal }; fits(room) {
		room = most(room, mostDescription, fits)
	}
	if short := render(room); units(short) < units(index) {
		return short
	}
	return index
}

// reshorten renders the descriptions of a list again, at most that long.
func (r *Renderer) reshorten(list string, room int) string {
	var b strings.Builder
	for {
		head, rest, ok := strings.Cut(list, descriptionOpens)
		value, after, closed := strings.Cut(rest, descriptionCloses)
		if !ok || !closed {
			b.WriteString(list)
			return b.String()
		}
		b.WriteString(head + descriptionOpens + escapeXML(r, shorten(line(fromXML.Replace(value)), room)) + descriptionCloses)
		list = after
	}
}
