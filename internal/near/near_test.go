package near

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBest(t *testing.T) {
	known := []string{"name", "description", "allowed-tools", "user-invocable", "tags", "license"}
	for word, want := range map[string]string{
		"descripton": "description", "descirption": "description", "Description": "description",
		"allowed_tool": "allowed-tools", "tag": "tags", "nmae": "name", "licence": "license",
		"weather": "", "": "", "xy": "", "z": "", "tg": "", "name": "", strings.Repeat("n", 100): "",
	} {
		if got := Best(word, known); got != want {
			t.Errorf("Best(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func TestWordsAreOrdered(t *testing.T) {
	got := Words("weathr", []string{"weathers", "weather", "feather", "weathr2", "weather"}, 3)
	if diff := cmp.Diff([]string{"weather", "weathr2", "feather"}, got); diff != "" {
		t.Error(diff)
	}
}

// An edit by one letter is always found in a word long enough to have two.
func TestOneEditIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{5,12}`).Draw(t, "word")
		i := rapid.IntRange(0, len(word)-1).Draw(t, "at")
		if got := Best(word[:i]+word[i+1:], []string{word}); got != word {
			t.Fatalf("without letter %d of %s: %q", i, word, got)
		}
	})
}
