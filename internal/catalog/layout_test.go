package catalog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// twice loads without an index, and with one that is made, used, and then used
// for what it remembers. All say the same; the first is returned.
func (f *fixture) twice() *Snapshot {
	f.Helper()
	f.opt.Index = ""
	want := f.load()
	f.opt.Index = f.path("index")
	for _, how := range []string{"made", "used"} {
		if diff := cmp.Diff(asJSON(f, want), asJSON(f, f.load())); diff != "" {
			f.Errorf("the index, %s, changes the result:\n%s", how, diff)
		}
	}
	remembered, err := f.catalog().Remembered(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	if diff := cmp.Diff(want.Entries, remembered.Entries); diff != "" {
		f.Errorf("the index remembers other entries:\n%s", diff)
	}
	return want
}

func TestFlatLayout(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Rules.Layout, f.opt.Roots[0].Depth, f.opt.Roots[0].Nested, f.opt.Roots[0].NestedDepth = "flat", 0, "n", 3
		for _, path := range []string{"SKILL.md", "a/SKILL.md", "a/b/SKILL.md", "g/c/SKILL.md", "n/d/SKILL.md", ".h/SKILL.md"} {
			f.write("skills/"+path, "")
		}
		f.link("a", "skills/l")
		f.want(f.twice(), "ready a skills/a", "shadowed l skills/l [same-folder]")
	})
}

// A root's own layout counts, and is part of what an index is about.
func TestLayoutOfARoot(t *testing.T) {
	f := newFixture(t)
	f.opt.Index = f.path("index")
	f.write("skills/SKILL.md", "name: r")
	f.write("skills/a/SKILL.md", "")
	f.want(f.load(), "ready a skills/a", "ready r skills")
	f.opt.Roots[0].Layout = "flat"
	f.want(f.load(), "ready a skills/a")
	f.opt.Roots[0].Layout = "stop-at-manifest"
	f.want(f.load(), "ready r skills")
}

// All that decides what is searched below a root decides whether an index of it
// can be used.
func TestRootKey(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range []Root{
		{Path: "/a"}, {Path: "/a", Depth: 1}, {Path: "/a", Links: DenyLinks}, {Path: "/a", Within: "/b"}, {Path: "/a", Targets: []string{"/b"}},
		{Path: "/a", Targets: []string{"/b", "/c"}}, {Path: "/a", Layout: "flat"}, {Path: "/a", Nested: "b"}, {Path: "/a", NestedDepth: 1}, {Path: "/a", Real: true},
		{Path: "/a", Class: bundledClass},
	} {
		if key := r.key(); seen[key] {
			t.Errorf("%+v has the key of another", r)
		} else {
			seen[key] = true
		}
	}
}

func TestWholeRoot(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Rules.Layout, f.opt.Roots[0].Nested, f.opt.Roots[0].NestedDepth = "stop-at-manifest", "n", 2
		f.write("skills/SKILL.md", "name: r\n\nbody")
		f.write("skills/ref/notes.txt", "12")
		f.write("skills/sub/SKILL.md", "")
		f.write("skills/n/s/SKILL.md", "")
		s := f.twice()
		f.want(s, "ready r skills")
		full := f.open("r")
		if diff := cmp.Diff([]skill.Resource{{Path: "n/s/SKILL.md"}, {Path: "ref/notes.txt", Size: 2}, {Path: "sub/SKILL.md"}}, full.Resources); diff != "" {
			f.Errorf("its whole folder is its own (-want +got):\n%s", diff)
		}
		deep, err := f.catalog().Survey(f.Context(), s)
		if err != nil {
			f.Fatal(err)
		}
		f.want(deep, "ready r skills {nested-manifest skills/n/s/SKILL.md} {nested-manifest skills/sub/SKILL.md}")

		f.write("skills/SKILL.md", "name: r\nbroken: yes")
		s = f.twice()
		f.want(s, "invalid r skills [invalid] {frontmatter-invalid skills/SKILL.md}", "ready s skills/n/s", "! root-truncated skills")
		if hint := s.Diagnostics[0].Hint; hint != "mend or remove "+wording.Quote(f.path("skills/SKILL.md")) {
			f.Errorf("hint %q", hint)
		}
		if full := f.open("r"); full.Resources != nil {
			f.Errorf("a root that others are in has resources: %v", full.Resources)
		}
		f.remove("skills/sub")
		f.remove("skills/ref")
		f.want(f.twice(), "invalid r skills [invalid] {frontmatter-invalid skills/SKILL.md}", "ready s skills/n/s")
		f.remove("skills/SKILL.md")
		f.write("skills/sub/SKILL.md", "")
		f.want(f.twice(), "ready s skills/n/s", "ready sub skills/sub")
	})
}

