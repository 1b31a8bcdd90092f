package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/skill"
)

// These tests go through the parser and the gate of the native host.

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, opt catalog.Options) *catalog.Snapshot {
	t.Helper()
	s, err := newCatalog(t, opt).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestManifestsThatAreNotText(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "latin/SKILL.md"), "---\nname: latin\ndescription: caf\xe9\n---\nText.\n")
	write(t, filepath.Join(dir, "nul/SKILL.md"), "---\nname: nul\ndescription: a\x00b\n---\nText.\n")
	write(t, filepath.Join(dir, "utf16/SKILL.md"), "\xff\xfe-\x00-\x00-\x00\n\x00")
	write(t, filepath.Join(dir, "zip/SKILL.md"), "PK\x03\x04\x00\x00\x00\xff\xff")
	write(t, filepath.Join(dir, "empty/SKILL.md"), "")
	s := load(t, native(t, dir))
	if len(s.Entries) != 5 {
		t.Fatalf("%d entries", len(s.Entries))
	}
	for name, code := range map[string]skill.Code{"latin": skill.FileNotUTF8, "nul": skill.FileHasNUL, "zip": skill.FileNotUTF8} {
		e, err := s.Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found := false
		for _, d := range e.Diagnostics {
			found = found || d.Code == code && d.File == filepath.Join(dir, name, "SKILL.md")
		}
		if !found {
			t.Errorf("%s: %v", name, e.Diagnostics)
		}
	}
}

// A manifest that cannot be opened may hold requirements: the skill is gated,
// though the other manifest is fine.
func TestUnreadManifestGates(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/SKILL.md"), "---\nname: a\ndescription: b\n---\nText.\n")
	if err := os.Mkdir(filepath.Join(dir, "a/SKILL.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := load(t, native(t, dir)).Find("a")
	if err != nil {
		t.Fatal(err)
	}
	if e.Status != skill.Gated || e.Reasons[0].Code != skill.ReasonUnknown {
		t.Errorf("status %s, reasons %v", e.Status, e.Reasons)
	}
}

func TestGatedAndReadyAgainFromTheIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "skills/a/SKILL.md"), "---\nname: a\ndescription: needs a key\nmetadata: {\"openclaw\": {\"requires\": {\"env\": [\"A_KEY\"]}}}\n---\nText.\n")
	opt := native(t, filepath.Join(dir, "skills"))
	opt.Index = filepath.Join(dir, "index")
	env := *opt.Env()
	opt.Env = func() *gate.Environment { return &env }
	for _, key := range []string{"", "set", ""} {
		env.Getenv = func(name string) string { return map[string]string{"A_KEY": key}[name] }
		s := load(t, opt)
		want := skill.Gated
		if key != "" {
			want = skill.Ready
		}
		if e := s.Entries[0]; e.Status != want {
			t.Errorf("with key %q it is %s: %v", key, e.Status, e.Reasons)
		}
	}
}

// Headers do not keep the files in memory that they were cut from.
func TestHeadersAreSmall(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/SKILL.md"), "---\nname: a\ndescription: short\n---\n"+strings.Repeat("x", 900_000))
	s := load(t, native(t, dir))
	if e := s.Entries[0]; e.Body.Len() != 0 || e.Tokens < 200_000 || e.Prompts != nil || e.Resources != nil {
		t.Errorf("%d bytes of body, %d tokens", e.Body.Len(), e.Tokens)
	}
}

// TestCorpus loads real skills, twice: all are there, none without an
// explanation, and the index changes nothing. It needs KNACK_CORPUS.
func TestCorpus(t *testing.T) {
	root := os.Getenv("KNACK_CORPUS")
	if root == "" {
		t.Skip("KNACK_CORPUS is not set")
	}
	opt := native(t, root)
	opt.Index = filepath.Join(t.TempDir(), "index")
	first, second := load(t, opt), load(t, opt)
	if first.Version != second.Version || second.Stats.Parsed > 0 {
		t.Errorf("versions %s and %s, %+v", first.Version, second.Version, second.Stats)
	}
	states := map[skill.Status]int{}
	for _, e := range first.Entries {
		states[e.Status]++
		if e.Status != skill.Ready && len(e.Reasons) == 0 {
			t.Errorf("%s is %s for no reason", e.Path, e.Status)
		}
	}
	t.Logf("%d entries: %v, %d diagnostics besides", len(first.Entries), states, len(first.Diagnostics))
}

