package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// checkKey reports why a key cannot be set, and which one was probably meant.
func checkKey(path []string) error {
	known := 0
	for known < len(path) {
		if _, _, how := lookup(path[:known+1]); how == unknown {
			break
		}
		known++
	}
	name := FormatKey(path)
	if known == len(path) {
		if _, _, how := lookup(path); how == branch {
			return fmt.Errorf("%s is a table; set one of the keys below it: %s", name, strings.Join(below(path), ", "))
		}
		return nil
	}
	if path[0] == agents && known > 0 {
		return nil // what else agents have is their host's affair
	}
	meant := suggest(path[:known+1], path[known+1:])
	switch {
	case meant != "":
		return fmt.Errorf("%s is no key of knack; did you mean %s?", name, meant)
	case known > 0:
		return fmt.Errorf("%s is no key of knack; knack config list shows the keys there are", name)
	}
	return nil // the key of somebody else
}

// below lists what may follow a path of the table.
func below(path []string) []string {
	var parts []string
	for i := range keys {
		if _, how := match(keys[i].Key, path); how == branch {
			part := strings.Split(keys[i].Key, ".")[len(path)]
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// suggest finds the key that was meant by a path of which only the last part
// is unknown; what follows it is kept.
func suggest(path, rest []string) string {
	parent, last := path[:len(path)-1], path[len(path)-1]
	best, found := 3, "" // nobody means a word that differs in three letters
	tried := ""
	for i := range keys {
		for spelling := range keys[i].spellings() {
			names, how := match(spelling, parent)
			if how != branch {
				continue
			}
			part, isLast := partOf(spelling, len(parent))
			if part == tried || strings.HasPrefix(part, "<") {
				continue // neighbours in the table share most of their parts
			}
			tried = part
			distance := unlikeness(last, part)
			if distance >= best {
				continue
			}
			best = distance
			if isLast {
				found = FormatKey(keys[i].path(names))
			} else {
				found = FormatKey(slices.Concat(parent, []string{part}, rest))
			}
		}
	}
	if found != "" || len(parent) == 0 {
		return found
	}
	return elsewhere(last)
}

// partOf returns a part of a pattern, and whether it is the last one.
func partOf(pattern string, n int) (part string, isLast bool) {
	for range n {
		_, pattern, _ = strings.Cut(pattern, ".")
	}
	part, _, more := strings.Cut(pattern, ".")
	return part, !more
}

// elsewhere finds a key without names whose last part is the given word.
func elsewhere(word string) string {
	for i := range keys {
		for spelling := range keys[i].spellings() {
			part := spelling[strings.LastIndexByte(spelling, '.')+1:]
			if keys[i].single() && unlikeness(word, part) == 0 {
				return keys[i].Key
			}
		}
	}
	return ""
}

// looksLikeEntry reports whether a table holds what belongs to a skill's
// entry: its author forgot "entries".
func looksLikeEntry(name string, table *tree.Node) bool {
	return table.Kind == tree.Map && slices.ContainsFunc(table.Map, func(m tree.Member) bool {
		_, _, how := lookup([]string{"skills", "entries", name, m.Key})
		return how != unknown
	})
}

// unlikeness counts the letters to add, drop, change or swap to make a word of
// a known one. Letter case, hyphens and underscores do not count. Words that
// are too different get a number above 2: short ones may differ in one letter
// only, because most words of three letters are two letters from "log".
func unlikeness(word, known string) int {
	const tooFar, most = 1000, 32 // no known word is longer
	if len(word) > 2*most || len(known) > most {
		return tooFar
	}
	a, b := fold(word), fold(known)
	allowed := 2
	if len(b) <= 4 {
		allowed = 1
	}
	if len(a) > len(b)+allowed || len(b) > len(a)+allowed {
		return tooFar
	}
	// Three rows of the table of distances between prefixes are enough to see
	// a swap of neighbours.
	var before, last, row [most + 1]int
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	if last[len(b)] > allowed {
		return tooFar
	}
	return last[len(b)]
}

func fold(word string) string {
	word = strings.ToLower(word)
	return strings.ReplaceAll(strings.ReplaceAll(word, "_", ""), "-", "")
}