func TestNestedDepth(t *testing.T) {
	for _, layout := range []string{"grouped", "stop-at-manifest"} {
		t.Run(layout, func(t *testing.T) {
			f := newFixture(t)
			f.opt.Rules.Layout = layout
			f.opt.Roots[0] = Root{Path: f.path("skills"), Trust: skill.Trusted, Depth: 1, Nested: "n", NestedDepth: 2, Links: ContainedLinks}
			for _, path := range []string{"a", "g/b", "n/c", "n/g/d", "n/g/g/e", "n/n/g/f"} {
				f.write("skills/"+path+"/SKILL.md", "")
			}
			f.want(f.twice(), "ready a skills/a", "ready c skills/n/c", "ready d skills/n/g/d")
			f.opt.Roots[0].Path = f.path("skills/n")
			f.want(f.twice(), "ready c skills/n/c", "ready d skills/n/g/d", "ready f skills/n/n/g/f")
		})
	}
}

// documents has a root of files that are skills.
func (f *fixture) documents() {
	f.opt.Rules.Layout, f.opt.Roots[0].Depth, f.opt.Roots[0].Nested = "documents", 0, "n"
	f.write("skills/one.md", "name: first\ndescription: d\nwarn: odd\n\nthe body")
	f.write("skills/Two.MD", "")
	f.write("skills/three.md", "broken: SKILL.md is")
	f.write("skills/readme.MD", "")
	f.write("skills/.hidden.md", "")
	f.write("skills/notes.txt", "")
	f.write("skills/dir/SKILL.md", "")
	f.mkdir("skills/dir.md")
	f.link("one.md", "skills/four.md")
	f.link("../elsewhere.md", "skills/five.md")
	f.write("elsewhere.md", "")
}

func TestDocuments(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.documents()
		s := f.twice()
		f.want(s,
			"ready Two skills",
			"ready first skills {key-unknown skills/four.md}",
			"shadowed first skills [duplicate] {key-unknown skills/one.md}",
			"invalid five skills [invalid] {file-escapes skills/five.md}",
			"invalid three skills [invalid] {frontmatter-invalid skills/three.md}",
		)
		e := s.Entries[0]
		if found, err := s.Find(f.path("skills/Two.MD")); err != nil || found != e {
			f.Errorf("found by its path: %v, %v", found, err)
		}
		if e.Slug != "Two" || e.Root != e.Path || len(e.Manifests) != 1 || e.Manifests[0].File != "Two.MD" {
			f.Errorf("%+v", e)
		}
		if r := s.Entries[4].Reasons[0]; r.Message != "three.md:2: three.md is" {
			f.Errorf("message %q", r.Message)
		}
		if s := f.load(); s.Stats.Parsed != 2 { // the two links, which say nothing of what they lead to
			f.Errorf("with an index: %+v", s.Stats)
		}
		f.write("skills/Two.MD", "name: second")
		if s := f.load(); s.Stats.Parsed != 3 || s.Entries[4].Name != "three" && s.Entries[3].Name != "second" {
			f.Errorf("after an edit: %+v %v", s.Stats, f.lines(s))
		}
		f.remove("skills/Two.MD")
		f.remove("skills/four.md")
		f.want(f.twice(),
			"ready first skills {key-unknown skills/one.md}",
			"invalid five skills [invalid] {file-escapes skills/five.md}",
			"invalid three skills [invalid] {frontmatter-invalid skills/three.md}",
		)
	})
}

