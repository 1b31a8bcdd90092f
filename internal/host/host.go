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
//	<state>              the host's own home: the first of config.homes that is there
//	<NAME>               a place of the profile's own, from its [place] table
//	<skills.extra_roots> what the settings say; of a list, one path for each element
//	$VARIABLE            an environment variable
//	~                    the user's home directory
//	file:PATH            the first line of a file
//	bundled:             the skills that are compiled in
//
// A path with a name in it that stands for nothing here is left out. Of several
// alternatives the first is taken that the user chose (a variable, a setting, a
// file's line) or that exists; if there is none, the first.
//
// Where a host's documents and the program it ships disagree, the profile
// follows the documents, for that is what people wrote against; its [shipped]
// table has the rules of the program. [Profile.AsShipped] applies them, for
// telling authors what would happen to their skill.
package host

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/prompt"
	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/internal/session"
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
	Name    string `toml:"-"`
	Extends string `toml:"extends"`
	// About says in a few words whose profile it is.
	About    string               `toml:"about"`
	Config   Config               `toml:"config"`
	Places   map[string][]string  `toml:"place"`
	Roots    []Root               `toml:"root"`
	Discover catalog.Rules        `toml:"discover"`
	Format   format.Rules         `toml:"format"`
	Gate     gate.Rules           `toml:"gate"`
	Route    route.Rules          `toml:"route"`
	Prompt   prompt.Rules         `toml:"prompt"`
	Policy   policy.Rules         `toml:"policy"`
	Activate session.ActiveRules  `toml:"activate"`
	Command  session.CommandRules `toml:"command"`
	Tools    session.ToolRules    `toml:"tools"`
	Env      session.EnvRules     `toml:"env"`

	shipped []byte // the file, if it has a [shipped] table
}

// Config says where a host keeps its configuration and what that means.
type Config struct {
	// Home and Local are the files of Knack itself.
	Home  string `toml:"home"`
	Local string `toml:"local"`
	// Homes are where the host may keep its things, Files its configuration.
	Homes []string `toml:"homes"`
	Files []string `toml:"files"`
	// Legacy are the files that count if none of Files is there, unless one of
	// the variables of Unless is set.
	Legacy []string `toml:"legacy"`
	Unless []string `toml:"unless"`
	// Reader names the syntax of the file; see [config.Host].
	Reader string `toml:"reader"`
	// Switch is how the host's file switches one skill off.
	Switch string `toml:"switch"`
	// Keys are those of Knack's settings that the host's file has.
	Keys []string `toml:"keys"`
	// Choices are the values the host has for a setting, where that are fewer
	// than Knack's. ExactNames tells skills' entries apart by letter case.
	Choices    map[string][]string `toml:"choices"`
	ExactNames bool                `toml:"exact_names"`
	// Env are the host's variables and the settings they make.
	Env map[string]string `toml:"env"`
	// Defaults are settings that differ from Knack's.
	Defaults map[string]any `toml:"defaults"`
}

// Root is a place to search, before its path is expanded.
type Root struct {
	Path     string        `toml:"path"`
	Class    string        `toml:"class"`
	Trust    skill.Trust   `toml:"trust"`
	Depth    int           `toml:"depth"`
	Symlinks catalog.Links `toml:"symlinks"`
	// Within is where contained links must stay, the root itself if empty;
	// Targets is where else they may lead.
	Within  string `toml:"within"`
	Targets string `toml:"targets"`
	// If names a setting that must be truthy, Unless variables that must not be
	// set, for the root to be searched.
	If     string   `toml:"if"`
	Unless []string `toml:"unless"`
	// Reverse makes the last element of a list the first root.
	Reverse bool `toml:"reverse"`
	// Layout, Nested, NestedDepth and Real are those of [catalog.Root].
	Layout      string `toml:"layout"`
	Nested      string `toml:"nested"`
	NestedDepth int    `toml:"nested_depth"`
	Real        bool   `toml:"real"`
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
	sources, err := all(extra)
	if err != nil {
		return nil, err
	}
	known := names(sources)
	if !slices.Contains(known, name) {
		return nil, &UnknownError{Name: name, Known: known}
	}
	p := &Profile{}
	if err := decode(p, name, sources, nil); err != nil {
		return nil, fmt.Errorf("host %s: %w", name, err)
	}
	p.Name = name
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("host %s: %w", name, err)
	}
	return p, nil
}

// Names lists the hosts there are, sorted.
func Names(extra ...fs.FS) []string {
	sources, err := all(extra)
	if err != nil {
		return nil
	}
	return names(sources)
}

func all(extra []fs.FS) ([]fs.FS, error) {
	compiled, err := fs.Sub(embedded, "hosts")
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(extra), compiled), nil
}

func names(sources []fs.FS) []string {
	found := map[string]bool{}
	for _, src := range sources {
		files, _ := fs.Glob(src, "*.toml")
		for _, f := range files {
			if name := strings.TrimSuffix(f, ".toml"); name != base {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// check finds what strict decoding cannot: values outside their set.
func (p *Profile) check() error {
	for i, r := range p.Roots {
		switch {
		case r.Path == "":
			return fmt.Errorf("root %d has no path", i+1)
		case !strings.ContainsRune("/<~$", rune(r.Path[0])) && r.Path != bundledPath && !filepath.IsAbs(r.Path):
			return fmt.Errorf("root %s: a path starts with /, ~, $VARIABLE or <PLACE>", r.Path)
		case r.Class == "":
			return fmt.Errorf("root %s has no class", r.Path)
		case r.Trust != skill.Trusted && r.Trust != skill.Installed:
			return fmt.Errorf("root %s: trust is %q; it is %q or %q", r.Path, r.Trust, skill.Trusted, skill.Installed)
		case r.Symlinks != catalog.FollowLinks && r.Symlinks != catalog.ContainedLinks && r.Symlinks != catalog.DenyLinks:
			return fmt.Errorf("root %s: symlinks is %q; it is %q, %q or %q", r.Path, r.Symlinks,
				catalog.FollowLinks, catalog.ContainedLinks, catalog.DenyLinks)
		}
	}
	if readers := config.Readers(); p.Config.Reader != "" && !slices.Contains(readers, p.Config.Reader) {
		return fmt.Errorf("config.reader is %q; known are %s", p.Config.Reader, strings.Join(readers, ", "))
	}
	if ways := []string{config.SwitchEntries, config.SwitchExcluded}; p.Config.Switch != "" && !slices.Contains(ways, p.Config.Switch) {
		return fmt.Errorf("config.switch is %q; known are %s", p.Config.Switch, strings.Join(ways, ", "))
	}
	return p.checkPlaces()
}
