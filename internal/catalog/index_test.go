package catalog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// library is a tree with something of everything.
func (f *fixture) library() {
	f.opt.Index = f.path("index")
	f.write("skills/SKILL.md", "name: flat")
	f.write("skills/a/SKILL.md", "name: a\ndescription: first")
	f.write("skills/a/SKILL.toml", "name: a")
	f.write("skills/g/b/SKILL.md", "name: b\nbins: no-bin\nwarn: hm")
	f.write("skills/g/c/SKILL.md", "name: a")
	f.write("skills/g/d/SKILL.md", "broken: yes")
	f.mkdir("skills/empty/deeper")
	f.link("g/b", "skills/l")
	f.link("nowhere", "skills/m")
}

func asJSON(t testing.TB, s *Snapshot) string {
	t.Helper()
	data, err := json.MarshalIndent(struct {
		Version     string
		Entries     []*skill.Entry
		Diagnostics []skill.Diagnostic
	}{s.Version, s.Entries, s.Diagnostics}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSameFilesSameOutput(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.library()
		first := f.load()
		if first.Stats != (Stats{Parsed: 6, Dirs: 10}) {
			f.Errorf("first load: %+v", first.Stats)
		}
		again := f.load()
		if again.Stats != (Stats{Reused: 6, Dirs: 10}) {
			f.Errorf("second load: %+v", again.Stats)
		}
		f.opt.Index = ""
		none := f.load()
		for _, s := range []*Snapshot{again, none} {
			if diff := cmp.Diff(asJSON(f, first), asJSON(f, s)); diff != "" {
				f.Errorf("differs:\n%s", diff)
			}
		}
	})
}

// What is written in one way can be read in the other.
func TestIndexIsTheSameForAllWaysToRead(t *testing.T) {
	f := newFixture(t)
	f.library()
	f.load()
	want := f.read("index")
	f.portable = true
	if s := f.load(); s.Stats.Parsed != 0 {
		t.Errorf("%+v", s.Stats)
	}
	f.remove("index")
	f.load()
	if got := f.read("index"); got != want {
		t.Errorf("indexes differ")
	}
}

func (f *fixture) read(rel string) string {
	f.Helper()
	data, err := os.ReadFile(f.path(rel))
	if err != nil {
		f.Fatal(err)
	}
	return string(data)
}

func (f *fixture) remove(rel string) {
	f.Helper()
	if err := os.RemoveAll(f.path(rel)); err != nil {
		f.Fatal(err)
	}
}

// Every change shows in the next load, exactly as if there were no index, and
// only what changed is read again.
func TestChanges(t *testing.T) {
	for _, step := range []struct {
		name   string
		change func(f *fixture)
		parsed int
	}{
		{"nothing", func(*fixture) {}, 0},
		{"touch", func(f *fixture) { f.touch("skills/a/SKILL.md") }, 1},
		{"edit", func(f *fixture) { f.write("skills/a/SKILL.md", "name: a\ndescription: second") }, 1},
		{"edit of the same length", func(f *fixture) { f.write("skills/a/SKILL.md", "name: a\ndescription: FIRST") }, 1},
		{"edit in a group", func(f *fixture) { f.write("skills/g/b/SKILL.md", "name: bb") }, 2}, // l leads to it
		{"edit of the flat one", func(f *fixture) { f.write("skills/SKILL.md", "name: flat2") }, 1},
		{"new file in a skill", func(f *fixture) { f.write("skills/a/notes.txt", "") }, 0},
		{"new manifest", func(f *fixture) { f.write("skills/a/manifest.toml", "name: z") }, 1},
		{"manifest removed", func(f *fixture) { f.remove("skills/a/SKILL.toml") }, 1},
		{"all manifests removed", func(f *fixture) { f.remove("skills/g/b/SKILL.md") }, 0},
		{"new skill", func(f *fixture) { f.write("skills/b/SKILL.md", "") }, 1},
		{"new skill deep", func(f *fixture) { f.write("skills/empty/deeper/x/SKILL.md", "") }, 1},
		{"skill removed", func(f *fixture) { f.remove("skills/a") }, 0},
		{"group removed", func(f *fixture) { f.remove("skills/g") }, 0},
		{"group becomes a skill", func(f *fixture) { f.write("skills/g/SKILL.md", "name: g") }, 1},
		{"skill renamed", func(f *fixture) { f.rename("skills/a", "skills/z") }, 1},
		{"group renamed", func(f *fixture) { f.rename("skills/g", "skills/h") }, 3},
		{"folder replaced by a file", func(f *fixture) { f.remove("skills/a"); f.write("skills/a", "") }, 0},
		{"folder replaced by a link", func(f *fixture) { f.remove("skills/a"); f.link("g/c", "skills/a") }, 1},
		{"link leads elsewhere", func(f *fixture) { f.remove("skills/l"); f.link("g/c", "skills/l") }, 1},
		{"link leads somewhere", func(f *fixture) { f.write("skills/nowhere/SKILL.md", "") }, 2},
		{"two skills swapped", func(f *fixture) {
			f.rename("skills/g/b", "x")
			f.rename("skills/g/c", "skills/g/b")
			f.rename("x", "skills/g/c")
		}, 3},
		{"manifest replaced by an older one", func(f *fixture) {
			f.write("old.md", "name: old")
			old := time.Now().Add(-100 * time.Hour)
			if err := os.Chtimes(f.path("old.md"), old, old); err != nil {
				f.Fatal(err)
			}
			f.rename("old.md", "skills/g/b/SKILL.md")
		}, 2},
		{"root removed", func(f *fixture) { f.remove("skills") }, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			everywhere(t, func(f *fixture) {
				f.library()
				f.load()
				step.change(f)
				warm := f.load()
				if warm.Stats.Parsed != step.parsed {
					f.Errorf("%d folders were read, want %d", warm.Stats.Parsed, step.parsed)
				}
				settled := f.load()
				if settled.Stats.Parsed != 0 {
					f.Errorf("%d folders were read again", settled.Stats.Parsed)
				}
				f.opt.Index = ""
				cold := asJSON(f, f.load())
				if diff := cmp.Diff(cold, asJSON(f, warm)); diff != "" {
					f.Errorf("the index changes the result:\n%s", diff)
				}
				if diff := cmp.Diff(cold, asJSON(f, settled)); diff != "" {
					f.Errorf("the index changes the next result:\n%s", diff)
				}
			})
		})
	}
}

