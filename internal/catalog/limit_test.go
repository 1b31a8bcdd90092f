package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

func TestMaxLoaded(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.rooms()
		f.opt.Rules.MaxLoaded = 2
		for _, path := range []string{"first/a", "first/c", "first/d", "low/x", "last/d"} {
			f.write(path+"/SKILL.md", "")
		}
		f.write("first/b/SKILL.md", "broken: yes")
		f.write("first/e/SKILL.md", "name: a")
		f.opt.Choices.Excluded = []string{"d"}
		s := f.twice()
		f.want(s,
			"ready a first/a",
			"disabled a first/e [over-limit]",
			"invalid b first/b [invalid] {frontmatter-invalid first/b/SKILL.md}",
			"ready c first/c",
			"disabled d last/d [excluded]",
			"disabled d first/d [over-limit] [excluded]",
			"ready x low/x",
		)
		want := skill.Reason{Code: skill.ReasonLimit, Hint: "remove or move away 2 of the 4 skills in " + wording.Quote(f.path("first")),
			Message: "only the first 2 skills of " + wording.Quote(f.path("first")) + " are used, and this is number 3"}
		if diff := cmp.Diff(want, s.Entries[5].Reasons[0]); diff != "" {
			f.Errorf("(-want +got):\n%s", diff)
		}
		full, err := f.catalog().Open(f.Context(), s.Entries[1])
		if err != nil || full.Status != skill.Disabled || !cmp.Equal(full.Reasons, s.Entries[1].Reasons) {
			f.Errorf("%+v, %v", full, err)
		}
		f.opt.Rules.LimitKeys = map[string]string{"max_loaded": "skills.limits.some"}
		if hint := f.twice().Entries[1].Reasons[0].Hint; hint != "raise skills.limits.some in the configuration" {
			f.Errorf("hint %q", hint)
		}
	})
}

func TestMaxTotal(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.opt.Rules.MaxTotal, f.opt.Rules.LimitKeys = 3, map[string]string{"max_total": "skills.max"}
	f.opt.Roots = append(f.opt.Roots, Root{Path: "bundled:", Class: "bundled", Trust: skill.Installed, Depth: 1,
		FS: fstest.MapFS{"d/SKILL.md": {}, "e/SKILL.md": {}}})
	for _, path := range []string{"first/a", "first/b", "low/a", "low/c", "low/d", "last/c", "last/e"} {
		f.write(path+"/SKILL.md", "")
	}
	f.write("first/z/SKILL.md", "broken: yes")
	s := f.twice()
	f.want(s,
		"ready a first/a",
		"shadowed a low/a [shadowed]",
		"ready b first/b",
		"ready c last/c",
		"shadowed c low/c [shadowed]",
		"ready d bundled:d",
		"disabled d low/d [over-limit]",
		"ready e bundled:e",
		"disabled e last/e [over-limit]",
		"invalid z first/z [invalid] {frontmatter-invalid first/z/SKILL.md}",
	)
	want := skill.Reason{Code: skill.ReasonLimit, Hint: "raise skills.max in the configuration",
		Message: "only the first 3 skills of all roots are used, and this one in " + wording.Quote(f.path("low")) + " is number 4"}
	if diff := cmp.Diff(want, s.Entries[6].Reasons[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.opt.Rules.LimitKeys = nil
	if hint := f.twice().Entries[6].Reasons[0].Hint; hint != "remove or move away 2 of the 5 skills in all roots" {
		t.Errorf("hint %q", hint)
	}
}

// A folder that is reached twice is used where no limit stands in the way.
func TestLimitAndTheSameFolder(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.opt.Rules.MaxLoaded = 1
	f.opt.Roots[0].Links = FollowLinks
	f.write("first/a/SKILL.md", "")
	f.write("last/x/SKILL.md", "name: x")
	f.link(f.path("last/x"), "first/b")
	f.want(f.twice(), "ready a first/a", "ready x last/x", "disabled x first/b [over-limit]")
}

func TestMaxCandidates(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Rules.MaxCandidates, f.opt.Roots[0].Nested, f.opt.Roots[0].NestedDepth = 2, "n", 4
		for _, path := range []string{"B", "a", "c", "d", "e", "f", "n/a", "n/b", "n/c", "n/n"} {
			f.write("skills/"+path+"/SKILL.md", "name: "+path)
		}
		f.link("../file", "skills/0")
		f.link("nowhere", "skills/1")
		f.write("file", "")
		s := f.twice()
		f.want(s, "ready B skills/B", "ready a skills/a", "ready n/a skills/n/a", "ready n/b skills/n/b",
			"! root-truncated skills", "! link-loop skills/1", "! root-truncated skills/n")
		for i, want := range map[int]skill.Diagnostic{
			0: skill.RootTruncated.New(f.path("skills"), 0, "only the first 2 of the folders in "+wording.Quote(f.path("skills"))+
				` are looked at; 4 were left out: "c", "d", "e" and so on`, "remove or move away some, or put skills into several folders"),
			2: skill.RootTruncated.New(f.path("skills/n"), 0, "only the first 2 of the folders in "+wording.Quote(f.path("skills/n"))+
				` are looked at; 2 were left out: "c", "n"`, "remove or move away some, or put skills into several folders"),
		} {
			if diff := cmp.Diff(want, s.Diagnostics[i]); diff != "" {
				f.Errorf("(-want +got):\n%s", diff)
			}
		}
		f.opt.Rules.MaxCandidates, f.opt.Rules.LimitKeys = 6, map[string]string{"max_candidates": "k.c"}
		f.write("skills/g/SKILL.md", "")
		s = f.twice()
		if len(s.Entries) != 10 || len(s.Diagnostics) != 2 || !strings.HasPrefix(s.Diagnostics[0].Hint, "raise k.c in ") ||
			!strings.Contains(s.Diagnostics[0].Message, `1 was left out: "g"`) {
			f.Errorf("%v %+v", f.lines(s), s.Diagnostics)
		}
	})
}

