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
// [Engine.NewSession] starts a conversation with the skills of that moment: the
// exact prompt, the tools that may be called while skills are active, and what
// slash commands do. A skill from elsewhere, or of a workspace that the user has
// not accepted, takes tools away while it is active; [Engine.Trust],
// [Engine.Grant] and [Engine.AcceptWorkspace] record that the user wants it
// otherwise, bound to the content as it is.
//
// The engine sees nothing but what Options names: no environment variable and
// no working directory of the process. Loading writes only caches, below Home;
// those three, [Engine.Set], [Engine.SetEnabled] and [Engine.Fix] write what they
// are asked to.
package knack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/host"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/prompt"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/skill"
)

// Engine loads skills. It is safe for use by many goroutines.
type Engine struct {
	opt      Options
	profile  *host.Profile
	native   *host.Profile // whose reading of what restricts a skill always counts
	settings *config.Settings
	problems []skill.Diagnostic
	places   host.Places
	roots    []catalog.Root
	parser   *format.Parser
	catalog  *catalog.Catalog
	index    string
	// What sessions are made of.
	renderer  *prompt.Renderer
	policy    *policy.Policy
	activator *session.Activator
	commands  *session.CommandSet
	names     *session.ToolNamer
	env       *session.Env
	// The configuration files of the user and the workspace, and the host's.
	homeFile, localFile string
	foreign             config.Host
}

// Open prepares an engine: it reads the configuration and the host's profile,
// but no skill. It fails if the host is unknown or its profile is broken; what
// is wrong with the configuration is in [Engine.Diagnostics].
func Open(ctx context.Context, opt Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	e := &Engine{opt: withDefaults(opt)}
	if err := e.configure(); err != nil {
		return nil, publicError(err)
	}
	_, damaged := trust.Open(e.trustFile())
	e.problems = append(e.problems, damaged...)
	if err := e.assemble(); err != nil {
		return nil, err
	}
	return e, nil
}

// configure reads settings and profile. Which host it is may itself be a
// setting, so the native profile says where the settings are.
func (e *Engine) configure() error {
	native, err := host.Load(host.Native)
	if err != nil {
		return err
	}
	e.places = e.machine()
	e.native, e.profile = native, native
	e.homeFile, e.localFile = native.ConfigFiles(e.places)
	e.readSettings()
	if e.settings.Host == "" || e.settings.Host == host.Native {
		return nil
	}
	profile, err := host.Load(e.settings.Host, e.hostFiles()...)
	// A mistake in a file must not lock its user out of mending it.
	if v, _ := e.settings.Get("host"); err != nil && v.Origin.File != "" {
		e.problems = append(e.problems, skill.ConfigBadValue.New(v.Origin.File, v.Origin.Line, err.Error(), "knack config unset host"))
		return nil
	}
	if err != nil {
		return err
	}
	e.profile = profile
	if e.opt.asShipped {
		e.profile = profile.AsShipped()
	}
	e.foreign = e.profile.Settings(e.places)
	e.readSettings()
	return nil
}

// readSettings puts the configuration together, with that of the host in force.
func (e *Engine) readSettings() {
	flags := maps.Clone(e.opt.Settings)
	if e.opt.Host != "" {
		flags = cloneWith(flags, "host", e.opt.Host)
	}
	files := config.Files{Home: e.homeFile, Local: e.localFile}
	if e.opt.hostAlone {
		files = config.Files{}
	}
	e.settings, e.problems = config.Load(config.Input{
		Files: files, Host: e.foreign,
		Environ: e.opt.Environ, Flags: flags,
		Workspace: e.opt.Workspace, UserHome: e.opt.UserHome,
	})
	e.places.Texts, e.places.Truthy = e.directories, e.settings.Truthy
}

func cloneWith(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// hostFiles are the profiles a user wrote, beside the ones compiled in.
func (e *Engine) hostFiles() []fs.FS {
	if e.opt.Home == "" {
		return nil
	}
	return []fs.FS{os.DirFS(filepath.Join(e.opt.Home, "hosts"))}
}

func (e *Engine) assemble() error {
	rules := e.tuned()
	parser, err := e.newParser(rules.format)
	if err != nil {
		return fmt.Errorf("host %s: %w", e.profile.Name, err)
	}
	checker, err := gate.New(e.profile.Gate)
	if err != nil {
		return fmt.Errorf("host %s: %w", e.profile.Name, err)
	}
	e.parser = parser
	var own []catalog.Root
	picked := catalog.Choices{}
	if !e.opt.OnlyRoots {
		own, picked = rules.roots, e.choices()
	}
	e.roots = e.withGivenRoots(own)
	if e.opt.Home != "" && !e.opt.NoIndex {
		e.index = filepath.Join(e.opt.Home, "cache", "index-"+rootsKey(e.profile.Name, e.roots)+".bin")
	}
	e.catalog, err = catalog.New(catalog.Options{
		Roots: e.roots, Rules: rules.discover, Parser: parser, Gate: checker,
		Env: func() *gate.Environment {
			return gate.Machine(e.opt.Environ, e.opt.UserHome, runtime.GOOS, e.settings.Truthy)
		},
		Choices: picked, Index: e.index, Fingerprint: e.fingerprint(),
		Trust: e.judging, Sidecars: trust.Sidecars(),
		Now: e.opt.Now, Log: e.opt.Logger,
	})
	if err == nil {
		err = e.assembleSessions()
	}
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
		links := catalog.ContainedLinks
		if r.FollowLinks {
			links = catalog.FollowLinks
		}
		out = append(out, catalog.Root{Path: r.Path, Class: "extra", Trust: trust, Depth: givenDepth, Links: links})
	}
	return append(out, embedded...)
}

// givenDepth is how deep a root given by the caller is searched: as deep as
// the native profile searches its own.
const givenDepth = 4

// fingerprint stands for all that a parse depends on besides the files.
func (e *Engine) fingerprint() string {
	rules, err := json.Marshal(e.parser.Rules())
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
