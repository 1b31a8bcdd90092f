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

	"github.com/knackhq/knack/skill"
)

func (f *fixture) open(name string) *skill.Entry {
	f.Helper()
	e, err := f.load().Find(name)
	if err != nil {
		f.Fatal(err)
	}
	full, err := f.catalog().Open(f.Context(), e)
	if err != nil {
		f.Fatal(err)
	}
	return full
}

func codes(e *skill.Entry) []string {
	var out []string
	for _, d := range e.Diagnostics {
		rel, _ := inside(d.File, e.Path)
		out = append(out, string(d.Code)+" "+filepath.ToSlash(rel))
	}
	return out
}

func TestOpen(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/g/a/SKILL.md", "name: a\nwarn: hm\n\nthe body")
		f.write("skills/g/a/z.txt", "12345")
		f.write("skills/g/a/bin/run", "#!")
		if err := os.Chmod(f.path("skills/g/a/bin/run"), 0o755); err != nil {
			f.Fatal(err)
		}
		f.write("skills/g/a/bin-2/.hidden", "")
		f.write("skills/g/a/.git/config", "")
		f.write("skills/g/a/manifest.toml", "")
		f.write("skills/g/a/sub/SKILL.md", "name: nested")
		f.write("skills/g/a/node_modules/x/SKILL.md", "")
		f.write("outside", "")
		f.link("../../../outside", "skills/g/a/out")
		f.link("z.txt", "skills/g/a/in")
		f.link("none", "skills/g/a/bin/dangling")
		got := f.open("a")
		if got.Body.Raw() != "the body" || got.Status != skill.Ready || got.Trust != skill.Trusted || got.Source != "user" || got.Slug != "a" {
			f.Errorf("%+v", got)
		}
		wantResources := []skill.Resource{
			{Path: "bin-2/.hidden"}, {Path: "bin/run", Size: 2, Executable: true},
			{Path: "node_modules/x/SKILL.md"}, {Path: "sub/SKILL.md", Size: 12}, {Path: "z.txt", Size: 5},
		}
		if diff := cmp.Diff(wantResources, got.Resources); diff != "" {
			f.Errorf("resources (-want +got):\n%s", diff)
		}
		want := []string{"key-unknown SKILL.md", "link-loop bin/dangling", "link-refused out", "nested-manifest sub/SKILL.md"}
		if diff := cmp.Diff(want, codes(got)); diff != "" {
			f.Errorf("diagnostics (-want +got):\n%s", diff)
		}
		if !strings.HasPrefix(got.Digest, "sha256:") || len(got.Digest) != len("sha256:")+64 {
			f.Errorf("digest %q", got.Digest)
		}
		f.write("skills/g/a/z.txt", "54321")
		if again := f.open("a"); again.Digest == got.Digest {
			f.Error("the digest does not see a change")
		}
	})
}

func TestOpenFlatSkill(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/SKILL.md", "name: flat\n\nbody")
		f.write("skills/a/SKILL.md", "")
		f.write("skills/notes.txt", "")
		got := f.open("flat")
		if got.Path != f.path("skills") || len(got.Resources) != 0 || len(got.Diagnostics) != 0 || got.Body.Raw() != "body" || got.Digest == "" {
			f.Errorf("%+v", got)
		}
		f.write("skills/notes.txt", "changed")
		if again := f.open("flat"); again.Digest != got.Digest {
			f.Error("a neighbour is part of the digest")
		}
		f.write("skills/SKILL.md", "name: flat\n\nother")
		if again := f.open("flat"); again.Digest == got.Digest {
			f.Error("the digest does not see a change")
		}
	})
}

