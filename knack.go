// Package knack is the skill engine for AI agents as a library.
//
// A skill is a folder with instructions for a model, sometimes with tools and
// scripts. Knack finds skills written for any of several systems, reads them,
// decides which may be used on this machine, and explains every decision.
//
// Open an [Engine] with what it may see, and ask it for a [Snapshot]:
//
//	engine, err := knack.Open(ctx, knack.Options{
//		Home:      filepath.Join(home, ".knack"),
//		UserHome:  home,
//		Workspace: project,
//		Environ:   os.Environ(),
//	})
//	if err != nil {
//		return err // the host profile or a setting makes no sense
//	}
//	snapshot, err := engine.Snapshot(ctx)
//	for _, e := range snapshot.Entries() {
//		fmt.Println(e.Name, e.Status)
//	}
//
// Loading never fails as a whole: what is wrong with a file is a diagnostic of
// its entry, and nothing that was found is left out of the entries. The same
// files always give the same snapshot, byte for byte.
//
// The engine sees nothing but what Options names: no environment variable and
// no working directory of the process. Loading writes only a cache, below Home;
// [Engine.Set], [Engine.SetEnabled] and [Engine.Fix] write what they are asked to.
package knack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/bundled"
	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/host"
	"github.com/knackhq/knack/skill"
)

