package knack

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/knackhq/knack/skill"
)

// Options says what an engine may see. The zero value sees the bundled skills
// and nothing of the machine. Paths are absolute.
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
	// TrustWorkspace takes the workspace for accepted, with all that is in it.
	TrustWorkspace bool
	// OnlyRoots leaves the host's own roots and the configuration's choices
	// out: nothing but Roots is searched, and nothing is switched off.
	OnlyRoots bool
	// NoBundled leaves the compiled-in skills out.
	NoBundled bool
	// NoIndex reads every file at every load instead of keeping an index of
	// what was read below Home.
	NoIndex bool
	// Build names the program, so that an index made by another build is not
	// used. Empty takes it from the build information.
	Build string
	// Embedder, if there is one, has a say in the order of the skills that are
	// suggested for a message.
	Embedder Embedder
	// Logger is told what each step decides, at debug level. Nil is silent.
	Logger *slog.Logger
	// Now is the clock. Nil is time.Now.
	Now func() time.Time

	// asShipped takes the rules of the host's program where they differ from
	// what its documents say.
	asShipped bool
	// hostAlone leaves Knack's own configuration out.
	hostAlone bool
}

// Root is a directory with skills.
type Root struct {
	Path  string
	Trust skill.Trust // empty is skill.Installed
	// FollowLinks goes wherever links lead; else they must stay in the root.
	FollowLinks bool
}

// check refuses what would make an engine depend on the process it runs in.
func (opt *Options) check() error {
	paths := [][2]string{{"Home", opt.Home}, {"UserHome", opt.UserHome}, {"Workspace", opt.Workspace}}
	for _, r := range opt.Roots {
		paths = append(paths, [2]string{"Roots", r.Path})
		if r.Trust != "" && r.Trust != skill.Trusted && r.Trust != skill.Installed {
			return fmt.Errorf("knack: Options.Roots: trust %q is neither %q nor %q", r.Trust, skill.Trusted, skill.Installed)
		}
	}
	for _, p := range paths {
		if p[1] != "" && !filepath.IsAbs(p[1]) {
			return fmt.Errorf("knack: Options.%s: %q is not an absolute path", p[0], p[1])
		}
	}
	return nil
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
