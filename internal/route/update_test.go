package route

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// What is updated is what would be made anew, byte for byte, wherever skills were
// added, removed, moved or changed.
func TestUpdateIsTheSameAsNew(t *testing.T) {
	rules := Rules{Scorer: "ranked", Max: 3, Suggest: 10, Least: 0.5}
	words := []string{"tide", "harbour", "bread", "oven", "invoice", "Zürich", "日本語", "commit", "review-branch", "the", "and"}
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string, most int) string {
			out := ""
			for range rapid.IntRange(0, most).Draw(t, label) {
				out += rapid.SampledFrom(words).Draw(t, "word") + " "
			}
			return out
		}
		draw := func(n int) *skill.Skill {
			return &skill.Skill{
				Name: fmt.Sprint(rapid.SampledFrom(words).Draw(t, "name"), n), Description: skill.NewText(text("description", 8)),
				Triggers: []string{text("trigger", 3)}, Body: skill.NewText(text("body", 40)),
			}
		}
		var before []*skill.Skill
		for n := range rapid.IntRange(0, 12).Draw(t, "before") {
			before = append(before, draw(n))
		}
		old, err := New(rules, before)
		if err != nil {
			t.Fatal(err)
		}
		var now, headers []*skill.Skill
		var same []int
		for n := range rapid.IntRange(0, 12).Draw(t, "now") {
			at := -1
			if len(before) > 0 && rapid.Bool().Draw(t, "kept") {
				at = rapid.IntRange(0, len(before)-1).Draw(t, "which")
				header := *before[at]
				header.Body = skill.Text{}
				now, headers = append(now, before[at]), append(headers, &header)
			} else {
				s := draw(100 + n)
				now, headers = append(now, s), append(headers, s)
			}
			same = append(same, at)
		}
		fresh, err := New(rules, now)
		if err != nil {
			t.Fatal(err)
		}
		updated, err := Update(rules, old, headers, same)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := Append(nil, fresh)
		b, _ := Append(nil, updated)
		if !bytes.Equal(a, b) {
			t.Fatalf("%d of %d kept: %d bytes anew, %d updated", len(same), len(before), len(a), len(b))
		}
	})
}
