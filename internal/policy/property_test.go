package policy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// calls are arguments that the drawn rules tell apart.
var calls = []string{"", "git status", "git push -f", "rm x", "curl a.org", "git log; rm x", "https://x.a.org", "src/a.go"}

// some draws a few words of a vocabulary.
func some(words ...string) *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(words), 0, 3)
}

var ruled = []string{
	"Bash", "Bash(git:*)", "Bash(rm:*)", "Bash(curl *)", "Bash(", "Bash(*)", "exec", "Read", "file_write", "Edit", "WebFetch", "WebFetch(domain:x.a.org)",
	"mcp__files", "mcp__files__delete", "skill_weather_fetch", "skill_weather_run", "skill_news_fetch", "*", "file_*", "",
}

func someActive() *rapid.Generator[Active] {
	return rapid.Custom(func(t *rapid.T) Active {
		a := Active{
			Name:        rapid.SampledFrom([]string{"weather", "news", "sly", "bare"}).Draw(t, "name"),
			Trust:       rapid.SampledFrom([]skill.Trust{skill.Trusted, skill.Installed, skill.Installed, ""}).Draw(t, "trust"),
			Permissions: some("file_read", "shell_exec", "web_fetch", "mcp__files__delete", "nonsense").Draw(t, "permissions"),
			Allowed:     some(ruled...).Draw(t, "allowed"),
			Disallowed:  rapid.SliceOfN(rapid.SampledFrom(ruled), 0, 1).Draw(t, "disallowed"),
		}
		// Half of the skills have the same grants, so that some are common.
		if rapid.Bool().Draw(t, "granted") {
			for _, name := range []string{"Bash", "web_fetch", "skill_" + a.Name + "_fetch", "skill_" + a.Name + "_run"} {
				a.Grants = append(a.Grants, Grant{Tool: name, Net: someHosts().Draw(t, "net")})
			}
		}
		for _, name := range some(ruled...).Draw(t, "grants") {
			a.Grants = append(a.Grants, Grant{Tool: name, Net: someHosts().Draw(t, "net")})
		}
		return a
	})
}

func somePolicy(t *rapid.T, tb testing.TB) *Policy {
	return policy(tb, rapid.SampledFrom([]string{native, listed, required}).Draw(t, "profile"))
}

// within fails unless all that the one decision lets through, so does the other.
func within(t *rapid.T, less, more Decision) {
	t.Helper()
	if less.Allowed && !more.Allowed {
		t.Fatalf("%s was refused (%s) and is allowed now", less.Tool.Name, more.Reason.Message)
	}
	for _, call := range calls {
		if less.May(call) && !more.May(call) {
			t.Fatalf("%s may now be called with %q", less.Tool.Name, call)
		}
		if !less.May(call) {
			continue
		}
		now, confined := less.Reach(call)
		before, wasConfined := more.Reach(call)
		switch {
		case wasConfined && !confined:
			t.Fatalf("%s is no more confined", less.Tool.Name)
		case wasConfined:
			for _, host := range []string{"a.org", "a.org:443", "x.a.org", "x.a.org:80", "x.y.a.org", "x.y.a.org:443", "b.org", "10.0.0.1", "[::1]:80"} {
				if HostWithin(host, now) && !HostWithin(host, before) {
					t.Fatalf("%s reaches %s with %q now", less.Tool.Name, host, call)
				}
			}
		}
	}
}

