package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// everywhere runs a test with this system's way to read files and with the
// one for all systems.
func everywhere(t *testing.T, test func(f *fixture)) {
	t.Run("native", func(t *testing.T) { test(newFixture(t)) })
	t.Run("portable", func(t *testing.T) {
		f := newFixture(t)
		f.portable = true
		test(f)
	})
}

func (f *fixture) want(s *Snapshot, lines ...string) {
	f.Helper()
	if diff := cmp.Diff(lines, f.lines(s)); diff != "" {
		f.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLayout(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Roots[0].Depth = 3
		for _, path := range []string{
			"skills/SKILL.md", "skills/README.md", "skills/a/SKILL.md", "skills/a/inner/SKILL.md",
			"skills/group/b/skill.MD", "skills/group/deep/c/manifest.toml", "skills/group/deep/deeper/d/SKILL.md",
			"skills/.hidden/e/SKILL.md", "skills/group/node_modules/g/SKILL.md", "skills/empty/README.md",
		} {
			f.write(path, "description: x")
		}
		s := f.load()
		f.want(s,
			"ready a skills/a",
			"ready b skills/group/b",
			"ready c skills/group/deep/c",
			"ready skills skills",
		)
		if want := (Stats{Parsed: 4, Dirs: 8}); s.Stats != want {
			f.Errorf("stats %+v, want %+v", s.Stats, want)
		}
	})
}

func TestDepthZeroIsTheRootAlone(t *testing.T) {
	f := newFixture(t)
	f.opt.Roots[0].Depth = 0
	f.write("skills/SKILL.md", "name: flat")
	f.write("skills/a/SKILL.md", "")
	f.want(f.load(), "ready flat skills")
}

func TestEntry(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/group/folder/SKILL.md", "name: declared\ndescription: d\nwarn: odd\n\nthe body")
		got := f.load().Entries[0]
		want := &skill.Entry{
			Skill: skill.Skill{Name: "declared", Slug: "folder", Description: skill.NewText("d"), Format: "SKILL.md",
				Manifests: got.Manifests, Trust: skill.Trusted},
			Source: "user", Root: f.path("skills"), Path: f.path("skills/group/folder"),
			Status: skill.Ready, Reasons: []skill.Reason{},
			Diagnostics: []skill.Diagnostic{skill.KeyUnknown.New(f.path("skills/group/folder/SKILL.md"), 3, "odd", "")},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			f.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestOneManifestOfEachKind(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("the file system does not tell letter cases apart")
	}
	f := newFixture(t)
	for _, name := range []string{"Skill.md", "SKILL.md", "skill.md", "SKILL.toml", "skills.md"} {
		f.write("skills/a/"+name, "")
	}
	f.write("skills/b/skill.md", "")
	f.write("skills/b/sKill.md", "")
	s := f.load()
	f.want(s,
		"ready a skills/a {file-duplicate skills/a/Skill.md}",
		"ready b skills/b {file-duplicate skills/b/skill.md}",
	)
	if got := s.Entries[0].Format; got != "SKILL.toml+SKILL.md+skills.md" {
		t.Errorf("read %s", got)
	}
	if got := s.Entries[1].Format; got != "sKill.md" {
		t.Errorf("read %s", got)
	}
	if !strings.Contains(s.Entries[0].Diagnostics[0].Message, "nor are 1 more") {
		t.Errorf("message %q", s.Entries[0].Diagnostics[0].Message)
	}
}

func TestRootsThatAreNotThere(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("file", "")
		f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("file"), Depth: 1}, Root{Path: f.path("none/x"), Depth: 1},
			Root{Path: f.path("file/x"), Depth: 1})
		f.want(f.load(), "! root-unreadable file")
	})
}

func TestRootIsALink(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("real/a/SKILL.md", "")
		f.write("real/b/SKILL.md", "")
		f.link("b", "real/c")
		f.link(f.path("real"), "skills")
		f.want(f.load(),
			"ready a skills/a",
			"ready b skills/b",
			"shadowed c skills/c [same-folder]",
		)
	})
}

