// Package near answers "did you mean …?": which known words are close to one
// that is not known.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// longest is the length in bytes beyond which a word is not compared: no key
// or name is that long, and hostile ones must not cost time.
const longest = 64

// Best returns the known word closest to word, or "" if none is close: two
// edits away at most, one for words of up to four letters, ignoring case and
// hyphens and underscores.
func Best(word string, known []string) string {
	if close := Words(word, known, 1); len(close) > 0 {
		return close[0]
	}
	return ""
}

// Words returns up to most known words close to word, the closest first, ties
// in byte order.
func Words(word string, known []string, most int) []string {
	type candidate struct {
		word string
		far  int
	}
	var found []candidate
	for _, k := range known {
		if edits, ok := Edits(word, k); ok && k != word {
			found = append(found, candidate{k, edits})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.word, b.word))
	})
	var out []string
	for _, c := range found {
		if len(out) < most && !slices.Contains(out, c.word) {
			out = append(out, c.word)
		}
	}
	return out
}

// Edits counts the letters to add, drop, change or swap to make word of known,
// and reports whether that is few enough for somebody to have meant it. Letter
// case, hyphens and underscores do not count.
func Edits(word, known string) (edits int, ok bool) {
	if len(word) > longest || len(known) > longest {
		return 0, false
	}
	a, b := fold(word), fold(known)
	reach := 2
	switch shorter := min(len(a), len(b)); {
	case shorter <= 2: // every letter is one letter from every other
		reach = 0
	case shorter <= 4: // most words of three letters are two letters from "log"
		reach = 1
	}
	edits = distance(a, b, reach)
	return edits, edits <= reach && a != ""
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours. It stops counting above reach.
func distance(a, b string, reach int) int {
	if len(a)-len(b) > reach || len(b)-len(a) > reach {
		return reach + 1
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > reach {
			return reach + 1
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
