package catalog

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// alphabet is the strategy "icu": the order of a dictionary, in which letters
// come before their capitals and accents, and signs before digits and letters.
// Names that it takes for the same are in order of bytes. It is not for two
// goroutines at once.
type alphabet struct {
	collator *collate.Collator
	buf      collate.Buffer
}

// newAlphabet is cheap: the tables are part of the program.
func newAlphabet() *alphabet { return &alphabet{collator: collate.New(language.English)} }

// key returns what sorts by bytes as s sorts in the alphabet.
func (a *alphabet) key(s string) string {
	a.buf.Reset()
	return string(a.collator.KeyFromString(&a.buf, s))
}

func (a *alphabet) compare(s, t string) int {
	return cmp.Or(strings.Compare(a.key(s), a.key(t)), strings.Compare(s, t))
}

// sortByName puts the entries of each name together, in order of names and then
// as [scan.before] has them.
func (s *scan) sortByName(found []candidate) {
	if s.alphabet == nil {
		slices.SortFunc(found, func(a, b candidate) int {
			if a.prefix != b.prefix {
				return cmp.Compare(a.prefix, b.prefix)
			}
			return cmp.Or(strings.Compare(a.entry.Name, b.entry.Name), s.before(&a, &b))
		})
		return
	}
	type keyed struct {
		key string
		candidate
	}
	sorted := make([]keyed, len(found))
	for i, c := range found {
		sorted[i] = keyed{s.alphabet.key(c.entry.Name), c}
	}
	slices.SortFunc(sorted, func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.entry.Name, b.entry.Name), s.before(&a.candidate, &b.candidate))
	})
	for i := range sorted {
		found[i] = sorted[i].candidate
	}
}

// prefix makes a number of the first eight bytes of a name that sorts as they
// do.
func prefix(name string) uint64 {
	var p uint64
	for i := range 8 {
		p <<= 8
		if i < len(name) {
			p |= uint64(name[i])
		}
	}
	return p
}

// before orders entries of one name: by root, then by path.
func (s *scan) before(a, b *candidate) int {
	if a.root != b.root {
		return a.root.rank - b.root.rank
	}
	if s.alphabet == nil {
		return strings.Compare(a.shown, b.shown)
	}
	return s.alphabet.compare(a.shown, b.shown)
}
