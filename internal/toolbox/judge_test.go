package toolbox

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/knackhq/knack/tool"
)

func TestJudge(t *testing.T) {
	run, write := tool.Effects{Run: true}, tool.Effects{Write: true}
	for name, c := range map[string]struct {
		Case
		want Verdict
	}{
		"a model reads":                      {Case{Caller: Model, Allowed: true, Effects: tool.Effects{Read: true}}, Allowed},
		"a model writes":                     {Case{Caller: Model, Allowed: true, Effects: write}, Ask},
		"a model reaches out":                {Case{Caller: Model, Allowed: true, Effects: tool.Effects{Network: true}}, Ask},
		"granted":                            {Case{Caller: Model, Allowed: true, Effects: run, Granted: true}, Allowed},
		"approved":                           {Case{Caller: Model, Allowed: true, Effects: run, Approved: true}, Allowed},
		"allowed before":                     {Case{Caller: Model, Allowed: true, Effects: run, Remembered: true}, Allowed},
		"the user's own call":                {Case{Caller: User, Allowed: true, Effects: run}, Allowed},
		"the user's own call of what is out": {Case{Caller: User, Effects: run}, Denied},
		"a trusted skill's command":          {Case{Caller: Slash, Allowed: true, Effects: run}, Ask},
		"the same, granted":                  {Case{Caller: Slash, Allowed: true, Effects: run, Granted: true}, Allowed},
		"an untrusted skill's command":       {Case{Caller: Slash, Allowed: true, Effects: run, Granted: true, Remembered: true, Untrusted: true}, Ask},
		"an untrusted skill's reading":       {Case{Caller: Slash, Allowed: true, Effects: tool.Effects{Read: true}, Untrusted: true}, Allowed},
		"granted and not allowed":            {Case{Caller: Model, Effects: run, Granted: true, Approved: true, Remembered: true}, Denied},
	} {
		if got, why := Judge(c.Case); got != c.want || why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got, why, c.want)
		}
	}
}

func TestNothingLiftsARefusal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Case{
			Effects: tool.Effects{
				Read: rapid.Bool().Draw(t, "read"), Write: rapid.Bool().Draw(t, "write"),
				Run: rapid.Bool().Draw(t, "run"), Network: rapid.Bool().Draw(t, "network"),
			},
			Caller:  rapid.SampledFrom([]Caller{Model, User, Slash}).Draw(t, "caller"),
			Allowed: rapid.Bool().Draw(t, "allowed"),
			Granted: rapid.Bool().Draw(t, "granted"), Approved: rapid.Bool().Draw(t, "approved"),
			Remembered: rapid.Bool().Draw(t, "remembered"), Untrusted: rapid.Bool().Draw(t, "untrusted"),
		}
		verdict, _ := Judge(c)
		if (verdict == Denied) == c.Allowed {
			t.Fatalf("%+v: %s", c, verdict)
		}
		if c.Allowed && c.Caller == Slash && c.Untrusted && c.Effects.Run && verdict != Ask {
			t.Fatalf("%+v: %s", c, verdict)
		}
		if lower := c; verdict == Ask {
			lower.Untrusted = true // trust taken away opens nothing
			if got, _ := Judge(lower); got == Allowed {
				t.Fatalf("%+v: %s", lower, got)
			}
		}
	})
}