func TestOpenKeepsWhatOthersSay(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.write("first/a/SKILL.md", "name: x")
	f.write("last/b/SKILL.md", "name: x\nbins: no-bin")
	f.opt.Choices.Excluded = []string{"b"}
	c := f.catalog()
	e, err := f.loadFrom(c).Find("b")
	if err != nil {
		t.Fatal(err)
	}
	open := func() *skill.Entry {
		t.Helper()
		full, err := c.Open(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return full
	}
	lines := func(e *skill.Entry) string { return f.lines(&Snapshot{Entries: []*skill.Entry{e}})[0] }
	if got := lines(open()); got != "shadowed x last/b [shadowed] [excluded] [gate-bin]" {
		t.Error(got)
	}
	f.write("last/b/SKILL.md", "name: x")
	if got := lines(open()); got != "shadowed x last/b [shadowed] [excluded]" {
		t.Error(got)
	}
	f.write("last/b/SKILL.md", "name: x\nbroken: yes")
	if got := lines(open()); got != "invalid x last/b [invalid] [shadowed] [excluded] {frontmatter-invalid last/b/SKILL.md}" {
		t.Error(got)
	}
	lowered := *e
	lowered.Trust = skill.Installed
	if full, err := c.Open(t.Context(), &lowered); err != nil || full.Trust != skill.Installed {
		t.Errorf("trust was raised: %v %v", full.Trust, err)
	}
	f.remove("last/b/SKILL.md")
	if _, err := c.Open(t.Context(), e); !errors.Is(err, ErrNoManifest) {
		t.Errorf("no manifest: %v", err)
	}
	f.remove("last/b")
	if _, err := c.Open(t.Context(), e); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	f.remove("last")
	if _, err := c.Open(t.Context(), e); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no root: %v", err)
	}
}

// Between loading and opening, a folder on the way can become a link.
func TestOpenObeysTheRuleOfLinks(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("secret/SKILL.md", "name: stolen")
		f.write("skills/a/SKILL.md", "")
		f.write("skills/real/SKILL.md", "name: real")
		f.link("real", "skills/fine")
		s := f.load()
		f.swap("skills/a", f.path("secret"))
		for _, e := range s.Entries {
			full, err := f.catalog().Open(f.Context(), e)
			switch {
			case e.Slug == "a" && (err == nil || !strings.Contains(err.Error(), "not followed")):
				f.Errorf("opened %+v, error %v", full, err)
			case e.Slug == "fine" && (err != nil || full.Name != "real" || full.Status != skill.Shadowed):
				f.Errorf("opened %+v, error %v", full, err)
			}
		}
	})
}

func TestOpenEmbedded(t *testing.T) {
	f := newFixture(t)
	f.opt.Roots = []Root{{Path: "bundled:", Class: "bundled", Trust: skill.Trusted, Depth: 1, FS: fstest.MapFS{
		"b/SKILL.md":     {Data: []byte("name: b\n\nbody")},
		"b/files/x.sh":   {Data: []byte("#!"), Mode: 0o755},
		"b/sub/SKILL.md": {},
	}}}
	got := f.open("b")
	if got.Body.Raw() != "body" || got.Digest == "" || got.Path != "bundled:b" || got.Provenance.Source != "bundled" {
		t.Errorf("%+v", got)
	}
	want := []skill.Resource{{Path: "files/x.sh", Size: 2, Executable: true}, {Path: "sub/SKILL.md"}}
	if diff := cmp.Diff(want, got.Resources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInspect(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("anywhere/thing/skill.md", "name: x\nbins: no-bin\n\nbody")
		f.write("anywhere/thing/file", "1")
		f.write("anywhere/flat.txt", "")
		f.opt.Choices = Choices{Off: true, Disabled: map[string]bool{"x": true}}
		c := f.catalog()
		for _, path := range []string{"anywhere/thing", "anywhere/thing/", "anywhere/thing/skill.md"} {
			got, err := c.Inspect(f.Context(), f.path(path))
			if err != nil {
				f.Errorf("%s: %v", path, err)
				continue
			}
			if got.Name != "x" || got.Slug != "thing" || got.Path != f.path("anywhere/thing") || got.Status != skill.Gated ||
				len(got.Reasons) != 1 || got.Body.Raw() != "body" || len(got.Resources) != 1 || got.Digest == "" || got.Trust != skill.Installed {
				f.Errorf("%s: %+v", path, got)
			}
			again, err := c.Open(f.Context(), got)
			if diff := cmp.Diff(got, again); diff != "" || err != nil {
				f.Errorf("opened (%v):\n%s", err, diff)
			}
		}
		for _, path := range []string{"anywhere", "anywhere/flat.txt"} {
			_, err := c.Inspect(f.Context(), f.path(path))
			var none *NoManifestError
			if !errors.Is(err, ErrNoManifest) || !errors.As(err, &none) || none.Diagnostic.Code != skill.NoManifest ||
				none.Diagnostic.File != f.path(path) || !strings.Contains(err.Error(), "SKILL.md") {
				f.Errorf("%s: %v", path, err)
			}
		}
		if _, err := c.Inspect(f.Context(), f.path("nowhere")); !errors.Is(err, fs.ErrNotExist) {
			f.Errorf("%v", err)
		}
	})
}

