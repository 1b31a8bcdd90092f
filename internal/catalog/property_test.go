package catalog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whatever happens to a tree, a load with the index says what a load without
// it says.
func TestIndexNeverChangesTheResult(t *testing.T) {
	f := newFixture(t)
	folders := []string{".", "a", "b", "a/a", "a/b", "b/a", "a/b/c", "B"}
	files := []string{"SKILL.md", "SKILL.toml", "skill.md", "notes"}
	texts := []string{"name: x", "name: y", "broken: 1", "warn: w", ""}
	rapid.Check(t, func(rt *rapid.T) {
		f.remove("skills")
		f.mkdir("skills")
		f.portable = rapid.Bool().Draw(rt, "portable")
		f.opt.Roots[0].Links = rapid.SampledFrom([]Links{FollowLinks, ContainedLinks, DenyLinks}).Draw(rt, "links")
		folder := func() string { return f.path("skills/" + rapid.SampledFrom(folders).Draw(rt, "folder")) }
		file := func() string { return filepath.Join(folder(), rapid.SampledFrom(files).Draw(rt, "file")) }
		changes := []func(){
			func() { write(file(), rapid.SampledFrom(texts).Draw(rt, "text")) },
			func() { _ = os.Remove(file()) },
			func() { _ = os.RemoveAll(folder()) },
			func() { _ = os.Rename(folder(), folder()) },
			func() { _ = os.Symlink(folder(), folder()) },
			func() { _ = os.Symlink(file(), file()) },
		}
		for range rapid.IntRange(1, 6).Draw(rt, "rounds") {
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				changes[rapid.IntRange(0, len(changes)-1).Draw(rt, "change")]()
			}
			f.opt.Index = f.path("index")
			warm := f.load()
			f.opt.Index = ""
			cold := f.load()
			if diff := cmp.Diff(cold.Entries, warm.Entries); diff != "" || cold.Version != warm.Version || !cmp.Equal(cold.Diagnostics, warm.Diagnostics) {
				rt.Fatalf("the index changes the result (-without +with):\n%s", diff)
			}
		}
	})
}

// write writes a file if it can be written.
func write(file, text string) {
	if os.MkdirAll(filepath.Dir(file), 0o755) == nil {
		_ = os.WriteFile(file, []byte(text), 0o600)
	}
}
