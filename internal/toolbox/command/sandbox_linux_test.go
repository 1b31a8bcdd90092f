package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

func TestMain(m *testing.M) {
	if code, stage := sandbox.Child(os.Args); stage {
		// With the race detector os.Exit takes a second, at every program that is
		// started.
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0)
	}
	os.Exit(m.Run())
}

// inEachLayer runs a test in the layers of this machine that contain.
func inEachLayer(t *testing.T, test func(t *testing.T, o Options)) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, layer := range []sandbox.Layer{sandbox.Namespaces, sandbox.Bubblewrap, sandbox.Landlock} {
		box := sandbox.New(sandbox.Options{Program: program, Layer: layer, Path: "/usr/bin:/bin"})
		t.Run(string(layer), func(t *testing.T) {
			works := false
			for _, status := range box.Layers(t.Context()) {
				works = works || status.Layer == layer && status.Works
			}
			if !works {
				t.Skipf("%+v", box.Layers(t.Context()))
			}
			ran++
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			workspace := filepath.Join(base, "work space")
			put(t, filepath.Join(workspace, "made"), "", 0o644)
			test(t, Options{Runner: box, Workspace: workspace, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=dumb"}})
		})
	}
	if ran == 0 {
		t.Skip("no layer contains here")
	}
}

func TestSkillContained(t *testing.T) {
	inEachLayer(t, func(t *testing.T, o Options) {
		for _, dir := range []string{filepath.Join(filepath.Dir(o.Workspace), "the skill"), filepath.Join(o.Workspace, "skills", "the skill")} {
			secret := filepath.Join(filepath.Dir(o.Workspace), "secret")
			put(t, secret, "secret", 0o600)
			put(t, dir+"/scripts/pre-deploy.sh", `echo "checking $1"
echo "in workspace" > "$WORKSPACE/made" || echo "workspace is read-only"
(echo x > "$SKILL_DIR/made") 2>/dev/null && echo "skill is writable"
(echo x > made) 2>/dev/null && echo "skill is writable"
cat "$WORKSPACE/../secret" 2>/dev/null
echo "in tmp" > "$TMPDIR/x" && cat "$TMPDIR/x"
`, 0o644)
			it := Skill(o, SkillTool{Name: "skill_deploy_check", Skill: "deploy", Command: "./scripts/pre-deploy.sh", Dir: dir})
			got := call(t, it, map[string]string{"args": "prod 'x'"})
			if want := "checking prod 'x'\nin tmp"; got.Text != want || got.Failed {
				t.Errorf("got %q, want %q", got.Text, want)
			}
			if text, err := os.ReadFile(o.Workspace + "/made"); err != nil || string(text) != "in workspace\n" {
				t.Errorf("%q, %v", text, err)
			}
			if got.Sandbox == nil || got.Sandbox.Layer == "" || got.Sandbox.Files == "" {
				t.Errorf("%+v", got.Sandbox)
			}
			plan, err := it.Plan(t.Context(), json.RawMessage(`{"args":"prod"}`))
			if err != nil || plan.Sandbox == nil || plan.Sandbox.Layer != got.Sandbox.Layer || plan.Subject != "./scripts/pre-deploy.sh 'prod'" {
				t.Errorf("%+v, %v", plan, err)
			}
			denied := call(t, Skill(o, SkillTool{Name: "n", Skill: "s", Command: `echo > "$SKILL_DIR/x"`, Dir: dir}), struct{}{})
			if !denied.Failed || !strings.Contains(denied.Text, "it ran contained ("+got.Sandbox.Layer+")") {
				t.Errorf("%+v", denied)
			}
		}
	})
}

func TestShellContained(t *testing.T) {
	inEachLayer(t, func(t *testing.T, o Options) {
		o.Timeout = 20 * time.Second
		got := call(t, Shell(o), map[string]any{"command": "(sleep 600 &) ; setsid sleep 600 & echo begun; sleep 600", "timeout_seconds": 1})
		if got.Text != "Command timed out after 1s\nstdout:\nbegun" {
			t.Errorf("%+v", got)
		}
		got = call(t, Shell(o), map[string]any{"command": "setsid sleep 600 & echo done"})
		if got.Text != "done" {
			t.Errorf("%+v", got)
		}
		o.MaxOutput = 1000
		got = call(t, Shell(o), map[string]any{"command": "yes é | head -c 500001; exit 5"})
		if !got.Cut || !strings.HasPrefix(got.Text, "Command exited with code 5: \nstdout:\né\n") {
			t.Errorf("%.200q", got.Text)
		}
		got = call(t, Shell(o), map[string]any{"command": "kill -TERM $$"})
		if !strings.HasPrefix(got.Text, "Command was ended by a signal (terminated): ") {
			t.Errorf("%q", got.Text)
		}
	})
}

func TestGitContained(t *testing.T) {
	inEachLayer(t, func(t *testing.T, o Options) {
		git(t, o.Workspace, "init", "-q", "-b", "main")
		put(t, o.Workspace+"/a.txt", "one\n", 0o644)
		o.Author, o.Keep = "Ada <ada@example.com>", []string{filepath.Join(o.Workspace, ".git")}
		it, trusted := Git(o), tool.Terms{}.With(t.Context())
		config, err := os.ReadFile(o.Workspace + "/.git/config")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"add", "a.txt"}, ""},
			{[]string{"commit", "-q", "-m", "first"}, ""},
			{[]string{"log", "--format=%an %s"}, "Ada first"},
			{[]string{"status", "--short"}, "?? made"},
			{[]string{"switch", "-q", "-c", "b"}, ""},
			{[]string{"tag", "v1"}, ""},
			{[]string{"show", "--stat", "--format=%s"}, "first\n\n a.txt | 1 +\n 1 file changed, 1 insertion(+)"},
		} {
			got, err := it.Run(trusted, encoded(t, gitArgs(c.args...)))
			if err != nil || got.Text != c.want {
				t.Errorf("%q: got %q, %v, want %q", c.args, got.Text, err, c.want)
			}
		}
		// The configuration stays, whatever git is told; a shell can change nothing
		// of the repository.
		_ = call(t, it, gitArgs("branch", "--set-upstream-to=main"))
		put(t, o.Workspace+"/a.txt", "two\n", 0o644)
		_ = call(t, it, gitArgs("add", "a.txt"))
		if now, err := os.ReadFile(o.Workspace + "/.git/config"); err != nil || string(now) != string(config) {
			t.Errorf("%q, %v", now, err)
		}
		got := call(t, Shell(o), map[string]any{"command": "git log --format=%s; echo x > .git/hooks/pre-commit; echo x >> .git/config; rm -rf .git; mv .git x"})
		if text := git(t, o.Workspace, "log", "--format=%s"); text != "first\n" {
			t.Errorf("%s\n%s", got.Text, text)
		}
		if _, err := os.Stat(o.Workspace + "/.git/hooks/pre-commit"); err == nil {
			t.Error("there is a hook")
		}
	})
}

