package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestOversizedManifest(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/big/SKILL.md", "name: big\n"+strings.Repeat("x", 1<<20))
		f.write("skills/both/SKILL.md", strings.Repeat("x", 1<<20+1))
		f.write("skills/both/SKILL.toml", "name: both")
		f.write("skills/just/SKILL.md", strings.Repeat("x", 1<<20))
		s := f.load()
		f.want(s,
			"invalid big skills/big [invalid] {file-too-large skills/big/SKILL.md}",
			"ready both skills/both {file-too-large skills/both/SKILL.md}",
			"ready just skills/just",
		)
		if got := s.Entries[1].Format; got != "SKILL.toml" {
			f.Errorf("read %s", got)
		}
	})
}

func TestManifestThatIsAFolder(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.mkdir("skills/a/SKILL.md/inner")
		f.write("skills/b/SKILL.md", "")
		f.mkdir("skills/b/manifest.toml")
		f.want(f.load(),
			"invalid a skills/a [invalid] {file-not-regular skills/a/SKILL.md}",
			"ready b skills/b {file-not-regular skills/b/manifest.toml}",
		)
	})
}

func TestDeepNesting(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/a/SKILL.md", "")
		f.write("skills/"+strings.Repeat("d/", 200)+"SKILL.md", "")
		s := f.load()
		f.want(s, "ready a skills/a")
		f.opt.Roots[0].Depth = 300
		if s = f.load(); len(s.Entries) != 2 {
			f.Errorf("%d entries", len(s.Entries))
		}
	})
}

func (f *fixture) fillFolder(rel string, count int) {
	f.Helper()
	f.mkdir(rel)
	for i := range count {
		if err := os.WriteFile(f.path(fmt.Sprintf("%s/%06d", rel, i)), nil, 0o600); err != nil {
			f.Fatal(err)
		}
	}
}

func TestTooManyNames(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Rules.MaxEntries = 300
		for _, dir := range []string{"skills/full", "skills/skill", "skills/odd", "skills/just"} {
			f.fillFolder(dir, 300)
			f.write(dir+"/sub/SKILL.md", "")
		}
		f.write("skills/full/one-more", "")
		f.write("skills/skill/SKILL.md", "name: skill")
		f.write("skills/odd/skill.MD", "name: odd")
		f.opt.Index = f.path("index")
		for range 2 {
			f.want(f.load(),
				"ready skill skills/skill",
				"ready sub skills/just/sub",
				"! root-truncated skills/full", "! root-truncated skills/odd",
			)
		}
	})
}

func TestTwentyThousandAndOneNames(t *testing.T) {
	f := newFixture(t)
	f.fillFolder("skills/full", 20_001)
	f.write("skills/a/SKILL.md", "")
	f.want(f.load(), "ready a skills/a", "! root-truncated skills/full")
}

// A hundred thousand folders in one are a large library, not an attack.
func TestFoldersAreBoundedByMaxDirsAlone(t *testing.T) {
	f := newFixture(t)
	f.opt.Rules.MaxEntries, f.opt.Rules.MaxDirs = 2, 10
	for i := range 10 {
		f.write(fmt.Sprintf("skills/%02d/SKILL.md", i), "")
	}
	if s := f.load(); len(s.Entries) != 10 || len(s.Diagnostics) != 0 {
		t.Errorf("%v", f.lines(s))
	}
	f.write("skills/10/SKILL.md", "")
	f.want(f.load(), "! root-truncated skills")
}

func TestOddNames(t *testing.T) {
	everywhere(t, func(f *fixture) {
		for _, name := range []string{"new\nline", "quo\"te", "-dash", "\u202eright", "bad\xff"} {
			if err := os.MkdirAll(f.path("skills/"+name), 0o755); err != nil {
				f.Skip(err) // not every file system takes them
			}
			f.write("skills/"+name+"/SKILL.md", "")
		}
		f.opt.Index = f.path("index")
		first := f.load()
		again := f.load()
		if len(first.Entries) != 5 || again.Stats.Reused != 5 || again.Version != first.Version {
			f.Errorf("%d entries, then %+v", len(first.Entries), again.Stats)
		}
	})
}

// flaky is a tree in which things happen between the listing of a folder and
// its opening.
type flaky struct {
	tree
	before func(path string)
}

func (t flaky) open(path string, b *buffers) (folder, error) {
	t.before(path)
	return t.tree.open(path, b)
}

func (f *fixture) flakyCatalog(before func(path string)) *Catalog {
	c := f.catalog()
	open := c.openTree
	c.openTree = func(path string) (tree, error) {
		t, err := open(path)
		return flaky{t, before}, err
	}
	return c
}