func TestSameDirectoryTwice(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/a/SKILL.md", "")
		f.link(f.path("skills"), "again")
		f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("again"), Class: "x", Depth: 1}, f.opt.Roots[0])
		f.want(f.load(), "ready a skills/a")
	})
}

func TestRootInsideARoot(t *testing.T) {
	f := newFixture(t)
	f.write("skills/group/a/SKILL.md", "")
	f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("skills/group"), Class: "x", Depth: 1, Trust: skill.Trusted})
	f.want(f.load(),
		"ready a skills/group/a",
		"shadowed a skills/group/a [same-folder]",
	)
}

func TestEmbeddedRoot(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "")
	f.opt.Roots = append(f.opt.Roots, Root{Path: "bundled:", Class: "bundled", Trust: skill.Trusted, Depth: 1, Links: DenyLinks,
		FS: fstest.MapFS{
			"a/SKILL.md":       {Data: []byte("warn: x")},
			"b/SKILL.md":       {Data: []byte("\n\nbody")},
			"b/files/x.sh":     {Data: []byte("#!"), Mode: 0o755},
			"deep/c/SKILL.md":  {},
			"b/files/SKILL.md": {},
		}})
	s := f.load()
	f.want(s,
		"ready a skills/a",
		"shadowed a bundled:a [shadowed] {key-unknown bundled:a/SKILL.md}",
		"ready b bundled:b",
	)
	if e := s.Entries[2]; e.Root != "bundled:" || e.Source != "bundled" || e.Provenance.Source != "bundled" {
		t.Errorf("%+v", e)
	}
}

func TestLinksOfFolders(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/a/SKILL.md", "")
		f.write("ws/inside/b/SKILL.md", "")
		f.write("outside/c/SKILL.md", "")
		f.write("outside/file", "")
		f.link("a", "skills/a2")
		f.link(f.path("ws/inside"), "skills/inside")
		f.link("../outside/c", "skills/out")
		f.link(f.path("outside/file"), "skills/file")
		f.link("nothing", "skills/dangling")
		f.link("self", "skills/self")
		f.link("..", "skills/g/up")
		f.link(f.path("outside"), "skills/.hidden")
		refused := []string{"! link-loop skills/dangling", "! link-loop skills/g/up", "! link-refused skills/out", "! link-loop skills/self"}
		f.opt.Roots[0].Within = f.path("ws")
		s := f.load()
		f.want(s, append([]string{
			"ready a skills/a",
			"shadowed a2 skills/a2 [same-folder]",
			"ready b skills/inside/b",
		}, refused...)...)
		if m := s.Diagnostics[2].Message; !strings.Contains(m, wording.Quote(f.path("skills/out"))) || !strings.Contains(m, wording.Quote(f.path("outside/c"))) {
			f.Errorf("message %q names link and target", m)
		}
		f.opt.Roots[0].Links = FollowLinks
		f.want(f.load(),
			"ready a skills/a",
			"shadowed a2 skills/a2 [same-folder]",
			"ready b skills/inside/b",
			"ready out skills/out",
			"! link-loop skills/dangling", "! link-loop skills/g/up", "! link-loop skills/self",
		)
		f.opt.Roots[0].Links = DenyLinks
		f.want(f.load(),
			"ready a skills/a",
			"! link-refused skills/a2",
			"! link-loop skills/dangling", "! link-loop skills/g/up",
			"! link-refused skills/inside", "! link-refused skills/out",
			"! link-loop skills/self",
		)
	})
}

// Two folders that link to each other end where they meet again.
func TestLinksThatMeet(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Roots[0].Depth = 20
		f.opt.Roots[0].Links = FollowLinks
		f.write("skills/a/s/SKILL.md", "")
		f.link("../b", "skills/a/x")
		f.mkdir("skills/b")
		f.link("../a", "skills/b/y")
		f.want(f.load(),
			"ready s skills/a/s",
			"shadowed s skills/b/y/s [same-folder]",
			"! link-loop skills/a/x/y", "! link-loop skills/b/y/x",
		)
	})
}