func (f *fixture) touch(rel string) {
	f.Helper()
	past := time.Now().Add(-10 * time.Hour)
	if err := os.Chtimes(f.path(rel), past, past); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) rename(from, to string) {
	f.Helper()
	if err := os.Rename(f.path(from), f.path(to)); err != nil {
		f.Fatal(err)
	}
}

func TestVersion(t *testing.T) {
	f := newFixture(t)
	f.library()
	seen := map[string]string{f.load().Version: "at first"}
	same := func(what string) {
		t.Helper()
		if _, ok := seen[f.load().Version]; !ok {
			t.Errorf("%s changed the version", what)
		}
	}
	other := func(what string) {
		t.Helper()
		v := f.load().Version
		if before, ok := seen[v]; ok {
			t.Errorf("the version %s is that %s", what, before)
		}
		seen[v] = what
	}
	f.touch("skills/a/SKILL.md")
	same("touch")
	f.write("skills/a/notes.txt", "")
	same("a file that is no manifest")
	f.mkdir("skills/another")
	same("an empty folder")
	f.write("skills/a/SKILL.md", "name: a\ndescription: first\n\nbody")
	other("after an edit of a body")
	f.opt.Choices.Disabled = map[string]bool{"a": true}
	other("with one disabled")
	f.opt.Roots[0].Trust = skill.Installed
	other("with less trust")
	f.opt.Roots[0].Class = "extra"
	other("in another class")
	f.link("nowhere", "skills/n")
	other("with a stray link")
	f.rename("skills/a", "skills/a2")
	other("with a folder renamed")
	if v := f.load().Version; len(v) != 2*versionSize {
		t.Errorf("version %q", v)
	}
}

// A file that was written just before it was read could be written again
// without a trace, so it is read again.
func TestRacilyCleanFilesAreReadAgain(t *testing.T) {
	f := newFixture(t)
	f.opt.Index = f.path("index")
	f.write("skills/a/SKILL.md", "name: a")
	f.now = time.Now
	f.load()
	if s := f.load(); s.Stats.Parsed != 1 {
		t.Errorf("%+v", s.Stats)
	}
	f.now = func() time.Time { return time.Now().Add(time.Hour) }
	f.load()
	if s := f.load(); s.Stats.Parsed != 0 {
		t.Errorf("%+v", s.Stats)
	}
	f.opt.Now = nil
	if s := f.load(); s.Stats.Parsed != 0 {
		t.Errorf("without a clock, what is settled is still believed: %+v", s.Stats)
	}
	f.remove("index")
	f.load()
	if s := f.load(); s.Stats.Parsed != 1 {
		t.Errorf("without a clock, nothing is settled: %+v", s.Stats)
	}
}

