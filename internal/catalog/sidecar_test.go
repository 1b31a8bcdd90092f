package catalog

import "testing"

// A sidecar is told of by every way to read a skill, and one that comes or goes
// is noticed although no manifest changed.
func TestSidecars(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.opt.Sidecars = []string{".first", ".second"}
		f.write("skills/a/SKILL.md", "description: d")
		f.write("skills/a/.second", "x")
		f.write("skills/b/SKILL.md", "description: d")
		f.write("skills/b/.second", "x")
		f.write("skills/b/.first/file", "x")
		f.write("skills/c/SKILL.md", "description: d")
		f.write("skills/c/.third", "x")
		check := func(want ...string) {
			f.Helper()
			snap := f.load()
			for i, e := range snap.Entries {
				if e.Provenance.Source != want[i] {
					f.Errorf("%s: sidecar %q, want %q", e.Name, e.Provenance.Source, want[i])
				}
			}
		}
		check(".second", ".first", "")
		check(".second", ".first", "")
		f.write("skills/c/.first", "x")
		f.remove("skills/a/.second")
		check("", ".first", ".first")
	})
}