func TestDocumentsOpened(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.documents()
		c := f.catalog()
		s := f.loadFrom(c)
		for i, want := range []string{"Two.MD", "four.md", "one.md", "five.md", "three.md"} {
			full, err := c.Open(f.Context(), s.Entries[i])
			if err != nil {
				f.Fatal(err)
			}
			if full.Name != s.Entries[i].Name || full.Path != f.path("skills") || full.Resources != nil {
				f.Errorf("%+v", full)
			}
			if len(full.Manifests) == 1 && (full.Manifests[0].File != want || len(full.Manifests[0].SHA256) != 64) {
				f.Errorf("%+v, want %s", full.Manifests, want)
			}
			if full.Status != s.Entries[i].Status || !cmp.Equal(full.Diagnostics, s.Entries[i].Diagnostics) {
				f.Errorf("%s: %s %v", want, full.Status, full.Diagnostics)
			}
		}
		one, err := c.Inspect(f.Context(), f.path("skills/one.md"))
		if err != nil || one.Name != "first" || one.Body.Raw() != "the body" || one.Trust != skill.Installed || one.Status != skill.Ready {
			f.Errorf("%+v, %v", one, err)
		}
		if _, err := c.Inspect(f.Context(), f.path("skills/readme.MD")); err == nil {
			f.Error("a read-me is a skill")
		}
		deep, err := c.Survey(f.Context(), s)
		if err != nil || !cmp.Equal(f.lines(deep), f.lines(s)) {
			f.Errorf("survey: %v %v", f.lines(deep), err)
		}
		// The digest is that of a folder with the file alone.
		opened, err := c.Open(f.Context(), s.Entries[2])
		if err != nil {
			f.Fatal(err)
		}
		f.write("alone/one.md", f.read("skills/one.md"))
		f.write("alone/SKILL.toml", "")
		f.write("skills/other.txt", "")
		f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("alone"), Trust: skill.Trusted})
		again, err := f.catalog().Open(f.Context(), &skill.Entry{Root: f.path("alone"), Path: f.path("alone"), Skill: skill.Skill{Slug: "one"}})
		if err != nil || opened.Digest == "" || again.Digest != opened.Digest {
			f.Errorf("digests %s and %v, %v", opened.Digest, again, err)
		}
		f.remove("skills/one.md")
		if _, err := c.Open(f.Context(), s.Entries[2]); err == nil {
			f.Error("a file that is gone was opened")
		}
	})
}

func TestNestedFolderInsteadOfDocuments(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.documents()
		for _, path := range []string{"n/SKILL.md", "n/a/SKILL.md", "n/g/b/SKILL.md", "n/x.md"} {
			f.write("skills/"+path, "")
		}
		f.want(f.twice(), "ready a skills/n/a")
		if full := f.open("a"); full.Path != f.path("skills/n/a") {
			f.Errorf("%+v", full)
		}
		// A link counts for what it leads to.
		f.opt.Roots[0].Links = FollowLinks
		f.remove("skills/n")
		f.link("../out", "skills/n")
		f.write("out/c/SKILL.md", "")
		f.want(f.twice(), "ready c skills/n/c")
		f.remove("out")
		if s := f.twice(); len(s.Entries) != 5 {
			f.Errorf("the folder is gone: %v", f.lines(s))
		}
		f.write("out", "a file")
		if s := f.twice(); len(s.Entries) != 5 {
			f.Errorf("the folder is a file: %v", f.lines(s))
		}
		f.remove("out")
		f.write("out/c/SKILL.md", "")
		f.want(f.twice(), "ready c skills/n/c")
	})
}

// A folder of skills with too many names says so, though it has a manifest, for
// that makes it no skill.
func TestTooManyNamesAmongDocuments(t *testing.T) {
	f := newFixture(t)
	f.opt.Rules.Layout, f.opt.Roots[0].Nested, f.opt.Rules.MaxEntries = "documents", "n", 3
	f.write("skills/n/SKILL.md", "")
	for _, name := range []string{"a", "b", "c", "d"} {
		f.write("skills/n/"+name+".txt", "")
		f.write("skills/n/"+name+"/SKILL.md", "")
	}
	f.want(f.twice(), "! root-truncated skills/n")
	f.remove("skills/n")
	for _, name := range []string{"a", "b", "c", "d"} {
		f.write("skills/"+name+".md", "")
	}
	f.want(f.twice(), "! root-truncated skills")
}

func TestEmbeddedDocuments(t *testing.T) {
	f := newFixture(t)
	f.opt.Roots = []Root{{Path: "bundled:", Class: "bundled", Trust: skill.Trusted, Layout: "documents",
		FS: fstest.MapFS{"a.md": {Data: []byte("name: a\nwarn: x")}, "d/SKILL.md": {}}}}
	s := f.load()
	f.want(s, "ready a bundled: {key-unknown bundled:a.md}")
	if full, err := f.catalog().Open(t.Context(), s.Entries[0]); err != nil || full.Digest == "" {
		t.Errorf("%+v, %v", full, err)
	}
}

func TestDocumentsNeedAMarkdownManifest(t *testing.T) {
	f := newFixture(t)
	f.opt.Roots[0].Layout = "documents"
	p := newFakeParser()
	p.rules.Manifests = []string{"SKILL.toml"}
	if _, err := newCatalog(f.opt, p, fakeGate{}); err == nil || !strings.Contains(err.Error(), "Markdown") {
		t.Errorf("error %v", err)
	}
}

