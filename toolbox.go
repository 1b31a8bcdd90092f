package knack

import (
	"context"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/toolbox"
	"github.com/knackhq/knack/internal/toolbox/calculator"
	"github.com/knackhq/knack/internal/toolbox/command"
	"github.com/knackhq/knack/internal/toolbox/files"
	"github.com/knackhq/knack/internal/toolbox/web"
	"github.com/knackhq/knack/tool"
)

// SandboxChild has to be the first statement of main in a program that lets
// skills run tools, with os.Args: the program is started again to confine what
// they run. If stage is true, exit with code at once.
func SandboxChild(args []string) (code int, stage bool) { return sandbox.Child(args) }

// ToolboxOptions say what the tools of sessions may use.
type ToolboxOptions struct {
	// Program is the path of this program, whose main calls [SandboxChild] first.
	// Without it nothing is contained: what skills that are not trusted want to
	// run is refused then.
	Program string
	// More makes further tools for a session.
	More func(*Session) []tool.Tool
	// Ask puts a question to the user. With nil, what has to be asked is refused.
	Ask func(context.Context, Question) (Consent, error)
	// Unasked says what the user can do about what is refused because nobody could
	// be asked.
	Unasked string
}

// Toolbox is what sessions can run: the built-in tools, those of skills, and what
// contains them. It is safe for use by many goroutines.
type Toolbox struct {
	engine *Engine
	opt    ToolboxOptions
	box    *sandbox.Box
	log    toolbox.Log
	keep   func() []string // the places that tools may only read, looked for once
	// How programs and requests are made is asked for with every tool of a skill,
	// before every call.
	commands func() command.Options
	web      func() web.Options
}

// NewToolbox makes a toolbox. Nothing is started yet.
func (e *Engine) NewToolbox(opt ToolboxOptions) *Toolbox {
	t := &Toolbox{engine: e, opt: opt, log: toolbox.Log{Path: e.AuditFile()}, keep: sync.OnceValue(e.keep)}
	layer := sandbox.Layer(e.settings.Tools.Layer)
	if layer == strongest {
		layer = ""
	}
	path, _ := environ.Lookup(e.opt.Environ, "PATH", runtime.GOOS)
	t.box = sandbox.New(sandbox.Options{Program: opt.Program, Layer: layer, Path: path})
	t.commands, t.web = sync.OnceValue(t.running), sync.OnceValue(t.requesting)
	return t
}

// strongest is the setting that leaves the layer to the machine.
const strongest = "strongest"

// Layer is one way to contain programs, and what became of trying it here.
type Layer struct {
	Name  string `json:"name"`
	Works bool   `json:"works"`
	// Contains tells that files and network are contained.
	Contains bool `json:"contains"`
	// Why says why it does not work, or what is weak about it.
	Why string `json:"why,omitempty"`
}

// Layers tries every layer, strongest first. The first that works is used.
func (t *Toolbox) Layers(ctx context.Context) []Layer {
	var out []Layer
	for _, s := range t.box.Layers(ctx) {
		out = append(out, Layer{Name: string(s.Layer), Works: s.Works, Contains: s.Layer.Contains(), Why: s.Why})
	}
	return out
}

// AuditLog reads what tools were called, oldest first, and how many lines of the
// log cannot be read.
func (e *Engine) AuditLog() (records []tool.Record, unreadable int, err error) {
	return toolbox.Log{Path: e.AuditFile()}.Records()
}

// AuditFile is the file of the audit log; empty if none is kept.
func (e *Engine) AuditFile() string {
	if e.opt.Home == "" {
		return ""
	}
	return filepath.Join(e.opt.Home, "audit.jsonl")
}

// tools are those of a session that no skill brings along. This is the one place
// where they are put together.
func (t *Toolbox) tools(s *Session) []tool.Tool {
	out := files.Tools(s.files())
	commands := t.commands()
	if t.engine.workspace() != "" && runtime.GOOS != "windows" {
		out = append(out, command.Shell(commands))
		if t.engine.hasProgram("git") {
			out = append(out, command.Git(commands))
		}
	}
	out = append(out, web.Tools(t.web())...)
	out = append(out, calculator.Tool(), s.SkillTool(), s.SearchTool())
	if t.opt.More != nil {
		out = append(out, t.opt.More(s)...)
	}
	return out
}

