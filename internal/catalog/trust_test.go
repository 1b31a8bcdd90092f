package catalog

import (
	"context"
	"testing"

	"github.com/knackhq/knack/skill"
)

// Trust that is changed for one skill decides which of a name is used, and the
// version tells.
func TestTrustIsAskedBeforeResolution(t *testing.T) {
	f := newFixture(t)
	f.opt.Roots[0].Trust = skill.Trusted
	f.write("skills/a/SKILL.md", "description: d")
	before := f.load()
	loads, ends := 0, 0
	f.opt.Trust = func(context.Context) (func(*skill.Entry), func()) {
		loads++
		return func(e *skill.Entry) {
			e.Trust = skill.Installed
			e.TrustReasons = []skill.Reason{{Code: skill.ReasonShadowed, Message: "a test says so"}}
		}, func() { ends++ }
	}
	after := f.load()
	if loads != 1 || ends != 1 || after.Version == before.Version {
		t.Errorf("asked %d times; versions %s and %s", loads, before.Version, after.Version)
	}
	for _, e := range after.Entries {
		if e.Trust != skill.Installed || len(e.TrustReasons) != 1 {
			t.Errorf("%s: %s %v", e.Path, e.Trust, e.TrustReasons)
		}
	}
}