func TestDocumentsAreWatched(t *testing.T) {
	f := newFixture(t)
	f.opt.Rules.Layout = "documents"
	f.write("skills/a.md", "")
	c := f.catalog()
	_, s, err := c.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if dirs, _, _ := s.watchable(); !cmp.Equal(dirs, map[string]bool{f.path("skills"): true}) {
		t.Errorf("%v are watched", dirs) // each costs one of the few that a system gives
	}
	w := f.watch(c)
	f.write("skills/b.md", "")
	w.until("ready a skills", "ready b skills")
	f.write("skills/b.md", "name: c")
	w.until("ready a skills", "ready c skills")
	f.remove("skills/a.md")
	w.until("ready c skills")
}

// A skill behind a link is known by where it really is, everywhere.
func TestRealPaths(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Roots[0].Links, f.opt.Roots[0].Real = FollowLinks, true
		f.write("out/s/SKILL.md", "warn: x")
		f.write("out/g/t/SKILL.md", "")
		f.write("real/k/SKILL.md", "")
		f.link(f.path("real"), "skills")
		f.link(f.path("out/s"), "real/link")
		f.link(f.path("out/g"), "real/group")
		f.link("k", "real/again")
		s := f.twice()
		f.want(s,
			"shadowed again real/k [same-folder]", "ready k real/k",
			"ready link out/s {key-unknown out/s/SKILL.md}", "ready t out/g/t")
		for _, e := range s.Entries {
			full, err := f.catalog().Open(f.Context(), e)
			if err != nil {
				f.Fatal(err)
			}
			if full.Path != e.Path || full.Slug != e.Slug || full.Root != f.path("skills") || full.Status != e.Status || full.Digest == "" {
				f.Errorf("%+v", full)
			}
		}
		f.remove("real/link")
		f.write("out/s2/SKILL.md", "warn: x")
		f.link(f.path("out/s2"), "real/link")
		if again := f.twice(); again.Version == s.Version {
			f.Error("another place, the same version")
		}
		f.remove("out/s")
		if _, err := f.catalog().Open(f.Context(), s.Entries[2]); err == nil {
			f.Error("what is gone was opened")
		}
		f.opt.Roots[0].Links = ContainedLinks
		if _, err := f.catalog().Open(f.Context(), s.Entries[3]); err == nil {
			f.Error("what no link may lead to was opened")
		}
		f.opt.Roots[0].Links = DenyLinks
		if full := f.open("k"); full.Path != f.path("real/k") || full.Status != skill.Ready {
			f.Errorf("where no link is followed: %+v", full)
		}
	})
}

func TestTargetsOfLinks(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("lib/g/a/SKILL.md", "")
		f.write("lib/b/SKILL.md", "")
		f.write("other/c/SKILL.md", "")
		f.link(f.path("lib/g"), "skills/g")
		f.link(f.path("lib/b"), "skills/b")
		f.link(f.path("other/c"), "skills/c")
		f.link(f.path("other"), "lib/g/out")
		f.link(f.path("lib"), "shelf")
		f.opt.Roots[0].Targets = []string{f.path("none"), f.path("shelf")}
		f.want(f.twice(), "ready a skills/g/a", "ready b skills/b", "! link-refused skills/c", "! link-refused skills/g/out")
		for _, name := range []string{"a", "b"} {
			if full := f.open(name); full.Status != skill.Ready {
				f.Errorf("%+v", full)
			}
		}
		f.opt.Roots[0].Targets = append(f.opt.Roots[0].Targets, f.path("other/c"))
		f.want(f.twice(), "ready a skills/g/a", "ready b skills/b", "ready c skills/c", "! link-refused skills/g/out")
		f.opt.Roots[0].Links = DenyLinks
		f.want(f.twice(), "! link-refused skills/b", "! link-refused skills/c", "! link-refused skills/g")
	})
}

