package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/skill"
)

// require adds requirements to the skill's. What is stated in several places
// holds together: each place can close a gate, none can open one.
func (r *reading) require(add *skill.Requirements, line int) {
	have := &r.skill().Requires
	always := have.Always || add.Always
	// always passes the requirements stated beside it, not those that another
	// file or namespace states without it.
	have.Always = always && (have.Always || !demands(have)) && (add.Always || !demands(add))
	if always && !have.Always {
		r.report(skill.ValueInvalid, line, "always has no effect on requirements that are stated elsewhere without it",
			"state always and the requirements in one place")
	}
	if have.SkillKey == "" {
		have.SkillKey = add.SkillKey
	}
	if have.PrimaryEnv == "" {
		have.PrimaryEnv = add.PrimaryEnv
	}
	have.Unreadable = have.Unreadable || add.Unreadable
	r.requireLists(have, add, line)
}

// requireLists joins the lists of add to those of have.
func (r *reading) requireLists(have, add *skill.Requirements, line int) {
	for _, list := range [...]struct {
		name      string
		have, add *[]string
	}{{"bins", &have.Bins, &add.Bins}, {"env", &have.Env, &add.Env}, {"config", &have.Config, &add.Config}} {
		*list.have = union(*list.have, *list.add)
		if len(*list.have) > maxRequirements {
			*list.have = (*list.have)[:maxRequirements:maxRequirements]
			r.unreadable(max(line, 1), fmt.Sprintf("%s has more than %d names in all; the rest was not read", list.name, maxRequirements),
				"name only what the skill needs")
		}
	}
	var ok bool
	if have.OS, ok = bothSystems(have.OS, add.OS); !ok {
		r.unreadable(line, "os is stated twice, and no operating system is in both lists", "state os in one place")
	}
	if !bothAlternatives(have, add.AnyBins) {
		r.unreadable(line, "anyBins is stated twice, with lists that cannot be made into one", "state anyBins in one place")
	}
}

// sameLists reports whether two sets of requirements demand the same.
func sameLists(a, b *skill.Requirements) bool {
	return slices.Equal(a.OS, b.OS) && slices.Equal(a.Bins, b.Bins) && slices.Equal(a.AnyBins, b.AnyBins) &&
		slices.Equal(a.Env, b.Env) && slices.Equal(a.Config, b.Config)
}

// demands reports whether there is a requirement that always would pass.
func demands(q *skill.Requirements) bool {
	return len(q.Bins)+len(q.AnyBins)+len(q.Env)+len(q.Config) > 0
}

// union appends what is not there yet.
func union(have, add []string) []string {
	if len(have) == 0 {
		return add
	}
	// Searching is faster than hashing while the lists are as short as 16 names,
	// longer than any of a published skill.
	if len(have)+len(add) <= 16 {
		for _, item := range add {
			if !slices.Contains(have, item) {
				have = append(have, item)
			}
		}
		return have
	}
	there := make(map[string]bool, len(have)+len(add))
	for _, item := range have {
		there[item] = true
	}
	for _, item := range add {
		if !there[item] {
			there[item] = true
			have = append(have, item)
		}
	}
	return have
}

// bothSystems returns the systems that are in both lists; an empty list stands
// for all. It reports false if two lists have none in common, and then keeps
// the first.
func bothSystems(a, b []string) ([]string, bool) {
	if len(a) == 0 {
		return b, true
	}
	if len(b) == 0 {
		return a, true
	}
	var both []string
	for _, system := range a {
		if slices.ContainsFunc(b, func(other string) bool { return systemKey(other) == systemKey(system) }) {
			both = append(both, system)
		}
	}
	if both == nil {
		return a, false
	}
	return both, true
}

// systemKey is equal for the spellings of one operating system. It serves only
// to see whether two lists agree; the gate judges by the profile's aliases.
func systemKey(system string) string {
	switch system = strings.ToLower(system); system {
	case "macos", "osx", "mac":
		return "darwin"
	case "win32", "win":
		return "windows"
	}
	return system
}

// bothAlternatives adds a second list of programs of which one is needed. One
// list cannot say "one of these and one of those", except where one lies
// within the other or has a single program.
func bothAlternatives(have *skill.Requirements, add []string) bool {
	switch {
	case len(add) == 0 || within(have.AnyBins, add):
	case len(have.AnyBins) == 0 || within(add, have.AnyBins):
		have.AnyBins = add
	case len(add) == 1:
		have.Bins = union(have.Bins, add)
	case len(have.AnyBins) == 1:
		have.Bins, have.AnyBins = union(have.Bins, have.AnyBins), add
	default:
		return false
	}
	return true
}

// within reports whether all of a, which is not empty, is in b.
func within(a, b []string) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(item string) bool { return !slices.Contains(b, item) })
}
