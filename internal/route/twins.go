package route

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/knackhq/knack/skill"
)

// sketch is a small sample of a skill's stems: of each thirty-second part of
// all hashes, the least that the skill has. Two skills that share a share of
// their stems agree in about that share of their sketches.
type sketch struct {
	least [32]uint32
	stems int
}

const (
	// alike is how many parts of two sketches agree where one skill is a copy of
	// the other with little changed.
	alike = 28
	// fewest stems are too few to tell a copy from two skills of one subject.
	fewest = 24
	// band is how many parts must agree for two sketches to be compared at all.
	band = 4
)

func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	v := h.Sum64()
	v ^= v >> 32 // the high bits of short words are poor
	v *= 0x9e3779b97f4a7c15
	return v
}

func sketchOf(hashes []uint32, stems []uint32) sketch {
	s := sketch{stems: len(stems)}
	for _, id := range stems {
		h := hashes[id] | 1 // zero is none
		if at := &s.least[h>>27]; *at == 0 || h < *at {
			*at = h
		}
	}
	return s
}

func (s *sketch) like(other *sketch) bool {
	same := 0
	for i := range s.least {
		if s.least[i] == other.least[i] {
			same++
		}
	}
	return same >= alike
}

// findTwins gives for each skill the first that says nearly the same: with an
// equal description, or with a text of which hardly a word differs.
func findTwins(skills []*skill.Skill, sketches []sketch) []uint32 {
	first := make([]uint32, len(skills))
	for i := range first {
		first[i] = uint32(i)
	}
	root := func(i uint32) uint32 {
		for first[i] != i {
			i = first[i]
		}
		return i
	}
	join := func(a, b uint32) {
		a, b = root(a), root(b)
		first[max(a, b)] = min(a, b)
	}
	type entry struct {
		key   uint64
		skill uint32
	}
	near := func(entries []entry, same func(a, b uint32) bool) {
		slices.SortStableFunc(entries, func(a, b entry) int {
			if a.key != b.key {
				if a.key < b.key {
					return -1
				}
				return 1
			}
			return int(a.skill) - int(b.skill)
		})
		// Each is compared with the one before it: copies stand together.
		for i := 1; i < len(entries); i++ {
			if a, b := entries[i-1], entries[i]; a.key == b.key && same(a.skill, b.skill) {
				join(a.skill, b.skill)
			}
		}
	}
	var entries []entry
	for i, s := range skills {
		if text := s.Description.Raw(); len(text) >= 40 { // a shorter one may be chance
			entries = append(entries, entry{hashOf(strings.ToLower(text)), uint32(i)})
		}
	}
	near(entries, func(a, b uint32) bool {
		return strings.EqualFold(skills[a].Description.Raw(), skills[b].Description.Raw())
	})
	for from := 0; from < 32; from += band {
		entries = entries[:0]
		for i := range sketches {
			if sketches[i].stems < fewest {
				continue
			}
			key := uint64(0)
			for _, h := range sketches[i].least[from : from+band] {
				key = key*0x9e3779b97f4a7c15 + uint64(h)
			}
			entries = append(entries, entry{key, uint32(i)})
		}
		near(entries, func(a, b uint32) bool { return sketches[a].like(&sketches[b]) })
	}
	for i := range first {
		first[i] = root(uint32(i))
	}
	return first
}
