package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/skill"
)

// fakeParser reads lines "key: value", so that these tests do not depend on
// how manifests are written.
type fakeParser struct{ rules format.Rules }

func newFakeParser() *fakeParser {
	return &fakeParser{format.Rules{
		Manifests: []string{"SKILL.toml", "manifest.toml", "SKILL.md", "skills.md"},
		Limits:    format.Limits{FileBytes: 1 << 20},
	}}
}

func (p *fakeParser) Rules() format.Rules { return p.rules }

func (p *fakeParser) Rank(file string) (rank int, usual, ok bool) {
	for i, name := range p.rules.Manifests {
		if strings.EqualFold(name, file) {
			return i, name == file, true
		}
	}
	return 0, false, false
}

func (p *fakeParser) Parse(slug string, sources []format.Source) format.Result {
	res := format.Result{Usable: true, Skill: skill.Skill{Name: slug, Slug: slug}}
	s := &res.Skill
	var names []string
	for _, src := range sources {
		sum := sha256.Sum256(src.Data)
		s.Manifests = append(s.Manifests, skill.Manifest{File: src.File, Size: int64(len(src.Data)), SHA256: hex.EncodeToString(sum[:])})
		names = append(names, src.File)
		head, body, _ := strings.Cut(string(src.Data), "\n\n")
		s.Body = skill.NewText(body)
		for line := range strings.SplitSeq(head, "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "name":
				s.Name = value
			case "description":
				s.Description = skill.NewText(value)
			case "key":
				s.Requires.SkillKey = value
			case "bins":
				s.Requires.Bins = strings.Fields(value)
			case "warn":
				res.Diagnostics = append(res.Diagnostics, skill.KeyUnknown.New(src.File, 3, value, ""))
			case "broken":
				res.Usable = false
				res.Diagnostics = append(res.Diagnostics, skill.FrontmatterInvalid.New(src.File, 2, value, "mend it"))
			}
		}
	}
	s.Format = strings.Join(names, "+")
	return res
}

// fakeGate finds every program that does not start with "no-".
type fakeGate struct{}

func (fakeGate) Check(s *skill.Skill, _ gate.Supplied, _ *gate.Environment) []skill.Reason {
	var reasons []skill.Reason
	for _, bin := range s.Requires.Bins {
		if strings.HasPrefix(bin, "no-") {
			reasons = append(reasons, skill.Reason{Code: skill.ReasonBin, Message: "needs " + bin})
		}
	}
	return reasons
}

func testRules() Rules {
	return Rules{Layout: "grouped", Order: "bytes", Duplicate: "first", Shadow: "trust", HardLinks: "follow", ManifestLinks: "inside",
		Skip: []string{".", "node_modules"}, MaxDirs: 400_000, MaxEntries: 20_000}
}

// fixture is a temporary place with roots below it.
type fixture struct {
	testing.TB
	dir string
	opt Options
	// portable reads through os.Root even where there is a faster way.
	portable bool
	now      func() time.Time
	clock    *os.File // to tell the time of the file system by
}

// newFixture has one trusted root, "skills", that follows contained links.
func newFixture(t testing.TB) *fixture {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clock, err := os.Create(filepath.Join(t.TempDir(), "clock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = clock.Close() })
	f := &fixture{TB: t, dir: dir, clock: clock}
	// An hour ahead of the clock, everything was written long ago; see tick.
	f.now = func() time.Time { return time.Now().Add(time.Hour) }
	f.opt = Options{Rules: testRules(), Fingerprint: "test", Now: func() time.Time { return f.now() },
		Roots: []Root{{Path: f.path("skills"), Class: "user", Trust: skill.Trusted, Depth: 4, Links: ContainedLinks}}}
	return f
}

func (f *fixture) path(rel string) string { return filepath.Join(f.dir, filepath.FromSlash(rel)) }

func (f *fixture) write(rel, text string) {
	f.Helper()
	f.mkdir(filepath.Dir(filepath.FromSlash(rel)))
	if err := os.WriteFile(f.path(rel), []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) mkdir(rel string) {
	f.Helper()
	if err := os.MkdirAll(f.path(rel), 0o755); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) link(target, rel string) {
	f.Helper()
	f.mkdir(filepath.Dir(filepath.FromSlash(rel)))
	if err := os.Symlink(target, f.path(rel)); err != nil {
		f.Skip(err)
	}
}

func (f *fixture) catalog() *Catalog {
	f.Helper()
	c, err := newCatalog(f.opt, newFakeParser(), fakeGate{})
	if err != nil {
		f.Fatal(err)
	}
	c.workers = 4
	if f.portable {
		c.openTree = openRootTree
	}
	return c
}

func (f *fixture) load() *Snapshot {
	f.Helper()
	s, err := f.catalog().Load(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	if f.opt.Index != "" {
		f.tick()
	}
	return s
}

// tick waits until what is written is newer than all that was written before.
// Many file systems count in steps of milliseconds, and a catalog that is told
// that everything was written long ago believes stamps as old as the last step.
func (f *fixture) tick() {
	f.Helper()
	stamp := func() time.Time {
		if _, err := f.clock.WriteAt([]byte("x"), 0); err != nil { // in place: a file that is cut is flushed
			f.Fatal(err)
		}
		info, err := f.clock.Stat()
		if err != nil {
			f.Fatal(err)
		}
		return info.ModTime()
	}
	for before := stamp(); !stamp().After(before); {
		time.Sleep(time.Millisecond)
	}
}

// lines sums up a snapshot: status, name, folder and codes of each entry, then
// the diagnostics that belong to none.
func (f *fixture) lines(s *Snapshot) []string {
	var out []string
	for _, e := range s.Entries {
		line := string(e.Status) + " " + e.Name + " " + f.rel(e.Path)
		for _, r := range e.Reasons {
			line += " [" + string(r.Code) + "]"
		}
		for _, d := range e.Diagnostics {
			line += " {" + string(d.Code) + " " + f.rel(d.File) + "}"
		}
		out = append(out, line)
	}
	for _, d := range s.Diagnostics {
		out = append(out, "! "+string(d.Code)+" "+f.rel(d.File))
	}
	return out
}

func (f *fixture) rel(path string) string {
	if rel, ok := inside(path, f.dir); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

func testContext(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
