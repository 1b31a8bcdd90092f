package files

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knackhq/knack/tool"
)

// Properties draw the same cases every time, so that a change is judged by what
// it changes; make fuzz draws new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		_ = seed.Value.Set("1")
	}
	os.Exit(m.Run())
}

// room is a workspace, a skill's folder and a place outside of both.
type room struct {
	t                   testing.TB
	ws, skills, outside string
	opt                 Options
	set                 *toolset
}

const secret = "the secret"

func newRoom(t testing.TB, keep ...string) *room {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, ws: filepath.Join(top, "ws"), skills: filepath.Join(top, "skill"), outside: filepath.Join(top, "outside")}
	for _, dir := range []string{r.ws, r.skills, r.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.put("../outside/secret", secret)
	r.put("../skill/SKILL.md", "# skill\n")
	r.opt = Options{Workspace: r.ws, Folders: func() []string { return []string{r.skills} }}
	for _, k := range keep {
		r.opt.Keep = append(r.opt.Keep, filepath.Join(r.ws, k))
	}
	return r
}

func (r *room) path(name string) string { return filepath.Join(r.ws, filepath.FromSlash(name)) }

func (r *room) put(name, content string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) link(target, name string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(target, r.path(name)); err != nil {
		r.t.Skip(err)
	}
}

func (r *room) get(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(r.path(name))
	if err != nil {
		r.t.Error(err)
	}
	return string(data)
}

func (r *room) tool(name string) tool.Planner {
	tools := Tools(r.opt)
	for _, t := range tools {
		if t.Spec().Name == name {
			if r.set == nil {
				r.set = t.(*fileTool).set
			}
			t.(*fileTool).set = r.set
			return t.(tool.Planner)
		}
	}
	r.t.Fatalf("no tool %s", name)
	return nil
}

type args map[string]any

func (r *room) call(name string, a args) tool.Result {
	r.t.Helper()
	return r.callRaw(r.t.Context(), name, mustJSON(a))
}

func (r *room) callRaw(ctx context.Context, name string, raw string) tool.Result {
	r.t.Helper()
	res, err := r.tool(name).Run(ctx, json.RawMessage(raw))
	if err != nil {
		r.t.Fatalf("%s %s: %v", name, raw, err)
	}
	return res
}

// ok calls a tool that has to succeed.
func (r *room) ok(name string, a args) string {
	r.t.Helper()
	res := r.call(name, a)
	if res.Failed {
		r.t.Fatalf("%s %v failed: %s", name, a, res.Text)
	}
	return res.Text
}

// fails calls a tool that has to fail, saying something.
func (r *room) fails(name string, a args, want string) {
	r.t.Helper()
	res := r.call(name, a)
	if !res.Failed || !strings.Contains(res.Text, want) {
		r.t.Errorf("%s %v: failed %v, %q; want %q", name, a, res.Failed, res.Text, want)
	}
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}
