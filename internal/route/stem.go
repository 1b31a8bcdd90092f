package route

// stem cuts an English word down to what its inflections share, after Porter
// (1980). Words of other scripts are returned as they are; those of other
// languages in Latin letters lose a plural at worst, in skill and message alike.
// It works in place.
func stem(w []byte) []byte {
	if len(w) < 3 {
		return w
	}
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return w
		}
	}
	w = plural(w)
	w = participle(w)
	if n := len(w); w[n-1] == 'y' && hasVowel(w[:n-1]) {
		w[n-1] = 'i'
	}
	w = replaceLongest(w, doubled[:], 1)
	w = replaceLongest(w, nouns[:], 1)
	w = replaceLongest(w, endings[:], 2)
	if n := len(w); w[n-1] == 'e' {
		if m := measure(w[:n-1]); m > 1 || m == 1 && !shortEnd(w[:n-1]) {
			w = w[:n-1]
		}
	}
	if n := len(w); n > 2 && w[n-1] == 'l' && w[n-2] == 'l' && measure(w) > 1 {
		w = w[:n-1]
	}
	return w
}

type suffix struct{ from, to string }

// The longest suffix that fits decides, so longer ones stand before those they
// end in.
var (
	doubled = [...]suffix{
		{"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
		{"tional", "tion"}, {"biliti", "ble"}, {"entli", "ent"}, {"ousli", "ous"}, {"ation", "ate"}, {"alism", "al"},
		{"aliti", "al"}, {"iviti", "ive"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
		{"alli", "al"}, {"ator", "ate"}, {"eli", "e"},
	}
	nouns = [...]suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
	}
	endings = [...]suffix{
		{"ement", ""}, {"ance", ""}, {"ence", ""}, {"able", ""}, {"ible", ""}, {"ment", ""}, {"ant", ""}, {"ent", ""},
		{"sion", "s"}, {"tion", "t"}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""},
		{"al", ""}, {"er", ""}, {"ic", ""}, {"ou", ""},
	}
)

func replaceLongest(w []byte, table []suffix, least int) []byte {
	last := w[len(w)-1]
	for i := range table {
		s := &table[i]
		if s.from[len(s.from)-1] != last {
			continue // which spares nearly all comparisons
		}
		if cut := len(w) - len(s.from); cut > 0 && string(w[cut:]) == s.from {
			kept := cut
			if s.to == "s" || s.to == "t" { // the ion goes, the letter before it stays
				kept++
			}
			if measure(w[:kept]) >= least {
				return append(w[:cut], s.to...)
			}
			return w
		}
	}
	return w
}

func plural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's':
		return w
	case ends(w, "sses"), ends(w, "ies"):
		return w[:n-2]
	case w[n-2] == 's':
		return w
	}
	return w[:n-1]
}

func participle(w []byte) []byte {
	n := len(w)
	switch {
	case ends(w, "eed"):
		if measure(w[:n-3]) > 0 {
			return w[:n-1]
		}
		return w
	case ends(w, "ed") && hasVowel(w[:n-2]):
		w = w[:n-2]
	case ends(w, "ing") && hasVowel(w[:n-3]):
		w = w[:n-3]
	default:
		return w
	}
	n = len(w)
	switch {
	case ends(w, "at"), ends(w, "bl"), ends(w, "iz"), measure(w) == 1 && shortEnd(w):
		return append(w, 'e')
	case n > 1 && w[n-1] == w[n-2] && consonant(w, n-1) && w[n-1] != 'l' && w[n-1] != 's' && w[n-1] != 'z':
		return w[:n-1]
	}
	return w
}

func ends(w []byte, s string) bool {
	return len(w) >= len(s) && string(w[len(w)-len(s):]) == s
}

func consonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

func hasVowel(w []byte) bool {
	for i := range w {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

// measure counts the times a vowel is followed by a consonant: the syllables
// that make a word long enough to lose an ending.
func measure(w []byte) int {
	n, vowel := 0, false
	for i := range w {
		c := consonant(w, i)
		if c && vowel {
			n++
		}
		vowel = !c
	}
	return n
}

// shortEnd reports an end such as that of "hop": consonant, vowel, consonant.
func shortEnd(w []byte) bool {
	n := len(w)
	if n < 3 || !consonant(w, n-1) || consonant(w, n-2) || !consonant(w, n-3) {
		return false
	}
	return w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}
