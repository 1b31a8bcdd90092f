package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// factory makes what commands need, when they need it.
type factory struct {
	env   Env
	flags struct{ host, workspace, home, log string }
	// level is what is logged; the settings decide once they are read.
	level slog.LevelVar
}

func newFactory(env Env) *factory { return &factory{env: env} }

func (f *factory) getenv(name string) string {
	for i := len(f.env.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(f.env.Environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func (f *factory) userHome() string {
	if home := f.getenv("HOME"); home != "" || runtime.GOOS != "windows" {
		return home
	}
	return f.getenv("USERPROFILE")
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
// that holds .knack or .git, below the user's home; else the current one.
func (f *factory) workspace() string {
	if f.flags.workspace != "" {
		return f.abs(f.flags.workspace)
	}
	home := f.userHome()
	for dir := f.env.Dir; dir != "" && dir != home; dir = filepath.Dir(dir) {
		for _, mark := range [...]string{".knack", ".git"} {
			if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	return f.env.Dir
}

// options are those of the engine every command works with.
func (f *factory) options() (knack.Options, error) {
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
		Environ: f.env.Environ, Build: f.build(), Logger: f.logger(), Now: f.env.Now,
	}, nil
}

func (f *factory) engine(ctx context.Context) (*knack.Engine, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	if f.flags.log != "" && new(slog.Level).UnmarshalText([]byte(f.flags.log)) != nil {
		return nil, &usageError{err: fmt.Errorf("--log %q is none of debug, info, warn, error", f.flags.log)}
	}
	engine, err := knack.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	var level slog.Level
	if s, ok := engine.Setting("log"); ok && level.UnmarshalText([]byte(strings.Trim(s.Value, `"`))) == nil {
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

func output(w io.Writer, environ []string) *term.Output {
	if file, ok := w.(*os.File); ok {
		return term.Detect(file, environ)
	}
	return term.New(w, false, false, 0)
}

// printJSON writes v as the whole output of a command.
func (f *factory) printJSON(v any) error {
	enc := json.NewEncoder(f.env.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printJSONLine writes v as one line of a stream.
func (f *factory) printJSONLine(v any) error {
	enc := json.NewEncoder(f.env.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// short shows a path with the user's home as ~.
func (f *factory) short(path string) string {
	home := f.userHome()
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return "~" + rest
	}
	return path
}

// completeNames offers skill names to the shell.
func (f *factory) completeNames(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, snap, err := f.snapshot(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, e := range snap.Entries() {
		if e.Status != skill.Shadowed {
			names = append(names, e.Name+"\t"+term.Truncate(term.Text(e.Description), 60))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
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
		fmt.Fprintf(f.env.Stdout, "%s%s: %s %s\n", term.Clean(place), severity(out, d.Severity), term.Clean(d.Message), out.Dim("["+string(d.Code)+"]"))
		if d.Hint != "" {
			fmt.Fprintf(f.env.Stdout, "    %s\n", term.Clean(d.Hint))
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

// wrap folds prose to the terminal's width; elsewhere it stays on one line.
func wrap(out *term.Output, s string) string {
	if !out.TTY() {
		return s
	}
	return term.Wrap(s, out.Columns(), 0)
}