// The longest arguments that are let through start, contained as well.
func TestLongestContained(t *testing.T) {
	inEachLayer(t, func(t *testing.T, o Options) {
		var args []Arg
		given := map[string]string{}
		for i := range 6 {
			name := fmt.Sprintf("a%d", i)
			args = append(args, Arg{Name: name})
			given[name] = strings.Repeat("x", longestWord-len(variable(name))-2)
		}
		got := call(t, Skill(o, SkillTool{Command: `printf %s "$@" | wc -c`, Dir: o.Workspace, Args: args}), given)
		if want := fmt.Sprint(6 * len(given["a0"])); got.Text != want {
			t.Errorf("got %.200q, want %s", got.Text, want)
		}
	})
}

// Terms reach the sandbox: where nothing contains, what must be contained does not
// run.
func TestLimitsOnly(t *testing.T) {
	o, _ := setup(t)
	o.Runner = sandbox.New(sandbox.Options{})
	it := Skill(o, SkillTool{Command: "echo ran", Dir: o.Workspace})
	if got := call(t, it, struct{}{}); !got.Failed || !strings.Contains(got.Text, "is not run where nothing contains it") {
		t.Errorf("%+v", got)
	}
	got, err := it.Run(tool.Terms{}.With(t.Context()), nil)
	if err != nil || got.Text != "ran" || got.Sandbox.Layer != string(sandbox.Limits) {
		t.Errorf("%+v, %v", got, err)
	}
}