// running says how programs are run.
func (t *Toolbox) running() command.Options {
	e := t.engine
	return command.Options{
		Runner: t.box, Workspace: e.workspace(), Keep: t.keep(), Read: e.settings.Tools.ShellRead, Env: e.basicEnv(),
		Timeout: time.Duration(e.settings.Skills.ToolTimeoutSeconds) * time.Second, MaxOutput: e.settings.Skills.ToolOutputBytes,
		Proxy: proxy, Shell: []string{"/bin/sh"}, Author: e.author(),
	}
}

// proxy lets a confined program reach what the terms of its call name.
func proxy(terms tool.Terms) func(net.Listener) {
	if len(terms.Hosts) == 0 && !terms.Anywhere {
		return nil
	}
	return egress.Proxy(egress.Guard{Hosts: terms.Hosts, Anywhere: terms.Anywhere})
}

// requesting says how requests are made.
func (t *Toolbox) requesting() web.Options {
	set := t.engine.settings
	opt := web.Options{
		Timeout:  time.Duration(set.Skills.ToolTimeoutSeconds) * time.Second,
		MaxBytes: int64(set.Skills.ToolOutputBytes),
		Hint: func(tool, host string) string {
			return "knack grant SKILL " + tool + " --net " + host + " lets an installed skill, and tools.private_hosts in the configuration everything else"
		},
	}
	if set.Tools.WebSearchURL != "" || set.Tools.WebSearchKey != "" {
		opt.Search = &web.SearchOptions{Engine: set.Tools.WebSearchKind, URL: set.Tools.WebSearchURL, Key: set.Tools.WebSearchKey}
	}
	return opt
}

// needs tells what tools that are not there lack.
func needs() map[string]string {
	return map[string]string{
		"web_search": "set tools.web_search_url to a SearXNG server, or tools.web_search_kind to brave and tools.web_search_key to its key: knack config set tools.web_search_url https://search.example.com",
		"git":        "install git",
	}
}

// basicEnv is what every program needs and may know: where programs are, and how
// people here write.
func (e *Engine) basicEnv() []string {
	env := []string{"TERM=dumb"}
	for _, name := range [...]string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"} {
		if value, ok := environ.Lookup(e.opt.Environ, name, runtime.GOOS); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (e *Engine) hasProgram(name string) bool {
	return gate.Machine(e.opt.Environ, e.opt.UserHome, runtime.GOOS, nil).HasBin(name)
}

// mostNested is how many projects within a project are looked after.
const mostNested = 200

// keep are the places of the workspace that tools may only read: what decides
// about skills and tools, now or at the next start.
func (e *Engine) keep() []string {
	ws := e.workspace()
	if ws == "" {
		return nil
	}
	var out []string
	for _, name := range e.profile.Tools.Keep {
		out = append(out, filepath.Join(ws, filepath.FromSlash(name)))
	}
	for _, r := range e.roots {
		if r.FS != nil {
			continue
		}
		if rel, ok := inside(r.Path, ws); ok {
			out = append(out, filepath.Join(ws, rel))
		} else if _, ok := inside(ws, r.Path); ok { // all of it is where skills are
			out = append(out, ws)
		}
	}
	if rel, ok := inside(e.opt.Home, ws); ok && e.opt.Home != "" {
		out = append(out, filepath.Join(ws, rel))
	}
	out = append(out, files.Nested(ws, e.profile.Tools.Anywhere, mostNested)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// workspace is the folder that tools may work in. One that the user's home lies in
// is none: everything that tools are to be kept from would be in it.
func (e *Engine) workspace() string {
	if _, holds := inside(e.opt.UserHome, e.opt.Workspace); holds && e.opt.UserHome != "" {
		return ""
	}
	return e.opt.Workspace
}

// inside is the way from a folder to a path that is it or lies in it, by whichever
// links either is named.
func inside(path, folder string) (rel string, ok bool) {
	rel, err := filepath.Rel(realPath(folder), realPath(path))
	return rel, err == nil && filepath.IsLocal(rel)
}

// realPath is where a path leads; of what does not exist yet, as far as it does.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(realPath(parent), filepath.Base(path))
	}
	return path
}
