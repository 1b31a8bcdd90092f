package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/hostname"
)

// May reports whether the tool may be called with these arguments; see the
// package comment for what they are.
func (d *Decision) May(arguments string) bool {
	if !d.Allowed || slices.ContainsFunc(d.Forbidden, func(pattern string) bool { return Forbids(pattern, arguments) }) {
		return false
	}
	for _, grants := range d.Within {
		if len(fitting(grants, arguments)) == 0 {
			return false
		}
	}
	return true
}

// Preapproved reports whether it may be called with these arguments without
// asking anybody.
func (d *Decision) Preapproved(arguments string) bool {
	return d.Approved && d.May(arguments) &&
		(len(d.Only) == 0 || slices.ContainsFunc(d.Only, func(pattern string) bool { return Matches(pattern, arguments) }))
}

// Reach returns the hosts that a call with these arguments may reach, and
// whether it is confined to them; [HostWithin] compares. It is narrower than
// Net where grants for other arguments name other hosts.
func (d *Decision) Reach(arguments string) (hosts []string, confined bool) {
	switch {
	case !d.Confined:
		return nil, false
	case len(d.Net) == 0 || len(d.Within) == 0:
		return nil, true
	}
	lists := make([][]string, len(d.Within))
	for i, grants := range d.Within {
		lists[i] = netOf(fitting(grants, arguments))
	}
	return hostname.Intersection(lists), true
}

// fitting are the grants that cover a call.
func fitting(grants []Grant, arguments string) []Grant {
	var out []Grant
	for _, g := range grants {
		if _, pattern := Canonical(g.Tool); pattern == "" || Matches(pattern, arguments) {
			out = append(out, g)
		}
	}
	return out
}

// confine orders the grants, so that the order of skills does not show, and
// computes Net. A ceiling that is there already leaves no host.
func (d *Decision) confine() {
	if len(d.Within) == 0 {
		return
	}
	lists := make([][]string, len(d.Within))
	for i, grants := range d.Within {
		slices.SortFunc(grants, compareGrants)
		d.Within[i] = slices.CompactFunc(grants, func(a, b Grant) bool { return compareGrants(a, b) == 0 })
		lists[i] = netOf(d.Within[i])
	}
	compareLists := func(a, b []Grant) int { return slices.CompareFunc(a, b, compareGrants) }
	slices.SortFunc(d.Within, compareLists)
	d.Within = slices.CompactFunc(d.Within, func(a, b []Grant) bool { return compareLists(a, b) == 0 })
	if !d.Confined {
		d.Net = hostname.Intersection(lists)
	}
	d.Confined = true
}

func compareGrants(a, b Grant) int {
	return cmp.Or(strings.Compare(a.Tool, b.Tool), slices.Compare(a.Net, b.Net))
}

func netOf(grants []Grant) []string {
	var hosts []string
	for _, g := range grants {
		hosts = append(hosts, g.Net...)
	}
	return hosts
}