func TestHardLinks(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/a/SKILL.md", "")
		f.write("skills/b/real.md", "")
		f.link("real.md", "skills/b/SKILL.md")
		f.mkdir("skills/c")
		for path, other := range map[string]string{"skills/a/SKILL.md": "skills/c/SKILL.md", "skills/b/real.md": "elsewhere"} {
			if err := os.Link(f.path(path), f.path(other)); err != nil {
				f.Skip(err)
			}
		}
		if st, _, err := rootTree.lstat(f.tree(), "skills/a/SKILL.md"); err != nil || st.links == 0 {
			f.Skip("this system does not tell how many names a file has")
		}
		f.want(f.twice(), "ready a skills/a", "ready b skills/b", "ready c skills/c")
		f.opt.Rules.HardLinks = "deny"
		s := f.twice()
		f.want(s,
			"invalid a skills/a [invalid] {file-escapes skills/a/SKILL.md}",
			"invalid b skills/b [invalid] {file-escapes skills/b/SKILL.md}",
			"invalid c skills/c [invalid] {file-escapes skills/c/SKILL.md}")
		if m := s.Entries[0].Diagnostics[0].Message; !strings.Contains(m, "SKILL.md has 2 names") {
			f.Errorf("message %q", m)
		}
		f.remove("skills/c")
		f.remove("elsewhere")
		f.want(f.twice(), "ready a skills/a", "ready b skills/b")
		if err := os.Link(f.path("skills/a/SKILL.md"), f.path("elsewhere")); err != nil {
			f.Fatal(err)
		}
		f.want(f.twice(), "invalid a skills/a [invalid] {file-escapes skills/a/SKILL.md}", "ready b skills/b")
		f.opt.Roots[0].Class = bundledClass
		f.want(f.twice(), "ready a skills/a", "ready b skills/b")
	})
}

func (f *fixture) tree() rootTree {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = root.Close() })
	return rootTree{root}
}

// Signs come before digits, digits before letters, and of one letter the small
// one before the capital and the one with an accent: the order in which ICU 78
// sorts, checked against it for these and thousands more.
func TestAlphabet(t *testing.T) {
	want := strings.Split("_ - , ; : ! ? . ' \" ( ) [ ] { } @ * / \\ & # % ` ^ + < = > | ~ $ 0 1 9 a A á b B c ç d e é É z Z z_1 z-1 z/a z1 za æ ø", " ")
	// æ and ø sort as letters with marks: after ae and o.
	want = slices.DeleteFunc(want, func(s string) bool { return s == "æ" || s == "ø" })
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, newAlphabet().compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a := newAlphabet(); a.compare("é", "e\u0301") == 0 || a.key("é") != a.key("e\u0301") {
		t.Error("two ways to write one letter are not told apart by their bytes")
	}
}

// Folders of one root that a host's order puts differently than bytes do.
func TestOrderOfFolders(t *testing.T) {
	f := newFixture(t)
	f.write("skills/B/SKILL.md", "name: x")
	f.write("skills/a/SKILL.md", "name: x")
	for _, step := range []struct{ order, duplicate, winner, why string }{
		{"bytes", "first", "B", "comes first in the same root"}, {"bytes", "last", "a", "comes last in the same root"},
		{"icu", "first", "a", "comes first in the same root"}, {"icu", "last", "B", "comes last in the same root"},
	} {
		f.opt.Rules.Order, f.opt.Rules.Duplicate = step.order, step.duplicate
		s := f.twice()
		if filepath.Base(s.Entries[0].Path) != step.winner || s.Entries[1].Reasons[0].Code != skill.ReasonDuplicate ||
			!strings.HasSuffix(s.Entries[1].Reasons[0].Message, step.why) {
			t.Errorf("%s, %s: %v %+v", step.order, step.duplicate, f.lines(s), s.Entries[1].Reasons)
		}
	}
}

func TestShadowByOrder(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.opt.Rules.Shadow = "order"
	f.write("low/a/SKILL.md", "")
	f.write("last/a/SKILL.md", "")
	s := f.twice()
	f.want(s, "ready a low/a", "shadowed a last/a [shadowed]")
	if m := s.Entries[1].Reasons[0].Message; !strings.HasSuffix(m, "its root comes first") {
		t.Errorf("message %q", m)
	}
}

func TestFiltered(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "")
	f.write("skills/b/SKILL.md", "name: A")
	f.opt.Choices = Choices{Only: []string{"a", "b"}, OnlyFor: "the agent writer", Excluded: []string{"b"}}
	s := f.twice()
	f.want(s, "disabled A skills/b [excluded] [not-for-agent]", "ready a skills/a")
	want := skill.Reason{Code: skill.ReasonFiltered, Message: "it is not on the list of skills for the agent writer",
		Hint: `add "A" to the list of skills for the agent writer in the configuration`}
	if diff := cmp.Diff(want, s.Entries[0].Reasons[1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if full := f.open("A"); full.Status != skill.Disabled || !cmp.Equal(full.Reasons, s.Entries[0].Reasons) {
		t.Errorf("%+v", full)
	}
	f.opt.Choices = Choices{Only: []string{}}
	s = f.twice()
	f.want(s, "disabled A skills/b [not-for-agent]", "disabled a skills/a [not-for-agent]")
	if m := s.Entries[0].Reasons[0].Message; m != "it is not on the list of skills that may be used" {
		t.Errorf("message %q", m)
	}
}
