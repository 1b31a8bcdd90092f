package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/wording"
)

func TestFind(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.write("first/slug-a/SKILL.md", "name: Alpha")
	f.write("first/beta/SKILL.md", "name: gamma")
	f.write("first/gamma/SKILL.md", "name: Beta")
	f.write("low/loser/SKILL.md", "name: Alpha")
	f.write("first/same/SKILL.md", "name: s1")
	f.write("last/same/SKILL.md", "name: s2")
	f.write("first/Case/SKILL.md", "name: CASE")
	f.write("last/case2/SKILL.md", "name: case")
	f.write("first/bad1/SKILL.md", "name: broken\nbroken: 1")
	f.write("last/bad2/SKILL.md", "name: broken\nbroken: 1")
	f.write("last/bad3/SKILL.md", "name: one-bad\nbroken: 1")
	s := f.load()
	for name, want := range map[string]string{
		"Alpha":              "first/slug-a",
		"slug-a":             "first/slug-a",
		"alpha":              "first/slug-a",
		"SLUG-A":             "first/slug-a",
		"gamma":              "first/beta", // the name comes before the slug
		"beta":               "first/beta", // an exact slug comes before a folded name
		"loser":              "low/loser",
		f.path("low/loser"):  "low/loser",
		f.path("low/loser/"): "low/loser",
		"CASE":               "first/Case",
		"case":               "last/case2",
		"one-bad":            "last/bad3",
	} {
		e, err := s.Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := f.rel(e.Path); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string][]string{
		"same":   {"first/same", "last/same"},
		"SAME":   {"first/same", "last/same"},
		"cAsE":   {"first/Case", "last/case2"},
		"broken": {"first/bad1", "last/bad2"},
	} {
		_, err := s.Find(name)
		var ambiguous *AmbiguousError
		if !errors.As(err, &ambiguous) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, c := range ambiguous.Candidates {
			got = append(got, f.rel(c.Path))
			if !strings.Contains(err.Error(), wording.Quote(c.Path)) {
				t.Errorf("%s: %v does not name %s", name, err, c.Path)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || ambiguous.Name != name || !strings.Contains(err.Error(), "exact") {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestNotFound(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"weather", "weather-station", "pdf", "pdf-tools", "my-pdf", "a-pdf", "git"} {
		f.write("skills/"+name+"/SKILL.md", "")
	}
	s := f.load()
	for name, want := range map[string][]string{
		"wether":  {"weather"},
		"station": {"weather-station"},
		"pd":      {"pdf", "pdf-tools", "a-pdf"}, // how names begin comes first
		"St":      {"weather-station"},
		"p":       nil, // a part of most names
		"tools":   {"pdf-tools"},
		"-pdf":    {"pdf", "a-pdf", "my-pdf"},
		"zzzzzzz": nil,
		"":        nil,
	} {
		_, err := s.Find(name)
		var missing *NotFoundError
		if !errors.As(err, &missing) {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, missing.Near); diff != "" || missing.Name != name {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		if len(want) > 0 != strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
