package format

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestFix(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a colon in a text": {
			"---\nname: x\ndescription: Use when: asked\n---\nBody.\n",
			"---\nname: x\ndescription: \"Use when: asked\"\n---\nBody.\n"},
		"comments and order stay": {
			"---\n# first\nname: x # here\ndescription: Use when: asked\ntags: [a,  b]\n---\n\nBody: x.\n",
			"---\n# first\nname: x # here\ndescription: \"Use when: asked\"\ntags: [a,  b]\n---\n\nBody: x.\n"},
		"two of them": {
			"---\nname: x\ndescription: Use when: asked\nauthor: a: b\n---\nBody.\n",
			"---\nname: x\ndescription: \"Use when: asked\"\nauthor: \"a: b\"\n---\nBody.\n"},
		"CRLF": {
			"---\r\nname: x\r\ndescription: Use when: asked\r\n---\r\nBody.\r\n",
			"---\r\nname: x\r\ndescription: \"Use when: asked\"\r\n---\r\nBody.\r\n"},
		"metadata beside it stays": {
			"---\nname: x\ndescription: Use when: asked\nmetadata: { \"openclaw\": {\"requires\": {\"bins\": [\"a\"]}} }\n---\nBody.\n",
			"---\nname: x\ndescription: \"Use when: asked\"\nmetadata: { \"openclaw\": {\"requires\": {\"bins\": [\"a\"]}} }\n---\nBody.\n"},
		"brackets": {
			"---\nname: x\ndescription: d\nargument-hint: [a] [b]\n---\nBody.\n",
			"---\nname: x\ndescription: d\nargument-hint: \"[a] [b]\"\n---\nBody.\n"},
		"nothing to do": {"---\nname: x\ndescription: d\n---\nBody.\n", "---\nname: x\ndescription: d\n---\nBody.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newParser(t)
			before := p.readAlone("SKILL.md", []byte(c.text))
			fixed, err := p.Fix("SKILL.md", []byte(c.text), before.Repairs)
			if err != nil {
				t.Fatalf("%v; %v", err, before.Diagnostics)
			}
			if diff := cmp.Diff(c.want, string(fixed)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			after := p.readAlone("SKILL.md", fixed)
			if diff := cmp.Diff(withoutPlaces(before.Skill), withoutPlaces(after.Skill)); diff != "" {
				t.Errorf("the skill changed: %s", diff)
			}
			if slices.Contains(found(after), skill.FrontmatterRepaired) {
				t.Errorf("still to repair: %v", after.Diagnostics)
			}
		})
	}
}

// Whatever was repaired in the malformed files can be mended, or is left as it
// is; the skill never changes.
func TestFixMalformed(t *testing.T) {
	p := newParser(t)
	mended, left := 0, 0
	for _, c := range malformedCases(t) {
		before := p.readAlone("SKILL.md", c.data)
		if len(before.Repairs) == 0 {
			continue
		}
		fixed, err := p.Fix("SKILL.md", c.data, before.Repairs)
		if errors.Is(err, errNotMended) {
			left++
			t.Logf("%s: %v", c.name, err)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		after := p.readAlone("SKILL.md", fixed)
		if diff := cmp.Diff(withoutPlaces(before.Skill), withoutPlaces(after.Skill)); diff != "" {
			t.Errorf("%s: the skill changed: %s", c.name, diff)
		}
		if len(after.Repairs) == 0 {
			mended++
		} else {
			t.Logf("%s: still to repair: %v", c.name, after.Repairs)
		}
	}
	t.Logf("%d mended, %d left", mended, left)
	if mended < 20 {
		t.Errorf("only %d files could be mended", mended)
	}
}

func TestFixRefuses(t *testing.T) {
	p := newParser(t)
	if _, err := p.Fix("SKILL.toml", []byte("name="), nil); err == nil || !strings.Contains(err.Error(), "SKILL.toml is no SKILL.md") {
		t.Errorf("error %v", err)
	}
	_, err := p.Fix("SKILL.md", []byte(markdown("name: x")), []Repair{{File: "SKILL.md", Key: "name", Value: "other"}})
	if !errors.Is(err, errNotMended) {
		t.Errorf("error %v for a repair that nobody asked for", err)
	}
}