func TestInspectRelativePath(t *testing.T) {
	f := newFixture(t)
	f.write("here/SKILL.md", "")
	t.Chdir(f.path("here"))
	for _, dir := range []string{".", "", "../here", "SKILL.md"} {
		if got, err := f.catalog().Inspect(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "is not an absolute path") {
			t.Errorf("%q: %+v, %v", dir, got, err)
		}
	}
	if got, err := f.catalog().Inspect(t.Context(), f.path("there")+"/../here/"); err != nil || got.Path != f.path("here") {
		t.Errorf("%+v, %v", got, err)
	}
}

// A link that the user names is followed; links inside are not.
func TestInspectLink(t *testing.T) {
	f := newFixture(t)
	f.write("real/SKILL.md", "")
	f.link("real", "alias")
	got, err := f.catalog().Inspect(t.Context(), f.path("alias"))
	if err != nil || got.Slug != "alias" || got.Path != f.path("alias") || got.Digest == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSurvey(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/SKILL.md", "name: flat")
		f.write("skills/a/SKILL.md", "name: a\nwarn: hm")
		f.write("skills/a/x/y/SKILL.toml", "")
		f.write("skills/b/SKILL.md", "")
		f.link("../..", "skills/c/up")
		f.write("skills/c/SKILL.md", "")
		c := f.catalog()
		s := f.loadFrom(c)
		before := asJSON(f, s)
		deep, err := c.Survey(f.Context(), s)
		if err != nil {
			f.Fatal(err)
		}
		f.want(deep,
			"ready a skills/a {key-unknown skills/a/SKILL.md} {nested-manifest skills/a/x/y/SKILL.toml}",
			"ready b skills/b",
			"ready c skills/c {link-refused skills/c/up}",
			"ready flat skills",
		)
		if asJSON(f, s) != before || deep.Version != s.Version {
			f.Error("the snapshot was changed")
		}
		f.remove("skills/a")
		if deep, err = c.Survey(f.Context(), s); err != nil || len(deep.Entries) != 4 {
			f.Errorf("%d entries, %v", len(deep.Entries), err)
		}
		ctx, cancel := testContext(f)
		cancel()
		if _, err := c.Survey(ctx, s); err == nil {
			f.Error("ended context, no error")
		}
	})
}

func TestSurveyLimits(t *testing.T) {
	f := newFixture(t)
	f.write("skills/many/SKILL.md", "")
	f.fillFolder("skills/many/files", maxResources)
	f.write("skills/deep/SKILL.md", "")
	f.write("skills/deep/"+strings.Repeat("d/", maxDepth+1)+"x", "")
	for i := range maxFindings + 5 {
		f.write(fmt.Sprintf("skills/nests/n%03d/SKILL.md", i), "")
	}
	f.write("skills/nests/SKILL.md", "")
	many := f.open("many")
	if len(many.Resources) != maxResources || many.Diagnostics == nil || len(many.Diagnostics) != 0 {
		t.Errorf("%d resources, %v", len(many.Resources), codes(many))
	}
	f.write("skills/many/a", "")
	many = f.open("many")
	if len(many.Resources) != maxResources || !slices.Equal(codes(many), []string{"limit-exceeded ."}) {
		t.Errorf("%d resources, %v", len(many.Resources), codes(many))
	}
	if deep := f.open("deep"); len(deep.Resources) != 0 || len(deep.Diagnostics) != 1 || deep.Diagnostics[0].Code != skill.LimitExceeded {
		t.Errorf("%v", codes(deep))
	}
	if nests := f.open("nests"); len(nests.Diagnostics) != maxFindings+1 || !strings.Contains(nests.Diagnostics[0].Message, "5 more") {
		t.Errorf("%d diagnostics, the first %v", len(nests.Diagnostics), nests.Diagnostics[0])
	}
}