func TestSettled(t *testing.T) {
	scan := time.Unix(1000, 500)
	at := func(before time.Duration) int64 { return scan.Add(-before).UnixNano() }
	whole := scan.Truncate(time.Second).UnixNano()
	for name, c := range map[string]struct {
		stamp stamp
		want  bool
	}{
		"long ago":            {stamp{mtime: at(time.Hour), ctime: at(time.Hour)}, true},
		"30 ms ago":           {stamp{mtime: at(30 * time.Millisecond), ctime: at(30 * time.Millisecond)}, true},
		"10 ms ago":           {stamp{mtime: at(10 * time.Millisecond), ctime: at(time.Hour)}, false},
		"changed 10 ms ago":   {stamp{mtime: at(time.Hour), ctime: at(10 * time.Millisecond)}, false},
		"in the future":       {stamp{mtime: at(-time.Hour), ctime: at(time.Hour)}, false},
		"whole second":        {stamp{mtime: whole - int64(time.Second), ctime: at(time.Hour)}, false},
		"whole second before": {stamp{mtime: whole - 3*int64(time.Second), ctime: at(time.Hour)}, true},
		"no ctime":            {stamp{mtime: at(time.Hour)}, true},
	} {
		if got := c.stamp.settled(scan) != (stamp{}); got != c.want {
			t.Errorf("%s: settled %v, want %v", name, got, c.want)
		}
	}
	if (stamp{mtime: 1}).settled(time.Time{}) != (stamp{}) || (stamp{}).same(stamp{}) {
		t.Error("nothing is known of nothing")
	}
}

func TestIndexIsOnlyWrittenWhenItChanged(t *testing.T) {
	f := newFixture(t)
	f.library()
	f.load()
	before, err := os.Stat(f.path("index"))
	if err != nil {
		t.Fatal(err)
	}
	f.load()
	f.write("skills/a/SKILL.md", f.read("skills/a/SKILL.md")) // read again, and as it was but for its time
	f.link("l", "skills/g/b/loop")
	f.load()
	changed, err := os.Stat(f.path("index"))
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, changed) {
		t.Error("the new stamp was not written")
	}
	f.write("skills/m2/SKILL.md", "")
	f.remove("skills/m2") // the folder's time changed
	f.load()
	before, _ = os.Stat(f.path("index"))
	f.load()
	if after, _ := os.Stat(f.path("index")); !os.SameFile(before, after) {
		t.Error("written though nothing changed")
	}
}

