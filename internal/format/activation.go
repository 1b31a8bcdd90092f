package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// activation reads the block that says when a skill wants to be used.
func (r *reading) activation(m *tree.Member) {
	if m.Value.Kind != tree.Map {
		r.wrongShape(&place{key: m.Key}, m.Value, "a map, such as activation: {keywords: [deploy]}")
		return
	}
	top := &place{key: m.Key}
	a, limits := &r.skill().Activation, &r.parser.rules.Limits
	for i := range m.Value.Map {
		member := &m.Value.Map[i]
		at := &place{up: top, key: member.Key}
		switch r.parser.word(member.Key) {
		case "keywords":
			if len(a.Keywords) == 0 {
				r.addKeywords(at, member)
			}
		case "excludekeywords":
			if len(a.ExcludeKeywords) == 0 {
				a.ExcludeKeywords = r.limited(at, member, r.words(at, member.Value), limits.Keywords)
			}
		case "tags":
			if len(a.Tags) == 0 {
				a.Tags = r.limited(at, member, r.words(at, member.Value), limits.Tags)
			}
		case "patterns":
			if len(a.Patterns) == 0 {
				a.Patterns = r.patterns(at, member)
			}
		case "maxcontexttokens":
			if tokens, ok := r.count(at, member.Value); ok && a.MaxContextTokens == 0 {
				a.MaxContextTokens = tokens
				r.owner[fieldActivation] = owner{r.file, member.Line}
			}
		default:
			r.ignore(at, member, "")
		}
	}
}

// keywords at the top level are those of activation: authors who write them
// there mean the same.
func (r *reading) keywords(m *tree.Member) {
	if file := r.owner[fieldKeywords].file; file == "" || file == r.file {
		r.addKeywords(&place{key: m.Key}, m)
	}
}

func (r *reading) addKeywords(at *place, m *tree.Member) {
	a := &r.skill().Activation
	words := r.words(at, m.Value)
	// The list is cut before it is searched for words that are there already.
	if limit := r.parser.rules.Limits.Keywords; len(a.Keywords) > 0 && len(words) <= max(limit, maxRequirements) {
		words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(a.Keywords, word) })
	}
	if a.Keywords = r.limited(at, m, append(a.Keywords, words...), r.parser.rules.Limits.Keywords); len(a.Keywords) > 0 {
		r.owner[fieldKeywords] = owner{r.file, m.Line}
	}
}

// limited drops the words that are too short and those beyond the limit.
func (r *reading) limited(at *place, m *tree.Member, words []string, limit int) []string {
	shortest := r.parser.rules.Limits.MinChars
	all := len(words)
	words = slices.DeleteFunc(words, func(word string) bool { return utf8.RuneCountInString(word) < shortest })
	if dropped := all - len(words); dropped > 0 {
		r.report(skill.LimitExceeded, m.Line,
			fmt.Sprintf("%s has %d shorter than %d characters; they have no effect", at.text(), dropped, shortest),
			"use longer words")
	}
	return r.first(at, m, words, limit)
}

// first cuts a list at its limit.
func (r *reading) first(at *place, m *tree.Member, list []string, limit int) []string {
	if limit <= 0 || len(list) <= limit {
		return list
	}
	r.report(skill.LimitExceeded, m.Line,
		fmt.Sprintf("%s has %d; the limit is %d, so the last %d have no effect", at.text(), len(list), limit, len(list)-limit),
		"keep the ones that matter")
	return list[:limit:limit]
}

// maxCount is far above any sensible count and safe to multiply.
const maxCount = 1 << 30

// count reads a whole number that is not negative.
func (r *reading) count(at *place, n *tree.Node) (int, bool) {
	text, _ := n.Scalar()
	value, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || value < 0 || value > maxCount {
		r.wrongShape(at, n, "a whole number")
		return 0, false
	}
	return int(value), true
}