// Activating a skill adds its own tools at most, whatever else is active.
func TestAuthorityOnlyShrinks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := somePolicy(rt, t)
		var active []Active
		before := p.Decide(tools(), nil)
		for _, next := range rapid.SliceOfN(someActive(), 1, 5).Draw(rt, "activated") {
			active = append(active, next)
			after := p.Decide(tools(), active)
			for i, d := range after {
				if d.Tool.Skill != next.Name {
					within(rt, d, before[i])
				}
			}
			before = after
		}
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := somePolicy(rt, t)
		active := rapid.SliceOfN(someActive(), 0, 5).Draw(rt, "active")
		// Two skills of one name have no order of their own, and a session has none.
		names := map[string]bool{}
		active = slices.DeleteFunc(active, func(a Active) bool { twice := names[a.Name]; names[a.Name] = true; return twice })
		want := p.Decide(tools(), active)
		got := p.Decide(tools(), rapid.Permutation(active).Draw(rt, "order"))
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestTakingAGrantAddsNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := somePolicy(rt, t)
		active := rapid.SliceOfN(someActive(), 1, 4).Draw(rt, "active")
		before := p.Decide(tools(), active)
		k := rapid.IntRange(0, len(active)-1).Draw(rt, "skill")
		if len(active[k].Grants) == 0 {
			return
		}
		g := rapid.IntRange(0, len(active[k].Grants)-1).Draw(rt, "grant")
		active[k].Grants = slices.Delete(slices.Clone(active[k].Grants), g, g+1)
		for i, d := range p.Decide(tools(), active) {
			within(rt, d, before[i])
		}
	})
}

func TestInstalledSkillsApproveNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := somePolicy(rt, t)
		active := rapid.SliceOfN(someActive(), 1, 4).Draw(rt, "active")
		without := slices.Clone(active)
		for i := range without {
			if without[i].Trust != skill.Trusted {
				without[i].Allowed = nil
			}
		}
		if diff := cmp.Diff(p.Decide(tools(), without), p.Decide(tools(), active)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// Deciding changes nothing it is given, and gives the same again.
func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := somePolicy(rt, t)
		active := rapid.SliceOfN(someActive(), 0, 4).Draw(rt, "active")
		copied := make([]Active, len(active))
		for i, a := range active {
			copied[i] = a
			copied[i].Permissions, copied[i].Allowed, copied[i].Disallowed = slices.Clone(a.Permissions), slices.Clone(a.Allowed), slices.Clone(a.Disallowed)
			copied[i].Grants = slices.Clone(a.Grants)
			for k, g := range a.Grants {
				copied[i].Grants[k].Net = slices.Clone(g.Net)
			}
		}
		all := tools()
		first := p.Decide(all, active)
		if diff := cmp.Diff(first, p.Decide(all, active)); diff != "" {
			rt.Fatal(diff)
		}
		if diff := cmp.Diff(copied, active) + cmp.Diff(tools(), all); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// The properties are about something: what is drawn has refusals of every
// kind, grants that count, and approvals.
func TestDrawnSkillsReachEverything(t *testing.T) {
	seen := map[string]bool{}
	p, some := policy(t, native), rapid.SliceOfN(someActive(), 0, 4)
	for seed := range 500 {
		for _, d := range p.Decide(tools(), some.Example(seed)) {
			seen[string(d.Reason.Code)] = true
			seen["granted"] = seen["granted"] || len(d.Within) > 1
			seen["net"] = seen["net"] || len(d.Net) > 0
			seen["approved"] = seen["approved"] || d.Approved && len(d.Only) > 0
			seen["forbidden"] = seen["forbidden"] || len(d.Forbidden) > 0
		}
	}
	for _, what := range []string{"tool-attenuated", "tool-disallowed", "tool-ceiling", "granted", "net", "approved", "forbidden"} {
		if !seen[what] {
			t.Errorf("nothing drawn was %s", what)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	p := policy(b, native)
	var all []tool.Spec
	for range 10 {
		all = append(all, tools()...)
	}
	active := []Active{
		{Name: "weather", Trust: skill.Installed, Grants: []Grant{{Tool: "Bash(git:*)", Net: []string{"a.org"}}}},
		{Name: "news", Trust: skill.Trusted, Allowed: []string{"Bash(git:*)", "Read"}, Disallowed: []string{"Bash(rm:*)"}},
	}
	for b.Loop() {
		p.Decide(all, active)
	}
}
