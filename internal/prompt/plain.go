package prompt

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/skill"
)

// plainList shows a line for each skill.
func plainList(l *list) string { return l.noted(l.budgeted("list", false)) }

// pathList shows the path too, in front of what a skill says of itself.
func pathList(l *list) string { return l.noted(l.budgeted("paths", true)) }

// bodyList shows the list and the instructions of as many skills as fit. Those
// that are active have theirs elsewhere, and remote ones are not shown unasked.
func bodyList(l *list) string {
	text := l.budgeted("bodies", false)
	if text == "" {
		return ""
	}
	elsewhere := func(row *row) bool {
		return slices.ContainsFunc(l.in.Active, func(a Item) bool { return a.Skill.Name == row.Skill.Name && a.Dir == row.Dir })
	}
	blocks := map[*row]string{}
	chars, tokens := units(text), Tokens(text)
	for _, row := range l.preferred() {
		if row.left || row.Remote || row.Skill.Body.IsBlank() && len(row.Skill.Prompts) == 0 || elsewhere(row) {
			continue
		}
		block := "\n\n" + l.body.render(l.Renderer, row.Item)
		c, t := chars+units(block), tokens+Tokens(block) // no less than that of both together
		if (l.max.chars < 0 || c <= l.max.chars) && (l.max.tokens < 0 || t <= l.max.tokens) {
			blocks[row], chars, tokens = block, c, t
		}
	}
	var b strings.Builder
	b.WriteString(text)
	for _, row := range l.rows {
		b.WriteString(blocks[row])
	}
	return l.noted(b.String())
}

// preferred puts those first that are to stay if not all can: what the user
// trusts, then what is here.
func (l *list) preferred() []*row {
	rows := slices.Clone(l.rows)
	rank := func(r *row) int {
		switch {
		case r.Remote:
			return 2
		case r.Skill.Trust != skill.Trusted:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Compare(rank(a), rank(b)) })
	return rows
}

// budgeted renders a line for each skill. What does not fit is shortened, all
// descriptions to the same length, down to the rules' least; then skills are
// left out, and the text says how many.
func (l *list) budgeted(heading string, paths bool) string {
	if len(l.rows) == 0 {
		return l.ifFits(l.text("empty"))
	}
	rows := l.preferred()
	longest := 0
	for _, row := range rows {
		longest = max(longest, units(row.brief))
	}
	if l.rules.MaxDescription > 0 {
		longest = min(longest, l.rules.MaxDescription)
	}
	least := min(l.rules.MinDescription, longest)

	render := func(n, room int) string {
		leave(rows[n:])
		for _, row := range rows[:n] {
			row.left = false
		}
		return l.lines(heading, paths, room, len(rows)-n)
	}
	fits := func(n, room int) bool { return l.max.hold(render(n, room)) }

	n, room := len(l.max.number(rows)), longest
	if !fits(n, room) {
		if !fits(n, least) {
			n = most(0, n, func(n int) bool { return n == 0 || fits(n, least) })
		}
		room = most(least, longest, func(room int) bool { return room == least || fits(n, room) })
	}
	for _, row := range rows[:n] {
		row.short = shorten(row.brief, room) != row.brief
	}
	text := render(n, room)
	if n == 0 && l.text("more") == "" {
		return ""
	}
	return l.ifFits(text)
}

// lines writes the rows that are not left out.
func (l *list) lines(heading string, paths bool, room, left int) string {
	var b strings.Builder
	b.WriteString(l.text(heading))
	for _, row := range l.rows {
		if row.left {
			continue
		}
		b.WriteString("- " + l.tags.neutral(row.name))
		if paths {
			b.WriteString(" (" + l.tags.neutral(row.path) + ")")
		}
		if description := shorten(row.brief, room); description != "" {
			b.WriteString(": " + l.tags.neutral(description))
		}
		b.WriteByte('\n')
	}
	if left > 0 {
		b.WriteString(l.text("more", "left", strconv.Itoa(left)))
	}
	return strings.TrimRight(b.String(), "\n")
}