// The index and no index say the same under every layout, order and limit, and
// every folder with a manifest is an entry, belongs to one, lies where the
// layout does not look, or was left out by something that a diagnostic tells.
// What the index remembers is what the last load said.
func TestNothingIsLostUnderAnyLayout(t *testing.T) {
	f := newFixture(t)
	folders := []string{".", "a", "b", "skills", "a/a", "a/b", "skills/a", "skills/b", "skills/skills", "a/b/c", "skills/a/c", "B", ".h", "skills/.h/x",
		"../out", "../out/a", "../more", "../more/a"}
	files := []string{"SKILL.md", "SKILL.toml", "skill.md", "notes", "doc.md", "Doc2.MD", "README.md"}
	texts := []string{"name: x", "name: y", "broken: 1", "warn: w", ""}
	f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("more"), Class: "extra", Trust: skill.Installed, Depth: 2})
	rapid.Check(t, func(rt *rapid.T) {
		for _, place := range []string{"repo", "more", "out", "index"} {
			f.remove(place)
		}
		f.mkdir("repo")
		f.portable = rapid.Bool().Draw(rt, "portable")
		rules := &f.opt.Rules
		rules.Layout = rapid.SampledFrom([]string{"grouped", "stop-at-manifest", "flat", "documents"}).Draw(rt, "layout")
		rules.Order = rapid.SampledFrom([]string{"bytes", "icu"}).Draw(rt, "order")
		rules.Duplicate = rapid.SampledFrom([]string{"first", "last"}).Draw(rt, "duplicate")
		rules.HardLinks = rapid.SampledFrom([]string{"follow", "deny"}).Draw(rt, "hard links")
		rules.MaxCandidates = rapid.IntRange(0, 3).Draw(rt, "candidates")
		rules.MaxLoaded, rules.MaxTotal = rapid.IntRange(0, 3).Draw(rt, "loaded"), rapid.IntRange(0, 3).Draw(rt, "total")
		rules.MaxDirs, rules.MaxEntries = rapid.SampledFrom([]int{100, 3}).Draw(rt, "dirs"), rapid.SampledFrom([]int{100, 1}).Draw(rt, "entries")
		root := &f.opt.Roots[0]
		root.Path, root.Depth = f.path("repo"), rapid.IntRange(0, 3).Draw(rt, "depth")
		root.Links = rapid.SampledFrom([]Links{ContainedLinks, FollowLinks, DenyLinks}).Draw(rt, "rule for links")
		f.opt.Roots[1].Links = root.Links
		root.Nested, root.NestedDepth = rapid.SampledFrom([]string{"", "skills"}).Draw(rt, "nested"), rapid.IntRange(0, 2).Draw(rt, "nested depth")
		root.Real = rapid.Bool().Draw(rt, "real")
		links := rapid.Bool().Draw(rt, "links")
		folder := func() string { return f.path("repo/" + rapid.SampledFrom(folders).Draw(rt, "folder")) }
		file := func() string { return filepath.Join(folder(), rapid.SampledFrom(files).Draw(rt, "file")) }
		put := func() { write(file(), rapid.SampledFrom(texts).Draw(rt, "text")) }
		changes := []func(){
			put, put, put,
			func() { _ = os.Remove(file()) },
			func() { _ = os.RemoveAll(folder()) },
			func() { _ = os.Rename(folder(), folder()) },
			func() {
				if links {
					_ = os.Symlink(folder(), folder())
				}
			},
			func() {
				if links {
					_ = os.Symlink(file(), file())
					_ = os.Link(file(), file())
				}
			},
		}
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(1, 6).Draw(rt, "changes") {
				changes[rapid.IntRange(0, len(changes)-1).Draw(rt, "change")]()
			}
			f.opt.Index = f.path("index")
			warm := f.load()
			remembered, err := f.catalog().Remembered(f.Context())
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(warm.Entries, remembered.Entries); diff != "" {
				rt.Fatalf("the index remembers other entries than it was made from (-made +remembered):\n%s", diff)
			}
			f.opt.Index = ""
			cold := f.load()
			if diff := cmp.Diff(asJSON(f, cold), asJSON(f, warm)); diff != "" {
				rt.Fatalf("the index changes the result (-without +with):\n%s", diff)
			}
			if !links {
				f.allAccounted(rt, cold)
			}
		}
	})
}