// Options says what an engine may see. The zero value sees the bundled skills
// and nothing of the machine.
type Options struct {
	// Home is Knack's own directory: configuration, the user's skills, the
	// cache. Empty means none of them.
	Home string
	// UserHome is what ~ stands for.
	UserHome string
	// Workspace is the project whose skills count; empty means none.
	Workspace string
	// Host names the skill system to behave as. Empty leaves it to the
	// configuration, and that to the native one.
	Host string
	// Roots are searched besides the host's own, after them in precedence
	// but before the bundled skills.
	Roots []Root
	// Environ is the environment that requirements are checked against, in
	// the form of os.Environ. PATH in it finds programs.
	Environ []string
	// Settings overrides configuration values by key, as flags do.
	Settings map[string]string
	// NoBundled leaves the compiled-in skills out.
	NoBundled bool
	// NoIndex reads every file at every load instead of keeping an index of
	// what was read below Home.
	NoIndex bool
	// Build names the program, so that an index made by another build is not
	// used. Empty takes it from the build information.
	Build string
	// Logger is told what each step decides, at debug level. Nil is silent.
	Logger *slog.Logger
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// Root is a directory with skills.
type Root struct {
	Path  string
	Trust skill.Trust // empty is skill.Installed
}

// Engine loads skills. It is safe for use by many goroutines.
type Engine struct {
	opt      Options
	profile  *host.Profile
	settings *config.Settings
	problems []skill.Diagnostic
	places   host.Places
	roots    []catalog.Root
	parser   *format.Parser
	catalog  *catalog.Catalog
	index    string
	// The configuration files of the user and the workspace.
	homeFile, localFile string
}

// Open prepares an engine: it reads the configuration and the host's profile,
// but no skill. It fails if the host is unknown or its profile is broken; what
// is wrong with the configuration is in [Engine.Diagnostics].
func Open(ctx context.Context, opt Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := &Engine{opt: withDefaults(opt)}
	if err := e.configure(); err != nil {
		return nil, err
	}
	if err := e.assemble(); err != nil {
		return nil, err
	}
	return e, nil
}

func withDefaults(opt Options) Options {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Build == "" {
		if info, ok := debug.ReadBuildInfo(); ok {
			opt.Build = info.String()
		}
	}
	return opt
}

// configure reads settings and profile. Which host it is may itself be a
// setting, so the native profile says where the settings are.
func (e *Engine) configure() error {
	native, err := host.Load(host.Native)
	if err != nil {
		return err
	}
	e.places = host.Places{Workspace: e.opt.Workspace, Home: e.opt.Home, UserHome: e.opt.UserHome}
	if !e.opt.NoBundled {
		e.places.Bundled = bundled.FS()
	}
	home, local := native.ConfigFiles(e.places)
	flags := map[string]string{}
	for key, value := range e.opt.Settings {
		flags[key] = value
	}
	if e.opt.Host != "" {
		flags["host"] = e.opt.Host
	}
	e.settings, e.problems = config.Load(config.Input{
		Files:   config.Files{Home: home, Local: local},
		Environ: e.opt.Environ, Flags: flags,
		Workspace: e.opt.Workspace, UserHome: e.opt.UserHome,
	})
	e.homeFile, e.localFile = home, local
	if e.profile = native; e.settings.Host == "" || e.settings.Host == host.Native {
		return nil
	}
	e.profile, err = host.Load(e.settings.Host, e.hostFiles()...)
	// A mistake in a file must not lock its user out of mending it.
	if v, _ := e.settings.Get("host"); err != nil && v.Origin.File != "" {
		e.problems = append(e.problems, skill.ConfigBadValue.New(v.Origin.File, v.Origin.Line, err.Error(), "knack config unset host"))
		e.profile, err = native, nil
	}
	return err
}

// hostFiles are the profiles a user wrote, beside the ones compiled in.
func (e *Engine) hostFiles() []fs.FS {
	if e.opt.Home == "" {
		return nil
	}
	return []fs.FS{os.DirFS(filepath.Join(e.opt.Home, "hosts"))}
}

func (e *Engine) assemble() error {
	parser, err := format.New(e.profile.Format)
	if err != nil {
		return fmt.Errorf("host %s: %w", e.profile.Name, err)
	}
	checker, err := gate.New(e.profile.Gate)
	if err != nil {
		return fmt.Errorf("host %s: %w", e.profile.Name, err)
	}
	e.places.Lists = map[string][]string{"skills.extra_roots": e.settings.Skills.ExtraRoots}
	e.parser = parser
	e.roots = e.withGivenRoots(e.profile.Expand(e.places))
	if e.opt.Home != "" && !e.opt.NoIndex {
		e.index = filepath.Join(e.opt.Home, "cache", "index-"+rootsKey(e.profile.Name, e.roots)+".bin")
	}
	e.catalog, err = catalog.New(catalog.Options{
		Roots: e.roots, Rules: e.profile.Discover, Parser: parser, Gate: checker,
		Env: func() *gate.Environment {
			return gate.Machine(e.opt.Environ, e.opt.UserHome, runtime.GOOS, e.settings.Truthy)
		},
		Choices: choices(e.settings), Index: e.index, Fingerprint: e.fingerprint(),
		Now: e.opt.Now, Log: e.opt.Logger,
	})
	if err != nil {
		return fmt.Errorf("host %s: %w", e.profile.Name, err)
	}
	return nil
}

// withGivenRoots adds Options.Roots after the host's roots on disk.
func (e *Engine) withGivenRoots(roots []catalog.Root) []catalog.Root {
	var out, embedded []catalog.Root
	for _, r := range roots {
		if r.FS != nil {
			embedded = append(embedded, r)
		} else {
			out = append(out, r)
		}
	}
	for _, r := range e.opt.Roots {
		trust := r.Trust
		if trust == "" {
			trust = skill.Installed
		}
		out = append(out, catalog.Root{Path: r.Path, Class: "extra", Trust: trust, Depth: givenDepth, Links: catalog.ContainedLinks})
	}
	return append(out, embedded...)
}

// givenDepth is how deep a root given by the caller is searched: as deep as
// the native profile searches its own.
const givenDepth = 4

// fingerprint stands for all that a parse depends on besides the files.
func (e *Engine) fingerprint() string {
	rules, err := json.Marshal(e.profile.Format)
	if err != nil { // strings and numbers always marshal
		return ""
	}
	return shortHash(e.opt.Build, string(rules))
}

// rootsKey gives each set of roots its own index file, so that two workspaces
// do not overwrite each other's.
func rootsKey(profile string, roots []catalog.Root) string {
	parts := []string{profile}
	for _, r := range roots {
		parts = append(parts, r.Path)
	}
	return shortHash(parts...)
}

func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// choices turns settings into what the catalog asks about.
func choices(s *config.Settings) catalog.Choices {
	c := catalog.Choices{
		Off:          !s.Skills.Enabled,
		Excluded:     s.Skills.Excluded,
		AllowBundled: s.Skills.AllowBundled,
		Disabled:     map[string]bool{},
		Supplied:     map[string]gate.Supplied{},
	}
	for key, entry := range s.Skills.Entries {
		key = strings.ToLower(key)
		c.Disabled[key] = !entry.Enabled
		c.Supplied[key] = gate.Supplied{Env: entry.Env, APIKey: entry.APIKey != ""}
	}
	return c
}
