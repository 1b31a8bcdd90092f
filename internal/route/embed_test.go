package route

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/knackhq/knack/skill"
)

// encoder puts texts about the sea on one axis and others on another.
type encoder struct{ err error }

func (e encoder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, text := range texts {
		v := []float32{0, 1}
		if strings.Contains(text, "sea") || strings.Contains(text, "tide") {
			v = []float32{1, 0}
		}
		out = append(out, v)
	}
	return out, e.err
}

func TestRerankByMeaning(t *testing.T) {
	skills := []*skill.Skill{
		{Name: "bread", Description: skill.NewText("Bake")}, {Name: "tides", Description: skill.NewText("tide tables")},
	}
	picks := []Pick{{Skill: 0, Score: 0.5}, {Skill: 1, Score: 0.4}}
	got, err := Rerank(t.Context(), encoder{}, "when does the sea come in", skills, picks)
	if err != nil || got[0].Skill != 1 || got[0].Reasons[0].Kind != "meaning" || len(picks[0].Reasons) > 0 {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := Rerank(t.Context(), encoder{errors.New("down")}, "x", skills, picks); err == nil {
		t.Error("a failing encoder is not told")
	}
	if n := cosine([]float32{1}, []float32{1, 2}); n != 0 {
		t.Error(n)
	}
	if n := cosine([]float32{float32(math.Inf(1))}, []float32{1}); n != 0 {
		t.Error(n)
	}
}
