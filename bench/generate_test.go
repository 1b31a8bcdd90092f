package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func digest(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, p))
		h.Write([]byte(p + "\x00"))
		h.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestGenerateIsDeterministic(t *testing.T) {
	var digests []string
	for _, seed := range []uint64{1, 1, 2} {
		dir := t.TempDir()
		if err := generate(dir, 60, corpusProfile{Seed: seed}); err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest(t, dir))
	}
	if digests[0] != digests[1] {
		t.Error("the same seed gives different skills")
	}
	if digests[0] == digests[2] {
		t.Error("another seed gives the same skills")
	}
}

// The floor counts what was generated, whichever way it looks.
func TestFloorSeesEverySkill(t *testing.T) {
	dir := t.TempDir()
	if err := generate(dir, 200, corpusProfile{Seed: 1, Small: true}); err != nil {
		t.Fatal(err)
	}
	read, err := readFloor(dir)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := statFloor(dir)
	if err != nil {
		t.Fatal(err)
	}
	if read != stat || read.Manifests < 200 || read.Bytes < 200*minBytes {
		t.Errorf("read %+v, stat %+v; want the same of at least 200 skills", read, stat)
	}
}

func TestGenerateResemblesPublishedSkills(t *testing.T) {
	const n = 5000
	count := map[string]float64{}
	var sizes []int
	g := newGenerator(corpusProfile{Seed: 1})
	for i := range n {
		for _, f := range g.skill(i) {
			switch filepath.Base(f.path) {
			case "run.sh":
				count["scripts"]++
			case "details.md":
				count["references"]++
			case "SKILL.md":
				sizes = append(sizes, len(f.data))
				tally(count, f.data)
			}
		}
	}
	for what, want := range map[string]float64{
		"bare": bareShare, "metadata": metadataShare * (1 - bareShare), "yaml": yamlShare * metadataShare * (1 - bareShare),
		"colon": colonShare * (1 - bareShare), "crlf": crlfShare, "scripts": scriptsShare, "references": referencesShare,
	} {
		// Five standard deviations: with a fixed seed this holds or does not.
		tolerance := 5 * math.Sqrt(want*(1-want)/n)
		if got := count[what] / n; math.Abs(got-want) > tolerance {
			t.Errorf("%s: %.3f of the skills, want %.3f ± %.3f", what, got, want, tolerance)
		}
	}
	slices.Sort(sizes)
	for _, c := range []struct {
		share float64
		want  float64
	}{{0.5, 3400}, {0.95, 15600}, {0.99, 28000}} {
		got := float64(sizes[int(c.share*n)])
		if math.Abs(got/c.want-1) > 0.15 {
			t.Errorf("size at %.0f %%: %.0f bytes, want about %.0f", 100*c.share, got, c.want)
		}
	}
}

func tally(count map[string]float64, data []byte) {
	for what, mark := range map[string]string{
		"metadata": "\nmetadata:", "yaml": "\nmetadata:\n", "colon": ". Use when: (1)", "crlf": "\r\n",
	} {
		if bytes.Contains(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte(mark)) ||
			what == "crlf" && bytes.Contains(data, []byte(mark)) {
			count[what]++
		}
	}
	if !bytes.HasPrefix(data, []byte("---")) {
		count["bare"]++
	}
}
