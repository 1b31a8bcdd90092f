package host

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/catalog"
)

// bundledPath stands in a profile for the skills that are compiled in.
const bundledPath = "bundled:"

// Places are what the names in a profile's paths stand for on this machine.
type Places struct {
	Workspace string // absolute; empty leaves the workspace's roots out
	Home      string // Knack's home
	UserHome  string
	Bundled   fs.FS
	// Lists are settings that hold paths, by key: "skills.extra_roots".
	Lists map[string][]string
}

// Expand makes roots of the profile's paths, in the same order. A root whose
// place is unknown here is left out.
func (p *Profile) Expand(at Places) []catalog.Root {
	var roots []catalog.Root
	for _, r := range p.Roots {
		root := catalog.Root{Class: r.Class, Trust: r.Trust, Depth: r.Depth, Links: r.Symlinks}
		if r.Path == bundledPath {
			if at.Bundled != nil {
				root.Path, root.FS = bundledPath, at.Bundled
				roots = append(roots, root)
			}
			continue
		}
		if r.Within != "" {
			root.Within = at.path(r.Within)
		}
		for _, path := range at.paths(r.Path) {
			root.Path = path
			roots = append(roots, root)
		}
	}
	return roots
}

// path expands one path of a profile; empty if its place is unknown here.
func (at Places) path(pattern string) string {
	for _, place := range [...]struct{ name, dir string }{
		{"<ws>", at.Workspace}, {"<home>", at.Home}, {"~", at.UserHome},
	} {
		rest, ok := strings.CutPrefix(pattern, place.name)
		if !ok || rest != "" && !strings.HasPrefix(rest, "/") {
			continue
		}
		if place.dir == "" {
			return ""
		}
		return filepath.Join(place.dir, filepath.FromSlash(rest))
	}
	return filepath.Clean(filepath.FromSlash(pattern))
}

func (at Places) paths(pattern string) []string {
	if key, ok := strings.CutPrefix(pattern, "<"); ok {
		if key, ok = strings.CutSuffix(key, ">"); ok && at.Lists[key] != nil {
			return at.Lists[key]
		} else if ok && strings.Contains(key, ".") {
			return nil
		}
	}
	if path := at.path(pattern); path != "" {
		return []string{path}
	}
	return nil
}

// ConfigFiles are the configuration files of the user and the workspace.
func (p *Profile) ConfigFiles(at Places) (home, local string) {
	if p.Config.Home != "" {
		home = at.path(p.Config.Home)
	}
	if p.Config.Local != "" {
		local = at.path(p.Config.Local)
	}
	return home, local
}