// A second spelling that is gone is no longer complained about, though the
// manifest that was read is as it was.
func TestIndexForgetsRemovedDuplicates(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "skills/a/skill.md")
	write(t, filepath.Join(dir, "skills/a/SKILL.md"), "---\nname: a\ndescription: b\n---\nText.\n")
	write(t, other, "---\nname: b\n---\nText.\n")
	if files, err := os.ReadDir(filepath.Dir(other)); err != nil || len(files) != 2 {
		t.Skip("this file system does not tell letter cases apart")
	}
	opt := native(t, filepath.Join(dir, "skills"))
	opt.Index = filepath.Join(dir, "index")
	opt.Now = func() time.Time { return time.Now().Add(time.Minute) } // all stamps are settled
	duplicates := func() (n int) {
		for _, d := range load(t, opt).Entries[0].Diagnostics {
			if d.Code == skill.FileDuplicate {
				n++
			}
		}
		return n
	}
	for range 2 { // the second time from the index
		if duplicates() != 1 {
			t.Fatal("the second spelling was not reported")
		}
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if duplicates() != 0 {
		t.Error("a spelling that is gone is still reported")
	}
}

// Indexes of places that nobody works in any more do not pile up.
func TestUnusedIndexesAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "h[x]") // no pattern, but a name
	write(t, filepath.Join(dir, "skills/a/SKILL.md"), "---\nname: a\ndescription: b\n---\nText.\n")
	for name, age := range map[string]time.Duration{"index-old.bin": 100 * 24 * time.Hour, "index-new.bin": time.Hour, "other.bin": 100 * 24 * time.Hour} {
		file := filepath.Join(dir, "cache", name)
		write(t, file, "x")
		then := time.Now().Add(-age)
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	opt := native(t, filepath.Join(dir, "skills"))
	opt.Index = filepath.Join(dir, "cache", "index-this.bin")
	load(t, opt)
	files, err := os.ReadDir(filepath.Join(dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if diff := cmp.Diff([]string{"index-new.bin", "index-this.bin", "other.bin"}, names); diff != "" {
		t.Error(diff)
	}
}

// An index that is used but has nothing new to say is not taken for unused.
func TestUsedIndexStaysYoung(t *testing.T) {
	const day = 24 * time.Hour
	dir := t.TempDir()
	write(t, filepath.Join(dir, "skills/a/SKILL.md"), "---\nname: a\ndescription: b\n---\nText.\n")
	opt := native(t, filepath.Join(dir, "skills"))
	opt.Index = filepath.Join(dir, "cache", "index-this.bin")
	start := time.Now().Add(time.Hour).Truncate(time.Second) // when all was written long ago
	opt.Now = func() time.Time { return start }
	load(t, opt)
	written := func() time.Time {
		info, err := os.Stat(opt.Index)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	first := written()
	for _, step := range []struct {
		now, want time.Time
	}{
		{start.Add(6 * day), first},
		{start.Add(80 * day), start.Add(80 * day)},
		{start.Add(86 * day), start.Add(80 * day)},
		{start.Add(160 * day), start.Add(160 * day)},
	} {
		opt.Now = func() time.Time { return step.now }
		if s := load(t, opt); s.Stats.Parsed != 0 {
			t.Fatalf("the index was not used: %+v", s.Stats)
		}
		if got := written(); !got.Equal(step.want) {
			t.Errorf("after %s the index is of %s, want %s", step.now.Sub(start), got, step.want)
		}
	}
}
