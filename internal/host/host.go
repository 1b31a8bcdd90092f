// Package host holds the profiles: what Knack has to do differently to behave
// as each skill system people use.
//
// A profile is data. Every step of the engine declares its own knobs (a Rules
// struct) and a table from strategy names to functions; a [Profile] is those
// structs side by side, read strictly from hosts/NAME.toml. No step imports this
// package or knows which profile is in force, so a new host is a new file.
//
// A file may start with extends = "OTHER" and then lists its differences only.
// Paths in it may use
//
//	<ws>                 the workspace
//	<home>               Knack's own home ($KNACK_HOME)
//	~                    the user's home directory
//	<skills.extra_roots> a list of the settings: one root for each element
//	bundled:             the skills that are compiled in
package host

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/skill"
)

// Native is the profile that is used when none is named.
const Native = "knack"

// base is the file all profiles extend; it is not a host itself.
const base = "base"

//go:embed hosts/*.toml
var embedded embed.FS

// Profile is the knobs of every step.
type Profile struct {
	Name     string        `toml:"-"`
	Extends  string        `toml:"extends"`
	Config   Config        `toml:"config"`
	Roots    []Root        `toml:"root"`
	Discover catalog.Rules `toml:"discover"`
	Format   format.Rules  `toml:"format"`
	Gate     gate.Rules    `toml:"gate"`
}

// Config says where a host keeps its configuration.
type Config struct {
	Home  string `toml:"home"`
	Local string `toml:"local"`
}

// Root is a place to search, before its path is expanded.
type Root struct {
	Path     string        `toml:"path"`
	Class    string        `toml:"class"`
	Trust    skill.Trust   `toml:"trust"`
	Depth    int           `toml:"depth"`
	Symlinks catalog.Links `toml:"symlinks"`
	// Within is where contained links must stay; the root itself if empty.
	Within string `toml:"within"`
}

// UnknownError says that there is no profile of that name.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no host named %q (known: %s)", e.Name, strings.Join(e.Known, ", "))
}

// Load reads the profile of that name; empty is [Native]. Profiles in extra
// come before the ones compiled in; their files are named NAME.toml.
func Load(name string, extra ...fs.FS) (*Profile, error) {
	if name == "" {
		name = Native
	}
	compiled, err := fs.Sub(embedded, "hosts")
	if err != nil {
		return nil, err
	}
	sources := append(slices.Clone(extra), compiled)
	known := names(sources)
	if !slices.Contains(known, name) {
		return nil, &UnknownError{Name: name, Known: known}
	}
	p := &Profile{}
	if err := decode(p, name, sources, nil); err != nil {
		return nil, fmt.Errorf("host %s: %w", name, err)
	}
	p.Name = name
	return p, p.check()
}

// decode reads a profile over what it extends, so that only the keys it names
// are changed.
func decode(p *Profile, name string, sources []fs.FS, seen []string) error {
	if slices.Contains(seen, name) {
		return fmt.Errorf("extends goes in a circle: %s", strings.Join(append(seen, name), " → "))
	}
	data, err := readProfile(name, sources)
	if err != nil {
		return err
	}
	var parent struct {
		Extends string `toml:"extends"`
	}
	if err := toml.Unmarshal(data, &parent); err != nil {
		return describe(name, err)
	}
	if parent.Extends != "" {
		if err := decode(p, parent.Extends, sources, append(seen, name)); err != nil {
			return err
		}
	}
	// A host's list of roots replaces the one it inherits; a half-inherited
	// order of precedence would be nobody's.
	inherited := p.Roots
	p.Roots = nil
	dec := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return describe(name, err)
	}
	if p.Roots == nil {
		p.Roots = inherited
	}
	return nil
}

func readProfile(name string, sources []fs.FS) ([]byte, error) {
	for _, src := range sources {
		data, err := fs.ReadFile(src, name+".toml")
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	return nil, fmt.Errorf("extends %q, which does not exist", name)
}

func describe(name string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		row, _ := strict.Errors[0].Position()
		return fmt.Errorf("%s.toml:%d: unknown key %s", name, row, strings.Join(strict.Errors[0].Key(), "."))
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, _ := at.Position()
		return fmt.Errorf("%s.toml:%d: %w", name, row, err)
	}
	return fmt.Errorf("%s.toml: %w", name, err)
}

// Names lists the hosts there are, sorted.
func Names(extra ...fs.FS) []string {
	compiled, err := fs.Sub(embedded, "hosts")
	if err != nil {
		return nil
	}
	return names(append(slices.Clone(extra), compiled))
}

func names(sources []fs.FS) []string {
	var out []string
	for _, src := range sources {
		files, _ := fs.Glob(src, "*.toml")
		for _, f := range files {
			if name := strings.TrimSuffix(f, ".toml"); name != base && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// check finds what strict decoding cannot: values outside their set.
func (p *Profile) check() error {
	for i, r := range p.Roots {
		switch {
		case r.Path == "":
			return fmt.Errorf("host %s: root %d has no path", p.Name, i+1)
		case r.Class == "":
			return fmt.Errorf("host %s: root %s has no class", p.Name, r.Path)
		case r.Trust != skill.Trusted && r.Trust != skill.Installed:
			return fmt.Errorf("host %s: root %s: trust is %q; it is %q or %q", p.Name, r.Path, r.Trust, skill.Trusted, skill.Installed)
		case r.Symlinks != catalog.FollowLinks && r.Symlinks != catalog.ContainedLinks && r.Symlinks != catalog.DenyLinks:
			return fmt.Errorf("host %s: root %s: symlinks is %q; it is %q, %q or %q", p.Name, r.Path, r.Symlinks,
				catalog.FollowLinks, catalog.ContainedLinks, catalog.DenyLinks)
		}
	}
	return nil
}