// A few folders that all lead to each other must not cost what their paths
// are, which is millions.
func TestLinksThatMultiply(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Roots[0].Depth, f.opt.Roots[0].Links = 10, FollowLinks
		f.opt.Index = f.path("index")
		const count = 12
		for i := range count {
			f.write(fmt.Sprintf("skills/%d/s/SKILL.md", i), fmt.Sprintf("name: s%02d", i))
			for j := range count {
				f.link(fmt.Sprintf("../%d", j), fmt.Sprintf("skills/%d/l%d", i, j))
			}
		}
		first := f.load()
		ready := 0
		for _, e := range first.Entries {
			if e.Status == skill.Ready {
				ready++
			}
		}
		if most := 10 * count * count; first.Stats.Dirs > most || ready != count {
			f.Errorf("%d folders visited for %d, %d skills ready", first.Stats.Dirs, count, ready)
		}
		if again := f.load(); asJSON(f, again) != asJSON(f, first) {
			f.Error("the index changes the result")
		}
	})
}

func TestLinksOfManifests(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("secret", "name: stolen")
		f.write("skills/in/docs/real.md", "name: in")
		f.link("docs/real.md", "skills/in/SKILL.md")
		f.write("skills/absolute/real.md", "")
		f.link(f.path("skills/absolute/real.md"), "skills/absolute/SKILL.md")
		f.link("../../secret", "skills/out/SKILL.md")
		f.link("SKILL.md", "skills/loop/SKILL.md")
		f.link("none", "skills/dangling/SKILL.md")
		f.link("../in/docs", "skills/twice/docs")
		f.link("docs/real.md", "skills/twice/SKILL.md")
		s := f.load()
		f.want(s,
			"ready absolute skills/absolute",
			"invalid dangling skills/dangling [invalid] {link-loop skills/dangling/SKILL.md}",
			"ready in skills/in",
			"invalid loop skills/loop [invalid] {link-loop skills/loop/SKILL.md}",
			"invalid out skills/out [invalid] {file-escapes skills/out/SKILL.md}",
			"invalid twice skills/twice [invalid] {file-escapes skills/twice/SKILL.md}",
		)
	})
}

func TestMaxDirs(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Rules.MaxDirs = 4
		for _, name := range []string{"a", "b/x", "b/y", "c/z", "d"} {
			f.write("skills/"+name+"/SKILL.md", "")
		}
		f.opt.Index = f.path("index")
		for range 2 { // the second time from the index
			f.want(f.load(), "ready a skills/a", "ready d skills/d", "! root-truncated skills")
		}
		f.opt.Rules.MaxDirs = 5
		f.want(f.load(), "ready a skills/a", "ready d skills/d", "ready x skills/b/x", "! root-truncated skills")
	})
}

func TestSlashAtTheEndOfARoot(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "")
	f.opt.Roots[0].Path += string(filepath.Separator)
	f.want(f.load(), "ready a skills/a")
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"layout":        func(o *Options) { o.Rules.Layout = "deep" },
		"layout of":     func(o *Options) { o.Roots = []Root{{Path: "/x", Layout: "deep"}} },
		"order":         func(o *Options) { o.Rules.Order = "" },
		"duplicate":     func(o *Options) { o.Rules.Duplicate = "error" },
		"hard_links":    func(o *Options) { o.Rules.HardLinks = "" },
		"max_loaded":    func(o *Options) { o.Rules.MaxLoaded = -1 },
		"shadow":        func(o *Options) { o.Rules.Shadow = "none" },
		"max_dirs":      func(o *Options) { o.Rules.MaxDirs = 0 },
		"absolute path": func(o *Options) { o.Roots = []Root{{Path: "x"}} },
	} {
		opt := Options{Rules: testRules()}
		change(&opt)
		if _, err := newCatalog(opt, newFakeParser(), fakeGate{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := New(Options{Rules: testRules()}); err == nil {
		t.Error("no parser, no error")
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "")
	ctx, cancel := testContext(t)
	cancel()
	if _, err := f.catalog().Load(ctx); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(f.path("index")); err == nil {
		t.Error("an index was written")
	}
}
