package knack

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/bundled"
	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/host"
)

// machine is what the paths of profiles stand for here.
func (e *Engine) machine() host.Places {
	at := host.Places{
		Workspace: e.opt.Workspace, Home: e.opt.Home, UserHome: e.opt.UserHome,
		Getenv: func(name string) string {
			value, _ := environ.Lookup(e.opt.Environ, name, runtime.GOOS)
			return value
		},
		Exists:    func(path string) bool { _, err := os.Stat(path); return err == nil },
		FirstLine: firstLine,
	}
	if !e.opt.NoBundled {
		at.Bundled = bundled.FS()
	}
	return at
}

// firstLine is how a small file starts: a name that another program wrote.
func firstLine(path string) string {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() { // a pipe would keep us waiting
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n') // longer than any file's name
	return strings.TrimSpace(line)
}

// directories are the paths that a setting holds. Those of keys that are not
// Knack's are as somebody wrote them.
func (e *Engine) directories(key string) []string {
	var out []string
	for _, path := range e.settings.Texts(key) {
		if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) && e.opt.UserHome != "" {
			path = filepath.Join(e.opt.UserHome, rest)
		}
		if filepath.IsAbs(path) {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}

// tunedRules are the profile's, with the limits that the settings give.
type tunedRules struct {
	format   format.Rules
	discover catalog.Rules
	roots    []catalog.Root
}

func (e *Engine) tuned() tunedRules {
	r := tunedRules{e.profile.Format, e.profile.Discover, e.profile.Expand(e.places)}
	set := &e.settings.Skills
	if n := set.Limits.MaxCandidatesPerRoot; n != nil {
		r.discover.MaxCandidates = *n
	}
	if n := set.Limits.MaxSkillsLoadedPerSource; n != nil {
		r.discover.MaxLoaded = *n
	}
	if n := set.Limits.MaxSkillFileBytes; n != nil {
		r.format.Limits.FileBytes = int64(max(*n, 1)) // of none, nothing can be read
	}
	if n := set.MaxScanDepth; n != nil {
		for i := range r.roots {
			r.roots[i].Depth = *n
		}
	}
	// A directory that only the workspace's own configuration names is the
	// workspace's, whatever the profile thinks of directories that settings name.
	for i, theirs := 0, e.settings.WorkspaceTexts(extraRootsKey); i < len(r.roots); i++ {
		if root := &r.roots[i]; root.FS == nil && slices.Contains(theirs, root.Path) {
			root.Class = workspaceClass
		}
	}
	return r
}

const (
	extraRootsKey = "skills.extra_roots"
	// workspaceClass is the class of roots that come with a workspace.
	workspaceClass = "workspace"
)

// newParser makes the parser of the host. What restricts a skill is read in full
// whichever host it is.
func (e *Engine) newParser(rules format.Rules) (*format.Parser, error) {
	if e.profile == e.native {
		return format.New(rules)
	}
	full, err := format.New(e.native.Format)
	if err != nil {
		return nil, err
	}
	return format.NewAs(rules, full)
}
