package catalog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// goldenCase is a tree and what a real system of the layout "stop-at-manifest"
// finds in it.
type goldenCase struct {
	ID           string
	Files        map[string]string
	Links, Hard  [][2]string
	ExtraDirs    []string
	AllowTargets []string `json:"allowSymlinkTargets"`
	AllowBundled []string
	Entries      map[string]struct{ Enabled bool }
	Limits       struct{ MaxCandidatesPerRoot, MaxSkillsLoadedPerSource int }
	Result       []goldenSkill
}

type goldenSkill struct{ Name, Description, Source, File string }

// goldenParser reads as that system does what these trees hold.
func goldenParser(t *testing.T) *format.Parser {
	t.Helper()
	p, err := format.New(format.Rules{
		Manifests: []string{"SKILL.md"}, Merge: "replace", OnError: "drop", Frontmatter: "yaml", TOML: "union",
		Keys: "any", Install: "any", Describe: "declared", Identity: "declared", Namespaces: []string{"openclaw"}, Required: []string{"description"},
		Limits: format.Limits{FileBytes: 256_000, FrontmatterBytes: 65_536, Depth: 32, Nodes: 20_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goldenOptions are that system's rules and places, highest precedence first.
func (f *fixture) goldenOptions(g *goldenCase) {
	f.opt.Rules = Rules{Layout: "stop-at-manifest", Order: "icu", Duplicate: "last", Shadow: "order", HardLinks: "deny", ManifestLinks: "inside",
		MaxCandidates: max(g.Limits.MaxCandidatesPerRoot, 0), MaxLoaded: max(g.Limits.MaxSkillsLoadedPerSource, 0),
		Skip: []string{".", "node_modules"}, MaxDirs: 400_000, MaxEntries: 20_000}
	var targets []string
	for _, dir := range g.AllowTargets {
		targets = append(targets, f.path(dir))
	}
	root := func(dir, class string, depth int, links Links, targets []string) Root {
		return Root{Path: f.path(dir), Class: class, Trust: skill.Trusted, Depth: depth, Links: links, Targets: targets,
			Nested: "skills", NestedDepth: 6, Real: links == FollowLinks}
	}
	f.opt.Roots = []Root{
		root("ws/skills", "workspace", 6, ContainedLinks, targets),
		root("ws/.agents/skills", "agents-skills-project", 6, ContainedLinks, targets),
		root("home/.agents/skills", "agents-skills-personal", 6, FollowLinks, nil),
		root("state/skills", "managed", 6, FollowLinks, nil),
		root("bundled", "bundled", 6, ContainedLinks, nil),
	}
	for _, dir := range slices.Backward(g.ExtraDirs) {
		f.opt.Roots = append(f.opt.Roots, root(dir, "extra", 2, ContainedLinks, targets))
	}
	f.opt.Choices = Choices{Disabled: map[string]bool{}, AllowBundled: g.AllowBundled}
	for key, entry := range g.Entries {
		f.opt.Choices.Disabled[strings.ToLower(key)] = !entry.Enabled
	}
}

// golden makes the tree of a case and returns what is ready in it.
func (f *fixture) golden(t *testing.T, g *goldenCase) (ready []goldenSkill) {
	for path, text := range g.Files {
		f.write(path, text)
	}
	for _, link := range g.Links {
		f.link(f.path(link[1]), link[0])
	}
	for _, link := range g.Hard {
		f.mkdir(filepath.Dir(filepath.FromSlash(link[0])))
		if err := os.Link(f.path(link[1]), f.path(link[0])); err != nil {
			t.Skip(err)
		}
	}
	f.goldenOptions(g)
	c, err := newCatalog(f.opt, goldenParser(t), fakeGate{})
	if err != nil {
		t.Fatal(err)
	}
	if f.portable {
		c.openTree = openRootTree
	}
	for _, e := range f.loadFrom(c).Entries {
		if e.Status == skill.Ready {
			description, _ := e.Description.AppendBinary(nil)
			source := e.Source
			if !strings.HasPrefix(source, "agents-") {
				source = "openclaw-" + source
			}
			ready = append(ready, goldenSkill{e.Name, string(description), source, f.rel(e.Path) + "/" + e.Manifests[0].File})
		}
	}
	return ready
}

// What one real system finds is what is found under its rules, but for the
// cases in which it is the other's rule to differ.
func TestDiscoveryGoldens(t *testing.T) {
	var cases []goldenCase
	data, err := os.ReadFile("testdata/openclaw/discovery-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, g := range append(cases, moreCases()...) {
		t.Run(g.ID, func(t *testing.T) {
			everywhere(t, func(f *fixture) {
				want := g.Result
				if g.ID == "allowBundled-empty" { // a list of none allows none
					want = want[1:]
				}
				if len(want) == 0 {
					want = nil
				}
				if diff := cmp.Diff(want, f.golden(t, &g)); diff != "" {
					f.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// moreCases are derived from that system's documented rules. In files, the text
// "NAME" stands for a whole skill of that name, "!NAME" for one that lacks a
// description. A result "NAME FILE" is in the source of the file's place.
func moreCases() []goldenCase {
	type tree = map[string]string
	text := func(name string) string {
		if broken, ok := strings.CutPrefix(name, "!"); ok {
			return "---\nname: " + broken + "\n---\n"
		}
		return "---\nname: " + name + "\ndescription: d\n---\n# " + name + "\n"
	}
	sources := [...][2]string{
		{"ws/skills/", "openclaw-workspace"}, {"ws/.agents/", "agents-skills-project"}, {"home/", "agents-skills-personal"},
		{"state/", "openclaw-managed"}, {"bundled/", "openclaw-bundled"}, {"out/", "openclaw-managed"}, {"", "openclaw-extra"},
	}
	var cases []goldenCase
	add := func(id string, files tree, change func(*goldenCase), results ...string) {
		g := goldenCase{ID: id, Files: tree{}}
		for path, name := range files {
			if strings.HasSuffix(path, ".md") {
				name = text(name)
			}
			g.Files[path] = name
		}
		if change != nil {
			change(&g)
		}
		for _, r := range results {
			name, file, _ := strings.Cut(r, " ")
			i := slices.IndexFunc(sources[:], func(s [2]string) bool { return strings.HasPrefix(file, s[0]) })
			g.Result = append(g.Result, goldenSkill{name, "d", sources[i][1], file})
		}
		cases = append(cases, g)
	}
	extra := func(dirs ...string) func(*goldenCase) { return func(g *goldenCase) { g.ExtraDirs = dirs } }
	caps := func(candidates, loaded int) func(*goldenCase) {
		return func(g *goldenCase) {
			g.Limits.MaxCandidatesPerRoot, g.Limits.MaxSkillsLoadedPerSource = candidates, loaded
		}
	}
	links := func(pairs ...[2]string) func(*goldenCase) { return func(g *goldenCase) { g.Links = pairs } }

	add("invalid root ends the search", tree{"ws/skills/SKILL.md": "!r", "ws/skills/a/SKILL.md": "a"}, nil)
	add("invalid root, nested skills", tree{"extra/SKILL.md": "!r", "extra/examples/x/SKILL.md": "x", "extra/skills/g/y/SKILL.md": "y"},
		extra("extra"), "y extra/skills/g/y/SKILL.md")
	add("usable root, nested skills", tree{"ws/skills/SKILL.md": "r", "ws/skills/skills/y/SKILL.md": "y"}, nil, "r ws/skills/SKILL.md")
	add("invalid child is terminal", tree{"extra/bad/SKILL.md": "!b", "extra/bad/c/SKILL.md": "c", "extra/skills/v/SKILL.md": "v"},
		extra("extra"), "v extra/skills/v/SKILL.md")
	add("extra depth", tree{"extra/g/in/SKILL.md": "in", "extra/g/d/out/SKILL.md": "out", "extra/skills/1/2/3/4/5/6/SKILL.md": "six",
		"extra/skills/1/2/3/4/5/a/7/SKILL.md": "seven"}, extra("extra"), "in extra/g/in/SKILL.md", "six extra/skills/1/2/3/4/5/6/SKILL.md")
	add("extra named skills", tree{"repo/skills/1/2/3/4/5/6/SKILL.md": "six", "repo/skills/1/2/3/4/5/a/7/SKILL.md": "seven"},
		extra("repo/skills"), "six repo/skills/1/2/3/4/5/6/SKILL.md")
	add("extra with a deeper folder named skills", tree{"extra/g/skills/x/SKILL.md": "x", "extra/g/y/SKILL.md": "y"},
		extra("extra"), "y extra/g/y/SKILL.md")
	add("workspace with nested skills", tree{"ws/skills/a/SKILL.md": "a", "ws/skills/skills/1/2/3/4/5/6/SKILL.md": "six"}, nil,
		"a ws/skills/a/SKILL.md", "six ws/skills/skills/1/2/3/4/5/6/SKILL.md")
	add("nested skills is a skill", tree{"extra/skills/SKILL.md": "s", "extra/skills/a/SKILL.md": "a"}, extra("extra"), "s extra/skills/SKILL.md")
	add("ignored folder in nested skills", tree{"extra/v/SKILL.md": "v", "extra/skills/node_modules/p/SKILL.md": "p"}, extra("extra"), "v extra/v/SKILL.md")
	add("later extra wins", tree{"e1/a/SKILL.md": "a", "e2/b/SKILL.md": "a"}, extra("e1", "e2"), "a e2/b/SKILL.md")
	add("precedence", tree{"ws/skills/1/SKILL.md": "a", "ws/.agents/skills/2/SKILL.md": "a", "home/.agents/skills/3/SKILL.md": "a",
		"state/skills/4/SKILL.md": "a", "bundled/5/SKILL.md": "a", "extra/6/SKILL.md": "a",
		"ws/.agents/skills/b/SKILL.md": "b", "home/.agents/skills/b/SKILL.md": "b", "home/.agents/skills/c/SKILL.md": "c", "state/skills/c/SKILL.md": "c",
		"state/skills/d/SKILL.md": "d", "bundled/d/SKILL.md": "d", "bundled/e/SKILL.md": "e", "extra/e/SKILL.md": "e", "extra/f/SKILL.md": "f"},
		extra("extra"), "a ws/skills/1/SKILL.md", "b ws/.agents/skills/b/SKILL.md", "c home/.agents/skills/c/SKILL.md",
		"d state/skills/d/SKILL.md", "e bundled/e/SKILL.md", "f extra/f/SKILL.md")
	add("broken skill of a higher root does not shadow", tree{"ws/skills/a/SKILL.md": "!a", "state/skills/a/SKILL.md": "a"}, nil, "a state/skills/a/SKILL.md")
	add("order of names", tree{"ws/skills/1/SKILL.md": "z-1", "ws/skills/2/SKILL.md": "Z", "ws/skills/3/SKILL.md": "é", "ws/skills/4/SKILL.md": "B",
		"ws/skills/5/SKILL.md": "z_1", "ws/skills/6/SKILL.md": "b", "ws/skills/7/SKILL.md": "a"}, nil,
		"a ws/skills/7/SKILL.md", "b ws/skills/6/SKILL.md", "B ws/skills/4/SKILL.md", "é ws/skills/3/SKILL.md",
		"Z ws/skills/2/SKILL.md", "z_1 ws/skills/5/SKILL.md", "z-1 ws/skills/1/SKILL.md")
	add("last duplicate in order of people", tree{"ws/skills/Zoo/SKILL.md": "x", "ws/skills/ape/SKILL.md": "x"}, nil, "x ws/skills/Zoo/SKILL.md")
	add("loaded in order of people", tree{"ws/skills/Zoo/SKILL.md": "z", "ws/skills/ape/SKILL.md": "a"}, caps(9, 1), "a ws/skills/ape/SKILL.md")
	add("loaded: groups before later siblings", tree{"ws/skills/00-g/x/SKILL.md": "g", "ws/skills/01/SKILL.md": "d"}, caps(10, 1), "g ws/skills/00-g/x/SKILL.md")
	add("loaded: duplicates count", tree{"ws/skills/a/SKILL.md": "x", "ws/skills/b/SKILL.md": "x", "ws/skills/c/SKILL.md": "c"}, caps(10, 2), "x ws/skills/b/SKILL.md")
	add("loaded: what is beyond shadows nothing", tree{"ws/skills/a/SKILL.md": "a", "ws/skills/b/SKILL.md": "b", "state/skills/b/SKILL.md": "b"},
		caps(10, 1), "a ws/skills/a/SKILL.md", "b state/skills/b/SKILL.md")
	add("candidates in a group", tree{"ws/skills/g/1/SKILL.md": "a", "ws/skills/g/2/SKILL.md": "b", "ws/skills/g/3/SKILL.md": "c"}, caps(2, 0),
		"a ws/skills/g/1/SKILL.md", "b ws/skills/g/2/SKILL.md")
	add("candidates in order of bytes", tree{"ws/skills/Zoo/SKILL.md": "z", "ws/skills/ape/SKILL.md": "a"}, caps(1, 0), "z ws/skills/Zoo/SKILL.md")
	add("candidates: hidden ones do not count", tree{"ws/skills/.0/SKILL.md": "h", "ws/skills/a/SKILL.md": "a", "ws/skills/0.txt": "x"}, caps(1, 0), "a ws/skills/a/SKILL.md")
	noisy := tree{"ws/skills/01-later/x/SKILL.md": "later"}
	for i := range 64 {
		path := "ws/skills/00-noisy"
		for bit := range 6 {
			path += [...]string{"/00-a", "/01-b"}[i>>bit&1]
		}
		noisy[path+"/x"] = ""
	}
	add("noisy group", noisy, caps(2, 10), "later ws/skills/01-later/x/SKILL.md")
	add("link out of the workspace", tree{"out/s/SKILL.md": "o", "ws/skills/a/SKILL.md": "a"}, links([2]string{"ws/skills/l", "out/s"}), "a ws/skills/a/SKILL.md")
	add("link into the workspace but not the root", tree{"ws/s/SKILL.md": "o"}, links([2]string{"ws/skills/l", "ws/s"}))
	add("link inside the root", tree{"ws/skills/g/a/SKILL.md": "a"}, links([2]string{"ws/skills/z", "ws/skills/g/a"}), "a ws/skills/z/SKILL.md")
	add("link to an allowed target", tree{"lib/g/s/SKILL.md": "s"}, func(g *goldenCase) {
		g.Links, g.AllowTargets = [][2]string{{"ws/skills/l", "lib/g"}, {"bundled/l", "lib/g"}}, []string{"lib", "none"}
	}, "s ws/skills/l/s/SKILL.md")
	add("link beside an allowed target", tree{"lib/s/SKILL.md": "s", "lib2/s/SKILL.md": "t"}, func(g *goldenCase) {
		g.Links, g.AllowTargets = [][2]string{{"ws/skills/l", "lib2"}}, []string{"lib"}
	})
	add("managed link, manifest leaves", tree{"out/SKILL.md": "o", "out2/x": "x"}, links([2]string{"state/skills/l", "out2"}, [2]string{"out2/SKILL.md", "out/SKILL.md"}))
	add("bundled link leaves", tree{"out/s/SKILL.md": "o"}, links([2]string{"bundled/l", "out/s"}))
	add("root is a link", tree{"out/s/SKILL.md": "s"}, links([2]string{"state/skills", "out"}), "s out/s/SKILL.md")
	add("other spellings are no manifests", tree{"ws/skills/a/skill.md": "a", "ws/skills/b/skills.md": "b", "ws/skills/a/n/SKILL.md": "n"}, nil, "n ws/skills/a/n/SKILL.md")
	return cases
}
