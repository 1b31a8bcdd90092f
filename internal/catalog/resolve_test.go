package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// rooms are roots of two trusts: first, low, last.
func (f *fixture) rooms() {
	f.opt.Roots = nil
	for _, r := range []struct {
		name  string
		trust skill.Trust
	}{{"first", skill.Trusted}, {"low", skill.Installed}, {"last", skill.Trusted}} {
		f.opt.Roots = append(f.opt.Roots, Root{Path: f.path(r.name), Class: r.name, Trust: r.trust, Depth: 2, Links: DenyLinks})
	}
}

func TestShadowing(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.write("first/z/SKILL.md", "name: one")
	f.write("first/a-b/SKILL.md", "name: one")
	f.write("first/a/b/SKILL.md", "name: one")
	f.write("low/x/SKILL.md", "name: two")
	f.write("low/one/SKILL.md", "name: one")
	f.write("last/x/SKILL.md", "name: two")
	f.write("last/One/SKILL.md", "name: One")
	f.write("low/only/SKILL.md", "")
	s := f.load()
	f.want(s,
		"ready One last/One",
		"ready one first/a-b",
		"shadowed one first/a/b [duplicate]",
		"shadowed one first/z [duplicate]",
		"shadowed one low/one [shadowed]",
		"ready only low/only",
		"ready two last/x",
		"shadowed two low/x [shadowed]",
	)
	for i, why := range map[int]string{2: "first in the same root", 4: "trusted more", 7: "trusted more"} {
		r := s.Entries[i].Reasons[0]
		winner := s.Entries[1].Path
		if i == 7 {
			winner = s.Entries[6].Path
		}
		if !strings.Contains(r.Message, wording.Quote(winner)) || !strings.Contains(r.Message, why) || r.Hint == "" {
			t.Errorf("entry %d: %+v", i, r)
		}
	}
}

func TestBrokenSkillsNeitherShadowNorAreShadowed(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.write("first/a/SKILL.md", "name: x\nbroken: quite\nbins: no-bin")
	f.write("low/a/SKILL.md", "name: x")
	f.write("last/b/SKILL.md", "name: x\nbroken: very")
	s := f.load()
	f.want(s,
		"ready x low/a",
		"invalid x first/a [invalid] {frontmatter-invalid first/a/SKILL.md}",
		"invalid x last/b [invalid] {frontmatter-invalid last/b/SKILL.md}",
	)
	want := []skill.Reason{{Code: skill.ReasonInvalid, Message: "SKILL.md:2: quite", Hint: "mend it"}}
	if diff := cmp.Diff(want, s.Entries[1].Reasons); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChoices(t *testing.T) {
	f := newFixture(t)
	f.rooms()
	f.opt.Roots[2].Class = bundledClass
	f.write("first/a/SKILL.md", "name: Alpha\nkey: KeyOf")
	f.write("first/b/SKILL.md", "name: Beta\nbins: no-bin")
	f.write("first/c/SKILL.md", "name: it's odd")
	f.write("first/d/SKILL.md", "broken: yes")
	f.write("last/e/SKILL.md", "name: e")
	f.write("last/g/SKILL.md", "name: g")
	f.write("last/h/SKILL.md", "name: g2\nkey: h2")
	f.write("last/Beta/SKILL.md", "name: Beta")
	f.opt.Choices = Choices{
		Excluded: []string{"C", "bETA"}, Disabled: map[string]bool{"keyof": true, "it's odd": true, "alpha": false, "d": true},
		AllowBundled: []string{"e", "h2"},
	}
	s := f.load()
	f.want(s,
		"disabled Alpha first/a [disabled]",
		"disabled Beta first/b [excluded] [gate-bin]",
		"shadowed Beta last/Beta [shadowed] [excluded] [not-allowed]",
		"invalid d first/d [invalid] [disabled] {frontmatter-invalid first/d/SKILL.md}",
		"ready e last/e",
		"disabled g last/g [not-allowed]",
		"ready g2 last/h",
		"disabled it's odd first/c [excluded] [disabled]",
	)
	for i, hint := range map[int]string{
		0: "knack enable Alpha",
		5: `knack config set skills.allow_bundled '["e", "h2", "g"]'`,
		7: `knack enable 'it'\''s odd'`,
	} {
		if got := s.Entries[i].Reasons[0].Hint; got != hint {
			t.Errorf("hint %s, want %s", got, hint)
		}
	}
	f.opt.Choices.AllowBundled = []string{"\a \u2028"} // not written in the same way in Go and in TOML
	if got, want := f.load().Entries[5].Reasons[0].Hint, `["\u0007 \u2028", "g"]`; !strings.Contains(got, want) {
		t.Errorf("hint %s, want %s", got, want)
	}
	f.opt.Choices.AllowBundled = []string{}
	if e := f.load().Entries[4]; e.Status != skill.Disabled {
		t.Errorf("an empty list allows %s", e.Name)
	}
	f.opt.Choices = Choices{Off: true, Excluded: []string{"a"}}
	s = f.load()
	for _, e := range s.Entries {
		if e.Status == skill.Ready || e.Status == skill.Gated {
			t.Errorf("%s is %s though skills are off", e.Name, e.Status)
		}
	}
	if got := s.Entries[0]; got.Reasons[0].Code != skill.ReasonOff || got.Reasons[1].Code != skill.ReasonExcluded ||
		got.Reasons[0].Hint != "knack config set skills.enabled true" {
		t.Errorf("reasons %+v", got.Reasons)
	}
}

// suppliedGate says what it was given.
type suppliedGate struct{}

func (suppliedGate) Check(s *skill.Skill, given gate.Supplied, _ *gate.Environment) []skill.Reason {
	if given.APIKey {
		return nil
	}
	return []skill.Reason{{Code: skill.ReasonEnv}}
}

func TestGateIsGivenWhatTheConfigurationSupplies(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "name: A\nkey: TheKey")
	f.write("skills/b/SKILL.md", "name: TheKey2")
	f.opt.Choices.Supplied = map[string]gate.Supplied{"thekey": {APIKey: true}}
	c, err := newCatalog(f.opt, newFakeParser(), suppliedGate{})
	if err != nil {
		t.Fatal(err)
	}
	f.want(f.loadFrom(c), "ready A skills/a", "gated TheKey2 skills/b [gate-env]")
}

func TestPrefixSortsLikeNames(t *testing.T) {
	names := []string{"", "A", "a", "a\x00", "aaaaaaaa", "aaaaaaaab", "ab", "é", "\xff"}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if prefix(a) > prefix(b) {
				t.Errorf("%q sorts after %q", a, b)
			}
		}
	}
}