// An index is a shortcut: without it, or with a broken one, all is the same.
func TestTornIndex(t *testing.T) {
	f := newFixture(t)
	f.library()
	want := asJSON(t, f.load())
	whole := f.read("index")
	c := f.catalog()
	for n := range len(whole) {
		if x, err := decodeIndex(whole[:n], c.fingerprint); err == nil {
			t.Fatalf("%d of %d bytes are taken for an index: %+v", n, len(whole), x)
		}
	}
	for i := range len(whole) {
		broken := []byte(whole)
		broken[i] ^= 0x40
		if _, err := decodeIndex(string(broken), c.fingerprint); err == nil {
			t.Fatalf("a wrong byte at %d is not noticed", i)
		}
	}
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(f.path("index"), []byte(whole[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		s := f.load()
		if s.Stats.Reused != 0 || asJSON(t, s) != want {
			t.Errorf("%d bytes: %+v", n, s.Stats)
		}
		if f.read("index") != whole {
			t.Errorf("%d bytes: not mended", n)
		}
	}
}

func TestIndexOfOtherRules(t *testing.T) {
	f := newFixture(t)
	f.library()
	f.load()
	for name, change := range map[string]func(){
		"fingerprint": func() { f.opt.Fingerprint = "other" },
		"rules":       func() { f.opt.Rules.Skip = nil },
		"depth":       func() { f.opt.Roots[0].Depth = 2 },
		"links":       func() { f.opt.Roots[0].Links = DenyLinks },
		"within":      func() { f.opt.Roots[0].Within = f.dir },
	} {
		before := f.opt
		before.Roots = slices.Clone(f.opt.Roots)
		change()
		if s := f.load(); s.Stats.Reused != 0 {
			t.Errorf("%s: %+v", name, s.Stats)
		}
		f.opt = before
		f.load()
	}
	f.opt.Roots[0].Class, f.opt.Roots[0].Trust = "other", skill.Installed
	f.opt.Roots = append([]Root{{Path: f.path("more"), Depth: 1}}, f.opt.Roots...)
	if s := f.load(); s.Stats.Parsed != 0 || s.Entries[0].Source != "other" {
		t.Errorf("class, trust and order do not matter to what is read: %+v", s.Stats)
	}
}

func TestIndexThatCannotBeWritten(t *testing.T) {
	f := newFixture(t)
	f.library()
	f.write("file", "")
	for _, path := range []string{"file/index", "skills"} {
		f.opt.Index = f.path(path)
		if s := f.load(); len(s.Entries) != 6 {
			t.Errorf("%s: %d entries", path, len(s.Entries))
		}
	}
}

func TestConcurrentLoads(t *testing.T) {
	f := newFixture(t)
	f.library()
	want := asJSON(t, f.load())
	f.remove("index")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := f.catalog() // as another process would
			for j := range 20 {
				if s, err := c.Load(t.Context()); err != nil || asJSON(t, s) != want {
					t.Errorf("load %d of %d: %v", j, i, err)
					return
				}
				if j%5 == i%5 {
					_ = os.Remove(f.path("index")) // another may have been faster
				}
				if j%7 == i%7 {
					if _, err := c.LoadFresh(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(f.path(".knack-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A fresh load reads every file and leaves a new index behind.
func TestLoadFresh(t *testing.T) {
	f := newFixture(t)
	f.library()
	want := asJSON(t, f.load())
	old, err := os.Stat(f.path("index"))
	if err != nil {
		t.Fatal(err)
	}
	ended, end := testContext(t)
	end()
	if _, err := f.catalog().LoadFresh(ended); err == nil {
		t.Error("an ended context is no error")
	}
	if kept, err := os.Stat(f.path("index")); err != nil || !os.SameFile(old, kept) {
		t.Errorf("an interrupt lost the index: %v", err)
	}
	s, err := f.catalog().LoadFresh(t.Context())
	if err != nil || s.Stats != (Stats{Parsed: 6, Dirs: 10}) || asJSON(t, s) != want {
		t.Fatalf("%+v, %v", s, err)
	}
	if made, err := os.Stat(f.path("index")); err != nil || os.SameFile(old, made) {
		t.Errorf("the index was not replaced: %v", err)
	}
	if s := f.load(); s.Stats.Parsed != 0 {
		t.Errorf("the new index is not used: %+v", s.Stats)
	}
	f.opt.Index = ""
	if s, err := f.catalog().LoadFresh(t.Context()); err != nil || asJSON(t, s) != want {
		t.Errorf("without an index: %v", err)
	}
	f.write("full/index/x", "") // a folder with something in it can neither be replaced nor removed
	f.opt.Index = f.path("full/index")
	if _, err := f.catalog().LoadFresh(t.Context()); err == nil {
		t.Error("an index that stays is no error")
	}
}

// An index with names that lead elsewhere is not believed, whoever wrote it.
func TestNamesInTheIndex(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "..": false, ".": false, "": false, "a/b": false, "/": false, "x\x00": false, "...": true} {
		if isName(name) != want {
			t.Errorf("isName(%q) = %v", name, !want)
		}
	}
}

func FuzzIndex(f *testing.F) {
	rec, _ := pack(&format.Result{Usable: true, Skill: skill.Skill{Name: "x"}}, nil, &memory{})
	at := &anchor{real: "/real"}
	root := &rootScan{Root: Root{Path: "/r", Depth: 1}, dirs: 3, from: at}
	s := &scan{roots: []*rootScan{root}, levels: [][]node{
		{{root: root, name: ".", from: at, in: ".", subs: []sub{{name: "a"}, {name: "l"}, {name: "d.md"}}, stamp: stamp{mtime: 1}}},
		{
			{root: root, name: "a", from: at, record: rec, files: []manifestFile{{name: "SKILL.md", stamp: stamp{mtime: 2}}}},
			{root: root, name: "l", from: at, in: "x", link: true},
			{root: root, name: "d.md", from: at, doc: true, record: rec, files: []manifestFile{{name: "d.md", stamp: stamp{mtime: 2}}}},
		},
	}}
	seed := s.encodeIndex("f")
	if _, err := decodeIndex(string(seed), "f"); err != nil {
		f.Fatal(err)
	}
	f.Add(seed[len(indexMagic) : len(seed)-4])
	f.Add([]byte("\x01f\x01\x00\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, body []byte) {
		data := sealIndex(append([]byte(indexMagic), body...))
		x, err := decodeIndex(string(data), "f")
		if err != nil {
			return
		}
		for i := range x.roots {
			for _, folder := range x.roots[i].folders {
				if len(folder.files) > 0 {
					folder.record.unpack(new(skill.Entry), &memory{})
				}
			}
		}
	})
}
