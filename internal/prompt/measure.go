package prompt

import (
	"strings"

	"github.com/knackhq/knack/skill"
)

// Tokens estimates what text costs a model, by the measure of [skill.Text]: four
// letters of English a token, one ideograph, everything else between.
func Tokens(text string) int { return skill.NewText(text).Tokens() }

// units is the length in UTF-16 units, in which budgets of characters count.
func units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// cut keeps as many whole characters as there is room for.
func cut(text string, room int) string {
	for i, r := range text {
		room--
		if r > 0xffff {
			room--
		}
		if room < 0 {
			return text[:i]
		}
	}
	return text
}

// ellipsis ends a description that was shortened.
const ellipsis = "..."

// shorten cuts a line to at most room units.
func shorten(text string, room int) string {
	switch {
	case len(text) <= room || units(text) <= room: // bytes are never fewer
		return text
	case room <= len(ellipsis):
		return cut(text, room)
	}
	return strings.TrimRightFunc(cut(text, room-len(ellipsis)), space) + ellipsis
}

// limits bound an index; a negative one is none.
type limits struct{ skills, chars, tokens int }

func (r *Renderer) limits(in *Input) limits {
	bound := func(rule int, over *int) int {
		switch {
		case over != nil:
			return max(0, *over)
		case rule > 0:
			return rule
		}
		return -1
	}
	return limits{
		bound(r.rules.MaxSkills, in.MaxSkills), bound(r.rules.MaxChars, in.MaxChars), bound(r.rules.MaxTokens, in.MaxTokens),
	}
}

// hold reports whether a text keeps the bounds on its length.
func (m limits) hold(text string) bool {
	if m.chars >= 0 && len(text) > m.chars && units(text) > m.chars {
		return false
	}
	return m.tokens < 0 || Tokens(text) <= m.tokens
}

// most finds the largest n in [low, high] for which ok holds, given that it
// holds for low, and for all below any for which it holds.
func most(low, high int, ok func(int) bool) int {
	for low < high {
		mid := (low + high + 1) / 2
		if ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
