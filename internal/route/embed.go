package route

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/knackhq/knack/skill"
)

// Embedder turns texts into vectors of one length, near each other where the
// texts mean much the same. Knack has none of its own: whoever has an encoder can
// hand it in.
type Embedder interface {
	// Embed returns one vector for each text, in the same order.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Rerank puts picks in the order of what they mean as well as of the words they
// share, half by half. skills are those that the picks count. Picks whose words
// fit beyond doubt need no second opinion: this is for suggestions.
func Rerank(ctx context.Context, e Embedder, message string, skills []*skill.Skill, picks []Pick) ([]Pick, error) {
	if len(picks) < 2 {
		return picks, nil
	}
	texts := []string{message}
	for _, p := range picks {
		s := skills[p.Skill]
		texts = append(texts, s.Name+": "+s.Description.Raw())
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("the encoder failed: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("the encoder gave %d vectors for %d texts", len(vectors), len(texts))
	}
	best := 0.0
	for _, p := range picks {
		best = max(best, p.Score)
	}
	type weighed struct {
		Pick
		value float64
	}
	all := make([]weighed, len(picks))
	for i, p := range picks {
		near := cosine(vectors[0], vectors[i+1])
		p.Reasons = append(slices.Clone(p.Reasons), Match{Kind: "meaning", Text: "the whole message", Field: "description", Weight: near})
		all[i] = weighed{p, near}
		if best > 0 {
			all[i].value += p.Score / best
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.value, a.value) })
	out := make([]Pick, len(all))
	for i := range all {
		out[i] = all[i].Pick
	}
	return out, nil
}

// cosine is how alike two vectors are, 0 if either says nothing.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	if length := math.Sqrt(x * y); length > 0 && !math.IsInf(length, 0) && !math.IsNaN(dot) {
		return dot / length
	}
	return 0
}
