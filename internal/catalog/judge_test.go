package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/skill"
)

// Where letter case counts, the key of another spelling is another key.
func TestExactKeys(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "name: A")
	for _, c := range []struct {
		exact bool
		key   string
		want  string
	}{
		{false, "a", "disabled A skills/a [disabled]"},
		{true, "a", "gated A skills/a [gate-env]"},
		{true, "A", "disabled A skills/a [disabled]"},
	} {
		f.opt.Choices = Choices{
			ExactKeys: c.exact, Disabled: map[string]bool{c.key: true},
			Supplied: map[string]gate.Supplied{c.key: {APIKey: true}},
		}
		cat, err := newCatalog(f.opt, newFakeParser(), suppliedGate{})
		if err != nil {
			t.Fatal(err)
		}
		f.want(f.loadFrom(cat), c.want)
	}
}

// Every choice says where it was made and what undoes it.
func TestOrigins(t *testing.T) {
	f := newFixture(t)
	f.opt.Roots[0].Class = bundledClass
	f.write("skills/a/SKILL.md", "")
	asked := map[skill.Code]string{}
	f.opt.Choices = Choices{
		Off: true, Excluded: []string{"A"}, Disabled: map[string]bool{"a": true}, AllowBundled: []string{"x"}, Only: []string{"y"},
		Origin: func(why skill.Code, e *skill.Entry) (where, undo string) {
			asked[why] = e.Name
			return "file:1", "undo " + string(why)
		},
	}
	want := []skill.Reason{
		{Code: skill.ReasonOff, Message: "all skills are switched off (file:1)", Hint: "undo skills-off"},
		{Code: skill.ReasonExcluded, Message: "it is on the list of excluded skills (file:1)", Hint: "undo excluded"},
		{Code: skill.ReasonDisabled, Message: "the configuration switches it off (file:1)", Hint: "undo disabled"},
		{Code: skill.ReasonNotAllowed, Message: "it is not on the list of bundled skills that may be used (file:1)", Hint: "undo not-allowed"},
		{Code: skill.ReasonFiltered, Message: "it is not on the list of skills that may be used (file:1)", Hint: "undo not-for-agent"},
	}
	if diff := cmp.Diff(want, f.twice().Entries[0].Reasons); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, r := range want {
		if asked[r.Code] != "a" {
			t.Errorf("%s: asked about %q", r.Code, asked[r.Code])
		}
	}
	f.opt.Choices.Origin = func(skill.Code, *skill.Entry) (where, undo string) { return "", "" }
	if hint := f.twice().Entries[0].Reasons[3].Hint; hint != `knack config set skills.allow_bundled '["x", "a"]'` {
		t.Errorf("hint %q", hint)
	}
}