func (f *fixture) loadFrom(c *Catalog) *Snapshot {
	f.Helper()
	s, err := c.Load(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return s
}

func TestVanishing(t *testing.T) {
	everywhere(t, func(f *fixture) {
		for _, name := range []string{"a", "b", "c", "g/d"} {
			f.write("skills/"+name+"/SKILL.md", "")
		}
		c := f.flakyCatalog(func(path string) {
			if path == "b" || path == "g" {
				if err := os.RemoveAll(f.path("skills/" + path)); err != nil {
					f.Error(err)
				}
			}
		})
		f.want(f.loadFrom(c), "ready a skills/a", "ready c skills/c", "! directory-vanished skills/b", "! directory-vanished skills/g")
	})
}

// listed is a folder in which things happen after it was listed.
type listed struct {
	folder
	after func()
}

func (f listed) list(tell func(string, kind) bool) error {
	defer f.after()
	return f.folder.list(tell)
}

type listedTree struct {
	tree
	after func(path string)
}

func (t listedTree) open(path string, b *buffers) (folder, error) {
	f, err := t.tree.open(path, b)
	if err != nil {
		return nil, err
	}
	return listed{f, func() { t.after(path) }}, nil
}

func TestManifestsVanishing(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/all/SKILL.md", "")
		f.write("skills/one/SKILL.md", "")
		f.write("skills/one/SKILL.toml", "")
		c := f.catalog()
		open := c.openTree
		c.openTree = func(path string) (tree, error) {
			t, err := open(path)
			return listedTree{t, func(path string) {
				if path != "." {
					_ = os.Remove(f.path("skills/" + path + "/SKILL.md"))
				}
			}}, err
		}
		f.want(f.loadFrom(c),
			"ready one skills/one {directory-vanished skills/one/SKILL.md}",
			"! directory-vanished skills/all",
		)
	})
}

// A folder or manifest that becomes a link between listing and opening must
// not lead out of the root.
func TestSwappedForALink(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("secret/SKILL.md", "name: stolen")
		f.write("skills/a/SKILL.md", "")
		f.write("skills/g/b/SKILL.md", "")
		for _, swap := range []string{"a", "g", "g/b"} {
			c := f.flakyCatalog(func(path string) {
				if path == swap {
					f.swap("skills/"+swap, f.path("secret"))
				}
			})
			f.notStolen(f.loadFrom(c))
			f.unswap("skills/" + swap)
		}
		c := f.catalog()
		open := c.openTree
		c.openTree = func(path string) (tree, error) {
			t, err := open(path)
			return listedTree{t, func(path string) {
				if path == "a" {
					f.swap("skills/a/SKILL.md", f.path("secret/SKILL.md"))
				}
			}}, err
		}
		f.notStolen(f.loadFrom(c))
	})
}

func (f *fixture) swap(rel, target string) {
	if err := os.Rename(f.path(rel), f.path("aside")); err != nil {
		f.Error(err)
	}
	if err := os.Symlink(target, f.path(rel)); err != nil {
		f.Error(err)
	}
}

func (f *fixture) unswap(rel string) {
	f.Helper()
	if err := os.Remove(f.path(rel)); err != nil {
		f.Fatal(err)
	}
	if err := os.Rename(f.path("aside"), f.path(rel)); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) notStolen(s *Snapshot) {
	f.Helper()
	for _, e := range s.Entries {
		if e.Name == "stolen" {
			f.Errorf("read through a link: %s", e.Path)
		}
	}
}

// The same with a process that keeps swapping, in every way a load reads.
func TestRacingSwaps(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("secret/SKILL.md", "name: stolen")
		f.write("secret/deep/SKILL.md", "name: stolen")
		f.write("skills/g/a/SKILL.md", "name: a")
		f.write("skills/g/deep/SKILL.md", "name: deep")
		f.opt.Index = f.path("index")
		var stop atomic.Bool
		done := make(chan int)
		go func() {
			swaps := 0
			for ; !stop.Load(); swaps++ {
				rel := []string{"skills/g", "skills/g/a", "skills/g/a/SKILL.md"}[swaps%3]
				target := f.path("secret")
				if strings.HasSuffix(rel, ".md") {
					target += "/SKILL.md"
				}
				_ = os.Rename(f.path(rel), f.path("aside"))
				_ = os.Symlink(target, f.path(rel))
				_ = os.Remove(f.path(rel))
				_ = os.Rename(f.path("aside"), f.path(rel))
			}
			done <- swaps
		}()
		c := f.catalog()
		for i := range 300 {
			s := f.loadFrom(c)
			f.notStolen(s)
			if i%10 == 0 {
				deep, err := c.Survey(f.Context(), s)
				if err != nil {
					f.Fatal(err)
				}
				for _, e := range deep.Entries {
					if full, err := c.Open(f.Context(), e); err == nil && full.Name == "stolen" {
						f.Error("opened through a link")
					}
				}
			}
		}
		stop.Store(true)
		if swaps := <-done; swaps == 0 {
			f.Error("nothing was swapped")
		}
	})
}

func TestPathsThatLeadUpwards(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string) (tree, error){"native": openTree, "portable": openRootTree} {
		tr, err := open(filepath.Join(dir, "in"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"..", "../in", "a/../..", "/", "", "a//b", "in/", "x\x00y", "./a"} {
			if f, err := tr.open(path, &buffers{}); err == nil {
				f.close()
				t.Errorf("%s: %q was opened", name, path)
			}
		}
		tr.close()
	}
}

func TestRecordIsCompact(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "name: a\ndescription: short\n\n"+strings.Repeat("long body ", 50_000))
	f.opt.Index = f.path("index")
	e := f.load().Entries[0]
	info, err := os.Stat(f.path("index"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Body.Len() != 0 || info.Size() > 2000 {
		t.Errorf("the body of %d bytes is kept; the index has %d bytes", e.Body.Len(), info.Size())
	}
}