// allAccounted looks for manifests that a snapshot does not account for.
func (f *fixture) allAccounted(rt *rapid.T, s *Snapshot) {
	entries, told := map[string]*skill.Entry{}, map[string]bool{}
	for _, e := range s.Entries {
		entries[f.rel(e.Path)] = e
		if rules := f.opt.Rules; e.Status == skill.Ready && rules.MaxLoaded+rules.MaxTotal > 0 && len(e.Reasons) > 0 {
			rt.Errorf("%s is ready for %v", e.Path, e.Reasons)
		}
	}
	for _, d := range s.Diagnostics {
		told[f.rel(d.File)] = true
	}
	parser := newFakeParser()
	err := filepath.WalkDir(f.path("repo"), func(path string, d fs.DirEntry, err error) error {
		if _, _, ok := parser.Rank(filepath.Base(path)); err != nil || d.IsDir() || !ok {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the root itself may be gone
			}
			return err
		}
		if dir := f.rel(filepath.Dir(path)); !f.accounted(dir, entries, told) {
			rt.Errorf("%s is lost: %v", dir, f.lines(s))
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
}

// accounted goes down to a folder from the root, as the rules say in words.
func (f *fixture) accounted(dir string, entries map[string]*skill.Entry, told map[string]bool) bool {
	root, layout := f.opt.Roots[0], f.opt.Rules.Layout
	rest, _ := inside(f.path(dir), f.path("repo"))
	parts := strings.Split(filepath.ToSlash(rest), "/")
	nested := root.Nested != "" && parts[0] == root.Nested
	if rest == "." {
		return entries[dir] != nil || told[dir] || layout == "flat" || layout == "documents"
	}
	depth := root.Depth
	if nested {
		depth = 1 + root.NestedDepth
	}
	switch layout {
	case "flat":
		depth = 1
	case "documents":
		if !nested || len(parts) == 1 {
			return true
		}
		depth = 2
	case "stop-at-manifest":
		if e := entries["repo"]; e != nil && e.Status != skill.Invalid {
			return true
		}
	}
	if nested && root.Depth == 0 && layout != "flat" && layout != "documents" {
		return true // nothing below the root is searched
	}
	path := "repo"
	for i, part := range parts {
		if told[path] || strings.HasPrefix(part, ".") || i >= depth {
			return true
		}
		if path += "/" + part; entries[path] != nil {
			return true
		}
	}
	return told[path]
}

// What the messages name is what was left out.
func TestSomeOf(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a"}, `"a"`}, {[]string{"a", "b", "c"}, `"a", "b", "c"`}, {[]string{"a", "b", "c", "d"}, `"a", "b", "c" and so on`},
	} {
		if got := someOf(c.names); got != c.want {
			t.Errorf("%v gives %s", c.names, got)
		}
	}
}

// A large library under limits is resolved in the same order however its
// folders are called.
func TestLimitsAreInOrder(t *testing.T) {
	f := newFixture(t)
	f.opt.Rules.MaxLoaded = 7
	var names []string
	for i := range 40 {
		name := fmt.Sprintf("s%02d", (i*17)%40)
		names = append(names, name)
		f.write("skills/"+name+"/SKILL.md", "")
	}
	slices.Sort(names)
	for i, e := range f.twice().Entries {
		if ready := i < 7; e.Name != names[i] || (e.Status == skill.Ready) != ready {
			t.Errorf("%d: %s is %s", i, e.Name, e.Status)
		}
	}
}
