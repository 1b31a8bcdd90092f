package format

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/tree"
)

// textsOf is the frontmatter as a map of texts; metadata that nobody could
// read is there too.
func textsOf(h head) map[string]string {
	out := map[string]string{}
	if h.fields != nil {
		for _, m := range h.fields.Map {
			if m.Value.Kind == tree.String {
				out[m.Key] = m.Value.Text
			}
		}
	}
	return out
}

func readTexts(t testing.TB, text string) head {
	return readTextsHead(&tree.Store{}, "SKILL.md", []byte(text), newParser(t).Rules().Limits)
}

// readGolden reads outputs of a real system: those in testdata, or with
// KNACK_GOLDENS a directory that has more of them.
func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	dir := os.Getenv("KNACK_GOLDENS")
	if dir == "" {
		dir = filepath.Join("..", "..", "testdata", "goldens")
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestTextsHeadGoldens(t *testing.T) {
	var cases map[string]struct {
		Input       string
		Frontmatter map[string]string
		Issues      []struct{ Code string }
		Metadata    json.RawMessage
	}
	readGolden(t, "openclaw/frontmatter-cases.json", &cases)
	for name, c := range cases {
		h := readTexts(t, c.Input)
		if refused := h.refused != "" && !h.missing; refused != (len(c.Issues) > 0) {
			t.Errorf("%s: refused %q, want issues %v", name, h.refused, c.Issues)
		}
		if len(c.Issues) > 0 {
			continue
		}
		got := textsOf(h)
		want := c.Frontmatter
		if string(c.Metadata) == "null" {
			delete(want, "metadata") // of no use to anybody
			delete(got, "metadata")
		}
		delete(want, "[ a ]") // a key that is a list names no field
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestTextsHead(t *testing.T) {
	cases := []struct {
		name, region string
		want         map[string]string
		refused      bool
	}{
		{name: "a blank line", region: "\n", want: map[string]string{}},
		{name: "blanks", region: "\n  \n", refused: true},
		{name: "a merge is a key", region: "<<: {name: a}\ndescription: b\n", want: map[string]string{"<<": `{"name":"a"}`, "description": "b"}},
		{
			name: "a merge of an anchor", region: "x: &x {name: a}\n<<: *x\ndescription: b\n",
			want: map[string]string{"x": "&x {name: a}", "<<": `{"name":"a"}`, "description": "b"},
		},
		{
			name: "two arrows in a text", region: "description: |\n  <<: a\n  b\n", want: map[string]string{"description": "<<: a\nb"},
		},
		{
			name: "an object without blanks", region: "description: b\nmetadata: {openclaw:{emoji:'x'}}\n",
			want: map[string]string{"description": "b", "metadata": "{openclaw:{emoji:'x'}}"},
		},
		{
			name: "and a sentence", region: "description: a: b\nmetadata: {openclaw:{emoji:'x'}}\n",
			want: map[string]string{"description": "a: b", "metadata": "{openclaw:{emoji:'x'}}"},
		},
		{name: "an object with no end", region: "description: b\nmetadata: {openclaw:{emoji:'x'}\n", refused: true},
	}
	for _, c := range cases {
		h := readTexts(t, "---\n"+c.region+"---\nBody.\n")
		if refused := h.refused != ""; refused != c.refused {
			t.Errorf("%s: refused %q", c.name, h.refused)
		}
		if diff := cmp.Diff(c.want, textsOf(h)); !c.refused && diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

func TestTextsHeadCorpusGoldens(t *testing.T) {
	corpus, goldens := os.Getenv("KNACK_CORPUS"), os.Getenv("KNACK_GOLDENS")
	if corpus == "" || goldens == "" {
		t.Skip("KNACK_CORPUS and KNACK_GOLDENS say where the corpus and its goldens are")
	}
	f, err := os.Open(filepath.Join(goldens, "openclaw", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	rows, refused := 0, 0
	for lines.Scan() {
		var row struct {
			Dir         string
			OK          bool
			Frontmatter map[string]string
			Metadata    json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(corpus, row.Dir, "SKILL.md"))
		if err != nil {
			continue
		}
		rows++
		h := readTexts(t, string(data))
		got := textsOf(h)
		if !row.OK {
			refused++
			if h.refused == "" && got["description"] != "" {
				t.Errorf("%s: loads, but the host refuses it", row.Dir)
			}
			continue
		}
		if string(row.Metadata) == "null" || len(row.Metadata) == 0 {
			delete(row.Frontmatter, "metadata")
			delete(got, "metadata")
		}
		for key, text := range row.Frontmatter {
			row.Frontmatter[key] = stripControls(text) // which no text of ours has
		}
		if diff := cmp.Diff(row.Frontmatter, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", row.Dir, diff)
		}
	}
	t.Logf("%d rows, %d of them refused", rows, refused)
}

func FuzzTextsHead(f *testing.F) {
	for _, seed := range []string{
		"---\nname: a\ndescription: b\n---\nbody\n", "---\nname: ~\ndescription: *x\n---\n", "---\n? [a]\n: b\n---\n",
		"---\ndescription: a: b\nmetadata: {a: 1}\n---\n", "---\nmetadata:\n  a: [1, 2.50, 0x1F, .inf]\n---\n", "---\r\na: b\r---",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		h := readTexts(t, text)
		if time.Since(start) > 5*time.Second {
			t.Errorf("%d bytes took %s", len(text), time.Since(start))
		}
		for key, value := range textsOf(h) {
			if !utf8.ValidString(key) || !utf8.ValidString(value) {
				t.Errorf("%q: %q is not UTF-8", key, value)
			}
		}
		if h.refused != "" && h.fields != nil {
			t.Errorf("refused for %q, but there are fields", h.refused)
		}
	})
}
