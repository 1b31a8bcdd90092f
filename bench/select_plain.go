package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/skill"
)

// plain is BM25 as textbooks have it, over name, description, tags and body as
// one text: what anybody would build in an hour, and so the least to beat.
type plain struct {
	posts   map[string][]plainPost
	lengths []float64
	usual   float64
}

type plainPost struct {
	skill int
	count float64
}

func newPlain(skills []*skill.Skill) *plain {
	p := &plain{posts: map[string][]plainPost{}}
	for i, s := range skills {
		var text strings.Builder
		data, _ := s.Description.MarshalJSON()
		body, _ := s.Body.MarshalJSON()
		text.WriteString(s.Name + " " + strings.Join(s.Tags, " ") + " ")
		text.Write(unescaped(data))
		text.Write(unescaped(body))
		counts := map[string]float64{}
		words := plainWords(text.String())
		for _, w := range words {
			counts[w]++
		}
		for w, n := range counts {
			p.posts[w] = append(p.posts[w], plainPost{i, n})
		}
		p.lengths = append(p.lengths, float64(len(words)))
		p.usual += float64(len(words)) / float64(len(skills))
	}
	return p
}

// unescaped drops the line breaks that JSON spells with letters.
func unescaped(data []byte) []byte {
	return []byte(strings.NewReplacer(`\n`, " ", `\t`, " ", `\r`, " ", `\u003c`, " ", `\u003e`, " ", `\u0026`, " ").Replace(string(data)) + " ")
}

func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Select implements [route.Chooser]: as such systems do, what scores at all is
// activated.
func (p *plain) Select(message string) route.Selection {
	const k1, b = 1.2, 0.75
	sums := make([]float64, len(p.lengths))
	words := plainWords(message)
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		posts := p.posts[w]
		n, df := float64(len(p.lengths)), float64(len(posts))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, at := range posts {
			sums[at.skill] += idf * at.count * (k1 + 1) / (at.count + k1*(1-b+b*p.lengths[at.skill]/p.usual))
		}
	}
	var picks []route.Pick
	for i, s := range sums {
		if s > 0 {
			picks = append(picks, route.Pick{Skill: i, Score: s})
		}
	}
	slices.SortStableFunc(picks, func(a, b route.Pick) int { return cmp.Compare(b.Score, a.Score) })
	picks = picks[:min(len(picks), 13)]
	cut := min(len(picks), 3)
	return route.Selection{Activate: picks[:cut:cut], Suggest: picks[cut:], Considered: len(p.lengths)}
}
