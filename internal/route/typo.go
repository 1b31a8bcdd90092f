package route

import (
	"bytes"
	"slices"
)

// shortestTypo is the length from which a word is taken for a misspelt one:
// shorter ones are a letter from too many others.
const shortestTypo = 5

// guess finds the stem that an unknown one is a letter from, among those that
// names and descriptions have. The first letter is taken to be right, which it
// mostly is, and leaves a twentieth to look at. Of several, the commonest
// is meant.
func (x *ranked) guess(stem []byte) (int, bool) {
	if len(stem) < shortestTypo || len(stem) > longestWord {
		return 0, false
	}
	for _, c := range stem {
		if c < 'a' || c > 'z' {
			return 0, false
		}
	}
	at, _ := slices.BinarySearchFunc(x.heads, stem[:1], func(i uint32, first []byte) int {
		return bytes.Compare(x.stem(int(i)), first)
	})
	best, places := 0, uint32(0)
	for _, i := range x.heads[at:] {
		have := x.stem(int(i))
		if have[0] != stem[0] {
			break
		}
		if d := len(have) - len(stem); d < -1 || d > 1 || len(have) < shortestTypo-1 {
			continue
		}
		if n := x.starts[i+1] - x.starts[i]; n > places && oneEdit(stem, have) {
			best, places = int(i), n
		}
	}
	return best, places > 0
}

// oneEdit reports whether a letter added, dropped or changed, or two neighbours
// swapped, make one word of the other.
func oneEdit(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) <= 1 && len(b) <= 1 {
		return true
	}
	return len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
