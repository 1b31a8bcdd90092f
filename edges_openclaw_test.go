package knack_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// What that system answers where none of its goldens asks.
func TestOpenclawEdges(t *testing.T) {
	cases := []struct {
		name   string
		files  []string // paths below the workspace; a name with ! is not valid
		config string
		want   []string
	}{
		{
			name:  "a root that cannot be used leaves its folder of skills",
			files: []string{"!skills/SKILL.md", "skills/skills/a/SKILL.md", "skills/b/SKILL.md"}, want: []string{"a"},
		},
		{
			name:  "six levels below the folder of skills",
			files: []string{"skills/o/SKILL.md", "skills/skills/1/2/3/4/5/six/SKILL.md", "skills/skills/1/2/3/4/5/x/seven/SKILL.md"},
			want:  []string{"o", "six"},
		},
		{
			name:  "the folder of skills is always a candidate",
			files: []string{"skills/a/SKILL.md", "skills/b/SKILL.md", "skills/skills/c/SKILL.md", "skills/z/SKILL.md"}, want: []string{"a", "c"},
			config: `{skills: {limits: {maxCandidatesPerRoot: 1}}}`,
		},
		{
			name: "the list of the usual agent", files: []string{"skills/a/SKILL.md", "skills/b/SKILL.md"}, want: []string{"a"},
			config: `{agents: {defaults: {skills: ["b"]}, entries: {main: {skills: ["a"]}}}}`,
		},
		{
			name: "an empty list of the usual agent", files: []string{"skills/a/SKILL.md"},
			config: `{agents: {entries: {main: {skills: []}}}}`,
		},
		{
			name: "the list of another agent", files: []string{"skills/a/SKILL.md", "skills/b/SKILL.md"}, want: []string{"b"},
			config: `{agents: {defaults: {skills: ["b"]}, entries: {work: {skills: ["a"]}}}}`,
		},
	}
	for _, c := range cases {
		m := newMachine(t)
		for _, file := range c.files {
			if rest, bad := strings.CutPrefix(file, "!"); bad {
				m.write(rest, "---\nname: bad\n---\n")
				continue
			}
			m.write(file, "---\nname: "+filepath.Base(filepath.Dir(file))+"\ndescription: d\n---\nBody.\n")
		}
		if c.config != "" {
			m.write(filepath.Join(m.home, ".openclaw", "openclaw.json"), c.config)
		}
		snap, err := m.open(func(o *knack.Options) { o.Host = "openclaw" }).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range snap.Entries() {
			if e.Status == skill.Ready {
				got = append(got, e.Name)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}
