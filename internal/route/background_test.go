package route

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rebuild background.txt from the skills.jsonl in the folder that KNACK_EVAL names")

type row struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Body        string   `json:"body"`
}

func readRows[T any](t *testing.T, file string) []T {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for line := range strings.Lines(string(data)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// The table has general words only: those that several authors use, each of
// whom would name a product of theirs only in their own skills.
func TestBackgroundTable(t *testing.T) {
	if *update {
		writeBackground(t, readRows[row](t, filepath.Join(os.Getenv("KNACK_EVAL"), "corpus", "skills.jsonl")))
	}
	words := background()
	if len(words) < 3000 {
		t.Fatalf("the table has %d words", len(words))
	}
	for word, in := range words {
		if in > backgroundSkills || in < rareIn {
			t.Errorf("%s is in %v of %d skills", word, in, backgroundSkills)
		}
	}
	if words["the"] < words["file"] || words["file"] < words["galaxi"] {
		t.Errorf("the is in %v, file in %v, galaxies in %v", words["the"], words["file"], words["galaxi"])
	}
}

func writeBackground(t *testing.T, rows []row) {
	t.Helper()
	const leastSkills, leastAuthors = 6, 5
	in, authors := map[string]int{}, map[string]map[string]bool{}
	for _, r := range rows {
		author, _, _ := strings.Cut(r.ID, "/")
		seen := map[string]bool{}
		s := splitter{emit: func(stem []byte) { seen[string(stem)] = true }}
		for _, text := range []string{r.Name, r.Description, r.Body[:min(len(r.Body), longestBody)]} {
			s.split(text)
		}
		for word := range seen {
			in[word]++
			if authors[word] == nil {
				authors[word] = map[string]bool{}
			}
			authors[word][author] = true
		}
	}
	levels := map[int][]string{}
	for word, n := range in {
		if n >= leastSkills && len(authors[word]) >= leastAuthors && len(word) <= 20 {
			level := int(math.Round(4 * math.Log2(float64(len(rows))/float64(n))))
			levels[level] = append(levels[level], word)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by go test -run TestBackgroundTable -update.\n")
	for level := range 200 {
		if words := levels[level]; len(words) > 0 {
			slices.Sort(words)
			fmt.Fprintf(&b, "%d %s\n", level, strings.Join(words, " "))
		}
	}
	if err := os.WriteFile("background.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
