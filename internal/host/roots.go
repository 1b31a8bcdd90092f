package host

import (
	"path/filepath"
	"slices"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/config"
)

// bundledPath stands in a profile for the skills that are compiled in.
const bundledPath = "bundled:"

// Expand makes roots of the profile's paths, in the same order. A root whose
// place is unknown here is left out, and so is one that another has already.
func (p *Profile) Expand(at Places) []catalog.Root {
	var roots []catalog.Root
	for _, r := range p.Roots {
		if !r.wanted(&at) {
			continue
		}
		root := catalog.Root{
			Class: r.Class, Trust: r.Trust, Depth: r.Depth, Links: r.Symlinks,
			Layout: r.Layout, Nested: r.Nested, NestedDepth: r.NestedDepth, Real: r.Real,
		}
		if r.Path == bundledPath {
			if at.Bundled != nil {
				root.Path, root.FS = bundledPath, at.Bundled
				roots = append(roots, root)
			}
			continue
		}
		if within := p.expand(&at, r.Within); len(within) > 0 {
			root.Within = within[0]
		}
		if r.Targets != "" {
			root.Targets = p.expand(&at, r.Targets)
		}
		paths := p.expand(&at, r.Path)
		if r.Reverse {
			paths = slices.Clone(paths)
			slices.Reverse(paths)
		}
		for _, path := range paths {
			same := func(other catalog.Root) bool { return other.Path == path }
			if root.Path = path; filepath.IsAbs(path) && !slices.ContainsFunc(roots, same) {
				roots = append(roots, root)
			}
		}
	}
	return roots
}

// wanted reports whether the root's conditions are met.
func (r *Root) wanted(at *Places) bool {
	if r.If != "" && (at.Truthy == nil || !at.Truthy(r.If)) {
		return false
	}
	return !at.anySet(r.Unless)
}

// ConfigFiles are Knack's own configuration files, of the user and the
// workspace, in the profile that has them.
func (p *Profile) ConfigFiles(at Places) (home, local string) {
	if found := p.expand(&at, p.Config.Home); len(found) > 0 {
		home = found[0]
	}
	if found := p.expand(&at, p.Config.Local); len(found) > 0 {
		local = found[0]
	}
	return home, local
}

// Settings describes the host's own configuration.
func (p *Profile) Settings(at Places) config.Host {
	c := &p.Config
	h := config.Host{Name: p.Name, Reader: c.Reader, Env: c.Env, Defaults: c.Defaults, Switch: c.Switch, Keys: c.Keys,
		Choices: c.Choices, ExactNames: c.ExactNames}
	file := p.pick(&at, c.Files)
	if at.Exists != nil && !at.Exists(file) && !at.anySet(c.Unless) {
		if old := p.pick(&at, c.Legacy); at.Exists(old) {
			file = old
		}
	}
	if filepath.IsAbs(file) {
		h.File = file
	}
	return h
}

// anySet reports whether one of the variables is set.
func (at *Places) anySet(variables []string) bool {
	return at.Getenv != nil && slices.ContainsFunc(variables, func(name string) bool { return at.Getenv(name) != "" })
}

// State is the host's own home if it is on this machine, else "".
func (p *Profile) State(at Places) string {
	state := p.pick(&at, p.Config.Homes)
	if state == "" || at.Exists == nil || !at.Exists(state) {
		return ""
	}
	return state
}
