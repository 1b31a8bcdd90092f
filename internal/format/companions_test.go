package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompanions(t *testing.T) {
	for head, want := range map[string][]string{
		"requires: {skills: [a, b]}":                                  {"a", "b"},
		"requires:\n  skills: a, b\n  bins: [x]":                      {"a", "b"},
		"metadata: {openclaw: {requires: {skills: [c]}}}":             {"c"},
		"requires: {skills: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}": {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"},
		"requires: {skills: {a: b}}":                                  nil,
	} {
		res := parseMarkdown(t, head)
		if diff := cmp.Diff(want, res.Skill.Companions); diff != "" {
			t.Errorf("%s: -want +got:\n%s", head, diff)
		}
		if res.Skill.Requires.Unreadable {
			t.Errorf("%s: companions are no requirement", head)
		}
	}
}
