package catalog

import (
	"os"
	"testing"

	"github.com/knackhq/knack/skill"
)

// What a load says, and what the index remembers of it, follows changes that
// the stamps of the folders on the way do not show.
func TestChangesThatStampsDoNotShow(t *testing.T) {
	limit := func(f *fixture) { f.opt.Rules.MaxCandidates = 1 }
	outside := func(f *fixture) { f.opt.Roots[0].Links = FollowLinks }
	for _, c := range []struct {
		name   string
		given  func(f *fixture)
		before []string
		change func(f *fixture)
		after  []string
	}{
		{"a link becomes a folder where one more is one too many", func(f *fixture) {
			limit(f)
			f.opt.Roots[0].Depth = 1
			f.link("s/.h/x", "skills/a")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready s skills/s", "! link-loop skills/a"},
			func(f *fixture) { f.write("skills/s/.h/x/SKILL.md", "") },
			[]string{"ready a skills/a", "! root-truncated skills"}},
		{"a link becomes a folder that is left out itself", func(f *fixture) {
			limit(f)
			outside(f)
			f.link("../out", "skills/z")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready s skills/s", "! link-loop skills/z"},
			func(f *fixture) { f.write("out/SKILL.md", "") },
			[]string{"ready s skills/s", "! root-truncated skills"}},
		{"a link to a file becomes one to a folder", func(f *fixture) {
			limit(f)
			outside(f)
			f.write("out", "")
			f.link("../out", "skills/a")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready s skills/s"},
			func(f *fixture) { f.remove("out"); f.write("out/SKILL.md", "") },
			[]string{"ready a skills/a", "! root-truncated skills"}},
		{"a link is no longer one to a folder", func(f *fixture) {
			limit(f)
			outside(f)
			f.write("out/SKILL.md", "")
			f.link("../out", "skills/a")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready a skills/a", "! root-truncated skills"},
			func(f *fixture) { f.remove("out"); f.write("out", "") },
			[]string{"ready s skills/s"}},
		{"a link in a group becomes a folder", func(f *fixture) {
			limit(f)
			outside(f)
			f.link("../../out", "skills/g/a")
			f.write("skills/g/s/SKILL.md", "")
		}, []string{"ready s skills/g/s", "! link-loop skills/g/a"},
			func(f *fixture) { f.write("out/SKILL.md", "") },
			[]string{"ready a skills/g/a", "! root-truncated skills/g"}},
		{"a link behind a link becomes a folder", func(f *fixture) {
			limit(f)
			outside(f)
			f.link("../out", "skills/g")
			f.link("../far", "out/a")
			f.write("out/s/SKILL.md", "")
		}, []string{"ready s skills/g/s", "! link-loop skills/g/a"},
			func(f *fixture) { f.write("far/SKILL.md", "") },
			[]string{"ready a skills/g/a", "! root-truncated skills/g"}},
		{"a link becomes a folder beside the one that is always looked at", func(f *fixture) {
			limit(f)
			outside(f)
			f.opt.Roots[0].Nested, f.opt.Roots[0].NestedDepth = "n", 1
			f.link("../out", "skills/a")
			f.link("../out", "skills/b")
			f.link("../../out", "skills/n/a")
			f.write("skills/n/s/SKILL.md", "")
		}, []string{"ready s skills/n/s", "! link-loop skills/a", "! link-loop skills/b", "! link-loop skills/n/a"},
			func(f *fixture) { f.write("out/SKILL.md", "") },
			[]string{"ready a skills/a", "shadowed a skills/n/a [same-folder]", "! root-truncated skills", "! root-truncated skills/n"}},
		{"the folder of skills among documents is a link that leads somewhere now", func(f *fixture) {
			limit(f)
			outside(f)
			f.opt.Rules.Layout, f.opt.Roots[0].Nested = "documents", "n"
			f.link("../out", "skills/n")
			f.write("skills/d.md", "")
		}, []string{"ready d skills"},
			func(f *fixture) { f.write("out/a/SKILL.md", ""); f.write("out/b/SKILL.md", "") },
			[]string{"ready a skills/n/a", "! root-truncated skills/n"}},
		{"a link becomes a skill that comes first of those that may be used", func(f *fixture) {
			outside(f)
			f.opt.Rules.MaxLoaded, f.opt.Rules.MaxTotal = 1, 1
			f.link("../out", "skills/a")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready s skills/s", "! link-loop skills/a"},
			func(f *fixture) { f.write("out/SKILL.md", "") },
			[]string{"ready a skills/a", "disabled s skills/s [over-limit]"}},
		{"one more link leads to a folder that enough lead to", func(f *fixture) {
			outside(f)
			f.write("out/s/SKILL.md", "")
			f.link("../via/out", "skills/a")
			for _, name := range []string{"b", "c", "d", "e"} {
				f.link("../out", "skills/"+name)
			}
		}, []string{"ready s skills/b/s", "shadowed s skills/c/s [same-folder]", "shadowed s skills/d/s [same-folder]",
			"shadowed s skills/e/s [same-folder]", "! link-loop skills/a"},
			func(f *fixture) { f.link("../out", "via/out") },
			[]string{"ready s skills/a/s", "shadowed s skills/b/s [same-folder]", "shadowed s skills/c/s [same-folder]",
				"shadowed s skills/d/s [same-folder]", "! link-refused skills/e"}},
		{"what a link leads to is gone", func(f *fixture) {
			outside(f)
			f.write("out/SKILL.md", "")
			f.link("../out", "skills/a")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready a skills/a", "ready s skills/s"},
			func(f *fixture) { f.remove("out") },
			[]string{"ready s skills/s", "! link-loop skills/a"}},
		{"what a link leads to is the same folder in another place", func(f *fixture) {
			outside(f)
			f.opt.Roots[0].Real = true
			f.write("v1/s/SKILL.md", "")
			f.link("v1", "now")
			f.link("../now/s", "skills/a")
		}, []string{"ready a v1/s"},
			func(f *fixture) { f.rename("v1", "v2"); f.remove("now"); f.link("v2", "now") },
			[]string{"ready a v2/s"}},
		{"the root is the same folder in another place", func(f *fixture) {
			f.opt.Roots[0].Real = true
			f.write("v1/s/a/SKILL.md", "")
			f.link("v1", "now")
			f.link("now/s", "skills")
		}, []string{"ready a v1/s/a"},
			func(f *fixture) { f.rename("v1", "v2"); f.remove("now"); f.link("v2", "now") },
			[]string{"ready a v2/s/a"}},
		{"a root is gone", func(f *fixture) {
			f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("more"), Depth: 1, Trust: skill.Trusted})
			f.write("more/a/SKILL.md", "")
			f.write("skills/s/SKILL.md", "")
		}, []string{"ready a more/a", "ready s skills/s"},
			func(f *fixture) { f.remove("more") },
			[]string{"ready s skills/s"}},
		{"a root that is a skill itself has too many names", func(f *fixture) {
			f.opt.Rules.MaxEntries = 2
			f.write("skills/SKILL.md", "name: r")
			f.write("skills/1", "")
			f.write("skills/2", "")
		}, []string{"ready r skills", "! root-truncated skills"},
			func(*fixture) {},
			[]string{"ready r skills", "! root-truncated skills"}},
		{"files with two names are no longer those of a package manager", func(f *fixture) {
			f.opt.Rules.HardLinks, f.opt.Roots[0].Class = "deny", bundledClass
			f.write("skills/a/SKILL.md", "")
			if err := os.Link(f.path("skills/a/SKILL.md"), f.path("elsewhere")); err != nil {
				f.Skip(err)
			}
			if st, _, err := rootTree.lstat(f.tree(), "elsewhere"); err != nil || st.links == 0 {
				f.Skip("this system does not tell how many names a file has")
			}
		}, []string{"ready a skills/a"},
			func(f *fixture) { f.opt.Roots[0].Class = "user" },
			[]string{"invalid a skills/a [invalid] {file-escapes skills/a/SKILL.md}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			everywhere(t, func(f *fixture) {
				c.given(f)
				f.want(f.twice(), c.before...)
				c.change(f)
				f.want(f.twice(), c.after...)
			})
		})
	}
}
