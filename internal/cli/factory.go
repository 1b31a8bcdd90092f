package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/memory"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// factory makes what commands need, when they need it.
type factory struct {
	env   Env
	flags struct {
		host, workspace, home, log string
		trustWorkspace             bool
	}
	// level is what is logged; the settings decide once they are read.
	level    slog.LevelVar
	memories *memory.Store // nil before it is asked for
}

func newFactory(env Env) *factory { return &factory{env: env} }

func (f *factory) getenv(name string) string {
	value, _ := f.lookupEnv(name)
	return value
}

func (f *factory) lookupEnv(name string) (string, bool) {
	return environ.Lookup(f.env.Environ, name, runtime.GOOS)
}

// userHome is the user's home directory; empty if there is none.
func (f *factory) userHome() string {
	home := f.getenv("HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = f.getenv("USERPROFILE")
	}
	if home == "" {
		return ""
	}
	if !filepath.IsAbs(home) {
		home = filepath.Join(f.env.Dir, home)
	}
	return filepath.Clean(home)
}

// isHome reports whether a directory is the user's home, by whichever path.
func (f *factory) isHome(dir string) bool {
	home := f.userHome()
	if home == "" || dir == home {
		return home != ""
	}
	a, err := os.Stat(home)
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}

// abs makes a path from the command line absolute and expands a leading ~,
// which shells leave alone after an equals sign.
func (f *factory) abs(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		path = filepath.Join(f.userHome(), rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.env.Dir, path)
	}
	return filepath.Clean(path)
}

// home is Knack's own directory; empty if the user has none.
func (f *factory) home() string {
	switch {
	case f.flags.home != "":
		return f.abs(f.flags.home)
	case f.getenv("KNACK_HOME") != "":
		return f.abs(f.getenv("KNACK_HOME"))
	case f.userHome() != "":
		return filepath.Join(f.userHome(), ".knack")
	}
	return ""
}

// workspace is the project a command runs in: the nearest directory upwards
// that holds .knack or .git, below the user's home; else the current one. The
// home itself is no project: what lies there is the user's already.
func (f *factory) workspace() string {
	if f.flags.workspace != "" {
		return f.abs(f.flags.workspace)
	}
	for dir := f.env.Dir; dir != "" && !f.isHome(dir); dir = filepath.Dir(dir) {
		for _, mark := range [...]string{".knack", ".git"} {
			if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if f.isHome(f.env.Dir) {
		return ""
	}
	return f.env.Dir
}

// options are those of the engine every command works with.
func (f *factory) options() (knack.Options, error) {
	if f.env.Dir == "" {
		return knack.Options{}, &hintedError{err: errors.New("the current directory is gone"), hint: "go to one that exists"}
	}
	if f.flags.workspace != "" {
		if st, err := os.Stat(f.workspace()); err != nil || !st.IsDir() {
			return knack.Options{}, &usageError{err: fmt.Errorf("--workspace %s is not a directory", f.flags.workspace)}
		}
	}
	settings := map[string]string{}
	if f.flags.log != "" {
		settings["log"] = f.flags.log
	}
	return knack.Options{
		Home: f.home(), UserHome: f.userHome(), Workspace: f.workspace(), Host: f.flags.host, Settings: settings,
		TrustWorkspace: f.flags.trustWorkspace,
		Environ:        f.env.Environ, Build: f.build(), Logger: f.logger(), Now: f.env.Now,
	}, nil
}

func (f *factory) engine(ctx context.Context, change ...func(*knack.Options)) (*knack.Engine, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	for _, do := range change {
		do(&opt)
	}
	if f.flags.log != "" && new(slog.Level).UnmarshalText([]byte(f.flags.log)) != nil {
		return nil, &usageError{err: fmt.Errorf("--log %q is none of debug, info, warn, error", f.flags.log)}
	}
	engine, err := knack.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	var level slog.Level
	if name := engine.LogLevel(); name != "" && level.UnmarshalText([]byte(name)) == nil {
		f.level.Set(level)
	}
	return engine, nil
}

// snapshot opens the engine and loads what is there.
func (f *factory) snapshot(ctx context.Context) (*knack.Engine, *knack.Snapshot, error) {
	engine, err := f.engine(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer f.working("reading skills")()
	snap, err := engine.Snapshot(ctx)
	return engine, snap, err
}

// working shows that work goes on if it takes longer than a person waits
// without wondering. Call what it returns when the work is done.
func (f *factory) working(label string) (done func()) {
	ticker := time.NewTicker(term.TickEvery)
	progress := f.stderr().Progress(label, 0, term.Ticker{Now: f.env.Now, Tick: ticker.C})
	return func() {
		progress.Stop()
		ticker.Stop()
	}
}

// silent is above every level: nothing is logged unless somebody asks.
const silent = slog.LevelError + 1

// logger writes to stderr. Times would make two runs differ; what was decided
// and why is the point.
func (f *factory) logger() *slog.Logger {
	f.level.Set(silent)
	return slog.New(slog.NewTextHandler(f.env.Stderr, &slog.HandlerOptions{
		Level: &f.level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
}

func (f *factory) stdout() *term.Output { return output(f.env.Stdout, f.env.Environ) }
func (f *factory) stderr() *term.Output { return output(f.env.Stderr, f.env.Environ) }

// screen is where stdout goes in the end, for what has to know that it is a
// terminal.
func screen(w io.Writer) io.Writer {
	if s, ok := w.(*sink); ok {
		return s.to
	}
	return w
}

func output(w io.Writer, environ []string) *term.Output {
	if file, ok := screen(w).(*os.File); ok {
		return term.Detect(file, environ).To(w)
	}
	return term.New(w, false, false, 0)
}

// short shows a path with the user's home as ~.
func (f *factory) short(path string) string {
	home := f.userHome()
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return "~" + rest
	}
	return path
}

// completeNames offers skill names to the shell; those that a shell would have
// to be told about with care are left out.
func (f *factory) completeNames(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	_, snap, err := f.snapshot(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, e := range snap.Entries() {
		if e.Status != skill.Shadowed && term.Clean(e.Name) == e.Name && !slices.Contains(args, e.Name) {
			names = append(names, e.Name+"\t"+term.Truncate(term.Text(e.Description), 60))
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// printDiagnostics shows diagnostics as compilers do, worst first in each file.
func (f *factory) printDiagnostics(ds []skill.Diagnostic) {
	out := f.stdout()
	for _, d := range ds {
		place := f.short(d.File)
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, d.Line)
		}
		if place != "" {
			place += ": "
		}
		line := fmt.Sprintf("%s%s: %s %s", term.Clean(place), severity(out, d.Severity), term.Clean(d.Message), out.Dim("["+string(d.Code)+"]"))
		fmt.Fprintln(f.env.Stdout, wrap(out, line, 2))
		if d.Hint != "" {
			fmt.Fprintln(f.env.Stdout, "    "+wrap(out, term.Clean(f.pasted(d.Hint)), 4))
		}
	}
}

func severity(out *term.Output, s skill.Severity) string {
	switch s {
	case skill.Error:
		return out.Bad(string(s))
	case skill.Warning:
		return out.Warn(string(s))
	default:
		return out.Dim(string(s))
	}
}

// wrap folds prose to the terminal's width, with further lines indented;
// elsewhere it stays on one line.
func wrap(out *term.Output, s string, indent int) string {
	if !out.TTY() {
		return s
	}
	return strings.TrimLeft(term.Wrap(s, out.Columns(), indent), " ")
}
